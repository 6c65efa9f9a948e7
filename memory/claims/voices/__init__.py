"""What of a text is not the person's own word as it stands: other voices, suppositions, what is only asked.

`others` blanks code, quotations, parts and texts to work on before anything is read; `suppositions` and `whether` drop
claims afterwards; `own_words` tells the search, not the reader, which words of a turn are the person's.
"""
