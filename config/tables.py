"""Whether the database has the tables this program was written for. Commands look before they begin."""

from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader


def obstacle() -> str:
    """What keeps a command from its work and what to do about it, in one line; nothing when nothing does."""
    try:
        loader = MigrationLoader(connection)
    except OperationalError as error:
        return f"the database does not answer: {' '.join(str(error).split())[:300]}"
    missing = sorted(set(loader.disk_migrations) - set(loader.applied_migrations))
    if not missing:
        return ""
    if not loader.applied_migrations:
        return "the database has no tables yet: run manage.py migrate first"
    since = f"{len(missing)} behind, from {'.'.join(missing[0])} on"
    return f"the tables are older than this program ({since}): run manage.py migrate first"
