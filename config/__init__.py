"""Composition: settings, the web and worker entries, the embedded runtime. Imports everything, imported by nothing."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
