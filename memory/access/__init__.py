"""Who may see which rows, and who may work on them.

`scope` opens a user's transaction, `users` finds people, `keys` are bearer keys from issue to revocation, `ratelimit`
counts their requests. `locks` are the advisory locks, `cursors` the cursors with a deadline. `outbox` is how every kind
of background work is left, found again and cleared: a new kind of work gets an `Outbox` there, and a worker `drain`.

Imports models and platform. Whatever reads a row of a user goes through here; nothing here knows what a row means.
"""
