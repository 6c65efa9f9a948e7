"""Personal records (journals, to-dos, gratitude notes, preferences, messages) and the search over them.

Owns their tables, their vectors in Postgres, and recall. A write adds a row that says what is to be embedded; the state
of these rows is the queue. Messages come from stored exchanges, through a signal. Independent of the five tiers.
Its endpoints are in `api`. May import `memory.web`, the rooms below it and the signals of outcomes; nothing above.
"""
