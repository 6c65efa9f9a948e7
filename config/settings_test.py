"""Settings of the tests: the product's own, over services in a data directory that nothing else uses."""

import os
from pathlib import Path

# Before the settings are read; child processes of a test inherit it.
os.environ.setdefault("DATA_DIR", str(Path(__file__).resolve().parent.parent / ".data" / "test"))
os.environ.setdefault("MEMORY_LOG_LEVEL", "WARNING")

from config.settings import *  # noqa: F403

# Signing in is not what the console's tests measure.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
