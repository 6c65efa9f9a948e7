"""Rows that belong to a person: the key their models carry, and the migration that has the database watch over them.

The one place for composite keys: a row that refers to a memory does so by (user, item), so that it cannot refer to
somebody else's.
"""

from typing import TYPE_CHECKING, Any, Protocol

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from memory.tiers import SCOPE_ID_CHARS

if TYPE_CHECKING:
    from memory.models.people import EndUser

POLICY = "user_isolation"
SCOPE_POLICY = "scope_confinement"
# Settings of the transaction, which the policy of scopes reads.
AGENT_SETTING, PROJECT_SETTING = "app.agent_id", "app.project_id"


def user_key() -> "models.ForeignKey[EndUser, EndUser]":
    """Whose row it is. Without an index of its own: every index of such a table begins with the user."""
    return models.ForeignKey("memory.EndUser", on_delete=models.CASCADE, related_name="+", db_index=False)


class ScopedRow(Protocol):
    """What names an agent and a project: a row, or a scope."""

    @property
    def agent_id(self) -> str: ...

    @property
    def project_id(self) -> str: ...


class ScopeSetting(models.Func):
    """What the transaction is confined to: a row written in a scope belongs to it, whichever statement writes it."""

    output_field = models.CharField(max_length=SCOPE_ID_CHARS)
    arity = 0

    def __init__(self, setting: str) -> None:
        super().__init__()
        self.setting = setting

    def as_sql(self, compiler: Any, connection: Any, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:  # noqa: ANN401
        return f"coalesce(current_setting('{self.setting}', true), '')", ()

    def deconstruct(self) -> tuple[str, tuple[str, ...], dict[str, Any]]:
        return "memory.models.isolation.ScopeSetting", (self.setting,), {}


def agent_field() -> "models.CharField[str, str]":
    """The agent a row belongs to; empty for what is the person's own."""
    return models.CharField(max_length=SCOPE_ID_CHARS, blank=True, db_default=ScopeSetting(AGENT_SETTING))


def project_field() -> "models.CharField[str, str]":
    """The project a row belongs to; empty for what is the person's own."""
    return models.CharField(max_length=SCOPE_ID_CHARS, blank=True, db_default=ScopeSetting(PROJECT_SETTING))


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
        return find_table(state, app_label, self.model)

    def describe(self) -> str:
        return f"Row-level security on {self.model}"


def find_table(state: ProjectState, app_label: str, model: str) -> str:
    # Every model here names its table; to ask the rendered model would render it.
    return str(state.models[app_label, model.lower()].options["db_table"])


def write_seen_id(column: str) -> str:
    # Asked once for a statement, as a subselect, and not for each row.
    return (
        f"({column} = '' OR {column} = coalesce(nullif((SELECT current_setting('app.{column}', true)), ''), {column}))"
    )


# CASE, because the planner takes it to let half of the rows through whatever it knows of them. As plain comparisons of
# columns that are new, and of which it knows nothing, it took them to leave one row of ten thousand.
SEEN = (
    "CASE WHEN agent_id = '' AND project_id = '' THEN true "
    f"ELSE {write_seen_id('agent_id')} AND {write_seen_id('project_id')} END"
)
UNCONFINED = (
    "(SELECT coalesce(current_setting('app.agent_id', true), '') || "
    "coalesce(current_setting('app.project_id', true), '') = '')"
)


class ConfineToScope(Operation):
    """A second policy beside the user's, which must hold too: in a scope only its own rows and the person's exist.

    For a table with the columns ``agent_id`` and ``project_id``; with ``parent`` for one whose rows belong where the
    row of that table does which ``column`` names.
    """

    reversible = True
    reduces_to_sql = True
    atomic = True

    def __init__(self, model: str, parent: str = "", column: str = "item_id") -> None:
        self.model = model
        self.parent = parent
        self.column = column

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        given = {"parent": self.parent, "column": self.column} if self.parent else {}
        return (type(self).__name__, [self.model], given)

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing in the models' state changes."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        table = schema_editor.quote_name(find_table(to_state, app_label, self.model))
        seen = SEEN
        if self.parent:
            own = f"parent.user_id = {table}.user_id AND parent.id = {table}.{self.column}"
            seen = f"CASE WHEN {UNCONFINED} THEN true ELSE EXISTS (SELECT FROM {self.parent} parent WHERE {own}) END"
        schema_editor.execute(
            f"CREATE POLICY {SCOPE_POLICY} ON {table} AS RESTRICTIVE USING ({seen}) WITH CHECK ({seen})"
        )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        table = schema_editor.quote_name(find_table(from_state, app_label, self.model))
        schema_editor.execute(f"DROP POLICY {SCOPE_POLICY} ON {table}")

    def describe(self) -> str:
        return f"Confinement to a scope on {self.model}"
