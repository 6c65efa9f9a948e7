"""Webhooks: endpoints of organisations, what they hear of, and how far each message has come."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):

    dependencies = [
        ('memory', '0013_grants'),
    ]

    operations = [
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=2000)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None)),
                ('person', models.CharField(blank=True, default='', max_length=128)),
                ('includes_content', models.BooleanField(default=False)),
                ('sealed_secret', models.TextField()),
                ('sealed_previous', models.TextField(blank=True, default='')),
                ('previous_until', models.DateTimeField(blank=True, null=True)),
                ('disabled_at', models.DateTimeField(blank=True, null=True)),
                ('note', models.CharField(blank=True, default='', max_length=300)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('paused_until', models.DateTimeField(blank=True, null=True)),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='memory.organization')),
            ],
            options={
                'db_table': 'webhook_endpoint',
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('event_id', models.UUIDField()),
                ('kind', models.CharField(max_length=40)),
                ('state', models.CharField(choices=[('pending', 'pending'), ('delivered', 'delivered'), ('dead', 'dead')], default='pending', max_length=9)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('queued_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('attempted_at', models.DateTimeField(blank=True, null=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('error', models.CharField(blank=True, default='', max_length=200)),
                ('excerpt', models.CharField(blank=True, default='', max_length=200)),
                ('end_user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='memory.webhookendpoint')),
            ],
            options={
                'db_table': 'webhook_delivery',
            },
        ),
        migrations.CreateModel(
            name='WebhookEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('data', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'webhook_event',
            },
        ),
        migrations.AddIndex(
            model_name='webhookendpoint',
            index=models.Index(fields=['organization', 'created_at', 'id'], name='webhook_endpoint_listed'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['endpoint', '-id'], name='webhook_delivery_listed'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['endpoint', 'due_at'], name='webhook_delivery_due'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'dead')), fields=['endpoint', 'id'], name='webhook_delivery_dead'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['created_at'], name='webhook_delivery_age'),
        ),
        migrations.AddIndex(
            model_name='webhookevent',
            index=models.Index(fields=['user', 'created_at'], name='webhook_event_recent'),
        ),
        IsolateByUser("WebhookEvent"),
    ]
