"""Roles of operators, what they did, and the backups they asked for."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from memory.models import migrating


def appoint_only_members(apps, schema_editor):
    """Whoever looks after an organisation alone owns it. Of several, nobody says which: a superuser or a command does."""
    Membership = apps.get_model('memory', 'Membership')
    counted = Membership.objects.values('organization').annotate(members=models.Count('pk'))
    alone = [row['organization'] for row in counted if row['members'] == 1]
    Membership.objects.filter(organization__in=alone).update(role='owner')


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0024_inbox'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[('owner', 'owner'), ('member', 'member')], db_default='member', default='member', max_length=16),
        ),
        migrations.CreateModel(
            name='BackupRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='running', max_length=16)),
                ('host', models.CharField(blank=True, default='', max_length=200)),
                ('path', models.CharField(blank=True, default='', max_length=1000)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('tables_total', models.PositiveIntegerField(default=0)),
                ('tables_done', models.PositiveIntegerField(default=0)),
                ('rows', models.PositiveBigIntegerField(default=0)),
                ('bytes', models.PositiveBigIntegerField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('actor', models.CharField(blank=True, default='', max_length=200)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'backup_run',
                'constraints': [models.UniqueConstraint(models.Value(1), condition=models.Q(('state', 'running')), name='backup_run_one_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('action', models.CharField(max_length=40)),
                ('actor', models.CharField(max_length=200)),
                ('subject', models.CharField(blank=True, default='', max_length=200)),
                ('details', models.JSONField(default=dict)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('organization', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='audit_events', to='memory.organization')),
            ],
            options={
                'db_table': 'audit_event',
                'indexes': [models.Index(fields=['organization', '-at'], name='audit_event_recent'), models.Index(fields=['at'], name='audit_event_age')],
            },
        ),
        migrations.RunPython(appoint_only_members, migrations.RunPython.noop),
    ]
