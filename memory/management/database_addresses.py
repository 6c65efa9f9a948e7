"""How this installation's database is reached as another role than the one that runs the product."""

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from config import databases, embedded
from config.env import env_secret
from memory.management.installation_backup import BackupRefused

NAMES = {"backup": "DATABASE_BACKUP_URL", "owner": "DATABASE_OWNER_URL"}


def find_address(role: str) -> str:
    """The connection string of the ``backup`` role or the ``owner``. Raises BackupRefused where none is configured."""
    if env_secret("DATABASE_URL"):
        url = env_secret(NAMES[role])
        if not url:
            raise BackupRefused(f"set {NAMES[role]}: the role of DATABASE_URL does not see every row")
        entry = databases.database_from_url(url)
    else:
        entry = embedded.database_settings(settings.DATA_DIR, role)
    return make_conninfo(
        host=entry["HOST"],
        port=entry["PORT"] or None,
        user=entry["USER"],
        password=entry["PASSWORD"],
        # The database this process uses, which in tests is another than the configured one.
        dbname=connection.settings_dict["NAME"],
        **entry.get("OPTIONS", {}),
    )
