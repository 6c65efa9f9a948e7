"""The person's own page: what is remembered about them, to see, correct, archive, take away and delete.

A link opens it, `session` says whose page a request is, and each page acts through the facade for that person alone.
Nothing here knows an operator, a key or another person.
"""
