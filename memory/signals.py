"""How the core and the applications on it speak upwards. Receivers enqueue work and do nothing else."""

from django.dispatch import Signal

index_due = Signal()
"""A user's rows wait for the index; sent once per change from "nothing waits". Arguments: user_id."""

promotion_due = Signal()
"""Enough was said, or the thread changed: a user's tiers deserve a look. Arguments: user_id."""

items_changed = Signal()
"""Memories came, changed or went, inside the open scope. Arguments: user, kind ("stored", "revised", "archived",
"restored", "removed", "promoted"), items (pairs of id and tier)."""

learning_due = Signal()
"""Outcomes or changed memories of a user wait to be learned from. Arguments: user_id."""

user_erased = Signal()
"""Every table outside the core must forget a user now, inside the open scope. Arguments: user, removed (a dict of
counts by table, to be added to)."""
