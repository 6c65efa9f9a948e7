"""Django's admin for superusers: the tables that have no page of the console, to be looked at.

`tables` registers each table outside of row-level security, read-only but for accounts; `urls` is what `dispatch`
imports with the first request. What is remembered of people is left out: docs/decisions.md says why.
"""
