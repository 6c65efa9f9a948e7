"""Reasons to rank one memory above another, each a function from a query and a pool to a number a candidate.

They are named in the setting ``BOOSTS``, in order; an empty list leaves the fused relevance alone. Another application
adds its own the same way.
"""
