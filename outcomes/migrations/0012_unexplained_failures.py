"""An index of failures that nobody has told the reason of."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0024_inbox'),
        ('outcomes', '0011_thread_titles'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='outcomeevent',
            index=models.Index(condition=models.Q(('outcome', 'failed'), ('reason', ''), ('replaced_at__isnull', True), ('sign', 1), ('takeaway_id__isnull', True)), fields=['user', '-at', 'id'], name='outcome_event_unexplained'),
        ),
    ]
