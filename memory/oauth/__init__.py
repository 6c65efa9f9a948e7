"""OAuth 2.1 for clients of MCP that cannot be given a key: claude.ai, ChatGPT and whatever registers itself.

`metadata` says what there is, `registration` takes a client's word for its name, `server` is the library's
authorisation server with our rules (PKCE with S256, one resource, tokens that are used once), `endpoints` answer the
clients, `consent` asks the operator. What is stored and when it ends is in `memory.access.grants`. May import the
console's parts, `memory.web` and what lies below.
"""
