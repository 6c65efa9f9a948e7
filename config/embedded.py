"""The embedded parts: where Postgres, Redis and the embedder of a data directory live and how they are reached.

Computing an address starts nothing; ``config.runtime`` starts the parts. All of them listen on unix sockets inside one
private directory, so no other user of the machine reaches them and the web port is the only port of an installation.
"""

import hashlib
import json
import os
import re
import secrets as randomness
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

from config.env import env_secret

DATABASE = "commonplace"
SUPERUSER = "postgres"
ROLES = {"owner": "commonplace_owner", "app": "commonplace_app", "backup": "commonplace_backup"}
# Each embedded part and the setting that names a real one in its paths.
ADDRESSES = {"postgres": "DATABASE_URL", "redis": "REDIS_URL", "embedder": "EMBEDDING_URL"}
PARTS = tuple(ADDRESSES)
# A socket's path may have 103 bytes on macOS and 107 on Linux; the longest name below takes 14.
MAX_RUN_DIR = 88
UNQUOTED_PATH = re.compile(r"[A-Za-z0-9._/+-]+")


class EmbeddedError(Exception):
    """An embedded part cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Paths:
    data: Path
    run: Path

    @property
    def secrets(self) -> Path:
        return self.data / "secrets.json"

    @property
    def access(self) -> Path:
        return self.data / "access.json"

    @property
    def welcome(self) -> Path:
        return self.data / "welcome.txt"

    @property
    def postgres(self) -> Path:
        return self.data / "pg"

    @property
    def redis(self) -> Path:
        return self.data / "redis"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def embedding_model(self) -> Path:
        return self.data / "embedding_model"

    @property
    def log(self) -> Path:
        return self.data / "log"

    @property
    def lock(self) -> Path:
        return self.data / "up.lock"

    @property
    def clients(self) -> Path:
        return self.data / "clients.lock"

    @property
    def tables(self) -> Path:
        return self.data / "tables.lock"

    @property
    def redis_socket(self) -> Path:
        return self.run / "redis.sock"

    @property
    def embedder_socket(self) -> Path:
        return self.run / "embedder.sock"

    @property
    def mcp_socket(self) -> Path:
        return self.run / "mcp.sock"


@dataclass(frozen=True, slots=True)
class Secrets:
    superuser_password: str
    owner_password: str
    app_password: str
    backup_password: str
    django_key: str

    def password(self, role: str) -> str:
        value: str = getattr(self, f"{role}_password")
        return value


def installation_paths(data_dir: Path | str) -> Paths:
    data = Path(data_dir).expanduser().resolve()
    return Paths(data=data, run=run_dir(data))


def run_dir(data_dir: Path | str) -> Path:
    """Where the sockets are: in the data directory, or a hashed directory where its path would not do.

    The system limits the length of socket paths, and clients disagree on quoting spaces, commas and percent signs. The
    fallback does not depend on TMPDIR: two shells must find the same directory.
    """
    data = Path(data_dir).expanduser().resolve()
    inside = data / "run"
    if len(os.fsencode(inside)) <= MAX_RUN_DIR and UNQUOTED_PATH.fullmatch(str(inside)):
        return inside
    mark = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    shared = Path("/tmp") if os.access("/tmp", os.W_OK | os.X_OK) else Path(tempfile.gettempdir())  # noqa: S108
    return shared / f"commonplace-{os.geteuid()}-{mark}"


def make_directories(paths: Paths) -> None:
    """Create the private directories; refuses a run directory that somebody else put there first."""
    try:
        for folder in (paths.data, paths.log, paths.redis, paths.models, paths.run):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(f"the data directory {paths.data} cannot be made: {error.strerror}") from error
    found = paths.run.lstat()
    # Root may have handed the directory to the user its Postgres runs as; inside the data directory that is ours.
    is_ours = found.st_uid == os.geteuid() or (os.geteuid() == 0 and paths.run.parent == paths.data)
    if not stat.S_ISDIR(found.st_mode) or not is_ours:
        raise EmbeddedError(f"{paths.run} belongs to somebody else; remove it or choose another DATA_DIR")
    paths.run.chmod(0o700)


def load_secrets(data_dir: Path | str) -> Secrets:
    """Passwords and key of an installation, created on first use; safe under concurrent first use."""
    paths = installation_paths(data_dir)
    if not paths.secrets.exists():
        make_directories(paths)
        fresh = Secrets(*(randomness.token_urlsafe(48) for _ in fields(Secrets)))
        _write_new_file(paths.secrets, json.dumps(asdict(fresh), indent=2))
    try:
        return Secrets(**json.loads(paths.secrets.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise EmbeddedError(f"{paths.secrets} cannot be read; restore it from a backup: {error}") from error


def _write_new_file(target: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # A link fails where the name exists, so the first writer wins and a reader never sees half a file.
        os.link(name, target)
    except FileExistsError:
        pass
    finally:
        Path(name).unlink()


def database_settings(data_dir: Path | str, role: str) -> dict[str, Any]:
    """Django's DATABASES entry for ``app``, ``owner`` or ``backup`` of the embedded Postgres."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": DATABASE,
        "USER": ROLES[role],
        "PASSWORD": load_secrets(data_dir).password(role),
        "HOST": str(run_dir(data_dir)),
        "PORT": "5432",
    }


def redis_url(data_dir: Path | str) -> str:
    return f"unix://{quote(str(installation_paths(data_dir).redis_socket))}"


def build_broker_url(url: str) -> str:
    """The Redis address as Celery spells it: a socket is ``redis+socket://``, anything else stays as it is."""
    return "redis+socket://" + url.removeprefix("unix://") if url.startswith("unix://") else url


def embedder_url(data_dir: Path | str) -> str:
    return f"unix://{quote(str(installation_paths(data_dir).embedder_socket))}"


def mcp_url(data_dir: Path | str) -> str:
    return f"unix://{quote(str(installation_paths(data_dir).mcp_socket))}"


def list_embedded_parts(parts: Iterable[str] = PARTS) -> list[str]:
    """The parts without an address in the environment, which therefore have to be embedded."""
    return [part for part in parts if not env_secret(ADDRESSES[part])]
