"""The ledger of a space: written by the installation for a member it has asked for their role, and read by no member.

A person's own lines lie below the first number of a space, so the gate looks nothing up for them.
"""

from django.db import migrations

from memory.models import migrating

GATE = """
CREATE POLICY space_verdicts ON outcome_event AS RESTRICTIVE
    USING ((SELECT space_role()) = 'all') WITH CHECK ((SELECT space_role()) = 'all');
"""


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0008_outcome_reasons"), ("memory", "0015_spaces")]

    operations = [migrations.RunSQL(GATE, "DROP POLICY space_verdicts ON outcome_event;")]
