"""The set of first days: small stores of many kinds, whole, and split so that one half stays unseen."""

from pathlib import Path

import pytest

from memory.evaluation.datasets import DatasetError, DatasetForm
from memory.evaluation.first_days import SILENCE, read_first_days, read_stores, read_visitor_days
from memory.evaluation.scenarios import HALVES
from memory.measuring.metrics import JudgedRanking, list_first_days_measures


def test_the_set_is_of_small_stores_in_seven_languages_and_split_by_store() -> None:
    whole = read_first_days()
    assert (whole.form, len(whole.stores), whole.question_count) == (DatasetForm.FIRST_DAYS, 52, 328)
    assert {len(store.memories) for store in whole.stores} <= set(range(3, 26))
    for half in HALVES:
        labels = [question.labels for store in read_first_days(half).stores for question in store.questions]
        assert {one["language"] for one in labels} == {"en", "es", "fr", "de", "it", "pt", "he"}
        assert {one["answer"] for one in labels} == {"statement", "exchange", "note", "imported", SILENCE}
    first, second = ({store.key for store in read_first_days(half).stores} for half in HALVES)
    assert first.isdisjoint(second)
    assert first | second == {store.key for store in whole.stores}


def test_the_visitors_set_is_split_by_folder() -> None:
    halves = [read_visitor_days(half) for half in HALVES]
    assert [(len(half.stores), half.question_count) for half in halves] == [(12, 72), (12, 74)]
    assert {store.key for half in halves for store in half.stores} == {one.key for one in read_visitor_days().stores}
    for half in halves:
        labels = [question.labels for store in half.stores for question in store.questions]
        assert {one["language"] for one in labels} == {"en", "es", "fr", "de", "it", "pt", "he"}
        assert SILENCE in {one["answer"] for one in labels}


def test_the_notation(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_text("= shed\na s3 | I ski.\nb e1 | And wax? | Hot.\nc t2 Ann | Hi.\n? b !a | Wax?\n? - | Who?", "utf-8")
    (store,) = read_stores(path)
    statement, exchange, line = store.memories
    assert (statement.tier, statement.thread_id, statement.reply) == ("memory_bank", "", "")
    assert (exchange.text, exchange.reply, exchange.days_ago) == ("And wax?", "Hot.", 1.0)
    assert (line.speaker, line.text) == ("Ann", "Hi.")
    wax, who = store.questions
    assert (dict(wax.grades), wax.traps, wax.labels["answer"]) == ({"b": 1}, frozenset("a"), "exchange")
    assert (dict(who.grades), who.labels["answer"]) == ({}, SILENCE)


@pytest.mark.parametrize("content", ["a s3 | no store", "= x\n? a | no such memory", "= x\na z3 | no such kind"])
def test_a_mistake_is_named_with_its_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "en.txt").write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match=r"en\.txt, line"):
        list(read_stores(tmp_path / "en.txt"))


def test_silence_is_right_where_there_is_no_answer() -> None:
    top = list_first_days_measures()["Top-1"]
    assert top(JudgedRanking(["a"], {}, {"a": ""}, is_silent=True)) == 1.0
    assert top(JudgedRanking(["a"], {}, {"a": ""})) == 0.0
    assert top(JudgedRanking(["a", "b"], {"b": 1}, {"a": "", "b": ""})) == 0.0
