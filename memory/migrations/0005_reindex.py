"""Collections of vectors that follow one another, runs that build them, reports of drift; and the item's revision."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

# Set by the database, under the lock of the row: of two changes the later has the greater number, whatever the clocks
# of the processes say.
COUNT_REVISIONS = """
CREATE FUNCTION memory_item_count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.revision := OLD.revision;
    IF (NEW.text, NEW.tier, NEW.status, NEW.speaker, NEW.occurred_at, NEW.source_type, NEW.source)
       IS DISTINCT FROM
       (OLD.text, OLD.tier, OLD.status, OLD.speaker, OLD.occurred_at, OLD.source_type, OLD.source) THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER memory_item_revision
    BEFORE UPDATE OF text, tier, status, speaker, occurred_at, source_type, source, revision ON memory_item
    FOR EACH ROW EXECUTE FUNCTION memory_item_count_revision();
"""
STOP_COUNTING = """
DROP TRIGGER memory_item_revision ON memory_item;
DROP FUNCTION memory_item_count_revision();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0004_speakers'),
    ]

    operations = [
        migrations.CreateModel(
            name='DriftReport',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('mode', models.CharField(choices=[('counts', 'Counts'), ('sample', 'Sample'), ('full', 'Full')], max_length=16)),
                ('repair', models.BooleanField(default=True)),
                ('collection', models.CharField(blank=True, default='', max_length=140)),
                ('end_user', models.BigIntegerField(blank=True, null=True)),
                ('at_user', models.BigIntegerField(default=0)),
                ('users', models.PositiveBigIntegerField(default=0)),
                ('rows', models.PositiveBigIntegerField(default=0)),
                ('points', models.PositiveBigIntegerField(default=0)),
                ('found', models.JSONField(default=dict)),
                ('mended', models.JSONField(default=dict)),
                ('quarantine', models.JSONField(default=list)),
                ('problem', models.CharField(blank=True, default='', max_length=300)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'drift_report',
            },
        ),
        migrations.CreateModel(
            name='ReindexRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('collection', models.CharField(max_length=140)),
                ('scope', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('done', 'Done'), ('cancelled', 'Cancelled'), ('rolled back', 'Rolled Back')], default='running', max_length=16)),
                ('phase', models.CharField(choices=[('copy', 'Copy'), ('catch up', 'Catch Up'), ('verify', 'Verify'), ('swap', 'Swap'), ('check', 'Check')], default='copy', max_length=16)),
                ('at_user', models.BigIntegerField(default=0)),
                ('at_moment', models.DateTimeField(blank=True, null=True)),
                ('at_item', models.UUIDField(blank=True, null=True)),
                ('verified_rounds', models.PositiveSmallIntegerField(default=0)),
                ('mended_in_round', models.PositiveBigIntegerField(default=0)),
                ('rows_total', models.PositiveBigIntegerField(default=0)),
                ('rows_done', models.PositiveBigIntegerField(default=0)),
                ('rows_mended', models.PositiveBigIntegerField(default=0)),
                ('rows_refused', models.PositiveBigIntegerField(default=0)),
                ('rows_per_s', models.FloatField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('advanced_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'reindex_run',
            },
        ),
        migrations.CreateModel(
            name='VectorCollection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('backend', models.CharField(max_length=16)),
                ('alias', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=140)),
                ('model', models.CharField(max_length=300)),
                ('dimensions', models.PositiveIntegerField()),
                ('passage_prefix', models.CharField(blank=True, default='', max_length=300)),
                ('role', models.CharField(choices=[('live', 'Live'), ('building', 'Building'), ('previous', 'Previous'), ('removing', 'Removing')], max_length=16)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('keep_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'vector_collection',
            },
        ),
        migrations.AddField(
            model_name='memoryitem',
            name='revision',
            field=models.BigIntegerField(db_default=1, editable=False),
        ),
        migrations.AddField(
            model_name='memoryvector',
            name='revision',
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AlterField(
            model_name='memoryvector',
            name='collection',
            field=models.CharField(max_length=140),
        ),
        migrations.AddIndex(
            model_name='memoryitem',
            index=models.Index(fields=['user', 'updated_at', 'id'], name='memory_item_updated'),
        ),
        migrations.AddIndex(
            model_name='driftreport',
            index=models.Index(fields=['-started_at'], name='drift_report_recent'),
        ),
        migrations.AddConstraint(
            model_name='vectorcollection',
            constraint=models.UniqueConstraint(fields=('backend', 'name'), name='vector_collection_once'),
        ),
        migrations.AddConstraint(
            model_name='vectorcollection',
            constraint=models.UniqueConstraint(condition=models.Q(('role__in', ['live', 'building', 'previous'])), fields=('backend', 'alias', 'role'), name='vector_collection_one_role'),
        ),
        migrations.AddField(
            model_name='reindexrun',
            name='target',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memory.vectorcollection'),
        ),
        migrations.AddField(
            model_name='reindexrun',
            name='report',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memory.driftreport'),
        ),
        migrations.AddConstraint(
            model_name='reindexrun',
            constraint=models.UniqueConstraint(models.Value(1), condition=models.Q(('state__in', ['running', 'paused'])), name='reindex_run_one_at_a_time'),
        ),
        migrations.RunSQL(COUNT_REVISIONS, STOP_COUNTING),
    ]
