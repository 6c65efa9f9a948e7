"""The agent and the project a row belongs to, policies that confine a transaction to them, and keys bound to them.

Existing rows are the person's own. The columns have a default that is no value per row, so no table is rewritten.
"""

from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, agent_field, project_field

SCOPED = ("memoryitem", "memoryvector", "fact", "factepisode", "turn")


def bound_field() -> "models.CharField[str, str]":
    return models.CharField(blank=True, db_default="", default="", max_length=128)


class Migration(migrating.Migration):
    dependencies = [("memory", "0008_addresses")]

    operations = [
        migrations.AddField("apikey", "agent_id", bound_field()),
        migrations.AddField("apikey", "project_id", bound_field()),
        *[migrations.AddField(model, "agent_id", agent_field()) for model in SCOPED],
        *[migrations.AddField(model, "project_id", project_field()) for model in SCOPED],
        ConfineToScope("MemoryItem"),
        ConfineToScope("MemoryVector"),
        ConfineToScope("Fact"),
        ConfineToScope("FactEpisode"),
        ConfineToScope("Turn"),
        ConfineToScope("MemoryVersion", parent="memory_item"),
        ConfineToScope("MemoryEvent", parent="memory_item"),
        ConfineToScope("TokenVectors", parent="memory_item"),
        ConfineToScope("FactEvidence", parent="fact", column="fact_id"),
        ConfineToScope("FactEvent", parent="fact", column="fact_id"),
        ConfineToScope("FactReview", parent="fact", column="fact_id"),
    ]
