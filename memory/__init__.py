"""Memories of end users: stored in Postgres, indexed by vectors and by words, searched, promoted or archived.

The core (models, tiers, indexes, inference, store, indexing, retrieval, promotion) imports no sibling application.
The doors (facade, api, mcp, console, commands) stand above every application; search reaches the graphs through
settings. Every read of a user's rows happens inside ``access.user_scope`` and starts at ``for_user``.
"""
