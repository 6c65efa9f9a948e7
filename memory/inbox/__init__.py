"""What waits for a person's decision, whatever kind it is of, and what becomes of it.

`matters` asks the tables what waits, `duplicates` compares the bank's texts, `deeds` does what was decided and takes it
back, `deciding` keeps what was decided.
"""
