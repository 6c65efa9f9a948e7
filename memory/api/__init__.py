"""The REST API a chat client speaks: one module of endpoints per subject, and what all of them share.

An endpoint reads its input, opens the facade and shapes the answer; it holds no rule of its own. Every error leaves
as ``application/problem+json``, every list as ``{items, next_cursor}``. Sessions are ignored: a bearer key is the only
identity. May import everything below the doors.
"""
