"""How the core speaks upwards. Receivers enqueue work and do nothing else."""

from django.dispatch import Signal

index_due = Signal()
"""A user's rows wait for the index; sent once per change from "nothing waits". Arguments: user_id."""

user_erased = Signal()
"""Every table outside the core must forget a user now, inside the open scope. Arguments: user, removed (a dict of
counts by table, to be added to)."""
