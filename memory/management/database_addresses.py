"""How this installation's database is reached as another role than the one that runs the product."""

from django.conf import settings
from django.db import connection

from config import databases
from memory.portability.installation_backup import BackupRefused


def find_address(role: str) -> str:
    """The connection string of the ``backup`` role or the ``owner``. Raises BackupRefused where none is configured."""
    # The database this process uses, which in tests is another than the configured one.
    address = databases.find_address(settings.DATA_DIR, role, connection.settings_dict["NAME"])
    if not address:
        raise BackupRefused(f"set {databases.ADDRESSES[role]}: the role of DATABASE_URL does not see every row")
    return address
