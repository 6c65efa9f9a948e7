"""From a query to explained hits, and from hits to what an assistant is handed.

Ranking quality fails open: a stage that is late or down is left out, named and counted. Identity and deletion do not:
every hit is read again from Postgres inside the user's scope before it is shown.
"""
