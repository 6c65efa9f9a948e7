"""Concepts, entities and the kind of work of a text, by rules. Pure: text in, values out; no table, no model.

``concepts`` for queries and lessons, ``entities`` for memories, ``context_types`` for the kind of work. ``keys`` are
the normal forms under which all languages meet, ``announcements`` the words that introduce a name. A word list or a
rule of a language is changed in its data, not here.
"""
