"""The one database connection: embedded by default, any Postgres through DATABASE_URL."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.abc import Buffer, PQGen
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.types.datetime import TimestamptzLoader

from config import embedded
from config.env import env_bool, env_int, env_secret

URL_FORM = "DATABASE_URL must look like postgresql://user:password@host:5432/database"
T = TypeVar("T")
STATEMENT_TIMEOUT_S = 5.0
# Of a server that stands still: it interrupts a statement itself when it may take no longer, so what says nothing for
# that much longer will not. A search answered 503 after 60 s before, which is when the web server gives up.
SILENCE_S = 1.5
# Milliseconds. Set when a connection is made; behind a pooler that drops them they belong to the role.
SESSION_TIMEOUTS = {
    "lock_timeout": 2_000,
    "idle_in_transaction_session_timeout": 15_000,
    "statement_timeout": round(STATEMENT_TIMEOUT_S * 1000),
}

# For statements that don't ask to be prepared. Ours that don't are never sent that way, so any number would do; None
# would leave those out that ask.
PREPARE_THRESHOLD = 5


def database_from_environment(data_dir: Path, role: str) -> dict[str, Any]:
    """The Django DATABASES entry of a role, ``app`` (everything that runs) or ``owner`` (migrations)."""
    url = env_secret("DATABASE_URL")
    if role == "owner" and url:
        url = env_secret("DATABASE_OWNER_URL", url)
    entry = database_from_url(url) if url else embedded.database_settings(data_dir, role)
    # Behind a pooler that lends connections by transaction a prepared statement is another connection's.
    keeps_plans = role == "app" and env_bool("DATABASE_PREPARED", default=not url)
    return {**entry, **build_connection_options(role, entry.get("OPTIONS", {}), keeps_plans=keeps_plans)}


ADDRESSES = {"backup": "DATABASE_BACKUP_URL", "owner": "DATABASE_OWNER_URL"}


def find_address(data_dir: Path, role: str, database: str) -> str:
    """The connection string of the ``backup`` role or the ``owner``; empty where none is configured."""
    if env_secret("DATABASE_URL"):
        url = env_secret(ADDRESSES[role])
        if not url:
            return ""
        entry = database_from_url(url)
    else:
        entry = embedded.database_settings(data_dir, role)
    return make_conninfo(
        host=entry["HOST"],
        port=entry["PORT"] or None,
        user=entry["USER"],
        password=entry["PASSWORD"],
        dbname=database,
        **entry.get("OPTIONS", {}),
    )


def database_from_url(url: str) -> dict[str, Any]:
    try:
        parts = urlsplit(url)
        port = parts.port or 5432
    except ValueError:
        # From None: what could not be read may hold the password.
        raise ImproperlyConfigured(URL_FORM) from None
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(URL_FORM)
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": str(port),
        "OPTIONS": query,
    }


def build_connection_options(role: str, options: dict[str, Any], *, keeps_plans: bool) -> dict[str, Any]:
    timeouts = SESSION_TIMEOUTS | ({"statement_timeout": 0} if role == "owner" else {})
    words = " ".join(f"-c {name}={value}" for name, value in timeouts.items())
    policy: dict[str, Any] = {**options, "options": words, "connect_timeout": 3}
    if keeps_plans:
        policy["prepare_threshold"] = PREPARE_THRESHOLD
    if role == "app" and env_bool("DATABASE_POOL", default=True):
        policy["pool"] = {
            "min_size": 1,
            "max_size": env_int("DATABASE_POOL_SIZE", 16, minimum=1),
            # How long a request waits for a connection, also while the server is away, before it answers 503.
            "timeout": 2,
            "reset": reset_scope,
            "connection_class": PunctualConnection,
        }
    return {"ATOMIC_REQUESTS": False, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": policy}


class UtcLoader(TimestamptzLoader):
    """Reads a moment as Python does by itself: Django's loader takes 3.3 microseconds for one, this .2. A context reads
    two thousand of them."""

    # Django compares it with its own.
    timezone = UTC

    def load(self, data: Buffer) -> datetime:
        try:
            return datetime.fromisoformat(str(data, "ascii"))
        except ValueError:
            # Beyond the years of Python, or not of this time zone: it says which.
            return super().load(data)


class PunctualConnection(psycopg.Connection[Any]):
    """Gives up a server that is connected and silent. ``statement_s`` is what a statement may take, None for any time;
    whoever changes the server's ``statement_timeout`` changes it too."""

    statement_s: float | None = STATEMENT_TIMEOUT_S

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        made = super().connect(conninfo, **options)
        made.adapters.register_loader("timestamptz", UtcLoader)
        return made

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        if timeout is None and self.statement_s is not None:
            timeout = self.statement_s + SILENCE_S
        try:
            return super().wait(gen, interval, timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                # What it would answer later belongs to no statement any more.
                self.pgconn.finish()
            raise


def reset_scope(connection: psycopg.Connection[Any]) -> None:
    """Pool hook: a connection goes back without any user's scope, even if one was set for the whole session."""
    connection.execute("RESET app.user_id")
    if not connection.autocommit:
        connection.commit()
