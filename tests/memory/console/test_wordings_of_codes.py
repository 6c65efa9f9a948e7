"""What rows keep in English for programs is shown in the language of whoever looks: reasons, relations, who did it."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.utils import translation

from memory.console.component_health import DETAILS
from memory.console.reason_wordings import FORMS, word_reason
from memory.console.timeline import TITLES
from memory.language.relation_nouns import find_nouns
from memory.web.labels import describe_actor
from memory.web.relation_wordings import FAVORITE, QUALITIES, VERBS, say_relation, word_relation
from tests.interface.messages import list_languages
from tests.memory.language.known_relations import list_known_relations

ROOT = Path(__file__).parents[3]
# Where events of memories and facts are written.
WRITERS = ("memory/facts", "memory/inbox", "memory/lifecycle", "memory/store", "outcomes/verdicts")
# Reasons of what no page shows as one: nothing to tell, a code, another table's column.
SILENT = {"", "asked"}


def read_modules() -> Iterator[ast.Module]:
    for folder in WRITERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield ast.parse(file.read_text())


def find_written_reasons(tree: ast.Module) -> Iterator[str]:
    """Texts handed over as ``reason``, or named so before; a formatted one with something in its gaps."""
    assigned = [(node.targets[0], node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    assigned += [(node.target, node.value) for node in tree.body if isinstance(node, ast.AnnAssign) and node.value]
    named = [(target.id, value) for target, value in assigned if isinstance(target, ast.Name)]
    handed = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "reason"]
    for value in [*handed, *(value for name, value in named if name == "reason")]:
        yield from flatten(value, {name: value for name, value in named if name != "reason"})


def flatten(value: ast.expr | None, constants: Mapping[str, ast.expr | None]) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.Name):
        yield from flatten(constants.get(value.id), constants)
    elif isinstance(value, ast.JoinedStr):
        # "2 days" stands for what is only known when it is written.
        yield "".join(next(flatten(part, constants), "2 days") for part in value.values)
    elif isinstance(value, ast.FormattedValue):
        yield from flatten(value.value, constants)
    elif isinstance(value, ast.IfExp):
        yield from flatten(value.body, constants)
        yield from flatten(value.orelse, constants)
    elif isinstance(value, ast.Subscript):
        yield from flatten(value.value, constants)


def test_every_reason_that_code_writes_has_its_words() -> None:
    written = {reason for tree in read_modules() for reason in find_written_reasons(tree)} - SILENT
    assert len(written) > 20
    assert {reason for reason in written if all(form.read_parts(reason) is None for form in FORMS)} == set()


def find_recorded_kinds(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if name == "record_event" and isinstance(node, ast.Call):
            yield from flatten(node.args[1], {})


def test_every_kind_of_event_has_its_title() -> None:
    kinds = {kind for tree in read_modules() for kind in find_recorded_kinds(tree)}
    assert len(kinds) > 8
    assert kinds - set(TITLES) == set()


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("score 0.90 >= 0.7 and uses 3 >= 2", "Bewertung 0.90 ≥ 0.7 und 3 Nutzungen ≥ 2"),
        ("past its time in working (3 days old)", "Frist in Arbeitsgedächtnis abgelaufen (3 Tage alt)"),
        ("taken back: decided in review: keep_both", "zurückgenommen: bei der Prüfung entschieden: beide behalten"),
        ("superseded: I live in Graz", "abgelöst: I live in Graz"),
        ("I had asked for tea", "I had asked for tea"),
    ],
)
def test_a_reason_is_said_in_the_language_of_the_page(reason: str, said: str) -> None:
    with translation.override("de"):
        assert word_reason(reason) == said


def test_what_a_part_says_of_its_state_is_translated_too() -> None:
    with translation.override("de"):
        assert word_reason("queue empty", DETAILS) == "Warteschlange leer"
        assert describe_actor("profile") == "Lesen der Unterhaltungen"
        assert describe_actor("key:app") == "API-Schlüssel app"


@pytest.mark.parametrize(
    ("relation", "denied", "over", "said"),
    [
        ("lives_in", False, False, "lives in"),
        ("allergic_to", True, False, "not allergic to"),
        # "I don't like tea" is dislikes, denied.
        ("dislikes", True, False, "dislikes"),
        ("works_at", False, True, "no longer works at"),
        ("boss", False, False, "Boss:"),
        ("favorite_food", False, False, "Favourite: Food,"),
    ],
)
def test_a_relation_is_said_once(relation: str, denied: bool, over: bool, said: str) -> None:
    assert word_relation(relation, is_denied=denied, is_over=over) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("Boss: not", "Boss: no longer", "not works at", "Health:")),
        ("de", ("Chef: nicht", "Chef: nicht mehr", "nicht: arbeitet bei", "Gesundheit:")),
        ("fr", ("Chef : pas", "Chef : plus maintenant", "non : travaille chez", "Santé :")),
    ],
)
def test_what_is_denied_of_a_noun_is_its_value(language: str, said: tuple[str, ...]) -> None:
    with translation.override(language):
        assert (
            word_relation("boss", is_denied=True, is_over=False),
            word_relation("boss", is_denied=False, is_over=True),
            word_relation("works_at", is_denied=True, is_over=False),
            word_relation("has_condition", is_denied=False, is_over=False),
        ) == said


@pytest.mark.parametrize("language", list_languages())
def test_every_relation_has_its_words_on_pages(language: str) -> None:
    nouns = {relation for relation in list_known_relations() if relation not in VERBS and relation not in QUALITIES}
    assert {noun for noun in nouns if not any(find_nouns(noun.removeprefix(FAVORITE), language))} == set()


@pytest.mark.parametrize("language", [code for code in list_languages() if code == "he"])
def test_no_relation_is_left_in_english_where_letters_tell(language: str) -> None:
    with translation.override(language):
        said = {relation: say_relation(relation) for relation in list_known_relations()}
    assert {relation for relation, name in said.items() if any("a" <= letter <= "z" for letter in name)} == set()
