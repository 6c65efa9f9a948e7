from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0002_row_security")]

    operations = [
        migrations.AddField("exchange", "occurred_at", models.DateTimeField(null=True, blank=True)),
    ]
