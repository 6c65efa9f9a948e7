"""What tests stand on: real services, a database its owner made and the application's role uses, and a cast.

Ann and Ben are remembered by the same organisation; another organisation has an Ann of its own.
"""

import atexit
import gc
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import hypothesis
import psutil
import psycopg
import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from django.utils import timezone
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker
from xdist.scheduler import LoadFileScheduling

from config import databases, embedded
from config.env import env_secret
from config.runtime.leases import Lease
from memory import inference
from memory.indexing import queue
from memory.models import EndUser, Organization
from memory.platform import breakers, redis
from tests.api_client import ApiClient, client_for
from tests.database_roles import connect_as, drop_template, empty_tables, make_template, trade_safety_for_speed
from tests.factories import EndUserFactory, OrganizationFactory
from tests.installation import installation, stack
from tests.patience import slowness

__all__ = ["installation", "stack"]

# Until everything is imported and collected; what is left by then stays until the end. To look through it for garbage,
# before and during the tests, took a fifth of their time.
gc.disable()

IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
EMBEDDED = {"postgres": "DATABASE_URL", "redis": "REDIS_URL", "embedder": "EMBEDDING_URL"}


# Drawing examples takes longer on a busy machine; how long is not what any of these tests is about.
hypothesis.settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy machine")


# What needs the running installation, which takes half a minute to start. What stops it comes last: then nothing
# starts it again, and nothing is left to stop in the end.
ON_ONE_INSTALLATION = (
    "tests/config/test_scrape.py",
    "tests/config/test_registry.py",
    "tests/integrations/test_librechat.py",
    "tests/journeys/test_nothing_is_lost.py",
    "tests/memory/gateway/test_running.py",
    "tests/memory/hooks/test_running_clients.py",
    "tests/memory/mcp/test_access.py",
    "tests/memory/mcp/test_tools.py",
    "tests/memory/mem0/test_running_clients.py",
    "tests/memory/oauth/test_real_client.py",
    "tests/config/test_up.py",
)


class FileScheduling(LoadFileScheduling):  # type: ignore[misc]
    """What shares an installation goes to one worker, everything else a file at a time."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "installation" if file in ON_ONE_INSTALLATION else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling | None:
    # By marks, as `--dist loadgroup` has it, nothing is kept together: this pytest passes over xdist's names of groups.
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones go first, or the last file begun would keep one worker busy while the other has nothing to do."""

    def file_of(item: pytest.Item) -> str:
        return item.nodeid.partition("::")[0]

    slow = {file_of(item) for item in items if item.get_closest_marker("slow")}
    first = {file: place for place, file in enumerate(ON_ONE_INSTALLATION)}
    items.sort(key=lambda item: (first.get(file_of(item), len(first)), file_of(item) not in slow))


def pytest_collection_finish() -> None:
    gc.freeze()
    # With 10,000 and 20 looking for garbage took 4 of 100 s of a worker's CPU, so 2.
    gc.set_threshold(50_000, 20, 100)
    gc.enable()


@pytest.fixture(scope="session")
def services() -> Iterator[None]:
    """Postgres, Redis and the embedder, those of them that no URL of the environment names."""
    parts = [part for part, variable in EMBEDDED.items() if not env_secret(variable)]
    use = Lease(embedded.installation_paths(settings.DATA_DIR), tuple(parts))
    # Held until the process ends: the test database is dropped after the last fixture.
    atexit.register(use.close)
    use.wait()
    if "postgres" in parts:
        trade_safety_for_speed()
    yield
    inference.reset_adapters()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    services: None, django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker
) -> None:
    """The test database is made and migrated by the owner of the tables."""
    connect_as("owner")
    with django_db_blocker.unblock():
        drop_abandoned()
        if IS_WORKER:
            connections["default"].settings_dict["TEST"]["TEMPLATE"] = make_template()


