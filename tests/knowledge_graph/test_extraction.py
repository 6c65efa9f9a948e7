"""What is read from a text by rules: concepts, names, the kind of work, in six languages."""

import pytest

from knowledge_graph.extraction.concepts import MOST_PAIRS, MOST_WORDS, extract_concepts
from knowledge_graph.extraction.context_types import CONTEXT_TYPES, classify_context
from knowledge_graph.extraction.entities import MOST_ENTITIES, extract_entities

SAME_QUESTION = {
    "en": "How do I fix the permission error in Docker?",
    "es": "¿Cómo arreglo el error de permisos de Docker?",
    "fr": "Comment réparer l'erreur de permission Docker ?",
    "it": "Come risolvo l'errore dei permessi di Docker?",
    "he": "איך אני מתקן שגיאת הרשאות בדוקר?",
}


@pytest.mark.parametrize("language", SAME_QUESTION)
def test_the_same_question_has_the_same_concepts_in_every_language(language: str) -> None:
    assert {"fix", "permission", "error", "docker"} <= {one.key for one in extract_concepts(SAME_QUESTION[language])}


@pytest.mark.parametrize(
    ("text", "there", "not_there"),
    [
        ("k8s pods crash with ERR_4521", {"kubernetes", "err_4521", "crash"}, {"with", "4521", "err_4521 err"}),
        ("my car and mi coche", {"car"}, {"and", "coche"}),
        ("please help me get the thing to work", set(), {"please", "help", "get", "thing", "work"}),
        ("on 12 March 2024 at 10:30", set(), {"2024", "12", "month:03", "march"}),
        ("the rate limit of the API", {"rate limit"}, {"limit api"}),
        ("הפרויקט החדש", {"project"}, {"חדש"}),
        ("where does Dana live", {"dana"}, {"damage"}),
        ("", set(), set()),
        ("?!… —", set(), set()),
    ],
)
def test_concepts_are_what_a_text_is_about(text: str, there: set[str], not_there: set[str]) -> None:
    found = {one.key for one in extract_concepts(text)}
    assert there <= found
    assert not not_there & found


def test_labels_stay_as_they_were_written() -> None:
    assert {one.key: one.label for one in extract_concepts("the volumes of a database")} == {
        "volum": "volumes",
        "database": "database",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My sister Dana moved to Berlin and works at Siemens on project Atlas.",
            {("dana", "person"), ("berlin", "place"), ("siemens", "organisation"), ("atlas", "project")},
        ),
        (
            "Mi hermana Lucía vive en Barcelona y trabaja en Telefónica.",
            {("lucia", "person"), ("barcelona", "place"), ("telefonica", "organisation")},
        ),
        (
            "Ma sœur Claire habite à Lyon et travaille chez Michelin.",
            {("claire", "person"), ("lyon", "place"), ("michelin", "organisation")},
        ),
        (
            "Meine Schwester Anna wohnt in München und arbeitet bei Siemens. Die Katze heißt Minka.",
            {("anna", "person"), ("munich", "place"), ("siemens", "organisation"), ("minka", "person")},
        ),
        (
            "La mia amica Giulia lavora presso Ferrari e abita a Bologna.",
            {("giulia", "person"), ("ferrari", "organisation"), ("bologna", "place")},
        ),
        (
            "אחותי דנה גרה בתל אביב ועובדת על פרויקט אטלס עם דוקר",
            {("דנה", "person"), ("tel aviv", "place"), ("אטלס", "project"), ("docker", "tool")},
        ),
        ("Die Besprechung mit der Leitung war gut", set()),
        ("The ACME-42 router and the RTX4090 failed", {("acme-42", "product"), ("rtx4090", "product")}),
        ("Tom Becker uses postgres", {("tom becker", "person"), ("postgresql", "tool")}),
        ("Django 5.2 runs on v2.1.3 with 16GB", {("django", "tool")}),
        ("Rust never sleeps. Lunch is at noon.", set()),
        ("how do I get the printer to work", set()),
        ("", set()),
    ],
)
def test_names_are_taken_where_something_speaks_for_them(text: str, expected: set[tuple[str, str]]) -> None:
    assert {(one.key, one.kind) for one in extract_entities(text)} == expected


@pytest.mark.parametrize(
    ("text", "there", "not_there"),
    [
        ("Alma, Tamar's daughter, carries an EpiPen.", {"epipen"}, {"alma tamar"}),
        ("He met Dana, Tamar and Ido at the gate.", {"dana"}, {"dana tamar"}),
        ("Tamar's Heron exports at night.", {"heron"}, {"tamar heron"}),
        ("We moved from Acme, Inc. to Siemens AG.", {"acme inc", "siemens ag"}, set()),
        ("Raising EXPORT_TIMEOUT to 900 had not helped.", {"export_timeout"}, {"raising export_timeout"}),
        ("Tamar Raz met Nino Kapanadze at the concert in the old town hall.", {"tamar raz", "nino kapanadze"}, set()),
    ],
)
def test_a_comma_and_an_owner_end_a_name(text: str, there: set[str], not_there: set[str]) -> None:
    found = {one.key for one in extract_entities(text)}
    assert there <= found
    assert not not_there & found


def test_somebody_heard_of_before_is_known_by_name() -> None:
    assert extract_entities("yesterday Zorblax called again", ["zorblax"])[0].kind == "person"
    assert extract_entities("yesterday zorblax was loud") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My docker container keeps crashing", "docker"),
        ("TypeError: cannot read property of undefined", "debugging"),
        ("Mein Drucker funktioniert nicht", "debugging"),
        ("איזו שגיאה אני מקבל בפייתון", "debugging"),
        ("Write a Python function that sorts", "coding_help"),
        ("what does chapter 3 of the pdf say", "doc_rag"),
        ("How many people live in Haifa according to the census?", "datagov_query"),
        ("Redacta un borrador de carta", "writing"),
        ("Aide-moi à rédiger un brouillon", "writing"),
        ("plan my trip to Rome", "planning"),
        ("my daughter's birthday is near", "personal"),
        ("il compleanno di mia figlia", "personal"),
        ("hello there", "general"),
        ("", "general"),
    ],
)
def test_the_kind_of_work_is_one_of_a_closed_list(text: str, kind: str) -> None:
    assert classify_context(text) == kind
    assert kind in CONTEXT_TYPES


def test_tools_speak_for_the_kind_of_work() -> None:
    assert classify_context("what is this", ["datagov_query"]) == "datagov_query"


HOSTILE = [
    *("a" * 40_000, "My sister " * 4_000, '"' * 5_000, "(((" * 5_000),
    *("A. " * 10_000, "\u202e" * 1_000, "Ab" * 9_000),
]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_takes_long_to_read(text: str) -> None:
    assert len(extract_concepts(text)) <= MOST_WORDS + MOST_PAIRS
    assert len(extract_entities(text)) <= MOST_ENTITIES
    assert classify_context(text) in CONTEXT_TYPES
