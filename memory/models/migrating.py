"""Migrations that render, of the models, only those they are about.

Before each operation the framework renders anew every model that is related to what the operation changes. Every table
here has a key to a user, so that was all of them, 8,100 in the migrations of an empty database: 5.6 s of CPU, of which
the database's work was half a second.
"""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState, StateApps
from django.db.migrations.utils import resolve_relation

from memory.models.isolation import ConfineToScope, IsolateByUser

Key = tuple[str, str]
# Their SQL speaks of one model, and of those it refers to by the name and the key of the table alone.
ABOUT_ONE_MODEL = (
    migrations.CreateModel,
    migrations.AddField,
    migrations.AddIndex,
    migrations.RemoveIndex,
    migrations.AddConstraint,
    migrations.RemoveConstraint,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    migrations.RunSQL,
    IsolateByUser,
    ConfineToScope,
)


class Migration(migrations.Migration):
    """As the framework's; where an operation may look at other models it renders all, as the framework does."""

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,  # noqa: FBT001, FBT002  (the framework's own)
    ) -> ProjectState:
        if not all(is_about_one_model(operation) for operation in self.operations):
            return super().apply(project_state, schema_editor, collect_sql)
        state = StateOnDemand(project_state.models, project_state.real_apps)
        state.is_narrow = True
        super().apply(state, schema_editor, collect_sql)
        state.is_narrow = False
        return state


def is_about_one_model(operation: Operation) -> bool:
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return all(is_about_one_model(each) for each in operation.database_operations)
    if isinstance(operation, migrations.AlterField):
        # With a key the columns that refer to it change as well, in other models.
        return not operation.field.primary_key
    return type(operation) in ABOUT_ONE_MODEL


def build_index_beside(model: str, index: models.Index, create: str) -> migrations.SeparateDatabaseAndState:
    """An index that is built while the installation runs; of a migration that is not atomic.

    The framework's own way stops at an index that was cut off, which stands there, unfinished, under its name.
    """
    drop = f"DROP INDEX CONCURRENTLY IF EXISTS {index.name}"
    return migrations.SeparateDatabaseAndState(
        database_operations=[
            *(migrations.RunSQL(build, migrations.RunSQL.noop) for build in (drop, create)),
            migrations.RunSQL(migrations.RunSQL.noop, drop),
        ],
        state_operations=[migrations.AddIndex(model, index)],
    )


class StateOnDemand(ProjectState):
    """Renders nothing until somebody asks: one model while it is narrow, otherwise all, as the framework would have."""

    is_narrow = False

    def __init__(self, models: dict[Key, ModelState], real_apps: set[str]) -> None:
        super().__init__(models, real_apps)
        # Where the framework keeps what it has rendered; without it all would be rendered before the next migration.
        self.__dict__["apps"] = AppsOnDemand(self)

    def clone(self) -> ProjectState:
        if not self.waits:
            return super().clone()
        copy = StateOnDemand({key: model.clone() for key, model in self.models.items()}, self.real_apps)
        copy.is_delayed, copy.is_narrow = self.is_delayed, self.is_narrow
        return copy

    @property
    def waits(self) -> bool:
        return isinstance(self.__dict__.get("apps"), AppsOnDemand)

    def render_all(self) -> StateApps:
        self.__dict__.pop("apps", None)
        return self.apps

    def reload_model(self, app_label: str, model_name: str, delay: bool = False) -> None:  # noqa: FBT001, FBT002
        if not self.waits:
            super().reload_model(app_label, model_name, delay)

    def reload_models(self, models: Any, delay: bool = True) -> None:  # noqa: ANN401, FBT001, FBT002
        if not self.waits:
            super().reload_models(models, delay)

    def clear_delayed_apps_cache(self) -> None:
        if self.waits:
            self.render_all()
        super().clear_delayed_apps_cache()


class AppsOnDemand:
    """Stands where the rendered models of a state would be."""

    def __init__(self, state: StateOnDemand) -> None:
        self._state = state

    def get_model(self, app_label: str, model_name: str, **given: Any) -> type[models.Model]:
        apps = render_one(self._state, (app_label, model_name.lower())) if self._state.is_narrow else None
        return (apps or self._state.render_all()).get_model(app_label, model_name, **given)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._state.render_all(), name)


def render_one(state: ProjectState, wanted: Key) -> StateApps:
    """The model, and of each that it refers to the key and the name of the table."""
    near = {wanted: state.models[wanted]}
    waiting = find_targets(near[wanted])
    while waiting:
        key = waiting.pop()
        if key not in near:
            near[key] = reduce_to_key(state.models[key])
            waiting |= find_targets(near[key])
    return ProjectState(near).apps


def find_targets(model: ModelState) -> set[Key]:
    named = [each.remote_field for each in model.fields.values() if each.remote_field]
    ends = [end for each in named for end in (each.model, getattr(each, "through", None)) if end]
    return {resolve_relation(end, model.app_label, model.name_lower) for end in ends}


def reduce_to_key(model: ModelState) -> ModelState:
    fields = [(name, field) for name, field in model.fields.items() if field.primary_key]
    options = {name: value for name, value in model.options.items() if name == "db_table"}
    return ModelState(model.app_label, model.name, fields, options)
