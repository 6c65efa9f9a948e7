"""What a person decided of what waited in the inbox, and the indexes that find what waits."""

import django.db.models.deletion
import django.utils.timezone
import memory.models.isolation
import memory.tiers
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0023_vocabulary'),
    ]

    operations = [
        migrations.CreateModel(
            name='DecidedMatter',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('agent_id', models.CharField(blank=True, db_default=memory.models.isolation.ScopeSetting('app.agent_id'), max_length=128)),
                ('project_id', models.CharField(blank=True, db_default=memory.models.isolation.ScopeSetting('app.project_id'), max_length=128)),
                ('kind', models.CharField(choices=[('contradictions', 'contradictions'), ('suspected', 'suspected'), ('duplicates', 'duplicates'), ('doubtful_facts', 'doubtful_facts'), ('unexplained_failures', 'unexplained_failures'), ('expiring', 'expiring'), ('redactions', 'redactions')], max_length=24)),
                ('item_id', models.UUIDField(blank=True, null=True)),
                ('other_id', models.UUIDField(blank=True, null=True)),
                ('fact_id', models.UUIDField(blank=True, null=True)),
                ('review_id', models.UUIDField(blank=True, null=True)),
                ('event_id', models.BigIntegerField(blank=True, null=True)),
                ('decision', models.CharField(blank=True, choices=[('keep', 'keep'), ('supersede', 'supersede'), ('merge', 'merge'), ('keep_both', 'keep_both'), ('reject', 'reject'), ('archive', 'archive'), ('explain', 'explain')], default='', max_length=12)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('before', models.JSONField(blank=True, default=dict)),
            ],
            options={
                'db_table': 'decided_matter',
            },
        ),
        migrations.AddIndex(
            model_name='fact',
            index=models.Index(condition=models.Q(('is_confirmed', False), ('state', 'active'), models.Q(('trust__lt', memory.tiers.Trust['USER']), ('base_confidence__lt', 0.5), _connector='OR')), fields=['user', '-last_seen', 'id'], name='fact_doubtful'),
        ),
        migrations.AddIndex(
            model_name='memoryitem',
            index=models.Index(condition=models.Q(('status', 'active'), ('text__contains', '[redacted: ')), fields=['user', '-occurred_at', 'id'], name='memory_item_redacted'),
        ),
        migrations.AddField(
            model_name='decidedmatter',
            name='user',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser'),
        ),
        migrations.AddIndex(
            model_name='decidedmatter',
            index=models.Index(fields=['user', 'kind', 'decision', '-found_at', 'id'], name='decided_matter_waiting'),
        ),
        migrations.AddIndex(
            model_name='decidedmatter',
            index=models.Index(condition=models.Q(('decision', ''), _negated=True), fields=['user', '-decided_at', 'id'], name='decided_matter_latest'),
        ),
        migrations.AddConstraint(
            model_name='decidedmatter',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'duplicates')), fields=('user', 'item_id', 'other_id'), name='decided_matter_pair_once'),
        ),
        IsolateByUser("DecidedMatter", references="memory_item"),
        ConfineToScope("DecidedMatter"),
    ]
