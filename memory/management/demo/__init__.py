"""A first user to look at: nine months of a fictional engineer's conversations, in English and Hebrew.

The demo is a user like any other: everything is loaded as a client would load it, through the importer, the memory
bank with its guard, recorded outcomes, a few exchanges of the last weeks, which teach facts, and a few questions with
what came of them. ``prepare_demo`` is idempotent and runs at every start. It keeps the key and the password of the run
before, and never recreates a demo user who has been erased.
"""

from memory.management.demo.loading import EXAMPLE_QUERIES, EXAMPLE_QUERY, SLUG, USER_ID, ask_questions, prepare_demo

__all__ = ["EXAMPLE_QUERIES", "EXAMPLE_QUERY", "SLUG", "USER_ID", "ask_questions", "prepare_demo"]
