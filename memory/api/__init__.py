"""The REST API of the memory itself: one module of endpoints for each subject.

To change a call, look for its path here: `memories`, `facts`, `search`, `context`, `insights`, `aims` (goals and
values), `userdata`, `tools`, `trust`, `operations`, `hooks`, `spaces`, `webhooks`. Calls that one app alone answers
lie with it: `outcomes.api`, `knowledge_graph.api`, `memory.records.api`; `config.api` puts all of them together. A
new call is a function below a route: name the person it is about and its parameters, decorate it with one of
`memory.web.endpoints`, call one verb of the facade and shape the answer. `make schema` then writes the document anew,
and its test shows what changed.

No rule is decided here. Every error leaves as ``application/problem+json``, every list as ``{items, next_cursor}``;
sessions are ignored, a bearer key is the only identity. May import the facade, the tools, `memory.web` and what lies
below.
"""
