"""The tables of the graphs."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    replaces = [
        ('knowledge_graph', '0001_initial'),
    ]

    initial = True

    dependencies = [
        ('memory', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='ActionStat',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('context_type', models.CharField(max_length=32)),
                ('action', models.CharField(max_length=200)),
                ('tier', models.CharField(blank=True, default='', max_length=16)),
                ('worked', models.IntegerField(default=0)),
                ('failed', models.IntegerField(default=0)),
                ('partial', models.IntegerField(default=0)),
                ('unknown', models.IntegerField(default=0)),
                ('last_used_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_action',
                'constraints': [models.UniqueConstraint(fields=('user', 'context_type', 'action', 'tier'), name='graph_action_once')],
            },
        ),
        migrations.CreateModel(
            name='Concept',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('label', models.CharField(max_length=200)),
                ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), default=list, size=None)),
                ('uses', models.IntegerField(default=0)),
                ('importance', models.FloatField(default=0)),
                ('first_seen', models.DateTimeField()),
                ('last_seen', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_concept',
                'indexes': [models.Index(fields=['user', '-importance', 'key'], name='graph_concept_importance'), models.Index(fields=['user', '-last_seen', 'key'], name='graph_concept_recent'), models.Index(fields=['user', 'first_seen', 'key'], name='graph_concept_oldest')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='graph_concept_once')],
            },
        ),
        migrations.CreateModel(
            name='DocumentStat',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('tier', models.CharField(max_length=16)),
                ('worked', models.IntegerField(default=0)),
                ('failed', models.IntegerField(default=0)),
                ('partial', models.IntegerField(default=0)),
                ('last_used_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_document',
                'indexes': [models.Index(fields=['user', '-last_used_at'], name='graph_document_recent')],
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id'), name='graph_document_once')],
            },
        ),
        migrations.CreateModel(
            name='Edge',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('source', models.CharField(max_length=200)),
                ('target', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=32)),
                ('weight', models.IntegerField(default=0)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_edge',
                'indexes': [models.Index(fields=['user', 'target'], name='graph_edge_target')],
                'constraints': [models.UniqueConstraint(fields=('user', 'source', 'target', 'kind'), name='graph_edge_once')],
            },
        ),
        migrations.CreateModel(
            name='Entity',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('label', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=16)),
                ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), default=list, size=None)),
                ('mentions', models.PositiveIntegerField(default=0)),
                ('quality_sum', models.FloatField(default=0)),
                ('avg_quality', models.FloatField(default=0)),
                ('first_seen', models.DateTimeField()),
                ('last_seen', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_entity',
                'indexes': [models.Index(fields=['user', '-avg_quality', '-mentions', 'key'], name='graph_entity_quality'), models.Index(fields=['user', '-last_seen', 'key'], name='graph_entity_recent'), models.Index(fields=['user', 'first_seen', 'key'], name='graph_entity_oldest')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='graph_entity_once')],
            },
        ),
        migrations.CreateModel(
            name='ActionExample',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('context_type', models.CharField(max_length=32)),
                ('action', models.CharField(max_length=200)),
                ('tier', models.CharField(blank=True, default='', max_length=16)),
                ('taken_id', models.BigIntegerField()),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('turn_id', models.UUIDField(blank=True, null=True)),
                ('exchange_id', models.UUIDField(blank=True, null=True)),
                ('query_preview', models.CharField(blank=True, default='', max_length=200)),
                ('outcome', models.CharField(max_length=16)),
                ('memory_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('doc_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('ok', models.BooleanField(default=True)),
                ('ms', models.FloatField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_example',
                'constraints': [models.UniqueConstraint(fields=('user', 'context_type', 'action', 'tier', 'taken_id'), name='graph_example_once')],
            },
        ),
        migrations.CreateModel(
            name='Lesson',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('event_id', models.BigIntegerField()),
                ('keys', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), default=list, size=None)),
                ('signature', models.CharField(blank=True, default='', max_length=64)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_lesson',
                'constraints': [models.UniqueConstraint(fields=('user', 'event_id'), name='graph_lesson_once')],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('item_id', models.UUIDField()),
                ('tier', models.CharField(max_length=16)),
                ('quality', models.FloatField()),
                ('seen_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_mention',
                'indexes': [models.Index(fields=['user', 'key', '-seen_at'], name='graph_mention_of_entity')],
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id', 'key'), name='graph_mention_once')],
            },
        ),
        migrations.CreateModel(
            name='RoutingStat',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('tier', models.CharField(max_length=16)),
                ('worked', models.IntegerField(default=0)),
                ('failed', models.IntegerField(default=0)),
                ('partial', models.IntegerField(default=0)),
                ('unknown', models.IntegerField(default=0)),
                ('last_used_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_routing',
                'constraints': [models.UniqueConstraint(fields=('user', 'key', 'tier'), name='graph_routing_once')],
            },
        ),
        migrations.CreateModel(
            name='Solution',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('signature', models.CharField(max_length=64)),
                ('size', models.PositiveSmallIntegerField()),
                ('query', models.CharField(blank=True, default='', max_length=200)),
                ('item_id', models.UUIDField()),
                ('tier', models.CharField(max_length=16)),
                ('worked', models.FloatField(default=0)),
                ('failed', models.FloatField(default=0)),
                ('partial', models.FloatField(default=0)),
                ('last_used_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_solution',
                'indexes': [models.Index(fields=['user', 'item_id'], name='graph_solution_item')],
                'constraints': [models.UniqueConstraint(fields=('user', 'signature', 'item_id'), name='graph_solution_once')],
            },
        ),
        migrations.CreateModel(
            name='SolutionCue',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('signature', models.CharField(max_length=64)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_solution_cue',
                'indexes': [models.Index(fields=['user', 'signature'], name='graph_solution_cue_of')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key', 'signature'), name='graph_solution_cue_once')],
            },
        ),
        migrations.CreateModel(
            name='GraphWork',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('kind', models.CharField(max_length=16)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graph_work',
                'indexes': [models.Index(fields=['user', 'id'], name='graph_work_next')],
            },
        ),
        migrations.CreateModel(
            name='GraphedItem',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('tier', models.CharField(max_length=16)),
                ('content_hash', models.CharField(max_length=64)),
                ('quality', models.FloatField()),
                ('seen_at', models.DateTimeField()),
                ('edges', models.JSONField(default=list)),
                ('reader', models.CharField(default='rules', max_length=16)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'graphed_item',
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id'), name='graphed_item_once')],
            },
        ),
    ]
