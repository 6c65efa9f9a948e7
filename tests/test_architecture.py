"""The rules of the house that no tool knows: rooms, names, sizes, who reads and writes what, where a person's rows are
read."""

import ast
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from memory.models.isolation import IsolateByUser

ROOT = Path(__file__).resolve().parent.parent
# The apps that hold the product's own thinking, and what starts them.
APPS = ("books", "knowledge_graph", "memory", "outcomes", "personality")
PRODUCT = ("config", "docker", *APPS)
PACKAGES = (*PRODUCT, "integrations", "tests")
MOST_LINES = {"file": 420, "class": 200, "function": 40}
MOST_FLAT = 10
# Tables of words and of statements; nothing is decided in them.
DATA_MODULES = {"memory/language/stopwords.py"}

ENVIRONMENT = {
    "config/env.py",  # the reader
    "config/celery.py",  # these four name the settings module for a program that somebody else starts
    "config/asgi.py",
    "config/wsgi.py",
    "manage.py",
    "docker/embedder/instructions.py",  # tells a library what it only asks there
    "config/settings_test.py",  # names the data directory of the tests before the settings are read
}
SETTINGS = {"memory/conf.py"}
# How the product is put together is known to the commands that put it together and to what measures it running.
ASSEMBLY = ("memory/management/", "memory/benchmarks/", "memory/proving/")

WRITERS = {
    "tier": {"memory/lifecycle/promotion.py"},
    "text": {"memory/store/writing.py", "memory/store/rows.py"},
    "status": {"memory/store/archiving.py", "memory/store/rows.py"},
    "version": {"memory/store/writing.py", "memory/store/rows.py"},
    "content_hash": {"memory/store/rows.py"},
    "lexemes": {"memory/store/rows.py"},
}
# Fields of the same names on rows that are not memories.
OTHER_ROWS = {"IdempotencyRecord", "ReindexRun", "VectorCollection", "DriftReport", "Point"}
READ_FIRST = "for_user"
# The settings of the API's documentation, which the framework hands over as finished JSON.
FRAMEWORKS_OWN = {"templates/api/docs.html"}


def modules(*roots: str) -> Iterator[tuple[str, ast.Module]]:
    for root in roots:
        place = ROOT / root
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), parse(file)


@cache
def parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def list_nodes(tree: ast.Module) -> list[ast.AST]:
    """In the order of ``ast.walk``, which a dozen rules would each go through again."""
    return list(ast.walk(tree))


def is_exempt(name: str) -> bool:
    return "/migrations/" in name or name in DATA_MODULES


# --- rooms -------------------------------------------------------------------------------------------------------
def packages() -> Iterator[Path]:
    for root in PRODUCT:
        yield from (file.parent for file in (ROOT / root).rglob("__init__.py") if file.parent.name != "migrations")


def test_memory_keeps_few_modules_outside_its_rooms() -> None:
    flat = sorted(file.name for file in (ROOT / "memory").glob("*.py"))
    assert len(flat) <= MOST_FLAT, f"put the new one into a room: {flat}"


def test_every_package_says_what_it_is_for() -> None:
    silent = [
        package.relative_to(ROOT).as_posix()
        for package in packages()
        if not ast.get_docstring(parse(package / "__init__.py"))
    ]
    assert silent == [], "each needs a docstring in its __init__.py: what it is for, where to change what"


def layers_of(contract: dict[str, object]) -> set[str]:
    """Modules that a contract of import-linter puts into a layer."""
    layers = contract.get("layers", [])
    assert isinstance(layers, list)
    return {name.strip(" ()") for layer in layers for name in re.split("[:|]", layer)}


def test_every_package_has_its_layer() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    placed: set[str] = set()
    for contract in linter["contracts"]:
        inside = [f"{container}." for container in contract.get("containers", [])] or [""]
        placed |= {before + name for before in inside for name in layers_of(contract)}
    rooms = {f"memory.{file.parent.name}" for file in (ROOT / "memory").glob("*/__init__.py")}
    # The part of docker/ runs in an image of its own and imports nothing of the product.
    needed = (rooms | set(linter["root_packages"])) - {"memory", "memory.migrations"}
    assert set(linter["root_packages"]) == set(PRODUCT) - {"docker"}
    assert needed <= placed, f"give each a layer in pyproject.toml: {sorted(needed - placed)}"