def drop_abandoned() -> None:
    """Remove the databases of test runs that were killed."""
    with connections["default"]._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname ~ '^test_commonplace_[0-9]+'")
        for (name,) in cursor.fetchall():
            if not psutil.pid_exists(int(name.split("_")[2])):
                cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        with connections["default"].cursor() as cursor:
            app = databases.database_from_environment(settings.DATA_DIR, "app")["USER"]
            # Only what empties the tables between tests that commit needs this right.
            cursor.execute(f'GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO "{app}"')
        connect_as("app")
    with pytest.MonkeyPatch.context() as patched:
        if not env_secret(EMBEDDED["postgres"]):
            patched.setattr(TransactionTestCase, "_fixture_teardown", lambda _: empty_tables())
        yield
    with django_db_blocker.unblock():
        connect_as("owner")
        end_other_connections()
        if IS_WORKER:
            drop_template()


def end_other_connections() -> None:
    """A connection that a test's thread or a kept traceback still holds would keep the database from being dropped.

    Asked for over a connection beside the pool, which would at once replace what it loses.
    """
    app, name = (
        databases.database_from_environment(settings.DATA_DIR, "app"),
        connections["default"].settings_dict["NAME"],
    )
    place = {"host": app["HOST"], "port": app["PORT"] or None, "user": app["USER"], "password": app["PASSWORD"]}
    with psycopg.connect(dbname=name, autocommit=True, **place) as own:
        own.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename = current_user"
        )


@pytest.fixture(autouse=True)
def forget_shared_state(request: pytest.FixtureRequest) -> Iterator[None]:
    """Breakers, caches and counters of one test are not those of the next; user ids repeat between runs."""
    yield
    if "services" in request.fixturenames or "db" in request.fixturenames or "transactional_db" in request.fixturenames:
        redis.reset_clients()
        # On a busy machine even this takes longer than a search would wait for Redis.
        with suppress(breakers.Unavailable):
            redis.call_or_raise(lambda client: client.flushdb(), redis.BACKGROUND_TIMEOUT_S)
        breakers.reset_breakers()


@pytest.fixture(autouse=True)
def keep_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker takes what tests send, so what they sent would have every backlog step aside."""
    monkeypatch.setattr("memory.platform.queue.count_waiting", lambda queue: 0)


@pytest.fixture(autouse=True)
def stay_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for the network fails at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6} and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def set_budgets(settings: Settings) -> Callable[..., None]:
    """Makes the budgets of a search so short that a test can wait for them: ``set_budgets(lexical_s=0.3)``."""

    def set_budgets(**budgets: float) -> None:
        slower = {name: seconds * slowness() for name, seconds in budgets.items()}
        settings.MEMORY = {**settings.MEMORY, "DEADLINES": {**settings.MEMORY["DEADLINES"], **slower}}

    return set_budgets


class Clock:
    """The time of a test; stands still until it is moved."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **parts: float) -> datetime:
        self.now += timedelta(**parts)
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(datetime(2026, 3, 2, 9, 30, tzinfo=UTC))
    monkeypatch.setattr(timezone, "now", clock)
    return clock


@pytest.fixture
def organization(db: None) -> Organization:
    return OrganizationFactory.create(slug="acme", name="Acme")


@pytest.fixture
def other_organization(db: None) -> Organization:
    return OrganizationFactory.create(slug="umbra", name="Umbra")


@pytest.fixture
def user(organization: Organization) -> EndUser:
    return EndUserFactory.create(organization=organization, external_id="ann")


@pytest.fixture
def other_user(organization: Organization) -> EndUser:
    return EndUserFactory.create(organization=organization, external_id="ben")


@pytest.fixture
def foreign_user(other_organization: Organization) -> EndUser:
    return EndUserFactory.create(organization=other_organization, external_id="ann")


@pytest.fixture
def api(user: EndUser) -> ApiClient:
    """A client that acts for Ann with every scope."""
    return client_for(user)


@pytest.fixture
def foreign_api(foreign_user: EndUser) -> ApiClient:
    """A client with every scope in the other organisation, which asks for its own Ann."""
    return client_for(foreign_user)


def index_pending(user: EndUser) -> None:
    """Bring every pending memory of a user into the index, as the worker would."""
    while queue.index_batch(user, now=timezone.now() + timedelta(minutes=5)):
        pass
    assert queue.count_indexing(user).pending == 0


@pytest.fixture
def index_now(services: None) -> Callable[[EndUser], None]:
    return index_pending
