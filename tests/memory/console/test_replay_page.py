"""Replay in the console: what a turn was handed, both rankings of a change, and the question saved; no JavaScript."""

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from memory.console.replay.rankings import describe_changes
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.memory.console.conftest import Console
from tests.rows import find_turn

memory = MemoryFacade("key:test")
QUESTION = "Where is the key of the shed?"


@pytest.fixture
def keys(user: EndUser, index_now: Callable[[EndUser], None]) -> list[MemoryItem]:
    now = timezone.now() - timedelta(days=1)
    texts = {"The key of the shed hangs behind the clock": Tier.HISTORY, "The shed has no key": Tier.PATTERNS}
    stored = [memory.store(user, NewMemory(text, tier=tier), now=now).item for text, tier in texts.items()]
    index_now(user)
    return stored


@pytest.fixture
def turn_id(user: EndUser, keys: list[MemoryItem]) -> uuid.UUID:
    return memory.compose_context(user, QUESTION, now=timezone.now()).turn_id


def test_a_turn_keeps_its_sections_and_no_words(user: EndUser, keys: list[MemoryItem], turn_id: uuid.UUID) -> None:
    turn = find_turn(user, turn_id)
    assert turn is not None
    sections = turn.sections
    assert [name for name, _, _ in sections] == ["core_instructions", "retrieved_memories"]
    assert all(tokens > 0 for _, tokens, _ in sections)
    assert set(sections[1][2]) == {str(item.pk) for item in keys}
    assert "clock" not in str(sections)


def test_a_mere_search_and_a_preview_keep_none(user: EndUser, keys: list[MemoryItem], turn_id: uuid.UUID) -> None:
    memory.compose_context(user, "the shed", now=timezone.now(), remember=False)
    assert [turn.turn_id for turn in memory.list_turns(user, 9)] == [turn_id]


def test_a_turn_shows_what_was_handed_over_and_what_is_gone_since(
    console: Console, user: EndUser, place: str, keys: list[MemoryItem], turn_id: uuid.UUID
) -> None:
    assert f"?turn={turn_id}" in console.get(f"{place}/replay").content.decode()
    page = console.get(f"{place}/replay?turn={turn_id}")
    assert [(part.name, len(part.items), part.gone) for part in page.context["parts"]] == [
        ("core_instructions", 0, 0),
        ("retrieved_memories", 2, 0),
    ]
    memory.remove(user, keys[0].pk, now=timezone.now())
    later = console.get(f"{place}/replay?turn={turn_id}")
    assert later.context["parts"][1].gone == 1
    assert "1 more is deleted since" in later.content.decode()


def test_a_change_is_laid_beside_the_ranking_as_configured(
    console: Console, place: str, keys: list[MemoryItem], turn_id: uuid.UUID
) -> None:
    changed = urlencode({"turn": turn_id, "tiers": "patterns"})
    page = console.get(f"{place}/replay?{changed}")
    (_, before, _), (_, after, _) = page.context["columns"]
    assert {line.hit.item.pk for line in before} == {item.pk for item in keys}
    assert [line.hit.item.pk for line in after] == [keys[1].pk]
    assert page.context["moves"][1:] == (0, 1)
    assert "only here" in page.content.decode()
    assert page.context["change"] == "Only Patterns"


def test_a_question_is_asked_as_of_a_day(
    console: Console, user: EndUser, place: str, keys: list[MemoryItem], index_now: Callable[[EndUser], None]
) -> None:
    memory.store(user, NewMemory("The key of the shed is lost", tier=Tier.HISTORY), now=timezone.now())
    index_now(user)
    today = console.get(f"{place}/replay?{urlencode({'query': QUESTION})}")
    assert len(today.context["columns"][0][1]) == 3
    day = (timezone.now() - timedelta(days=1)).date().isoformat()
    before = console.get(f"{place}/replay?{urlencode({'query': QUESTION, 'as_of': day})}")
    assert len(before.context["columns"][0][1]) == 2


def test_a_replayed_turn_is_saved_as_a_question(
    console: Console, user: EndUser, place: str, keys: list[MemoryItem], turn_id: uuid.UUID
) -> None:
    given = {"turn": str(turn_id), "question": QUESTION}
    address = f"{place}/replay/save?{urlencode({'turn': turn_id, 'tiers': 'patterns'})}"
    nothing = console.post(address, given)
    # Beside the button, on the page as it was.
    assert nothing.status_code == 422
    page = nothing.content.decode()
    assert re.search(r'id="save-question"><div role="alert">.*?Not saved', page)
    assert "Only Patterns" in page
    # One count of what a turn handed over, wherever it is told.
    assert f"{len(keys)} memories" in console.get(f"{place}/replay").content.decode()
    console.post(f"{place}/replay/save", {**given, "expected": [str(keys[0].pk)]})
    [case] = memory.read_questions(user).questions
    assert (case.question, case.expected, case.turn_id) == (QUESTION, (keys[0].pk,), turn_id)


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ("turn=9d3b0f4e-0c5b-4b59-9c38-fb4dbb1d6b11", 404, "not kept any more"),
        ("turn=yesterday", 422, "valid UUID"),
        ("query=key&skip=vector&skip=lexical", 422, "neither of vector and lexical"),
        ("query=key&as_of=soon", 422, "valid date"),
    ],
)
def test_what_cannot_be_replayed_is_told(
    console: Console, place: str, keys: list[MemoryItem], asked: str, status: int, words: str
) -> None:
    page = console.get(f"{place}/replay?{asked}")
    assert (page.status_code, words in page.content.decode()) == (status, True)


def test_the_largest_changes_of_a_score_come_first() -> None:
    before = {"relevance": 0.2, "boosts": {"date": 0.5, "late": 0.1}, "ce": None}
    after = {"relevance": 0.21, "boosts": {"date": 1.5}, "ce": 0.4}
    assert describe_changes(before, after) == ("Date +1.00", "Reranker +0.40", "Wording −0.10")