# --- names -------------------------------------------------------------------------------------------------------
# Names that a framework asks for.
FRAMEWORK_CLASSES = {"Command", "Config", "Meta", "Migration"}
PARTICIPLE = re.compile(r"[a-z]+ed|told|kept|known|shown|seen|lent|said|found|held|met|sent")
# Inner functions that take the place of a wrapped one, events of a report, and verbs that end like a participle.
NO_PARTICIPLES = {"embed", "need", "started", "guarded", "timed"}
# What these make of a function is a thing, and has the name of one.
NO_CALLS = ("property", ".setter", "PerProcess")


def test_a_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, tree in modules(*PRODUCT):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in FRAMEWORK_CLASSES and not is_exempt(name):
                places[node.name].append(name)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}, "put the room's noun in front of one of each"


def test_a_function_is_named_by_what_it_does() -> None:
    participles = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in modules(*PRODUCT, "manage.py")
        for node in list_nodes(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and PARTICIPLE.fullmatch(first := node.name.strip("_").split("_")[0])
        and first not in NO_PARTICIPLES
        and not any(ast.unparse(decorator).endswith(NO_CALLS) for decorator in node.decorator_list)
    ]
    assert participles == [], "name each by a verb and its object"


# --- tracked files -----------------------------------------------------------------------------------------------
ONE_MACHINES = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:root|work|home|Users)/[A-Za-z]"),
    "a package registry": re.compile(r"https?://[^/\s]*(?:pypi|artifactory|nexus|devpi|mirror)|--(?:extra-)?index-url"),
}


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: nothing says which files are tracked")
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1} {what}"
        for name in listed.stdout.split("\0")
        if name and name != Path(__file__).relative_to(ROOT).as_posix() and (ROOT / name).is_file()
        for text in [(ROOT / name).read_text(encoding="utf-8", errors="replace")]
        for what, pattern in ONE_MACHINES.items()
        for match in pattern.finditer(text)
    ]
    assert found == []


# --- sizes -------------------------------------------------------------------------------------------------------
def test_no_file_class_or_function_is_longer_than_can_be_read_at_once() -> None:
    long: list[str] = []
    for name, tree in modules(*PACKAGES, "manage.py"):
        if is_exempt(name):
            continue
        # A suite is as long as what it tests; its functions are not.
        kinds: tuple[type[ast.AST], ...] = (ast.FunctionDef, ast.AsyncFunctionDef)
        if not name.startswith("tests/"):
            kinds = (ast.ClassDef, *kinds)
            lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
            long += [f"{name}: {lines} lines"] if lines > MOST_LINES["file"] else []
        for node in list_nodes(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(node, kinds):
                kind = "class" if isinstance(node, ast.ClassDef) else "function"
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > MOST_LINES[kind]:
                    long.append(f"{name}:{node.lineno} {kind} {node.name}: {size} lines")
    assert long == []


# --- who reads what ----------------------------------------------------------------------------------------------
def test_only_the_env_module_reads_the_environment() -> None:
    readers = {
        name
        for name, tree in modules(*PRODUCT, "manage.py")
        for node in list_nodes(tree)
        if (isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "putenv"} and is_os(node.value))
        or (isinstance(node, ast.ImportFrom) and node.module == "os" and imports(node) & {"environ", "getenv"})
    }
    assert readers <= ENVIRONMENT


