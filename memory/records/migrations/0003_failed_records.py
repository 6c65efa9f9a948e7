"""How many records were given up, counted for each user, and an index of them."""

import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    dependencies = [
        ('kinds', '0002_row_security'),
        ('memory', '0006_secrets_of_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='recordsdue',
            name='failed',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='recordsdue',
            name='since',
            field=models.DateTimeField(db_index=True, default=django.utils.timezone.now, null=True),
        ),
        migrations.AddIndex(
            model_name='recordembedding',
            index=models.Index(condition=models.Q(('state', 'failed')), fields=['user', 'id'], name='kind_embedding_failed'),
        ),
        migrations.AddIndex(
            model_name='recordsdue',
            index=models.Index(condition=models.Q(('failed__gt', 0)), fields=['end_user'], name='kind_waiting_failed'),
        ),
    ]
