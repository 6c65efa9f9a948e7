"""What a conversation tells whoever listens."""

from django.dispatch import Signal

exchange_stored = Signal()
"""An exchange was kept, inside the open scope; receivers leave work behind and do none. Arguments: user, exchange."""

conversation_due = Signal()
"""A user's exchanges want looking at: by the detector, or for facts to keep. Arguments: user_id."""
