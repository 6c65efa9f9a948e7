"""Signals from the core to the applications above it. Receivers enqueue work and do nothing else."""

from django.dispatch import Signal

# A user's rows wait for the index; sent once per change from "nothing waits". Arguments: user_id.
index_due = Signal()

# A user's rows were written and committed: what caches their words is stale. Arguments: user_id.
words_changed = Signal()

# Enough messages, or a change of thread: run promotion for this user. Arguments: user_id.
promotion_due = Signal()

# Memories came, changed or went, inside the open scope. Arguments: user, kind ("stored", "revised", "archived",
# "dormant", "restored", "removed", "promoted"), items (pairs of id and tier), gives_back (whether what facts of removed
# ones had replaced holds again).
items_changed = Signal()

# A user has outcomes or changed memories to learn from. Arguments: user_id.
learning_due = Signal()

# A user's facts wait for their vectors, or bank items to be read as facts; sent once per change from "nothing waits".
# Arguments: user_id.
facts_due = Signal()

# Facts are about to be forgotten for good, inside the open scope: what copied their words must go. Arguments: user,
# facts.
facts_forgotten = Signal()

# A fact gave way to a later one, inside the open scope. Arguments: user_id, fact_id, successor_id.
fact_superseded = Signal()

# A secret was taken out of what is stored, inside the open scope. Arguments: user, item_id, kinds (such as "pin").
secret_redacted = Signal()

# Something waits for a person's decision, inside the open scope. Arguments: user_id, and review_id (two facts) or
# item_id (a memory that the guard doubts).
review_due = Signal()

# Every table outside the core must forget a user now, inside the open scope. Arguments: user, removed (a dict of counts
# by table, to be added to).
user_erased = Signal()

# Messages of another product were stored, or found stored already, inside the open scope. Arguments: user, origins.
messages_imported = Signal()

# The parts of the installation are being probed. Receivers add to `warnings`, a list of texts that begin with the part:
# "records: 2 could not be embedded". Arguments: warnings.
health_probed = Signal()
