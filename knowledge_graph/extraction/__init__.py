"""Concepts, entities and kinds of work in a text, by rules. Pure."""
