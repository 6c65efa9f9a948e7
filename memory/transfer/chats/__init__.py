"""Imports conversations from the export files of other products.

``reading`` turns a file (or the zip around it) into records without holding it in memory, a module for each format
(``chatgpt``, ``mem0`` and so on) turns one record into messages, ``importing`` turns messages into memories and writes
them. A file is read twice: once to check all of it, once to write. Nothing is written from a file that has a fault
anywhere.

``standing`` takes apart what an account keeps beside its conversations, ``statements`` writes the single statements of
it into the memory bank.

Only ``importing``, ``statements`` and ``speech`` know the store; the rest imports no framework.
"""
