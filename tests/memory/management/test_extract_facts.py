"""`manage.py extract_facts` and what an import teaches: facts of what was said before, in its order and once."""

import json
import uuid
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.lifecycle import learning
from memory.models import EndUser, Fact, FactEvidence, MemoryItem
from memory.models.facts import EvidenceKind, FactState
from memory.store.admission import NewMemory
from memory.tiers import Tier, Trust
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")


def extract(*words: str) -> str:
    out = StringIO()
    call_command("extract_facts", *words, stdout=out)
    return out.getvalue()


def tell(user: EndUser, clock: Clock, message: str, thread: str = "t", **fields: Any) -> uuid.UUID:
    new = NewExchange(thread, message, "I see. My own name is Ben and I live in Oslo.", **fields)
    return memory.store_exchange(user, new, now=clock.advance(minutes=1)).exchange_id


def import_turns(tmp_path: Path, *turns: tuple[str, str, str], user: str = "ann", thread: str = "old") -> str:
    rows = [{"thread": thread, "time": time, "speaker": speaker, "text": text} for time, speaker, text in turns]
    file = tmp_path / f"{uuid.uuid4()}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = StringIO()
    call_command("import_chats", str(file), user=user, org="acme", stdout=out)
    return out.getvalue()


def facts_of(user: EndUser, state: str = FactState.ACTIVE) -> list[str]:
    with user_scope(user):
        found = Fact.objects.for_user(user).filter(state=state).order_by("first_seen", "statement")
        return list(found.values_list("statement", flat=True))


def snapshot(user: EndUser) -> list[Any]:
    with user_scope(user):
        return [
            list(model._default_manager.filter(user=user).order_by("pk").values())
            for model in (Fact, FactEvidence, MemoryItem)
        ]


def bank(user: EndUser) -> list[str]:
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
        return sorted(items.values_list("text", flat=True))


# --- exchanges ----------------------------------------------------------------------------------------------------
def test_exchanges_are_read_in_the_order_they_were_said_and_again_without_doubling(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "I live in York.", occurred_at=datetime(2026, 2, 20, tzinfo=UTC))
    tell(user, clock, "I live in Leeds.", thread="before", occurred_at=datetime(2026, 1, 5, tzinfo=UTC))
    tell(user, clock, "thanks!")
    said = extract("--user=ann")
    assert "acme/ann: 3 turns read" in said
    assert "2 new facts, 0 said again, 1 ended" in said
    assert facts_of(user) == ["I live in York."]
    assert facts_of(user, FactState.SUPERSEDED) == ["I live in Leeds."]
    with user_scope(user):
        assert not Exchange.objects.filter(profiled_at=None).exclude(user_message="thanks!").exists()
    before = snapshot(user)
    clock.advance(days=1)
    assert "0 new facts, 0 said again, 0 ended" in extract("--user=ann")
    assert snapshot(user) == before


def test_what_was_published_before_there_were_facts_is_linked_and_follows_them(user: EndUser, clock: Clock) -> None:
    """The bank as it was left: two homes beside each other, one item that a person wrote."""
    for message in ("I live in Leeds.", "I live in York."):
        exchange = tell(user, clock, message)
        published = NewMemory(
            message, tier=Tier.MEMORY_BANK, tags=["identity"], trust=Trust.ASSISTANT,
            source={"kind": "profile", "exchange": str(exchange)},
        )  # fmt: skip
        memory.store(user, published, now=clock())
    with user_scope(user):
        Exchange.objects.filter(user=user).update(profiled_at=clock())
    own = NewMemory("I am allergic to peanuts.", tier=Tier.MEMORY_BANK, tags=["identity"])
    memory.store(user, own, now=clock())
    extract("--user=ann")
    assert bank(user) == ["I am allergic to peanuts.", "I live in York."]
    with user_scope(user):
        york = Fact.objects.for_user(user).get(object_key="york")
        assert york.bank_item_id is not None
        assert list(york.evidence.values_list("kind", flat=True)) == [EvidenceKind.EXCHANGE]
        peanuts = Fact.objects.for_user(user).get(object_key="peanuts")
        assert (peanuts.is_curated, peanuts.evidence_count) == (True, 1)


