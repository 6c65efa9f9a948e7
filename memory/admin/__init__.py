"""What operators do by program, and the tables that have no page: ``/api/admin/v1`` and Django's admin.

`dispatch` is all that the site's addresses know: the frameworks behind are imported with the first request to them, so
that no process starts later for them. `api` are nouns, each limited to the organisations of who asks; `site` is
Django's admin for superusers.
"""
