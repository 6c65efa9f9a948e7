"""The tables of personal records."""

import django.db.models.deletion
import django.utils.timezone
import memory.tiers
import pgvector.django.halfvec
import pgvector.django.indexes
import uuid
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    replaces = [
        ('kinds', '0001_initial'),
    ]

    initial = True

    dependencies = [
        ('memory', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='RecordEmbedding',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('message', 'message'), ('journal', 'journal'), ('todo', 'todo'), ('preference', 'preference'), ('gratitude', 'gratitude')], max_length=16)),
                ('ref_id', models.UUIDField()),
                ('memory_id', models.UUIDField(blank=True, null=True)),
                ('text', models.TextField()),
                ('snippet', models.TextField()),
                ('vector', pgvector.django.halfvec.HalfVectorField(blank=True, dimensions=384, null=True)),
                ('model_tag', models.CharField(blank=True, default='', max_length=16)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('state', models.CharField(choices=[('pending', 'pending'), ('ready', 'ready'), ('failed', 'failed')], default=memory.tiers.Indexing['PENDING'], max_length=8)),
                ('revision', models.BigIntegerField(default=1)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'kind_embedding',
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['user', 'due_at'], name='kind_embedding_due'), models.Index(fields=['user', 'memory_id'], name='kind_embedding_memory'), pgvector.django.indexes.HnswIndex(fields=['vector'], name='kind_embedding_near', opclasses=['halfvec_cosine_ops'])],
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'ref_id'), name='kind_embedding_once')],
            },
        ),
        migrations.CreateModel(
            name='Gratitude',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('text', models.TextField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'kind_gratitude',
                'indexes': [models.Index(fields=['user', '-created_at', '-id'], name='kind_gratitude_recent')],
            },
        ),
        migrations.CreateModel(
            name='Journal',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('title', models.CharField(blank=True, default='', max_length=300)),
                ('body', models.TextField(blank=True, default='')),
                ('is_draft', models.BooleanField(default=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'kind_journal',
                'indexes': [models.Index(fields=['user', '-created_at', '-id'], name='kind_journal_recent')],
            },
        ),
        migrations.CreateModel(
            name='ModelInUse',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('tag', models.CharField(max_length=16)),
            ],
            options={
                'db_table': 'kind_model',
            },
        ),
        migrations.CreateModel(
            name='Preference',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('language', models.CharField(default='en', max_length=35)),
                ('religion', models.CharField(blank=True, max_length=100, null=True)),
                ('flags', models.JSONField(default=dict)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'kind_preference',
                'constraints': [models.UniqueConstraint(fields=('user',), name='kind_preference_once')],
            },
        ),
        migrations.CreateModel(
            name='RecallLog',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('tool', models.CharField(default='memory.search', max_length=32)),
                ('status', models.CharField(max_length=32)),
                ('duration_ms', models.FloatField()),
                ('top_k_effective', models.PositiveSmallIntegerField()),
                ('filters', models.JSONField(default=dict)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'kind_recalled',
                'indexes': [models.Index(fields=['user', 'at'], name='kind_recalled_at')],
            },
        ),
        migrations.CreateModel(
            name='Todo',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('title', models.CharField(max_length=500)),
                ('done', models.BooleanField(default=False)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'kind_todo',
                'indexes': [models.Index(fields=['user', '-created_at', '-id'], name='kind_todo_recent')],
            },
        ),
        migrations.CreateModel(
            name='RecordsDue',
            fields=[
                ('end_user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='memory.enduser')),
                ('since', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'kind_waiting',
            },
        ),
    ]
