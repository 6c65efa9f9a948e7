"""The tables of templates and of the one in force."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    initial = True

    dependencies = [
        ('memory', '0015_spaces'),
    ]

    operations = [
        migrations.CreateModel(
            name='ActivePersonality',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=64)),
                ('content', models.TextField()),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'personality_active',
                'constraints': [models.UniqueConstraint(fields=('user',), name='personality_active_once')],
            },
        ),
        migrations.CreateModel(
            name='PersonalityTemplate',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('name', models.CharField(db_collation='C', max_length=64)),
                ('title', models.CharField(max_length=100)),
                ('content', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'personality_template',
                'constraints': [models.UniqueConstraint(fields=('user', 'name'), name='personality_template_once')],
            },
        ),
    ]
