"""Episodes, runs and streams of facts: tables under the policy. When a user was consolidated; when a model was asked."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import pgvector.django.halfvec
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0006_secrets_of_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='enduser',
            name='consolidated_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='factreview',
            name='asked_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='FactEpisode',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('thread_id', models.CharField(max_length=200)),
                ('memory_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ('gist', models.CharField(max_length=600)),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
                ('weighed_at', models.DateTimeField(blank=True, null=True)),
                ('vector', pgvector.django.halfvec.HalfVectorField(blank=True, null=True)),
                ('model', models.CharField(blank=True, default='', max_length=140)),
                ('indexing', models.CharField(choices=[('pending', 'pending'), ('ready', 'ready'), ('failed', 'failed')], default='pending', max_length=16)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_episode',
                'indexes': [models.Index(fields=['user', 'thread_id', '-ended_at'], name='fact_episode_thread'), models.Index(condition=models.Q(('weighed_at', None)), fields=['user', 'id'], name='fact_episode_unweighed'), models.Index(condition=models.Q(('indexing', 'pending')), fields=['user', 'id'], name='fact_episode_pending')],
            },
        ),
        migrations.CreateModel(
            name='FactRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('running', 'running'), ('done', 'done'), ('partial', 'partial')], default='running', max_length=12)),
                ('stage', models.CharField(blank=True, default='', max_length=24)),
                ('counts', models.JSONField(default=dict)),
                ('model_calls', models.PositiveIntegerField(default=0)),
                ('missing', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), default=list, size=None)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_run',
                'indexes': [models.Index(fields=['user', '-started_at'], name='fact_run_recent')],
            },
        ),
        migrations.CreateModel(
            name='FactStream',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('thread_id', models.CharField(max_length=200)),
                ('lines', models.JSONField(default=list)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_stream',
                'indexes': [models.Index(fields=['user', 'made_at'], name='fact_stream_age')],
                'constraints': [models.UniqueConstraint(fields=('user', 'thread_id'), name='fact_stream_once')],
            },
        ),
        IsolateByUser("FactEpisode"),
        IsolateByUser("FactRun"),
        IsolateByUser("FactStream"),
    ]
