"""What a person says of their health: medicines and whatever is taken with them, doses, what somebody who heals bids or
forbids. Where one is told, others may be joined to it.
"""
