"""Rows that belong to a person: the key their models carry, and the migration that has the database watch over them.

The one place for composite keys: a row that refers to a memory does so by (user, item), so that it cannot refer to
somebody else's.
"""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

if TYPE_CHECKING:
    from memory.models.people import EndUser

POLICY = "user_isolation"


def user_key() -> "models.ForeignKey[EndUser, EndUser]":
    """Whose row it is. Without an index of its own: every index of such a table begins with the user."""
    return models.ForeignKey("memory.EndUser", on_delete=models.CASCADE, related_name="+", db_index=False)


class IsolateByUser(Operation):
    """Enables and forces a policy under which only rows of ``app.user_id`` exist; without the setting, none.

    The policy is the plain comparison and not a sub-select: the planner then sees how many rows the user has and
    chooses an exact scan for a small user and the vector index for a large one.
    """

    reversible = True
    reduces_to_sql = True
    atomic = True

    def __init__(self, model: str, references: str = "", column: str = "item_id") -> None:
        """``references`` is the table that ``column`` points into."""
        self.model = model
        self.references = references
        self.column = column

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        given = {"references": self.references, "column": self.column} if self.references else {}
        return (type(self).__name__, [self.model], given)

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing in the models' state changes."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        table = schema_editor.quote_name(self.table(app_label, to_state))
        own = "user_id = NULLIF(current_setting('app.user_id', true), '')::bigint"
        schema_editor.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        schema_editor.execute(f"CREATE POLICY {POLICY} ON {table} USING ({own}) WITH CHECK ({own})")
        if self.references:
            # Foreign keys are checked outside the policies, so the key itself must carry the owner.
            schema_editor.execute(
                f"ALTER TABLE {table} ADD CONSTRAINT {self.constraint} FOREIGN KEY (user_id, {self.column}) "
                f"REFERENCES {self.references} (user_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
            )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        table = schema_editor.quote_name(self.table(app_label, from_state))
        if self.references:
            schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {self.constraint}")
        schema_editor.execute(f"DROP POLICY {POLICY} ON {table}")
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        schema_editor.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")

    @property
    def constraint(self) -> str:
        return f"{self.model.lower()}_own_{self.column.removesuffix('_id')}"

    def table(self, app_label: str, state: ProjectState) -> str:
        return str(state.apps.get_model(app_label, self.model)._meta.db_table)

    def describe(self) -> str:
        return f"Row-level security on {self.model}"
