"""Vocabularies of organisations and the labels of messages. New tables; no row that exists is touched."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0022_personal_links'),
    ]

    operations = [
        migrations.CreateModel(
            name='VocabularyEdition',
            fields=[
                ('organization', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='memory.organization')),
                ('preset', models.CharField(max_length=60)),
                ('number', models.PositiveIntegerField(default=0)),
                ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'vocabulary_edition',
            },
        ),
        migrations.CreateModel(
            name='LabelledTerm',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('kind', models.CharField(max_length=16)),
                ('term', models.CharField(max_length=100)),
                ('occurred_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'labelled_term',
                'indexes': [models.Index(fields=['user', 'kind', 'term', '-occurred_at'], include=('item_id',), name='labelled_term_found')],
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id', 'kind', 'term'), name='labelled_term_once')],
            },
        ),
        migrations.CreateModel(
            name='MessageLabel',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('topics', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, size=None)),
                ('category', models.CharField(blank=True, default='', max_length=60)),
                ('message_type', models.CharField(blank=True, default='', max_length=60)),
                ('importance', models.CharField(max_length=8)),
                ('entities', models.JSONField(default=list)),
                ('confidence', models.CharField(max_length=8)),
                ('suggested_topic', models.CharField(blank=True, default='', max_length=60)),
                ('preset', models.CharField(max_length=60)),
                ('version', models.PositiveIntegerField()),
                ('reader', models.CharField(max_length=100)),
                ('content_hash', models.CharField(max_length=64)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('labelled_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'message_label',
                'indexes': [models.Index(condition=models.Q(('suggested_topic', ''), _negated=True), fields=['user', 'suggested_topic'], name='message_label_suggested')],
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id'), name='message_label_once')],
            },
        ),
        migrations.CreateModel(
            name='TermSuggestion',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('messages', models.IntegerField(default=0)),
                ('state', models.CharField(default='pending', max_length=10)),
                ('term', models.CharField(blank=True, default='', max_length=60)),
                ('first_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('organization', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.organization')),
            ],
            options={
                'db_table': 'term_suggestion',
                'indexes': [models.Index(fields=['organization', 'state', '-messages', 'name'], name='term_suggestion_listed')],
                'constraints': [models.UniqueConstraint(fields=('organization', 'name'), name='term_suggestion_once')],
            },
        ),
        migrations.CreateModel(
            name='VocabularyChange',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('version', models.PositiveIntegerField()),
                ('change', models.CharField(max_length=300)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('organization', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.organization')),
            ],
            options={
                'db_table': 'vocabulary_change',
                'constraints': [models.UniqueConstraint(fields=('organization', 'version'), name='vocabulary_change_once')],
            },
        ),
        migrations.CreateModel(
            name='VocabularyTerm',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=16)),
                ('name', models.CharField(max_length=60)),
                ('means', models.CharField(blank=True, default='', max_length=300)),
                ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, size=None)),
                ('is_retired', models.BooleanField(default=False)),
                ('replaced_by', models.CharField(blank=True, default='', max_length=60)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('organization', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.organization')),
            ],
            options={
                'db_table': 'vocabulary_term',
                'constraints': [models.UniqueConstraint(fields=('organization', 'kind', 'name'), name='vocabulary_term_once')],
            },
        ),
        IsolateByUser("MessageLabel", references="memory_item"),
        ConfineToScope("MessageLabel", parent="memory_item"),
        IsolateByUser("LabelledTerm", references="memory_item"),
        ConfineToScope("LabelledTerm", parent="memory_item"),
    ]
