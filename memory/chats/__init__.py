"""Conversations that took place elsewhere, read from the files other products hand out.

``reading`` turns a file (or the zip around it) into records without holding it in memory, ``chatgpt``, ``claude`` and
``jsonl`` turn one record into messages, ``importing`` turns messages into memories and writes them. A file is read
twice: once to check all of it, once to write. Nothing is written from a file that has a fault anywhere.

Only ``importing`` knows the store; the rest imports no framework.
"""
