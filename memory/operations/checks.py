"""Django system checks: report what is wrong with this installation before the first request does."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connection

from memory.conf import memory_conf
from memory.inference.catalogue import CATALOGUE
from memory.inference.conf import prompt_conf

OLDEST_POSTGRES = 150000
OLDEST_PGVECTOR = (0, 8, 0)


@register()
def check_flags(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    conf = memory_conf()
    found: list[CheckMessage] = []
    if conf.vector.qdrant_url and not conf.flags["qdrant"]:
        found.append(
            Warning(
                "QDRANT_URL is set but MEMORY_QDRANT_ENABLED is false",
                hint="Vectors go to pgvector. Unset one of the two.",
                id="memory.W001",
            )
        )
    if not conf.flags["system"]:
        found.append(
            Warning("MEMORY_SYSTEM_ENABLED is false", hint="The API answers 503 to every call.", id="memory.W002")
        )
    if conf.llm.url and not conf.llm.model:
        found.append(Error("MEMORY_LLM_BASE_URL is set without MEMORY_LLM_MODEL", id="memory.E001"))
    if unknown := sorted(prompt_conf().off - set(CATALOGUE)):
        found.append(
            Warning(
                f"MEMORY_PROMPTS_OFF names {', '.join(unknown)}: no prompt is called so",
                hint="docs/prompts.md lists the names.",
                id="memory.W003",
            )
        )
    if not conf.require_auth and not conf.local_only:
        found.append(
            Error(
                "MEMORY_REQUIRE_AUTH is false while ALLOWED_HOSTS names more than this machine",
                hint="Without keys anyone who can reach the port reads every memory.",
                id="memory.E002",
            )
        )
    return found


@register(Tags.database)
def check_database(
    app_configs: Any,  # noqa: ANN401  (the framework's own type)
    databases: Sequence[str] | None = None,
    **kwargs: Any,
) -> list[CheckMessage]:
    if not databases or "default" not in databases:
        return []
    try:
        return [*check_versions(), *check_role()]
    except DatabaseError as error:
        return [Error("The database could not be asked", hint=str(error).strip()[:300], id="memory.E010")]


def check_versions() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int")
        version = cursor.fetchone()
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        extension = cursor.fetchone()
    if version and version[0] < OLDEST_POSTGRES:
        found.append(Error(f"PostgreSQL {version[0] // 10000} is too old; 15 or newer is needed", id="memory.E011"))
    if extension is None:
        found.append(Error("The extension vector is missing", hint="Run manage.py prepare_database.", id="memory.E012"))
    elif tuple(int(part) for part in extension[0].split(".")[:3]) < OLDEST_PGVECTOR:
        found.append(Error(f"pgvector {extension[0]} is too old; 0.8 or newer is needed", id="memory.E013"))
    return found


def check_role() -> list[CheckMessage]:
    """The role that answers requests must not be able to look past the policies."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        row = cursor.fetchone()
        cursor.execute("SELECT proleakproof FROM pg_proc WHERE proname = 'ts_match_vq'")
        leakproof = cursor.fetchone()
    found: list[CheckMessage] = []
    if row and (row[1] or row[2]):
        found.append(
            Error(
                f"The database role {row[0]} can bypass row-level security",
                hint="Connect as the role that manage.py prepare_database makes.",
                id="memory.E014",
            )
        )
    if leakproof and not leakproof[0]:
        found.append(
            Warning(
                "Full-text search cannot use its index under row-level security",
                hint="As superuser: ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF COST 400.",
                id="memory.W010",
            )
        )
    return found