def is_os(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "os"


def imports(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names}


def test_only_the_conf_module_reads_djangos_settings() -> None:
    readers = {
        name
        for name, tree in modules(*APPS)
        if not name.startswith(ASSEMBLY) and not is_exempt(name)
        for node in list_nodes(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.conf" and "settings" in imports(node)
    }
    assert readers <= SETTINGS


# --- who writes what ---------------------------------------------------------------------------------------------
def written_fields(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Fields a module writes on rows: assignments to an attribute, ``update(field=...)`` and ``update_fields``."""
    for node in list_nodes(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            yield from ((field, node.lineno) for field in assigned(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            if not any(row in ast.unparse(node.func) for row in OTHER_ROWS):
                yield from ((keyword.arg, node.lineno) for keyword in node.keywords if keyword.arg)
        elif isinstance(node, ast.keyword) and node.arg == "update_fields":
            named = [value for value in ast.walk(node.value) if isinstance(value, ast.Constant)]
            yield from ((str(value.value), value.lineno) for value in named)


def assigned(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> Iterator[str]:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for part in ast.walk(target):
            if isinstance(part, ast.Attribute) and not is_self(part.value):
                yield part.attr


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def test_each_guarded_field_has_one_writer() -> None:
    strangers = [
        f"{name}:{line} writes {field}"
        for name, tree in modules(*APPS)
        if not is_exempt(name)
        for field, line in written_fields(tree)
        if field in WRITERS and name not in WRITERS[field] and not writes_other_rows(name, line)
    ]
    assert strangers == []


def writes_other_rows(name: str, line: int) -> bool:
    """Whether the line names, or stands in a function that is about, a row of another kind."""
    source = (ROOT / name).read_text(encoding="utf-8")
    for node in list_nodes(parse(ROOT / name)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or line):
            body = ast.get_source_segment(source, node) or ""
            return "MemoryItem" not in body and ("record" in body or any(row in body for row in OTHER_ROWS))
    return False


UPDATE = re.compile(r"\bUPDATE\s+memory_item\b(?:\s+AS\s+\w+)?\s+SET\s+(.*?)\b(?:FROM|WHERE)\b", re.DOTALL | re.I)
WHOLE_ROWS = re.compile(r"\b(?:INSERT\s+INTO|DELETE\s+FROM|COPY)\s+memory_item\b", re.I)


def test_sql_by_hand_leaves_the_guarded_fields_alone() -> None:
    strangers: list[str] = []
    for name, _ in modules(*APPS):
        source = (ROOT / name).read_text(encoding="utf-8")
        # Rows made for a measurement are no person's.
        if is_exempt(name) or name.startswith(("memory/benchmarks/", "memory/proving/upgrades")):
            continue
        written = set(re.findall(r"(\w+)\s*=", " ".join(UPDATE.findall(source))))
        strangers += [f"{name} writes {field}" for field in written & set(WRITERS) if name not in WRITERS[field]]
        strangers += [f"{name} writes rows" for _ in WHOLE_ROWS.findall(source)]
    assert strangers == []


# --- a person's rows ---------------------------------------------------------------------------------------------
def models_of_persons() -> list[type[Model]]:
    return [
        model
        for app in apps.get_app_configs()
        if app.name.partition(".")[0] in APPS
        for model in app.get_models()
        if any(field.column == "user_id" for field in model._meta.local_concrete_fields)
    ]


def isolated() -> set[tuple[str, str]]:
    return {
        (label, operation.model)
        for (label, _), migration in MigrationLoader(None, ignore_no_migrations=True).disk_migrations.items()
        for operation in migration.operations
        if isinstance(operation, IsolateByUser)
    }


def test_every_table_of_a_persons_rows_is_isolated_by_a_migration() -> None:
    owned = {(model._meta.app_label, model.__name__) for model in models_of_persons()}
    assert len(owned) >= 9
    assert isolated() == owned


def test_every_memory_is_read_through_for_user() -> None:
    """``MemoryItem.objects`` is followed by for_user at once, or creates rows of a user it was given."""
    creating = {"bulk_create", "create"}
    loose: list[str] = []
    for name, tree in modules(*APPS):
        for node in list_nodes(tree):
            if not (isinstance(node, ast.Attribute) and is_items(node.value)):
                continue
            if node.attr != READ_FIRST and node.attr not in creating:
                loose.append(f"{name}:{node.lineno} {ast.unparse(node)}")
    assert loose == []


def is_items(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr in {"objects", "_default_manager", "_base_manager"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "MemoryItem"
    )


def test_a_managers_rows_are_not_handed_about_without_their_user() -> None:
    """``MemoryItem.objects`` alone, stored or passed on, would slip past the rule above."""
    alone: list[str] = []
    for name, tree in modules(*APPS):
        followed = {id(node.value) for node in list_nodes(tree) if isinstance(node, ast.Attribute)}
        alone += [
            f"{name}:{node.lineno}"
            for node in list_nodes(tree)
            if isinstance(node, ast.expr) and is_items(node) and id(node) not in followed
        ]
    assert alone == []


# --- pages -------------------------------------------------------------------------------------------------------
def test_nothing_is_marked_safe_by_hand() -> None:
    marked = [
        name
        for name, tree in modules("config", *APPS)
        for node in list_nodes(tree)
        if (isinstance(node, ast.ImportFrom) and "mark_safe" in imports(node))
        or (isinstance(node, ast.Attribute) and node.attr == "mark_safe")
        or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("SafeString"))
    ]
    filtered = [
        template.relative_to(ROOT).as_posix()
        for template in (ROOT / "templates").rglob("*.*")
        if template.relative_to(ROOT).as_posix() not in FRAMEWORKS_OWN
        and re.search(r"\|\s*safe(?:seq)?\b|\{%\s*autoescape\s+off", template.read_text(encoding="utf-8"))
    ]
    assert (marked, filtered) == ([], [])


def test_no_module_is_a_drawer_for_everything() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "service", "services"}
    found = [name for name, _ in modules("config", *APPS) if set(Path(name).with_suffix("").parts) & drawers]
    assert found == []
