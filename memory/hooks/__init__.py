"""Hooks of coding agents: a prompt gets what is known about it, a finished turn becomes an exchange.

One address for each client (`CLIENTS` in ``answers``); all send the body of an event and read an answer in JSON.
``bodies`` reads what any of them sends into one `HookEvent`, ``cleaning`` takes out what no person wrote, ``events``
does what an event asks for, ``answers`` words the reply as the client wants it, ``endpoint`` is the view. To let in
another client, add its event names to ``bodies`` and its way of answering to ``answers``. May import the facade,
`memory.web` and what lies below.
"""
