"""Facts, their evidence and history, reviews and tombstones: tables under the policy, with keys that carry the owner."""

import django.db.models.deletion
import django.utils.timezone
import pgvector.django.halfvec
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


OWN_MEMORY = """
ALTER TABLE fact_evidence ADD CONSTRAINT factevidence_own_memory FOREIGN KEY (user_id, memory_id)
REFERENCES memory_item (user_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""
# A fact outlives the bank item it was published as; what deletes the item decides about the fact.
OWN_BANK_ITEM = """
ALTER TABLE fact ADD CONSTRAINT fact_own_bank_item FOREIGN KEY (user_id, bank_item_id)
REFERENCES memory_item (user_id, id) ON DELETE SET NULL (bank_item_id) DEFERRABLE INITIALLY DEFERRED
"""
OWN_OTHER = """
ALTER TABLE fact_review ADD CONSTRAINT factreview_own_other FOREIGN KEY (user_id, other_id)
REFERENCES fact (user_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0002_row_security'),
    ]

    operations = [
        migrations.CreateModel(
            name='FactsDue',
            fields=[
                ('end_user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='memory.enduser')),
                ('since', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'fact_due',
            },
        ),
        migrations.CreateModel(
            name='Fact',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('subject', models.CharField(max_length=200)),
                ('subject_key', models.CharField(max_length=200)),
                ('relation', models.CharField(blank=True, default='', max_length=64)),
                ('object', models.CharField(blank=True, default='', max_length=200)),
                ('object_key', models.CharField(blank=True, default='', max_length=200)),
                ('statement', models.CharField(max_length=1000)),
                ('category', models.CharField(blank=True, default='', max_length=32)),
                ('lang', models.CharField(blank=True, default='', max_length=8)),
                ('polarity', models.BooleanField(default=True)),
                ('tense', models.CharField(default='present', max_length=8)),
                ('base_confidence', models.FloatField()),
                ('evidence_at', models.DateTimeField()),
                ('evidence_count', models.PositiveIntegerField(default=1)),
                ('is_confirmed', models.BooleanField(default=False)),
                ('is_curated', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('active', 'active'), ('deprecated', 'deprecated'), ('merged', 'merged'), ('superseded', 'superseded'), ('retracted', 'retracted'), ('forgotten', 'forgotten')], default='active', max_length=12)),
                ('merged_into', models.UUIDField(blank=True, null=True)),
                ('superseded_by', models.UUIDField(blank=True, null=True)),
                ('archived_at', models.DateTimeField(blank=True, null=True)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
                ('first_seen', models.DateTimeField()),
                ('last_seen', models.DateTimeField()),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('trust', models.PositiveSmallIntegerField(choices=[(1, 'external'), (2, 'assistant'), (3, 'user')], default=3)),
                ('principal', models.CharField(blank=True, default='', max_length=100)),
                ('bank_item_id', models.UUIDField(blank=True, null=True)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('vector', pgvector.django.halfvec.HalfVectorField(blank=True, null=True)),
                ('model', models.CharField(blank=True, default='', max_length=140)),
                ('indexing', models.CharField(choices=[('pending', 'pending'), ('ready', 'ready'), ('failed', 'failed')], default='pending', max_length=16)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact',
            },
        ),
        migrations.CreateModel(
            name='FactEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=32)),
                ('reason', models.CharField(blank=True, default='', max_length=300)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('fact', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='memory.fact')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_event',
            },
        ),
        migrations.CreateModel(
            name='FactEvidence',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('exchange', 'exchange'), ('import', 'import'), ('person', 'person'), ('bank', 'bank'), ('model', 'model'), ('hot_turn', 'hot_turn'), ('episode', 'episode')], max_length=12)),
                ('ref_id', models.UUIDField()),
                ('memory_id', models.UUIDField(blank=True, null=True)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('occurred_at', models.DateTimeField()),
                ('stance', models.SmallIntegerField(default=1)),
                ('step', models.FloatField(default=0.0)),
                ('fact', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='memory.fact')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_evidence',
            },
        ),
        migrations.CreateModel(
            name='FactReview',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('contradiction', 'contradiction'), ('duplicate', 'duplicate'), ('unsure', 'unsure')], max_length=16)),
                ('cosine', models.FloatField(blank=True, null=True)),
                ('decision', models.CharField(blank=True, choices=[('merge', 'merge'), ('supersede', 'supersede'), ('keep_both', 'keep_both'), ('reject', 'reject')], default='', max_length=12)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('fact', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='memory.fact')),
                ('other', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.fact')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_review',
            },
        ),
        migrations.CreateModel(
            name='FactTombstone',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('digest', models.CharField(max_length=64)),
                ('forgotten_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'fact_tombstone',
            },
        ),
        migrations.AddIndex(
            model_name='fact',
            index=models.Index(fields=['user', 'state', '-last_seen', 'id'], name='fact_recent'),
        ),
        migrations.AddIndex(
            model_name='fact',
            index=models.Index(fields=['user', 'subject_key', 'relation'], name='fact_slot'),
        ),
        migrations.AddIndex(
            model_name='fact',
            index=models.Index(condition=models.Q(('bank_item_id__isnull', False)), fields=['user', 'bank_item_id'], name='fact_bank_item'),
        ),
        migrations.AddIndex(
            model_name='fact',
            index=models.Index(condition=models.Q(('indexing', 'pending')), fields=['user', 'id'], name='fact_pending'),
        ),
        migrations.AddConstraint(
            model_name='fact',
            constraint=models.UniqueConstraint(fields=('user', 'id'), name='fact_user_id'),
        ),
        migrations.AddConstraint(
            model_name='fact',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'active'), models.Q(('relation__in', ['', 'about', 'asked_to_remember']), _negated=True)), fields=('user', 'subject_key', 'relation', 'object_key', 'polarity'), name='fact_once'),
        ),
        migrations.AddConstraint(
            model_name='fact',
            constraint=models.CheckConstraint(condition=models.Q(('base_confidence__gte', 0), ('base_confidence__lte', 1)), name='fact_ranges'),
        ),
        migrations.AddIndex(
            model_name='factevent',
            index=models.Index(fields=['user', 'fact', '-id'], name='fact_event_fact'),
        ),
        migrations.AddIndex(
            model_name='factevidence',
            index=models.Index(fields=['user', 'kind', 'ref_id'], name='fact_evidence_ref'),
        ),
        migrations.AddIndex(
            model_name='factevidence',
            index=models.Index(fields=['user', 'memory_id'], name='fact_evidence_memory'),
        ),
        migrations.AddConstraint(
            model_name='factevidence',
            constraint=models.UniqueConstraint(fields=('user', 'fact', 'kind', 'ref_id'), name='fact_evidence_once'),
        ),
        migrations.AddIndex(
            model_name='factreview',
            index=models.Index(condition=models.Q(('decision', '')), fields=['user', '-created_at', 'id'], name='fact_review_open'),
        ),
        migrations.AddConstraint(
            model_name='factreview',
            constraint=models.UniqueConstraint(fields=('user', 'fact', 'other'), name='fact_review_once'),
        ),
        migrations.AddConstraint(
            model_name='facttombstone',
            constraint=models.UniqueConstraint(fields=('user', 'digest'), name='fact_tombstone_once'),
        ),
        IsolateByUser("Fact"),
        IsolateByUser("FactEvidence", references="fact", column="fact_id"),
        IsolateByUser("FactEvent", references="fact", column="fact_id"),
        IsolateByUser("FactReview", references="fact", column="fact_id"),
        IsolateByUser("FactTombstone"),
        migrations.RunSQL(OWN_MEMORY, "ALTER TABLE fact_evidence DROP CONSTRAINT factevidence_own_memory"),
        migrations.RunSQL(OWN_BANK_ITEM, "ALTER TABLE fact DROP CONSTRAINT fact_own_bank_item"),
        migrations.RunSQL(OWN_OTHER, "ALTER TABLE fact_review DROP CONSTRAINT factreview_own_other"),
    ]
