"""How the embedded parts are started, watched and ended.

`programs` is the process table, `postgres` the recipe of the one part that needs one, `installation` what ``up`` and
``down`` do, `daemon` runs parts for commands beside no ``up``, `leases` are the locks between all of these, `orphans`
ends what a killed supervisor left, `registry` finds what runs, `settings_check` refuses bad settings first.

Addresses and secrets are in ``config.embedded``; the loop that watches processes is ``config.supervisor``. Nothing
here reads Django's settings, because the settings are built from these modules.
"""
