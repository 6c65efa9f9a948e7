"""Signals about conversations."""

from django.dispatch import Signal

exchange_stored = Signal()
"""An exchange was stored; sent in its transaction. Receivers only record work. Arguments: user, exchange."""

exchanges_dropped = Signal()
"""Exchanges are about to be deleted for their age, inside the open scope. Arguments: user, ids."""

verdicts_dropped = Signal()
"""Lines of the ledger are about to be deleted, inside the open scope. What was learned stays. Arguments: user, ids."""

conversation_due = Signal()
"""A user has exchanges for the detector or for profile extraction. Arguments: user_id."""
