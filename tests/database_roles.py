"""Which database role a test speaks as: the application's, unless it says otherwise."""

from django.conf import settings
from django.db import connection, connections

from config import databases

PATIENT = "-c lock_timeout=20000 -c statement_timeout=20000 -c idle_in_transaction_session_timeout=120000"
"""Longer than the product waits: six writers of one statement took more than its two seconds on a busy machine."""


def connect_as(role: str) -> None:
    current = connections["default"]
    current.close()
    current.close_pool()  # type: ignore[attr-defined]
    entry = databases.database_from_environment(settings.DATA_DIR, role)
    if role == "app":
        entry["OPTIONS"]["options"] += f" {PATIENT}"
    current.settings_dict.update({name: entry[name] for name in ("USER", "PASSWORD", "OPTIONS")})


def isolated_tables() -> list[str]:
    """Every table with a column ``user_id``."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') "
            "AND a.attname = 'user_id' AND NOT a.attisdropped ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]
