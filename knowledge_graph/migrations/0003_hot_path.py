"""The hot path: where each conversation stands, and its last turns, with row-level security."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('knowledge_graph', '0002_row_security'),
        ('memory', '0006_secrets_of_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='HotThread',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('thread_id', models.CharField(max_length=200)),
                ('turn', models.PositiveIntegerField(default=0)),
                ('mentions', models.JSONField(default=list)),
                ('recent', models.JSONField(default=list)),
                ('shown', models.JSONField(default=list)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'hot_thread',
                'indexes': [models.Index(fields=['user', 'updated_at'], name='hot_thread_age')],
                'constraints': [models.UniqueConstraint(fields=('user', 'thread_id'), name='hot_thread_once')],
            },
        ),
        migrations.CreateModel(
            name='HotTurn',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('thread_id', models.CharField(max_length=200)),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('digest', models.CharField(max_length=64)),
                ('lang', models.CharField(blank=True, default='', max_length=8)),
                ('intent', models.CharField(blank=True, default='', max_length=24)),
                ('trace', models.JSONField(default=dict)),
                ('exchange_id', models.UUIDField(blank=True, null=True)),
                ('memory_id', models.UUIDField(blank=True, null=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'hot_turn',
                'indexes': [models.Index(fields=['user', 'at'], name='hot_turn_age'), models.Index(fields=['user', 'memory_id'], name='hot_turn_memory')],
                'constraints': [models.UniqueConstraint(fields=('user', 'thread_id', 'number'), name='hot_turn_once')],
            },
        ),
        IsolateByUser("HotThread"),
        IsolateByUser("HotTurn"),
    ]
