"""What every HTTP door shares, so that no door needs another one.

Where to change what: how a call fails is worded in `problems`, who may call is decided in `auth`, whom a call is
about and what a repeated one answers in `endpoints` and `idempotency`. Bodies are parsed in `bodies`, their fields
typed in `fields` and `patterns`; `paging` signs cursors, `openapi` completes the document. Before a request is worked
at `receiving` has its body, and `overload` answers where there is too much; `middleware` stands at the edge of the
site. Of the console's pages: `pages` answers whole or in part, `viewing` says whom an operator may look at, `labels`
what things are called. `items` is a memory as every router publishes it.

An app (graphs, outcomes, personal records) writes its own endpoints and pages with these. May import the rows, the
store's rules and what lies below; knows no app and no facade.
"""
