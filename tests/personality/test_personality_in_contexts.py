"""The personality as the first section of a context: at once, whatever is broken, and without hiding any memory."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.context.compose import ClientLimits, Context
from memory.facade import MemoryFacade
from memory.language.text import estimate_tokens
from memory.models import EndUser, Fact
from memory.store.admission import NewMemory
from outcomes.exchanges.storing import NewExchange
from personality import presets, prompts, templates
from personality.models import ActivePersonality
from personality.wording import BUILT_IN, PRONOUNS
from tests.factories import keep_personality

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
QUESTION = "When is the lamp repaired?"


def compose(user: EndUser, query: str = QUESTION, **more: Any) -> Context:
    return memory.compose_context(user, query, now=timezone.now(), thread_id="t", **more)


def names_of(context: Context) -> list[str]:
    return [section.name for section in context.sections]


@pytest.fixture
def lamp(user: EndUser, index_now: Callable[[EndUser], None]) -> EndUser:
    memory.store(user, NewMemory("The lamp is repaired on Thursdays"), now=timezone.now())
    index_now(user)
    return user


def test_it_comes_first_and_in_the_half_that_does_not_change(lamp: EndUser) -> None:
    without = compose(lamp)
    keep_personality(lamp, "Ada", timezone.now())
    context = compose(lamp)
    assert names_of(context) == ["personality", *names_of(without)]
    opening = f"You are Ada.\n{PRONOUNS}\nSpeak of the Ada.\nStyle: warm tone."
    assert context.injection == f"{opening}\n\n{without.injection}"
    assert context.stable.text == f"{opening}\n\n{without.stable.text}"
    assert context.turn == without.turn
    assert (context.budget, context.left_out) == (without.budget, without.left_out)
    assert compose(lamp, "What else?").stable == context.stable
    # Also where nothing is found.
    assert compose(lamp, "quarterly revenue of the zinc mine").sections[0].text == opening


def test_who_chose_none_pays_nothing_and_an_installation_may_give_one(lamp: EndUser, settings: Settings) -> None:
    assert "personality" not in names_of(compose(lamp))
    settings.MEMORY = {**settings.MEMORY, "CONTEXT": {**settings.MEMORY["CONTEXT"], "default_personality": "minimal"}}
    assert compose(lamp).sections[0].text.startswith("You are Commonplace.")
    keep_personality(lamp, "Ada", timezone.now())
    assert compose(lamp).sections[0].text.startswith("You are Ada.")
    templates.deactivate(lamp)
    assert compose(lamp).sections[0].text.startswith("You are Commonplace.")


def test_a_change_holds_at_once_and_for_processes_that_had_another(lamp: EndUser) -> None:
    keep_personality(lamp, "Ada", timezone.now())
    before = compose(lamp)
    # As another process would: nothing of this one is told of it.
    with user_scope(lamp):
        ActivePersonality.objects.update(content="identity: {name: Eve}\ncommunication: {}\n")
    after = compose(lamp)
    assert after.sections[0].text == f"You are Eve.\n{PRONOUNS}"
    assert after.stable.hash != before.stable.hash


def test_whatever_is_broken_the_turn_goes_on(lamp: EndUser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_personality(lamp, "Ada", timezone.now())
    with user_scope(lamp):
        ActivePersonality.objects.update(content="identity: [")
    assert compose(lamp).sections[0].text.startswith("You are Commonplace, an assistant with a long memory.")
    monkeypatch.setattr(presets, "PRESETS_DIR", tmp_path)
    presets.load_presets.cache_clear()
    try:
        assert compose(lamp).sections[0].text == BUILT_IN
    finally:
        presets.load_presets.cache_clear()

    def fail(user: EndUser) -> str:
        raise RuntimeError("no such table")

    monkeypatch.setattr(prompts, "read_active", fail)
    context = compose(lamp)
    assert "personality" not in names_of(context)
    assert "Thursdays" in context.injection
    assert context.meta["debug"]["fallbacks_used"] == ["personality_skipped"]


def test_a_long_one_hides_no_memory_and_gives_way_to_a_clients_limit(lamp: EndUser) -> None:
    words = "Speak in short and friendly sentences. " * 190
    text = f"identity: {{name: Ada}}\ncommunication: {{}}\ncustom_instructions: {words.strip()}\n"
    saved = templates.save_template(lamp, "long", templates.read_template(text), now=timezone.now())
    templates.activate_template(lamp, saved.id, now=timezone.now())
    assert estimate_tokens(words) > 1_000
    assert "Thursdays" in compose(lamp).injection
    tight = compose(lamp, room=ClientLimits(max_tokens=600))
    assert "personality" not in names_of(tight)
    assert "Thursdays" in tight.injection
    roomy = compose(lamp, room=ClientLimits(max_tokens=4_000))
    assert names_of(roomy)[0] == "personality"
    assert roomy.tokens <= 4_000


def test_a_coding_agent_is_told_once_a_session_and_again_after_a_change(lamp: EndUser) -> None:
    keep_personality(lamp, "Ada", timezone.now())
    now = timezone.now()
    first = memory.compose_prompt_context(lamp, "quarterly revenue of the zinc mine", now=now, thread_id="s")
    assert first.text.startswith("You are Ada.")
    again = memory.compose_prompt_context(lamp, QUESTION, now=now, thread_id="s", told_hash=first.told_hash)
    assert "You are Ada." not in again.text
    assert "Thursdays" in again.text
    keep_personality(lamp, "Eve", timezone.now())
    changed = memory.compose_prompt_context(lamp, QUESTION, now=now, thread_id="s", told_hash=first.told_hash)
    assert changed.text.startswith("You are Eve.")


def test_what_it_is_called_teaches_nothing_about_the_person(lamp: EndUser) -> None:
    keep_personality(lamp, "Ada", timezone.now())
    memory.store_exchange(lamp, NewExchange("t", "Who are you?", "I am Ada."), now=timezone.now())
    memory.extract_facts(lamp, now=timezone.now())
    with user_scope(lamp):
        assert "Ada" not in json.dumps(list(Fact.objects.for_user(lamp).values_list("statement", flat=True)))
