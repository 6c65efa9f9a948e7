"""Settings: which combinations are refused, what the profiles mean, what is documented."""

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from config import databases
from config.env import (
    EXIT_SETTINGS,
    copy_environment,
    report_bad_settings,
)
from config.flags import Flags

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / ".env.example"
SOURCES = ("config", "memory", "outcomes", "docker", "manage.py")
# Where a part is embedded, and how a role connects, is looked up by a name; the variables stand elsewhere too.
LOOKED_UP = {"config/configuration.py", "config/databases.py", "config/embedded.py"}
KEY = "k3" * 30
PRODUCTION = {"COMMONPLACE_PROFILE": "production", "SECRET_KEY": KEY, "ALLOWED_HOSTS": "memory.example.org"}
Read = Callable[..., dict[str, Any]]


def documented() -> dict[str, str]:
    """Variables of .env.example with the value that stands there."""
    lines = [
        line[1:] for line in EXAMPLE.read_text().splitlines() if line.startswith("#") and not line.startswith("# ")
    ]
    return dict(line.split("=", 1) for line in lines if line)


@cache
def calls_of_readers() -> list[tuple[str, ast.Call]]:
    """Found once, in files that hold the word: to read all of them three times took 4.5 s, and 1.5 s of collecting."""
    return [
        (name, node)
        for name, text in sources_that_say("env_")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("env_")
    ]


def sources_that_say(word: str) -> Iterator[tuple[str, str]]:
    for root in SOURCES:
        place = ROOT / root
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            name, text = file.relative_to(ROOT).as_posix(), file.read_text()
            if name != "config/env.py" and word in text:
                yield name, text


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    for name in documented():
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    return monkeypatch


@pytest.fixture
def read(clean_environment: pytest.MonkeyPatch) -> Read:
    """The settings as a process with these variables would have them."""

    def run(**variables: str) -> dict[str, Any]:
        for name, value in variables.items():
            clean_environment.setenv(name, value)
        return runpy.run_path(str(ROOT / "config" / "settings.py"))

    return run


@pytest.mark.parametrize(
    ("name", "value", "schemes"),
    [
        ("QDRANT_URL", "ftp://qdrant:6333", "http:// or https://"),
        ("REDIS_URL", "http://redis", "redis:// or rediss:// or unix://"),
        ("EMBEDDING_URL", "embedder:8080", "http:// or https:// or unix://"),
        ("RERANKER_URL", "ftp://a", "http:// or https:// or unix://"),
        ("MEMORY_LLM_BASE_URL", "models", "http:// or https:// or unix://"),
    ],
)
def test_an_address_of_another_kind_is_refused_by_its_name_and_not_told(
    read: Read, name: str, value: str, schemes: str
) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read(**{name: value})
    assert str(refused.value) == f"{name} must begin with {schemes}"


