"""Personal records a person keeps or says: journals, to-dos, gratitude notes, preferences, messages; and their recall.

Owns their tables, a vector for each in Postgres, and the search over them. A write leaves a row that says what is to be
embedded; the row's state is the queue. Messages come from stored exchanges, heard of by a signal. The five tiers know
nothing of this package, nor it of them. May import the core of memory and the signals of outcomes; no door.
"""