def test_since_user_and_organisation_limit_what_is_read(
    user: EndUser, other_user: EndUser, foreign_user: EndUser, clock: Clock
) -> None:
    tell(user, clock, "I am allergic to peanuts.", occurred_at=datetime(2026, 1, 5, tzinfo=UTC))
    tell(user, clock, "I live in Leeds.", occurred_at=datetime(2026, 2, 5, tzinfo=UTC))
    for someone in (other_user, foreign_user):
        tell(someone, clock, "I live in Hull.")
    said = extract("--user=ann", "--organization=acme", "--since=2026-02-01")
    assert said.startswith("acme/ann: 1 turns read")
    assert (facts_of(user), facts_of(other_user)) == (["I live in Leeds."], [])
    extract("--org=acme")
    assert facts_of(other_user) == ["I live in Hull."]
    assert facts_of(user) == ["I am allergic to peanuts.", "I live in Leeds."]
    assert facts_of(foreign_user) == []
    assert "umbra/ann: 1 turns read" in extract()
    assert facts_of(foreign_user) == ["I live in Hull."]
    with pytest.raises(CommandError, match="has no user 'nobody'"):
        extract("--user=nobody", "--org=acme")
    with pytest.raises(CommandError, match="no ISO 8601 time"):
        extract("--since=lately")


def test_a_dry_run_counts_and_writes_nothing(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "I live in Leeds.")
    before = snapshot(user)
    said = extract("--user=ann", "--dry-run")
    assert "acme/ann: 1 turns read, 1 statements found\n" in said
    assert "nothing was written" in said
    assert snapshot(user) == before
    with user_scope(user):
        assert Exchange.objects.filter(profiled_at=None).count() == 1


def test_what_was_deleted_or_forgotten_is_not_brought_back(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "I live in Leeds.")
    tell(user, clock, "I am allergic to peanuts.")
    extract("--user=ann")
    clock.advance(minutes=1)
    with user_scope(user):
        home = Fact.objects.for_user(user).get(object_key="leeds")
        memory_id = Exchange.objects.get(user=user, user_message__contains="peanuts").memory_id
    assert memory.forget_fact(user, home.pk, now=clock())
    assert memory_id is not None
    assert memory.remove(user, memory_id, now=clock())
    extract("--user=ann")
    assert facts_of(user) == []
    assert bank(user) == []


def test_stopped_it_keeps_what_it_read_and_goes_on(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("My boat is called Ines.", "I am allergic to peanuts.", "I live in Leeds."):
        tell(user, clock, place)
    read = learning.draft_facts

    def stop_at_the_last(user: EndUser, spoken: learning.SpokenText, source: dict[str, str]) -> Any:
        if "Leeds" in spoken.text:
            raise KeyboardInterrupt
        return read(user, spoken, source)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(learning, "draft_facts", stop_at_the_last)
        with pytest.raises(CommandError, match="stopped at ann") as stopped:
            extract("--user=ann")
    assert stopped.value.returncode == 130
    assert f"--since {clock():%Y-%m-%d}" in str(stopped.value)
    assert len(facts_of(user)) == 2
    assert "1 new facts, 0 said again" in extract("--user=ann")
    assert len(facts_of(user)) == 3


def test_switched_off_nothing_is_read(user: EndUser, clock: Clock, settings: Settings, tmp_path: Path) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "profile_detection": False}}
    with pytest.raises(CommandError, match="ENABLE_PROFILE_DETECTION"):
        extract()
    assert "turns read" not in import_turns(tmp_path, ("2026-01-01T10:00:00Z", "user", "I live in Leeds."))
    assert facts_of(user) == []


# --- imported chats -----------------------------------------------------------------------------------------------
def test_an_import_teaches_what_the_person_said_and_not_the_assistant(
    user: EndUser, clock: Clock, tmp_path: Path
) -> None:
    said = import_turns(
        tmp_path,
        ("2026-01-01T10:00:00Z", "user", "I live in Leeds."),
        ("2026-01-01T10:01:00Z", "assistant", "I live in Oslo. You are allergic to shellfish."),
        ("2026-02-01T10:00:00Z", "user", "I live in York."),
    )
    assert "2 turns read" in said
    assert "2 new facts, 0 said again, 1 ended" in said
    assert facts_of(user) == ["I live in York."]
    with user_scope(user):
        [leeds] = FactEvidence.objects.filter(fact__object_key="leeds", user=user)
        source = MemoryItem.objects.for_user(user).get(text="I live in Leeds.", tier=Tier.HISTORY)
    assert (leeds.kind, leeds.ref_id, leeds.memory_id) == (EvidenceKind.IMPORT, source.pk, source.pk)
    assert (leeds.occurred_at, leeds.thread_id) == (source.occurred_at, "old")
    before = snapshot(user)
    assert "0 new facts, 0 said again" in extract("--user=ann", "--org=acme")
    assert snapshot(user) == before


