"""Exchanges, their recorded outcomes, and the scores of memories that outcomes change.

Recording an outcome is one short transaction on the items of one user; learning from it is deferred. Books and the
memory bank are never scored.
"""
