"""Exchanges: one question of a user and its answer.

``storing`` writes one and its memory, ``sessions`` puts one together from the two requests of a coding agent,
``listing`` reads them for the API, the console and the export, ``profiling`` finds lasting facts in the user's words,
``retention`` deletes what is past its days.
"""
