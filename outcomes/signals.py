"""Signals about conversations."""

from django.dispatch import Signal

# An exchange was stored; sent in its transaction. Receivers only record work. Arguments: user, exchange.
exchange_stored = Signal()

# Exchanges are about to be deleted for their age, inside the open scope. Arguments: user, ids.
exchanges_dropped = Signal()

# Lines of the ledger are about to be deleted, inside the open scope. What was learned stays. Arguments: user, ids.
verdicts_dropped = Signal()

# A user has exchanges for the detector. Arguments: user_id.
judging_due = Signal()

# A user has exchanges that were not read yet. Arguments: user_id, after_s.
reading_due = Signal()
