"""From rows to the vector index, and back again to see that they agree.

`passages` says what of a memory is embedded: to change that is to make every vector stale, so its hash must change too.
`queue` takes pending rows, `tokens` fills in token vectors, `drift` compares index and rows and mends them, `rebuild`
copies everything into a new collection, `runs` starts, pauses and rolls back such a copy.

Imports store, indexes and inference; is called by tasks and commands, never by a request.
"""
