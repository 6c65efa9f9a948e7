"""Exports and imports of a person: the jobs, the lines an import has still to write, and the mark of the queue."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0010_scope_indexes'),
    ]

    operations = [
        migrations.CreateModel(
            name='TransferDue',
            fields=[
                ('end_user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='memory.enduser')),
                ('since', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'transfer_due',
            },
        ),
        migrations.CreateModel(
            name='Transfer',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('export', 'export'), ('import', 'import')], max_length=8)),
                ('state', models.CharField(choices=[('pending', 'pending'), ('processing', 'processing'), ('completed', 'completed'), ('failed', 'failed')], default='pending', max_length=12)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('lines', models.PositiveIntegerField(default=0)),
                ('counts', models.JSONField(default=dict)),
                ('has_own_ids', models.BooleanField(default=False)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'transfer',
            },
        ),
        migrations.CreateModel(
            name='TransferPart',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('body', models.BinaryField()),
                ('transfer', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='memory.transfer')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'transfer_part',
            },
        ),
        migrations.AddIndex(
            model_name='transfer',
            index=models.Index(fields=['user', '-created_at'], name='transfer_recent'),
        ),
        migrations.AddConstraint(
            model_name='transfer',
            constraint=models.UniqueConstraint(fields=('user', 'id'), name='transfer_user_id'),
        ),
        migrations.AddConstraint(
            model_name='transferpart',
            constraint=models.UniqueConstraint(fields=('user', 'transfer', 'number'), name='transfer_part_once'),
        ),
        IsolateByUser("Transfer"),
        IsolateByUser("TransferPart", references="transfer", column="transfer_id"),
    ]
