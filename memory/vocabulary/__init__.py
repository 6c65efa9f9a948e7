"""The vocabulary of an organisation: the terms that messages are labelled with and questions are asked by.

`terms` are the values, `presets` two vocabularies to begin with, `matching` finds terms in a text by their aliases,
`cues` what a message says of its own kind. `editions` keeps an organisation's own vocabulary and its versions,
`suggestions` counts what fitted no term. It holds no text of a person; what a message was labelled with is the
person's (`memory.enrichment`).
"""
