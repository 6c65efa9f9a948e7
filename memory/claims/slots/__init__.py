"""The slots of a sentence: subject, relation and object.

`matching` finds them by `templates`, those of `memory/language/<code>/slots.txt`, and `framed` puts beside them what
frames read. `resolution` says whose they are; `nouns` and `sharing` read a name beside a noun and what holds of two
people. Then they fill the claims of the sentence (`filling`, `fitting`) or make claims of their own (`claiming`).
"""
