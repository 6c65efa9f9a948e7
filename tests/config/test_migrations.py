"""Migrations: two an app at the base, complete, cheap, and known to installations that applied what they replace."""

from collections import Counter

import pytest
from django.core.management import call_command
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState, StateApps
from django.db.models.fields.reverse_related import ForeignObjectRel

from config.schema import find_schema_problem
from memory.models import EndUser, migrating

OURS = ("kinds", "knowledge_graph", "memory", "outcomes")
WITHOUT_ELDERS = ("books", "personality")
# What an installation of the release before the squashing has in django_migrations.
APPLIED_BEFORE = {
    "memory": [
        *("0001_initial", "0002_isolation", "0003_vector_payload", "0004_speakers", "0005_reindex"),
        *("0006_measurements", "0007_trust", "0009_moves", "0010_experience", "0011_token_vectors"),
        *("0012_insight_words", "0013_failed_rows", "0014_user_data"),
    ],
    "kinds": ["0001_initial", "0002_isolation"],
    "knowledge_graph": ["0001_initial", "0002_isolation"],
    "outcomes": ["0001_initial", "0002_isolation", "0003_verdicts", "0004_verdicts_isolation"],
}
SQUASHED = ("0001_tables", "0002_row_security")


@pytest.fixture
def older_installation(user: EndUser) -> EndUser:
    """The database as the release before left it: the same tables, the old names of the migrations, and a user."""
    applied = MigrationRecorder(connection).migration_qs
    # What came after the squashing is applied as everywhere.
    applied.filter(app__in=OURS, name__in=SQUASHED).delete()
    for app, names in APPLIED_BEFORE.items():
        for name in names:
            applied.create(app=app, name=name)
    return user


def applied_names() -> set[tuple[str, str]]:
    return {key for key in MigrationRecorder(connection).applied_migrations() if key[0] in OURS}


@pytest.mark.django_db
def test_an_older_installation_runs_no_migration_twice_and_loses_nothing(older_installation: EndUser) -> None:
    tables = connection.introspection.table_names()
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    assert find_schema_problem() == ""

    # As the application's role, which may change no table: a statement of a migration would be refused.
    call_command("migrate", verbosity=0, interactive=False)

    current = {key for key in executor.loader.disk_migrations if key[0] in OURS}
    assert current <= applied_names()
    assert connection.introspection.table_names() == tables
    assert EndUser.objects.filter(pk=older_installation.pk).exists()
    assert MigrationExecutor(connection).migration_plan(executor.loader.graph.leaf_nodes()) == []


def test_an_app_begins_with_two_migrations_and_they_name_all_that_they_replace() -> None:
    ours = [migration for key, migration in MigrationExecutor(None).loader.disk_migrations.items() if key[0] in OURS]
    first = [migration for migration in ours if migration.name in SQUASHED]
    assert set(Counter(migration.app_label for migration in first).values()) == {2}
    assert not any(migration.replaces for migration in ours if migration not in first)
    replaced = Counter(old for migration in ours for old in migration.replaces)
    assert replaced == Counter((app, name) for app, names in APPLIED_BEFORE.items() for name in names)


@pytest.mark.django_db
def test_the_migrations_say_everything_the_models_say() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


def test_every_migration_renders_only_what_it_is_about() -> None:
    ours = [each for key, each in MigrationLoader(None).disk_migrations.items() if key[0] in (*OURS, *WITHOUT_ELDERS)]
    assert [str(each) for each in ours if not isinstance(each, migrating.Migration)] == []


def state_before(name: str) -> tuple[migrations.Migration, ProjectState]:
    loader = MigrationLoader(None)
    return loader.disk_migrations["memory", name], loader.project_state(("memory", name), at_end=False)


@pytest.mark.django_db
# Tables with keys between each other, indexes and constraints; columns; policies; a type that changes.
@pytest.mark.parametrize("name", ["0001_tables", "0009_scopes", "0015_spaces", "0016_client_documents"])
def test_what_it_does_is_what_the_framework_would_have_done(name: str) -> None:
    written = []
    for kind in (migrations.Migration, migrating.Migration):
        migration, state = state_before(name)
        with connection.schema_editor(collect_sql=True) as editor:
            after = kind.apply(migration, state, editor, collect_sql=True)
        assert isinstance(after, migrating.StateOnDemand) == (kind is migrating.Migration)
        written.append(editor.collected_sql)
    assert written[0] == written[1]
    assert any("CREATE" in line or "ALTER" in line for line in written[0])


@pytest.mark.django_db
def test_what_comes_after_it_has_all_models_and_their_relations() -> None:
    migration, state = state_before("0007_consolidation")
    with connection.schema_editor(collect_sql=True) as editor:
        state = migration.apply(state, editor, collect_sql=True)
    seen: list[set[str]] = []

    def look(apps: StateApps, _: object) -> None:
        of_user = apps.get_model("memory", "EndUser")._meta.get_fields(include_hidden=True)
        seen.append({field.related_model.__name__ for field in of_user if isinstance(field, ForeignObjectRel)})

    class Following(migrating.Migration):
        operations = [
            migrations.SeparateDatabaseAndState(
                state_operations=[migrations.AddField("enduser", "mood", models.IntegerField(default=0))]
            ),
            migrations.RunPython(look),
        ]

    with connection.schema_editor() as editor:
        state = Following("0008_look", "memory").apply(state, editor)
    assert len(seen) == 1
    assert {"Fact", "FactRun", "Speaker", "Turn"} <= seen[0]
    # Nothing that was rendered before stays behind.
    assert state.apps.get_model("memory", "EndUser")._meta.get_field("mood")
