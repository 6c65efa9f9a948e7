"""What persons said of names, and its row-level security."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('knowledge_graph', '0005_topicality'),
        ('memory', '0020_event_days'),
    ]

    operations = [
        migrations.CreateModel(
            name='NameDecision',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('first', models.CharField(max_length=200)),
                ('second', models.CharField(max_length=200)),
                ('is_same', models.BooleanField()),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_name_decision',
                'constraints': [models.UniqueConstraint(fields=('user', 'first', 'second'), name='graph_name_decision_once')],
            },
        ),
        IsolateByUser("NameDecision"),
    ]