@pytest.mark.parametrize(
    ("name", "value"),
    [("EMBEDDING_URL", "http://["), ("QDRANT_URL", "http://qdrant:99999"), ("REDIS_URL", "redis://:pa55@redis:port/0")],
)
def test_an_address_that_cannot_be_read_is_refused_by_its_name_and_not_told(read: Read, name: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read(**{name: value})
    assert str(refused.value) == f"{name} is no address: its host or its port cannot be read"


# --- flags -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("flag", sorted(Flags.__annotations__))
def test_each_flag_governs_something(flag: str) -> None:
    read_by = [
        file
        for root in ("config/settings.py", "config/urls.py", "memory", "outcomes", "knowledge_graph")
        for file in ([ROOT / root] if root.endswith(".py") else sorted((ROOT / root).rglob("*.py")))
        if re.search(rf"""(flags|FLAGS)\[["']{flag}["']\]""", file.read_text())
    ]
    assert read_by, f"nothing reads {flag}"


# --- profiles ----------------------------------------------------------------------------------------------------
def test_nothing_need_be_set_on_ones_own_machine(read: Read, tmp_path: Path) -> None:
    settings = read()
    assert settings["DEBUG"] is False
    assert len(settings["SECRET_KEY"]) >= 50
    assert settings["SECRET_KEY"] == read()["SECRET_KEY"], "made once and kept"
    assert settings["DATABASES"]["default"]["USER"] == "commonplace_app"
    assert settings["REDIS_URL"].startswith("unix://")
    assert settings["CELERY_BROKER_URL"].startswith("redis+socket://")
    assert settings["EMBEDDING_URL"].startswith("unix://")
    assert settings["MEMORY"]["VECTOR"]["backend"] == "pgvector"
    assert not settings["SESSION_COOKIE_SECURE"]


def test_production_is_served_over_https_alone(read: Read) -> None:
    settings = read(**PRODUCTION)
    assert settings["SECURE_SSL_REDIRECT"]
    assert settings["SESSION_COOKIE_SECURE"]
    assert settings["CSRF_COOKIE_SECURE"]
    assert settings["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert settings["DEBUG"] is False
    assert "SECURE_PROXY_SSL_HEADER" not in settings, "nobody's header is believed unless it was said"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY"),
        ({"SECRET_KEY": "change-me" * 10}, "SECRET_KEY"),
        ({"SECRET_KEY": "django-insecure-" + KEY}, "SECRET_KEY"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
        ({"ALLOWED_HOSTS": "memory.example.org,*"}, "ALLOWED_HOSTS"),
        ({"COMMONPLACE_PROFILE": "prod"}, "COMMONPLACE_PROFILE"),
    ],
)
def test_production_refuses_to_start_without_key_and_hosts(read: Read, change: dict[str, str], named: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=named):
        read(**{**PRODUCTION, **change})


def test_production_makes_no_secrets_when_every_service_is_named(read: Read, tmp_path: Path) -> None:
    services = {
        "DATABASE_URL": "postgresql://app:secret@db/commonplace",
        "REDIS_URL": "redis://queue:6379/0",
        "EMBEDDING_URL": "http://embedder:8080",
        "QDRANT_URL": "http://qdrant:6333",
    }
    settings = read(**PRODUCTION, **services)
    assert settings["DATABASES"]["default"]["HOST"] == "db"
    assert settings["CELERY_BROKER_URL"] == "redis://queue:6379/0"
    assert settings["MEMORY"]["EMBEDDING"]["url"] == "http://embedder:8080"
    assert settings["MEMORY"]["VECTOR"]["backend"] == "qdrant"
    assert not (tmp_path / "data").exists()


def test_qdrant_is_not_used_when_its_flag_is_off(read: Read) -> None:
    settings = read(QDRANT_URL="http://qdrant:6333", MEMORY_QDRANT_ENABLED="false")
    assert settings["MEMORY"]["VECTOR"]["backend"] == "pgvector"


def test_origins_are_kept_as_browsers_send_them(read: Read) -> None:
    assert read()["CORS_ALLOWED_ORIGINS"] == []
    given = "HTTPS://Chat.Example.org, http://localhost:5173,https://a.example:443,http://[::1]:80,chrome-extension://abcdef"
    kept = ["https://chat.example.org", "http://localhost:5173", "https://a.example", "http://[::1]"]
    assert read(CORS_ORIGINS=given)["CORS_ALLOWED_ORIGINS"] == [*kept, "chrome-extension://abcdef"]


def test_a_failure_lowers_a_score(read: Read) -> None:
    assert read(MEMORY_NEGATIVE_PENALTY="0.4")["MEMORY"]["SCORING"]["failed"] == -0.4


def test_the_queue_redelivers_later_than_the_longest_task_and_looks_often(read: Read) -> None:
    settings = read()
    options = settings["CELERY_BROKER_TRANSPORT_OPTIONS"]
    assert options["visibility_timeout"] > settings["CELERY_TASK_TIME_LIMIT"]
    assert options["unacked_restore_interval"] * options["unacked_restore_throttle"] <= 5
    assert settings["CELERY_TASK_ACKS_LATE"]
    assert settings["CELERY_TASK_REJECT_ON_WORKER_LOST"]
    assert settings["CELERY_ACCEPT_CONTENT"] == ["json"]


# --- the database's address --------------------------------------------------------------------------------------
def test_a_database_url_is_taken_apart_and_unquoted() -> None:
    entry = databases.database_from_url(
        "postgresql://ap%40p:p%2Fw%3A@db.example:6432/common%20place?sslmode=verify-full"
    )
    assert entry["USER"] == "ap@p"
    assert entry["PASSWORD"] == "p/w:"
    assert (entry["HOST"], entry["PORT"], entry["NAME"]) == ("db.example", "6432", "common place")
    assert entry["OPTIONS"] == {"sslmode": "verify-full"}


def test_a_database_url_may_name_a_socket_directory() -> None:
    entry = databases.database_from_url("postgresql://app:x@/commonplace?host=/run/postgresql")
    assert (entry["HOST"], entry["PORT"], entry["OPTIONS"]) == ("/run/postgresql", "5432", {})


@pytest.mark.parametrize(
    "url", ["mysql://a:b@c/d", "postgresql://a:b@c", "postgresql://a:b@c/", "nonsense", "postgresql://a:pw@c:port/d"]
)
def test_another_database_url_is_refused_without_repeating_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as refusal:
        databases.database_from_url(url)
    assert "pw@" not in str(refusal.value)


def test_migrations_connect_as_the_owner_and_everything_else_as_the_application(
    clean_environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clean_environment.setenv("DATABASE_URL", "postgresql://app:x@db/commonplace")
    clean_environment.setenv("DATABASE_OWNER_URL", "postgresql://owner:y@db/commonplace")
    app = databases.database_from_environment(tmp_path, "app")
    owner = databases.database_from_environment(tmp_path, "owner")
    assert (app["USER"], owner["USER"]) == ("app", "owner")
    assert "statement_timeout=5000" in app["OPTIONS"]["options"]
    assert "statement_timeout=0" in owner["OPTIONS"]["options"]
    assert app["OPTIONS"]["pool"]["reset"] is databases.reset_scope
    assert "pool" not in owner["OPTIONS"]


def test_the_pool_can_be_switched_off(clean_environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean_environment.setenv("DATABASE_POOL", "false")
    assert "pool" not in databases.database_from_environment(tmp_path, "app")["OPTIONS"]


# --- documentation -----------------------------------------------------------------------------------------------
def test_every_variable_is_read_by_its_plain_name() -> None:
    computed = {file for file, call in calls_of_readers() if not (call.args and isinstance(call.args[0], ast.Constant))}
    assert computed <= LOOKED_UP


def test_the_example_lists_exactly_the_variables_that_are_read() -> None:
    used = {
        str(call.args[0].value)
        for _, call in calls_of_readers()
        if call.args and isinstance(call.args[0], ast.Constant)
    }
    assert sorted(documented()) == sorted(used)


def test_the_example_is_alphabetical_with_one_comment_line_each() -> None:
    head, _, body = EXAMPLE.read_text().partition("\n\n")
    assert all(line.startswith("# ") for line in head.splitlines())
    lines = body.splitlines()
    assert all(line.startswith("# ") and len(line) <= 120 for line in lines[::2])
    names = [line.removeprefix("#").partition("=")[0] for line in lines[1::2]]
    assert names == sorted(documented())


def test_the_values_of_the_example_are_the_defaults(read: Read, clean_environment: pytest.MonkeyPatch) -> None:
    keep_apart, made_of_objects = {"DATA_DIR", "STATIC_ROOT"}, {"DATABASES", "LOGGING"}
    before = read()
    after = read(**{name: value for name, value in documented().items() if name not in keep_apart})
    plain = (str, int, float, bool, list, dict, tuple)
    changed = {
        name
        for name, value in before.items()
        if name.isupper() and isinstance(value, plain) and name not in made_of_objects and after[name] != value
    }
    assert changed == set()


# --- told in one line --------------------------------------------------------------------------------------------
BAD_VALUES = {
    "env_bool": "perhaps",
    "env_int": "abc",
    "env_float": "1,5",
    "env_choice": "something else",
    "env_sizes": "no pair",
}
TYPED = sorted(
    {
        (call.args[0].value, call.func.id)
        for name, call in calls_of_readers()
        if isinstance(call.func, ast.Name)
        and call.func.id in BAD_VALUES
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }
)
REFUSED_ORIGINS = (
    *(
        "*",
        "null",
        "chat.example.org",
        "https://",
        "https://chat.example.org/",
        "https://*.example.org",
        "file:///home",
    ),
    *("https://ann@chat.example.org", "https://chat.example.org:99999", "https://chat.example.org:0", "https://a b"),
    "https://good.example, https://bad.example/path",
)
MALFORMED = [
    *((name, BAD_VALUES[reader]) for name, reader in TYPED),
    ("DATABASE_URL", "mysql://x"),
    ("DATABASE_URL", "postgresql://host:port/name"),
    ("SECRET_KEY", "short"),
    *(("CORS_ORIGINS", value) for value in REFUSED_ORIGINS),
    ("HOTMEM_SPACY", "en"),
    ("HOTMEM_SPACY", "en=no_such_pipeline"),
    ("HOTMEM_SPACY", "en=/no/such/pipeline"),
]


def test_every_kind_of_typed_variable_is_tried() -> None:
    assert {reader for _, reader in TYPED} == set(BAD_VALUES)
    assert {"WEB_WORKERS", "WORKER_CONCURRENCY", "DB_ROLE", "MEMORY_MODEL_WINDOWS", "ENABLE_KG"} <= {
        n for n, _ in TYPED
    }


@pytest.mark.parametrize(("name", "value"), MALFORMED, ids=[f"{name}={value}" for name, value in MALFORMED])
def test_a_bad_setting_is_one_line_that_names_the_variable(
    read: Read, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    def load() -> int:
        read(**{name: value})
        return 0

    assert report_bad_settings(load) == EXIT_SETTINGS == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert name in line
    assert value not in line or name not in {"SECRET_KEY", "DATABASE_URL"}


@pytest.mark.parametrize(
    "argv", [["manage.py", "check"], ["manage.py", "up", "--port", "1"], ["-m", "config.runtime.run", "web"]]
)
def test_no_command_starts_anything_with_a_bad_setting(tmp_path: Path, argv: list[str]) -> None:
    environment = copy_environment(DATA_DIR=str(tmp_path / "data"), WEB_WORKERS="abc")
    ran = subprocess.run(
        [sys.executable, *argv], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == EXIT_SETTINGS
    assert (ran.stdout, ran.stderr) == ("", "error: WEB_WORKERS must be a whole number, not 'abc'\n")
    assert not (tmp_path / "data" / "pg").exists()


def test_a_prompt_switched_off_by_a_wrong_name_is_told_in_a_line(settings: Settings) -> None:
    settings.MEMORY = {
        **settings.MEMORY,
        "PROMPTS": {**settings.MEMORY["PROMPTS"], "off": frozenset({"fragment_ratings", "merge_cluster"})},
    }
    told = [message.msg for message in run_checks() if message.id == "memory.W003"]
    assert told == ["MEMORY_PROMPTS_OFF names fragment_ratings: no prompt is called so"]
