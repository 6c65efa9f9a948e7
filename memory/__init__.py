"""Memories of end users: stored in Postgres, indexed for meaning and words, found again, promoted or let go.

The core (models, tiers, indexes, inference, store, indexing, retrieval, promotion) imports no sibling application.
The doors (facade, api, console, commands) stand above every application; search takes its graph knowledge through
settings. Every read of a person's rows happens inside ``access.user_scope`` and starts at ``for_user``.
"""
