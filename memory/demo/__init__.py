"""A first user to look at: nine months of a fictional engineer's conversations, in English and Hebrew.

Everything goes through the doors a client would use: the importer, the memory bank with its guard, recorded outcomes.
``prepare`` may run at every start. It adds what is missing, keeps the key and the password it is given, and never
brings back a demo user whom somebody has erased.
"""

from memory.demo.loading import EXAMPLE_QUERIES, EXAMPLE_QUERY, SLUG, USER_ID, prepare

__all__ = ["EXAMPLE_QUERIES", "EXAMPLE_QUERY", "SLUG", "USER_ID", "prepare"]
