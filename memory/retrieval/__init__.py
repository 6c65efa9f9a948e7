"""Search with explained ranking, and the composition of an assistant's context.

Ranking fails open: a stage that is late or down is skipped, named and counted. Access control and deletion fail
closed: every hit is read from Postgres inside the user's scope before it is returned.
"""
