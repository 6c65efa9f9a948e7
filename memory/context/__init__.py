"""What an assistant receives before it answers.

`compose` puts it together, `blocks` says how each section is worded and fenced, `budget` how many memories and tokens a
question gets, `meta` what the client is told about it (MemoryMetaV1, a contract).

Searches through `memory.retrieval`; insights of the graphs are passed in as ready lines, so it imports no application.
"""
