"""What the guard suspects of a bank item, and whether a person still has to confirm it. No row is rewritten."""

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0004_labels'),
    ]

    operations = [
        migrations.AddField(
            model_name='memoryitem',
            name='warnings',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), db_default=[], default=list, size=None),
        ),
        migrations.AddField(
            model_name='memoryitem',
            name='review',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name='memoryitem',
            index=models.Index(condition=models.Q(('review', True)), fields=['user', 'id'], name='memory_item_review'),
        ),
    ]
