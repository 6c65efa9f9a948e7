"""The agent and the project of exchanges, verdicts, actions and signals, and the policies that confine to them."""

from django.db import migrations

from memory.models import migrating
from memory.models.isolation import ConfineToScope, agent_field, project_field

SCOPED = ("exchange", "outcomeevent", "actiontaken", "conversationsignal")


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0003_agent_sessions")]

    operations = [
        *[migrations.AddField(model, "agent_id", agent_field()) for model in SCOPED],
        *[migrations.AddField(model, "project_id", project_field()) for model in SCOPED],
        ConfineToScope("Exchange"),
        ConfineToScope("OutcomeEvent"),
        ConfineToScope("ActionTaken"),
        ConfineToScope("ConversationSignal"),
    ]
