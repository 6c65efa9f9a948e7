"""Composition: settings, the web and worker entries, the embedded runtime. Imports everything, imported by nothing.

`settings` reads every variable through `env`, `flags` the switches; `urls`, `api`, `wsgi`, `asgi` and `celery` are the
entries; `embedded` and `roles` are the parts and the database they need, `runtime` and `supervisor` run them. A new
setting is a line in `settings`, a field in ``memory.conf`` and a line in .env.example; tests fail for each that lacks.
"""

from config.celery import app as celery_app

__all__ = ["celery_app"]
