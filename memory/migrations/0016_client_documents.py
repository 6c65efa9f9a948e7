"""Room for an address as a client's id. Widening such a column rewrites no row."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("memory", "0015_spaces")]

    operations = [
        migrations.AlterField("oauthclient", "client_id", models.CharField(max_length=500, unique=True)),
    ]
