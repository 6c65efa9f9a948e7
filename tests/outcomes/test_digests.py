"""The older part of a conversation in a few points: made in the background, told where the client no longer shows it,
gone with what it was made of; and nothing of it without a model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from memory import inference
from memory.access.confinement import RowScope, confine_to
from memory.access.scope import user_scope
from memory.conf import change_settings
from memory.context.compose import ClientLimits, RecentMessage
from memory.facade import MemoryFacade
from memory.models import EndUser
from outcomes import tasks
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange, ThreadDigest
from tests.conftest import Clock
from tests.doubles.model_services import LanguageModelStub

memory = MemoryFacade("key:test")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

THREAD = "boat"
FIRST = "We sail from Leer on 12 May, with Ruth."
SUMMED_UP = {"bullets": ["Sails from Leer on 12 May, with Ruth", "- The mast is at Jan's", "Booked flight LH 400"]}
CASUAL = {"tone": "casual", "confidence": 0.9}


@pytest.fixture
def model(tmp_path: Path, settings: Settings) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


def talk(user: EndUser, clock: Clock, *questions: str) -> None:
    for question in questions:
        clock.advance(minutes=1)
        memory.store_exchange(user, NewExchange(THREAD, question, "The mast is at Jan's."), now=clock())


def talk_long(user: EndUser, clock: Clock) -> None:
    talk(user, clock, FIRST, *(f"and what of the sail number {number}?" for number in range(5)))


def digest(user: EndUser) -> bool:
    return tasks.digest_thread(user.pk, THREAD, "", "")


def find_section(user: EndUser, clock: Clock, *shown: str, room: ClientLimits | None = None) -> str:
    recent = [RecentMessage("user", text) for text in shown]
    context = memory.compose_context(
        user, "Is the tide table packed?", now=clock(), thread_id=THREAD, recent_messages=recent, room=room
    )
    assert not context.sections or context.sections[0].name == "core_instructions"
    found = [part.text for part in context.sections if part.name == "conversation_so_far"]
    assert "".join(found) in context.turn.text
    return "".join(found)


def test_what_is_old_is_summed_up_and_told_where_it_is_not_shown(
    user: EndUser, clock: Clock, model: LanguageModelStub
) -> None:
    talk(user, clock, FIRST, "ok")
    assert not digest(user)
    assert not model.asked
    talk(user, clock, "a", "b", "c", "d")
    model.says(json.dumps(SUMMED_UP), json.dumps(CASUAL))
    assert digest(user)
    told = find_section(user, clock, "d")
    # What was not said is not told; the tone is a sentence of the product.
    assert "• Sails from Leer on 12 May, with Ruth\n• The mast is at Jan's\n" in told
    assert "LH 400" not in told
    assert "The person writes casually" in told
    # A client that still shows the beginning, by itself or beside what it sent, needs no points.
    for shown in (
        find_section(user, clock, FIRST, "d"),
        find_section(user, clock, "d", room=ClientLimits(opening=FIRST)),
    ):
        assert "Leer" not in shown
        assert "casually" in shown
    # The old points and the new part are put together, four exchanges later and not before.
    talk(user, clock, "e", "f", "g")
    asked = len(model.asked)
    model.says(json.dumps({"bullets": ["The mast is at Jan's"]}))
    assert not digest(user)
    assert len(model.asked) == asked
    talk(user, clock, "h")
    assert digest(user)
    assert "Sails from Leer" in str(model.asked[asked].body)
    assert FIRST not in str(model.asked[asked].body)
    assert "Sails from Leer" not in find_section(user, clock, "h")


@pytest.mark.parametrize(
    "answer",
    ["no json", "[]", json.dumps({"bullets": ["Paid 900 euros"], "tone": "rude", "confidence": 2}), "status 500"],
)
def test_an_answer_that_is_none_leaves_the_context_as_it_was(
    user: EndUser, clock: Clock, model: LanguageModelStub, answer: str
) -> None:
    talk_long(user, clock)
    model.says(answer)
    assert not digest(user)
    assert find_section(user, clock, "d") == ""


def test_nothing_is_asked_without_a_model_or_when_switched_off(
    user: EndUser, clock: Clock, model: LanguageModelStub, settings: Settings
) -> None:
    talk_long(user, clock)
    with change_settings(PROMPTS={"off": frozenset({"history_summary", "tone_inference"})}):
        assert not digest(user)
    assert not model.asked
    model.says(json.dumps(SUMMED_UP), json.dumps({"tone": "neutral", "confidence": 0.9}))
    assert digest(user)
    assert "The person writes" not in find_section(user, clock, "d")
    settings.MEMORY = {**settings.MEMORY, "LLM": {"url": "", "api_key": "", "model": ""}}
    inference.reset_adapters()
    assert find_section(user, clock, "d") == ""


def test_points_go_with_what_they_were_made_of_and_stay_in_their_scope(
    user: EndUser, other_user: EndUser, clock: Clock, model: LanguageModelStub
) -> None:
    talk_long(user, clock)
    model.says(json.dumps(SUMMED_UP), json.dumps(CASUAL))
    assert digest(user)
    assert find_section(other_user, clock, "d") == ""
    with confine_to(RowScope(project_id="ship")), user_scope(user):
        ThreadDigest.objects.create(user=user, thread_id="secret", bullets=["x"])
    with confine_to(RowScope(project_id="other")), user_scope(user):
        assert not ThreadDigest.objects.filter(thread_id="secret").exists()
    with user_scope(other_user):
        assert not ThreadDigest.objects.exists()
    with user_scope(user):
        first = Exchange.objects.filter(user=user).order_by("created_at")[0]
    assert first.memory_id is not None
    memory.remove(user, first.memory_id, now=clock())
    assert find_section(user, clock, "d") == ""
