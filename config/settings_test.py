"""Settings of the tests: the product's own, over services in a data directory that nothing else uses.

Two test runs at once share the services and nothing in them: each has its own database and its own part of Redis.
"""

import os
import zlib
from pathlib import Path

# Before the settings are read; child processes of a test inherit it.
os.environ.setdefault("DATA_DIR", str(Path(__file__).resolve().parent.parent / ".data" / "test"))
os.environ.setdefault("MEMORY_LOG_LEVEL", "WARNING")
# The one that runs on every platform. Tests of the other name it, and none depends on what is the default.
os.environ.setdefault("EMBEDDING_MODEL", "all-MiniLM-L6-v2")
os.environ.setdefault("COMMONPLACE_TEST_RUN", str(os.getpid()))

from config.settings import *  # noqa: F403
from config.settings import DATABASES, MEMORY, REDIS_URL

TEST_RUN = os.environ["COMMONPLACE_TEST_RUN"]
DATABASES["default"]["TEST"] = {"NAME": f"test_commonplace_{TEST_RUN}"}
if "REDIS_URL" not in os.environ:
    # Processes of one run must not meet by chance.
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    part = (zlib.crc32(TEST_RUN.encode()) + worker) % 15 + 1
    REDIS_URL = f"{REDIS_URL}?db={part}"

# No thread that works behind a test's back: counts are carried when a test says so.
MEMORY["METRICS"] = {"token": "", "carry_every_s": 0}

# A busy machine may take its time where lateness is not what is tested: with the product's budgets, and four other
# jobs on two cores, searches left stages out and their tests failed. Tests of lateness set budgets of their own.
PATIENT = {"default_s": 12.0, "embed_s": 6.0, "vector_s": 6.0, "lexical_s": 6.0, "graph_s": 6.0, "late_s": 3.0}
MEMORY["DEADLINES"] = {**MEMORY["DEADLINES"], **PATIENT}

# Read when asked for: every test has a client of its own, and each would read all static files for 4 ms.
WHITENOISE_AUTOREFRESH = True

# Signing in is not what the console's tests measure.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
