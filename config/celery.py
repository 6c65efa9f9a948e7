"""The Celery application. Worker: ``celery -A config worker``; scheduler: ``celery -A config beat``."""

import os

from celery import Celery

from config.schedule import SCHEDULE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = SCHEDULE
app.autodiscover_tasks()
