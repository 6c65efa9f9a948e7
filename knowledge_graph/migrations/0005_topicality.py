"""Whether a concept names a matter, by the votes of where it was met."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    dependencies = [
        ('knowledge_graph', '0004_scopes'),
    ]

    operations = [
        migrations.AddField(
            model_name='concept',
            name='topicality',
            field=models.IntegerField(db_default=0, default=0),
        ),
    ]
