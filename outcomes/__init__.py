"""What came of a memory: exchanges, recorded outcomes, and the scores they move.

Fast path only touches the items of one user in one transaction. Books and the memory bank are never scored.
"""
