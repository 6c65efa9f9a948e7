"""Indexes by which the events of a person are listed and counted by day."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0019_turn_sections'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='factevent',
            index=models.Index(fields=['user', '-at', '-id'], include=('kind',), name='fact_event_recent'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(fields=['user', '-at', '-id'], include=('kind',), name='memory_event_recent'),
        ),
    ]
