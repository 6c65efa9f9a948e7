"""What a fresh clone and a container are made from: locks, Makefile, image, compose file."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.env import BASE_DIR

LOCKS = ("requirements.lock", "requirements-dev.lock")


def pins(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", read(name), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


def read(name: str) -> str:
    return (BASE_DIR / name).read_text(encoding="utf-8")


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(read("docker/compose.yml"))
    return loaded


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_place_and_hashes_everything(name: str) -> None:
    text = read(name)

    assert not re.search(r"https?://|file:|--index|--find-links|--extra|@ ", text)
    blocks = re.split(r"\n(?=[a-z0-9])", text.split("\n", 2)[2])
    assert all("--hash=sha256:" in block for block in blocks if "==" in block)


def test_the_product_needs_no_torch() -> None:
    assert not {"torch", "sentence-transformers", "transformers", "triton"} & set(pins("requirements-dev.lock"))


def test_the_second_lock_holds_the_first() -> None:
    tools = pins("requirements-dev.lock")

    assert all(tools.get(package) == versions for package, versions in pins("requirements.lock").items())


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    for name, wanted in zip(
        LOCKS, (project["project"]["dependencies"], project["dependency-groups"]["dev"]), strict=True
    ):
        asked = {re.match(r"[a-z0-9-]+", line)[0] for line in wanted}  # type: ignore[index]
        assert asked <= set(pins(name))


def test_help_lists_every_target_for_people() -> None:
    shown = subprocess.run(["make", "help"], cwd=BASE_DIR, capture_output=True, text=True, check=True).stdout

    for target in ("up", "down", "clean", "test", "lint", "types", "format", "bench", "lock", "help"):
        assert re.search(rf"^  make {target} +\S", shown, re.MULTILINE), target


@pytest.mark.parametrize("name", [".ci/environment", "docker/entrypoint.sh"])
def test_shell_scripts_parse_and_may_be_run(name: str) -> None:
    subprocess.run(["sh", "-n", name], cwd=BASE_DIR, check=True)
    assert (BASE_DIR / name).stat().st_mode & 0o111


# Stands in for the environment's own Python: pip's 180 lines, and the exit code it is told to have.
FAKE_PYTHON = """#!/bin/sh
[ "$1" = -c ] && exit 0
i=0
while [ $i -lt 90 ]; do i=$((i + 1)); echo "Collecting package-$i==1.0"; echo "  Downloading package-$i"; done
echo "ERROR: the reason" >&2
exit "$PIP_ENDS_WITH"
"""


@pytest.mark.parametrize("code", [0, 1])
def test_an_installation_is_a_line_of_progress_and_a_failed_one_is_shown_in_full(tmp_path: Path, code: int) -> None:
    for folder in (".ci", ".venv/bin", "empty"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(BASE_DIR / ".ci" / "environment", tmp_path / ".ci" / "environment")
    (tmp_path / "requirements.lock").write_text("".join(f"package-{i}==1.0 \\\n    --hash=x\n" for i in range(90)))
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    tools = {name: shutil.which(name) for name in ("sh", "grep", "cat", "cksum", "tr", "rm", "dirname")}
    for name, place in tools.items():
        assert place
        (tmp_path / "empty" / name).symlink_to(place)  # and no uv

    ran = subprocess.run(
        ["sh", ".ci/environment", "requirements.lock"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path / "empty"), "PIP_ENDS_WITH": str(code)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == code
    assert len(ran.stdout.splitlines()) <= 3
    assert (tmp_path / ".venv" / ".installed-requirements.lock").exists() == (code == 0)
    if code:
        assert len(ran.stderr.splitlines()) == 181
        assert "ERROR: the reason" in ran.stderr
    else:
        assert "  90 packages installed" in ran.stdout
        assert ran.stderr == ""


def test_compose_has_the_production_shape() -> None:
    services = compose()["services"]

    default = {name for name, service in services.items() if "profiles" not in service}
    assert default == {"postgres", "redis", "qdrant", "embedder", "prepare", "web", "mcp", "worker", "books", "beat"}
    assert set(services) - default == {"tei", "reranker"}
    assert services["postgres"]["image"].startswith("pgvector/pgvector:")
    assert services["embedder"]["build"]["target"] == "embedder"
    for name in ("web", "mcp", "worker", "books", "beat", "prepare"):
        assert services[name]["environment"]["COMMONPLACE_PROFILE"] == "production"
        assert services[name]["environment"]["EMBEDDING_URL"] == "${EMBEDDING_URL:-http://embedder:8080}"
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
    for name, service in services.items():
        assert "healthcheck" in service or name == "web", f"{name}: the web's check is the image's"


def test_only_the_one_shot_knows_the_owners_and_the_superusers_passwords() -> None:
    services = compose()["services"]
    for name in ("web", "mcp", "worker", "books", "beat"):
        assert not {"DATABASE_ADMIN_URL", "DATABASE_OWNER_URL", "DATABASE_BACKUP_URL"} & set(
            services[name]["environment"]
        )
    assert "commonplace_owner" in services["prepare"]["environment"]["DATABASE_OWNER_URL"]


def test_what_holds_memories_publishes_no_port_and_has_no_way_out() -> None:
    loaded = compose()

    assert loaded["networks"]["inside"]["internal"] is True
    for name in ("postgres", "redis", "qdrant", "embedder", "prepare", "mcp", "books", "beat"):
        assert loaded["services"][name]["networks"] == ["inside"]
        assert "ports" not in loaded["services"][name]
    assert loaded["services"]["web"]["ports"] == ["127.0.0.1:${PORT:-8000}:8000"]


def test_the_worker_sends_webhooks_out_and_can_be_kept_in() -> None:
    loaded, worker = compose(), compose()["services"]["worker"]

    assert worker["networks"] == ["inside", "sending"]
    assert "ports" not in worker
    # Nobody else is there to be reached from it, and the switch is off until it is set.
    others = [name for name, service in loaded["services"].items() if "sending" in service["networks"]]
    assert others == ["worker"]
    assert loaded["networks"]["sending"] == {"internal": "${WORKER_OFFLINE:-false}"}
    assert worker["environment"]["WEBHOOK_ALLOW_PRIVATE"] == "${WEBHOOK_ALLOW_PRIVATE:-false}"


def test_every_secret_of_compose_is_in_the_example() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+)", read("docker/compose.yml")))
    offered = set(re.findall(r"^([A-Z_]+)=", read("docker/.env.example"), re.MULTILINE))

    assert asked == offered


def test_every_volume_and_dependency_of_compose_is_declared() -> None:
    loaded = compose()
    for service in loaded["services"].values():
        assert {volume.split(":")[0] for volume in service.get("volumes", [])} <= set(loaded["volumes"])
        assert set(service.get("depends_on", {})) <= set(loaded["services"])
        assert set(service["networks"]) <= set(loaded["networks"])


def test_the_image_runs_as_nobody_special_and_is_watched() -> None:
    stages = re.split(r"^FROM ", read("docker/Dockerfile"), flags=re.MULTILINE)[1:]
    for stage in stages:
        if re.match(r"\S+ AS (app|embedder)", stage):
            assert "USER commonplace" in stage
            assert "HEALTHCHECK" in stage
            assert stage.index("USER commonplace") < stage.index("ENTRYPOINT")


def test_everything_the_image_copies_is_let_in() -> None:
    allowed = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}

    packages = {file.parent.name for file in BASE_DIR.glob("*/__init__.py")} - {"tests"}
    assert packages | {"templates", "static", "manage.py", "requirements.lock", "docker/embedder"} <= allowed
    assert all((BASE_DIR / name).exists() for name in allowed)
