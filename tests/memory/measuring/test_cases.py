"""Questions that somebody labelled: kept once, without secrets, and gone with what they are about."""

import uuid
from datetime import UTC, datetime

import pytest

from memory.facade import MemoryFacade
from memory.measuring.cases import NewCase, list_cases
from memory.models import EndUser
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory, WriteRefused
from outcomes.exchanges.storing import NewExchange

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
facade = MemoryFacade("key:test")


def store(user: EndUser, text: str) -> uuid.UUID:
    return facade.store(user, NewMemory(text), now=NOW).item.pk


def test_a_question_is_kept_once_and_goes_with_the_last_memory_it_expects(user: EndUser) -> None:
    lamp, oil = store(user, "The lamp is repaired on Fridays"), store(user, "The oil stands in the shed")
    new = NewCase("When is the lamp repaired? My password is hunter2!", [lamp, oil], {"without": ["date"]})
    saved = facade.save_case(user, new, now=NOW)
    assert facade.save_case(user, new, now=NOW).pk == saved.pk
    assert "hunter2" not in saved.question
    facade.remove(user, oil, now=NOW)
    assert [case.expected_ids for case in list_cases(user)] == [[lamp]]
    facade.remove(user, lamp, now=NOW)
    assert list_cases(user) == []


def test_a_question_goes_with_the_exchange_it_was_taken_from(user: EndUser) -> None:
    lamp = store(user, "The lamp is repaired on Fridays")
    turn = facade.search(user, SearchRequest("lamp"), now=NOW).turn_id
    told = facade.store_exchange(user, NewExchange("t", "When is it?", "On Friday.", turn_id=turn), now=NOW)
    facade.save_case(user, NewCase("When is it?", [lamp], turn_id=turn), now=NOW)
    assert told.memory_id is not None
    facade.remove(user, told.memory_id, now=NOW)
    assert list_cases(user) == []


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"question": " "}, "question"),
        ({"question": "x" * 1_001}, "question"),
        ({"expected_ids": []}, "expected_ids"),
        ({"settings": {"limit": -1}}, "settings.limit"),
        ({"settings": {"without": ["no such signal"]}}, "settings.without"),
        ({"settings": {"colour": "red"}}, "settings.colour"),
    ],
)
def test_a_bad_question_is_refused_by_the_name_of_the_field(
    user: EndUser, changed: dict[str, object], field: str
) -> None:
    given: dict[str, object] = {"question": "When?", "expected_ids": [store(user, "The lamp")], **changed}
    with pytest.raises(WriteRefused) as refusal:
        facade.save_case(user, NewCase(**given), now=NOW)  # type: ignore[arg-type]
    assert refusal.value.field == field


def test_nobody_expects_what_is_somebody_elses(user: EndUser, foreign_user: EndUser) -> None:
    theirs = store(foreign_user, "The lamp is theirs")
    with pytest.raises(WriteRefused, match="does not have"):
        facade.save_case(user, NewCase("Whose lamp?", [theirs]), now=NOW)