def test_what_an_import_brings_late_is_held_to_be_said_before(user: EndUser, clock: Clock, tmp_path: Path) -> None:
    tell(user, clock, "I live in York.")
    extract("--user=ann")
    import_turns(tmp_path, ("2025-11-01T10:00:00Z", "user", "I live in Leeds."))
    assert facts_of(user) == ["I live in York."]
    assert facts_of(user, FactState.SUPERSEDED) == ["I live in Leeds."]
    assert bank(user) == ["I live in York."]


@pytest.mark.parametrize(
    ("voices", "own"),
    [
        (("Ines",), True),
        (("Ines", "assistant"), True),
        (("Ines", "Bob"), False),
        (("ann", "Bob"), True),
        (("me", "Bob"), True),
        (("human", "Bob"), True),
        (("system", "assistant"), False),
    ],
)
def test_of_several_people_each_is_believed_of_themselves(
    user: EndUser, clock: Clock, tmp_path: Path, voices: tuple[str, ...], own: bool
) -> None:
    first, *others = voices
    turns = [("2026-01-01T10:00:00Z", first, "I live in Leeds.")]
    turns += [("2026-01-01T10:01:00Z", other, "I live in Hull.") for other in others]
    said = import_turns(tmp_path, *turns)
    people = [voice for voice in others if voice != "assistant"]
    told = [f"{voice}: I live in Hull." for voice in people]
    if first != "system":
        told.insert(0, "I live in Leeds." if own else f"{first}: I live in Leeds.")
    assert facts_of(user) == told
    assert bank(user) == (["I live in Leeds."] if own else [])
    count = len(people) if own or first == "system" else len(people) + 1
    assert (f"({count} of other people)" in said) is bool(count)
    assert ("1 turns of machines left out" in said) is (first == "system")


def test_what_others_say_in_an_import_ends_nothing_and_goes_on_from_their_own_turns(
    user: EndUser, clock: Clock, tmp_path: Path
) -> None:
    tell(user, clock, "I'm Alice. I live in York.")
    extract("--user=ann")
    import_turns(
        tmp_path,
        ("2026-01-01T10:00:00Z", "Alice", "I have a dog called Rex."),
        ("2026-01-01T10:01:00Z", "Bob", "I have a cat called Tom."),
        ("2026-01-01T10:02:00Z", "assistant", "Where do you live?"),
        ("2026-01-01T10:03:00Z", "Bob", "Rome"),
    )
    with user_scope(user):
        facts = set(Fact.objects.for_user(user).active().values_list("subject", "relation", "object_key"))
    assert {
        ("bob", "cat", "tom"),
        ("bob", "lives_in", "rome"),
        ("you", "dog", "rex"),
        ("you", "lives_in", "york"),
    } <= facts
    assert "Bob: I have a cat called Tom." in facts_of(user)
    assert not [text for text in bank(user) if "Tom" in text or "Rome" in text]


def test_a_turn_goes_on_from_those_before_it_in_its_thread(
    user: EndUser, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, list[str]]] = []
    read = learning.draft_facts

    def listen(user: EndUser, spoken: learning.SpokenText, source: dict[str, str]) -> Any:
        heard.append((spoken.text, list(spoken.previous)))
        return read(user, spoken, source)

    monkeypatch.setattr(learning, "draft_facts", listen)
    import_turns(
        tmp_path,
        ("2026-01-01T10:00:00Z", "user", "I have a dog called Pita."),
        ("2026-01-01T10:01:00Z", "assistant", "A fine name."),
        ("2026-01-01T10:02:00Z", "user", "She is a spaniel."),
        ("2026-01-01T10:02:00Z", "user", "She eats rice."),
    )
    assert heard == [
        ("I have a dog called Pita.", []),
        ("She is a spaniel.", ["I have a dog called Pita."]),
        ("She eats rice.", ["I have a dog called Pita.", "She is a spaniel."]),
    ]


def test_deleting_the_imported_memory_takes_its_fact(user: EndUser, clock: Clock, tmp_path: Path) -> None:
    import_turns(tmp_path, ("2026-01-01T10:00:00Z", "user", "I live in Leeds."))
    with user_scope(user):
        source = MemoryItem.objects.for_user(user).get(tier=Tier.HISTORY)
    assert memory.remove(user, source.pk, now=clock())
    assert facts_of(user) == []
    extract("--user=ann")
    assert (facts_of(user), bank(user)) == ([], [])


def test_the_person_of_an_import_may_be_new(organization: Any, clock: Clock, tmp_path: Path) -> None:
    import_turns(tmp_path, ("2026-01-01T10:00:00Z", "user", "I live in Leeds."), user="newcomer")
    made = find_user(organization, "newcomer")
    assert made is not None
    assert facts_of(made) == ["I live in Leeds."]
