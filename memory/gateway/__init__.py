"""A door that speaks OpenAI's API: a client changes its base URL, and its model remembers.

A request for an answer is passed on to a language model behind us (`upstream`) with the memory's context laid in, and
what was said is stored when the answer ends. `views` has the endpoints, `serving` the way of a request, `identity`
whose turn and which thread it is, `turns` the context before and the exchange after, each in time (`patience`). `chat`
and `responses` know one of the two APIs each (`dialects`): how a request reads, where the context goes, how an answer
comes, whole or in events (`sse`). `calls` tells our search tool's calls from the client's, `refinement` runs ours,
`review` looks at a finished answer. Errors have OpenAI's shape (`errors`).

Nothing here holds a transaction or a slot of the process while it waits for the language model. May import the facade,
the tools and what lies below.
"""
