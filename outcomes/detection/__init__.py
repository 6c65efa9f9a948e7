"""Finds out what came of an exchange when nobody reported it.

``detector`` asks a language model what the conversation shows; when it does and what it sees is decided there, the
prompt is ``templates/prompts/outcome_detection.txt``. ``cues`` reads thanks, corrections and repeated questions in the
next message, ``implicit`` stores them as signals. Imports ``verdicts`` to record what it finds.
"""
