"""How the embedded parts are started, watched and kept: the Postgres recipe, the process table, locks, the keeper.

Addresses and secrets are in ``config.embedded``; the loop that watches processes is ``config.supervisor``. Nothing
here reads Django's settings, because the settings are built from these modules.
"""
