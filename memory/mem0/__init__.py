"""mem0's REST, so that its clients work here by a change of their host: the platform's paths and the open-source ones.

`urls` says which address is what, `door` checks the key and reads the body as every HTTP door does, `people` finds whom
a call is about, `filters` turns a filter into conditions on rows, `scopes` knows where agents and apps are kept,
`shapes` makes the answers. What a call does is the facade's: `adding`, `finding`, `items`, `entities` only translate.

To follow a new release of the client, read its source for the address and the fields, and change those four. Nothing
here may be asked for by other rooms; it imports what REST imports.
"""
