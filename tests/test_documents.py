"""The documents say what is there: variables, commands and files they name exist."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read_variables() -> set[str]:
    """Names that some reader of the environment asks for."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "config").rglob("*.py")))
    return set(re.findall(r"env_\w+\(\s*\"([A-Z][A-Z0-9_]+)\"", code)) | set(re.findall(r"\"([A-Z]+_URL)\"", code))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_variables_in_tables_are_read_by_the_settings(document: Path) -> None:
    named = set()
    for row in re.findall(r"^\| (`[^|]*`) \|", document.read_text(encoding="utf-8"), flags=re.MULTILINE):
        named |= set(re.findall(r"`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)`", row))
    assert named <= read_variables()


def read_numbers() -> dict[str, float]:
    """What a variable is where nobody sets it, as far as that is a number that stands in the code."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "config").rglob("*.py")))
    found = re.findall(r"env_(?:int|float)\(\s*\"([A-Z][A-Z0-9_]+)\",\s*([\d_.]+)\s*[,)]", code)
    return {name: float(number) for name, number in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_numbers_in_tables_are_what_holds_where_nobody_sets_them(document: Path) -> None:
    numbers = read_numbers()
    for names, values in re.findall(
        r"^\| (`[A-Z][^|]*`) \| ([^|]+) \|", document.read_text(encoding="utf-8"), re.MULTILINE
    ):
        pairs = zip(
            re.findall(r"`([A-Z][A-Z0-9_]+)`", names),
            re.split(r";\s+" if ";" in values else r",\s+", values.strip("` ")),
            strict=False,
        )
        for name, value in pairs:
            if name in numbers and re.fullmatch(r"`?[\d.,_]+`?", value):
                assert float(re.sub(r"[`,_]", "", value)) == numbers[name], name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_exist(document: Path) -> None:
    named = set(re.findall(r"manage\.py ([a-z_]+)", document.read_text(encoding="utf-8")))
    assert named <= set(get_commands())


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+)(?: [a-z]+)*:", makefile, flags=re.MULTILINE))
    named: set[str] = set()
    for document in DOCUMENTS:
        for words in re.findall(r"^make ([a-z ]+)", document.read_text(encoding="utf-8"), flags=re.MULTILINE):
            named |= set(words.split())
    assert named <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target
