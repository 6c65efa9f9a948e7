"""Terms that a user's field takes for the same, from an imported catalogue into the words of a search."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.retrieval import synonyms
from memory.retrieval.query import Query, understand_query
from memory.retrieval.results import LEXICAL, SearchRequest
from memory.retrieval.synonyms import expand_query, load_synonyms
from memory.store.admission import NewMemory
from memory.transfer.catalogue import import_catalogue, read_catalogue

NOW = datetime(2025, 6, 16, 12, tzinfo=UTC)
FACADE = MemoryFacade("test")
TERMS = ["churn", "attrition", "customer turnover", "נטישה"]


def read_query(question: str) -> Query:
    return understand_query(question, (), NOW)


def catalogue(tmp_path: Path, terms: list[str]) -> list[NewMemory]:
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps({"synonyms": [{"domain": "sales", "terms": terms}]}), encoding="utf-8")
    return read_catalogue(path)


def test_terms_widen_the_words_of_a_question() -> None:
    asked = read_query("How high was churn in May?")
    found = expand_query(asked, [TERMS])
    churn = next(forms for forms in found.words if "en:churn" in forms)
    assert {"en:attrit", "en:turnov", "נטישה"} <= set(churn)
    assert len(found.words) == len(asked.words)
    assert found.search_text == "How high was churn in May? attrition customer turnover נטישה"
    assert expand_query(asked, [["rent", "lease"]]) == asked


def test_a_term_of_two_words_is_meant_only_whole() -> None:
    assert "churn" in expand_query(read_query("customer turnover in May"), [TERMS]).search_text
    assert "churn" not in expand_query(read_query("which customer came in May"), [TERMS]).search_text


@pytest.mark.django_db(transaction=True)
def test_an_imported_term_finds_what_is_called_otherwise(
    user: EndUser, other_user: EndUser, index_now: Callable[[EndUser], None], tmp_path: Path
) -> None:
    for one in (user, other_user):
        FACADE.store(one, NewMemory("Attrition rose to four percent after the price change"), now=NOW)
        index_now(one)
    question = SearchRequest("What do we know of churn?", stages=frozenset({LEXICAL}), limit=5)
    assert FACADE.search(user, question, now=NOW).hits == []
    import_catalogue(user, catalogue(tmp_path, TERMS), now=NOW)
    found = [hit.item.text for hit in FACADE.search(user, question, now=NOW).hits]
    assert any("Attrition rose" in text for text in found)
    # They are the user's own.
    assert FACADE.search(other_user, question, now=NOW).hits == []


@pytest.mark.django_db(transaction=True)
def test_they_are_read_once_a_minute_and_again_when_they_change(
    user: EndUser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def known() -> tuple[tuple[tuple[str, ...], ...], int]:
        with user_scope(user), CaptureQueriesContext(connection) as queries:
            return load_synonyms(user), len(queries)

    assert known() == ((), 1)
    assert known() == ((), 0)
    import_catalogue(user, catalogue(tmp_path, TERMS[:2]), now=NOW)
    assert known() == ((("churn", "attrition"),), 1)
    later = time.monotonic() + synonyms.KEPT_S + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert known()[1] == 1
