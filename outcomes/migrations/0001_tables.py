"""The tables of exchanges, outcomes and signals."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    replaces = [
        ('outcomes', '0001_initial'),
        ('outcomes', '0003_verdicts'),
    ]

    initial = True

    dependencies = [
        ('memory', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='ActionTaken',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('turn_id', models.UUIDField(blank=True, null=True)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('exchange_id', models.UUIDField(blank=True, null=True)),
                ('action', models.CharField(max_length=200)),
                ('tiers', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), default=list, size=None)),
                ('query', models.TextField(blank=True, default='')),
                ('ok', models.BooleanField(default=True)),
                ('timed_out', models.BooleanField(default=False)),
                ('ms', models.FloatField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('verdict', models.CharField(blank=True, choices=[('worked', 'worked'), ('failed', 'failed'), ('partial', 'partial'), ('unknown', 'unknown')], default='', max_length=16)),
                ('learned', models.CharField(blank=True, choices=[('worked', 'worked'), ('failed', 'failed'), ('partial', 'partial'), ('unknown', 'unknown')], default='', max_length=16)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'action_taken',
                'indexes': [models.Index(fields=['user', '-at'], name='action_taken_recent'), models.Index(fields=['user', 'turn_id'], name='action_taken_turn'), models.Index(fields=['user', 'exchange_id'], name='action_taken_exchange'), models.Index(condition=models.Q(('verdict', models.F('learned')), _negated=True), fields=['user', 'id'], name='action_taken_unlearned')],
            },
        ),
        migrations.CreateModel(
            name='ConversationSignal',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('exchange_id', models.UUIDField()),
                ('heard_in', models.UUIDField()),
                ('kind', models.CharField(choices=[('thanks', 'thanks'), ('corrects', 'corrects'), ('repeats', 'repeats'), ('tool_error', 'tool_error'), ('tool_timeout', 'tool_timeout')], max_length=16)),
                ('evidence', models.CharField(blank=True, default='', max_length=200)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'conversation_signal',
                'indexes': [models.Index(fields=['user', 'exchange_id'], name='conversation_signal_exchange'), models.Index(fields=['user', '-at'], name='conversation_signal_recent')],
            },
        ),
        migrations.CreateModel(
            name='ConversationWork',
            fields=[
                ('end_user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='memory.enduser')),
                ('detect_at', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('profile_at', models.DateTimeField(blank=True, db_index=True, null=True)),
            ],
            options={
                'db_table': 'conversation_work',
            },
        ),
        migrations.CreateModel(
            name='Exchange',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('thread_id', models.CharField(max_length=200)),
                ('turn_id', models.UUIDField(blank=True, null=True)),
                ('memory_id', models.UUIDField(blank=True, null=True)),
                ('user_message', models.TextField()),
                ('assistant_message', models.TextField()),
                ('tools', models.JSONField(default=list)),
                ('interrupted', models.BooleanField(default=False)),
                ('required_scoring', models.BooleanField(default=False)),
                ('scored_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('detected', models.JSONField(default=dict)),
                ('detection', models.CharField(blank=True, choices=[('pending', 'pending'), ('done', 'done'), ('skipped', 'skipped'), ('failed', 'failed')], default='', max_length=16)),
                ('detection_at', models.DateTimeField(blank=True, null=True)),
                ('detection_attempts', models.PositiveSmallIntegerField(default=0)),
                ('profile_after', models.DateTimeField(blank=True, null=True)),
                ('profile_attempts', models.PositiveSmallIntegerField(default=0)),
                ('profiled_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'exchange',
                'indexes': [models.Index(fields=['user', 'thread_id', '-created_at'], name='exchange_thread'), models.Index(fields=['user', '-created_at', '-id'], name='exchange_recent'), models.Index(fields=['user', 'turn_id'], name='exchange_turn'), models.Index(fields=['user', 'memory_id'], name='exchange_memory'), models.Index(condition=models.Q(('detection', 'pending')), fields=['user', 'thread_id', 'created_at'], name='exchange_undetected'), models.Index(condition=models.Q(('profiled_at__isnull', True)), fields=['user', 'created_at'], name='exchange_unprofiled')],
            },
        ),
        migrations.CreateModel(
            name='OutcomeEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('turn_id', models.UUIDField(blank=True, null=True)),
                ('exchange_id', models.UUIDField(blank=True, null=True)),
                ('outcome', models.CharField(choices=[('worked', 'worked'), ('failed', 'failed'), ('partial', 'partial'), ('unknown', 'unknown')], max_length=16)),
                ('signal', models.CharField(default='explicit', max_length=32)),
                ('scored_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('learned_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('takeaway_id', models.UUIDField(blank=True, null=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('confidence', models.FloatField(default=1.0)),
                ('learned_at', models.DateTimeField(blank=True, null=True)),
                ('memories', models.JSONField(default=list)),
                ('query', models.TextField(blank=True, default='')),
                ('replaced_at', models.DateTimeField(blank=True, null=True)),
                ('reverts', models.BigIntegerField(blank=True, null=True)),
                ('sign', models.SmallIntegerField(default=1)),
                ('source', models.CharField(choices=[('explicit', 'explicit'), ('detector', 'detector'), ('implicit', 'implicit')], default='explicit', max_length=16)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('whole', models.BooleanField(default=True)),
            ],
            options={
                'db_table': 'outcome_event',
                'indexes': [models.Index(fields=['user', '-at'], name='outcome_event_recent'), models.Index(fields=['user', 'turn_id'], name='outcome_event_turn'), models.Index(fields=['user', 'exchange_id'], name='outcome_event_exchange'), models.Index(condition=models.Q(('learned_at__isnull', True)), fields=['user', 'id'], name='outcome_event_unlearned')],
            },
        ),
    ]
