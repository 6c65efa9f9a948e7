"""Webhooks: other programs are told when a memory changes.

A change leaves an event and a delivery for each endpoint in its own transaction (`recording`, called by `receivers`);
the worker sends what is due (`tasks`, `dispatch`), signed (`messages`, `secrets`), to addresses that `addresses`
admits at creation and `connecting` again whenever a connection is made. `endpoints` makes and changes them, `listing`
shows what was sent and sends it again, `counts` is what health and metrics tell.

To add an event: a name in `events`, a signal, and a receiver. May import the models and the platform; the doors above
call it directly, as an endpoint belongs to an organisation and to no person.
"""
