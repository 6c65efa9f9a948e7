"""Exchanges: one question of a user and its answer.

``storing`` writes one and its memory, ``listing`` reads them for the API, the console and the export, ``profiling``
finds lasting facts in the user's words, ``retention`` deletes what is past its days.
"""
