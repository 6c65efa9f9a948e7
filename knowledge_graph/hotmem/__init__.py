"""The hot path: what a turn of a conversation tells is read at once, and what is known is laid beside the next one.

`memory/claims/frames` turns the words of a turn into triples.
"""
