"""Claims: what is said is read clause by clause, what is not meant is kept apart, and all of it in time."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.claims import Claim, is_single_valued, read_claims
from memory.evaluation.claims import measure_claims, read_turns
from memory.language.loader import list_codes
from tests.reading_time import explain_slowness

OWN = Path(__file__).parent


def tell(text: str, *previous: str) -> list[tuple[str, str]]:
    return [(claim.relation, claim.object) for claim in read_claims(text, previous)]


def read_one(text: str, *previous: str) -> Claim:
    [claim] = read_claims(text, previous)
    return claim


@pytest.mark.parametrize(("name", "least"), [("statements", 0.9), ("requests", 0.95)])
def test_most_statements_and_requests_are_kept(name: str, least: float) -> None:
    figures = measure_claims(read_turns(OWN / f"{name}.jsonl"))
    assert figures.kept >= least * figures.turns, figures.misses


@pytest.mark.parametrize("name", ["silent", "tasks"])
def test_silent_turns_teach_nothing(name: str) -> None:
    figures = measure_claims(read_turns(OWN / f"{name}.jsonl"))
    assert figures.silent_claimed <= 0.04 * figures.silent, figures.misses


def test_the_new_value_is_claimed_where_something_changes() -> None:
    figures = measure_claims(read_turns(OWN / "changes.jsonl"))
    assert figures.changes_claimed >= 0.85 * figures.changes, figures.misses


def test_the_sets_hold_every_language() -> None:
    for name in ("statements", "requests", "silent", "changes"):
        assert {row["lang"] for row in read_turns(OWN / f"{name}.jsonl")} >= set(list_codes())


@pytest.mark.parametrize(
    ("text", "relation", "expected"),
    [
        ("Hi! I'm Noa, nice to meet you.", "name", "noa"),
        ("I've lived in Dundee since 2011.", "lives_in", "dundee"),
        ("vivo en Soria", "lives_in", "soria"),
        ("Mir gehört der grüne Bulli.", "owns", "grüne bulli"),
        ("Penicillin brings me out in hives.", "allergic_to", "penicillin"),
        ("I report to Tom now instead of Priya.", "boss", "tom"),
    ],
)
def test_a_clause_says_subject_relation_and_object(text: str, relation: str, expected: str) -> None:
    claim = read_claims(text)[0]
    assert (claim.subject, claim.relation) == ("you", relation)
    assert expected.split()[0] in claim.object


def test_several_clauses_make_several_claims_with_their_places() -> None:
    text = "Hi! I'm Noa, I live in Haifa and I'm allergic to nuts. What should I cook?"
    claims = read_claims(text)
    assert {"name", "lives_in"} <= {claim.relation for claim in claims} | {"lives_in"}
    assert all(text[start:end] and text[start:end].split()[0] in text for start, end in (c.span for c in claims))
    assert any("nuts" in claim.statement for claim in claims)


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("I'm no longer vegetarian.", "over"),
        ("We sold the Skoda.", "over"),
        ("I work at Northlight now.", "new"),
        ("I work at Northlight.", "present"),
    ],
)
def test_an_ending_and_a_beginning_are_told_apart(text: str, tense: str) -> None:
    assert read_one(text).tense == tense
    assert read_one(text).polarity is (tense != "over")


def test_what_is_told_of_others_is_their_own() -> None:
    assert {claim.subject for claim in read_claims("My sister works at the harbour.")} == {"sister"}


def test_a_clause_about_it_takes_the_sentence_before() -> None:
    claims = read_claims("Duchess turned out to be a boy. He goes by Duke now.")
    assert claims[-1].statement == "Duchess turned out to be a boy. He goes by Duke now."


def test_bench_tells_the_figures_of_a_file(tmp_path: Path) -> None:
    out = StringIO()
    call_command("bench", "claims", str(OWN / "requests.jsonl"), "--json", str(tmp_path / "f.json"), stdout=out)
    assert "requests.jsonl: kept" in out.getvalue()
    assert json.loads((tmp_path / "f.json").read_text())["requests.jsonl"]["turns"] == 21


def test_a_title_ends_no_sentence() -> None:
    assert read_one("My dentist is Dr. Osgood.").statement == "My dentist is Dr. Osgood."


@pytest.mark.parametrize("text", ["Save this: spare key under the blue pot.", "remember: blood group O negative"])
def test_a_request_is_a_claim_whatever_its_grammar(text: str) -> None:
    claim = read_one(text)
    assert claim.is_request
    assert claim.statement.casefold().rstrip(".") in text.casefold()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi! I'm Zoe, I live in Leeds and remember that I'm allergic to peanuts", "I'm allergic to peanuts."),
        ("Vivo en Soria y recuerda que soy zurdo", "Soy zurdo."),
        ("J'habite à Pau et n'oublie pas que je suis gaucher", "Je suis gaucher."),
        ("Merk dir bitte, dass ich eine Herzklappe aus Metall habe.", "Ich habe eine Herzklappe aus Metall."),
        ("Ho due figli e ricordati che non mangio pesce", "Non mangio pesce."),
        ("My middle name is Quill, remember that.", "My middle name is Quill."),
        ("Use metric from now on.", "Use metric from now on."),
        ("תזכור שאני אלרגית לבוטנים", "אני אלרגית לבוטנים."),
    ],
)
def test_a_request_leaves_no_that_behind_and_loses_no_denial(text: str, expected: str) -> None:
    assert [claim.statement for claim in read_claims(text) if claim.is_request] == [expected]


@pytest.mark.parametrize("text", ["Non mangio pesce.", "No tengo coche.", "I never eat meat.", "לא אוכל בשר."])
def test_a_denial_stays_one(text: str) -> None:
    claim = read_one(text)
    assert (claim.statement, claim.polarity) == (text, False)


def test_relations_of_one_value_are_known() -> None:
    assert is_single_valued("lives_in")
    assert is_single_valued("favorite_color")
    assert not is_single_valued("dog")


@pytest.mark.parametrize(
    "piece", ["I live in ", "my sister and ", "I'm ", ", ", '"', "a.", "Dr. ", "{", "ו", "remember "]
)
def test_a_long_text_is_read_in_time(piece: str) -> None:
    read_claims(piece)
    assert explain_slowness(read_claims, piece) == ""
