"""The nightly run: episodes, evidence, merges, contradictions, fading; again, cut off, without services."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from pytest_django import Settings

from memory import inference, tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts.episodes import ThreadTurn, cut_episodes
from memory.facts.keys import fold_key
from memory.facts.pairs import read_statement
from memory.inference import embedder
from memory.lifecycle import consolidation
from memory.lifecycle.consolidation import ConsolidationResult
from memory.models import EndUser, Fact, FactEpisode, FactEvidence, FactReview
from memory.models.facts import EvidenceKind, FactState, ReviewDecision, ReviewKind
from memory.platform.faults import Unavailable
from memory.store import archiving
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.doubles.model_services import LanguageModelStub

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def keep(user: EndUser, statement: str, at: datetime, **fields: Any) -> Fact:
    """A fact as an import without an embedder left it: recorded beside what says the same."""
    read = read_statement(statement)
    values = {
        "subject": read.subject or "you",
        "subject_key": fold_key(read.subject or "you"),
        "relation": read.relation,
        "object": read.object,
        "object_key": fold_key(read.object),
        "statement": statement,
        "lang": read.lang,
        "tense": read.tense,
        "polarity": read.polarity,
        "base_confidence": 0.8,
        "evidence_at": at,
        "first_seen": at,
        "last_seen": at,
        "valid_from": at,
    } | fields
    with user_scope(user):
        fact = Fact.objects.create(user=user, **values)
        FactEvidence.objects.create(
            user=user, fact=fact, kind=EvidenceKind.IMPORT, ref_id=uuid4(), occurred_at=at, step=0.8
        )
    return fact


def run(user: EndUser, clock: Clock, **options: Any) -> ConsolidationResult:
    return memory.consolidate(user, now=clock(), clock=clock, **options)


def reload(fact: Fact) -> Fact:
    with user_scope(fact.user_id):
        fact.refresh_from_db()
    return fact


@pytest.mark.parametrize(
    ("gaps", "sizes"),
    [
        ([1] * 5, [6]),
        ([1] * 8, [6, 3]),
        ([1, 31, 1], [2, 2]),
        ([30, 30], [3]),
        ([], [1]),
    ],
)
def test_an_episode_ends_by_half_an_hour_or_six_exchanges(clock: Clock, gaps: list[int], sizes: list[int]) -> None:
    times = [clock()]
    for gap in gaps:
        times.append(times[-1] + timedelta(minutes=gap))
    turns = [ThreadTurn(uuid4(), at, True) for at in times]
    assert [len(one) for one in cut_episodes(turns, times[-1] + timedelta(minutes=31))] == sizes
    # The last may go on while the person may.
    open_size = sizes[-1] < 6
    assert [len(one) for one in cut_episodes(turns, times[-1])] == (sizes[:-1] if open_size else sizes)
    halves = [ThreadTurn(uuid4(), clock(), False) for _ in range(13)]
    assert [len(one) for one in cut_episodes(halves, clock() + timedelta(days=1))] == [12, 1]


def test_what_says_the_same_becomes_one_and_stays_apart_when_taken_back(user: EndUser, clock: Clock) -> None:
    kept = keep(user, "I keep bees behind the old barn.", clock(), base_confidence=0.9)
    other = keep(user, "I keep bees behind our old barn.", clock.advance(days=2))
    keep(user, "My sister plays the cello.", clock())
    planned = run(user, clock, dry_run=True)
    assert planned.state == "dry_run"
    assert reload(other).state == FactState.ACTIVE
    done = run(user, clock)
    assert (done.state, done.counts["merged"], done.counts["embedded"]) == ("done", 1, 3)
    assert (reload(other).state, other.merged_into) == (FactState.MERGED, kept.pk)
    assert (reload(kept).evidence_count, kept.last_seen) == (2, other.last_seen)
    # Now that all have vectors a dry run sees what a run would do, and both see nothing.
    assert run(user, clock, dry_run=True).counts == run(user, clock).counts == {}
    memory.restore_fact(user, other.pk, now=clock())
    assert run(user, clock).counts == {}
    assert (reload(other).state, reload(kept).evidence_count) == (FactState.ACTIVE, 1)


def test_chains_of_likeness_merge_no_strangers_and_doubt_goes_to_a_person(user: EndUser, clock: Clock) -> None:
    for name in ("Anna", "Berta", "Clara", "Dora"):
        keep(user, f"My friend {name} lives next to the harbour clinic.", clock())
    by_hand = keep(user, "I drink my coffee without milk.", clock(), is_curated=True)
    also = keep(user, "I drink my coffee without any milk.", clock.advance(days=1), is_curated=True)
    done = run(user, clock)
    assert done.counts["merged"] == 0
    with user_scope(user):
        assert Fact.objects.for_user(user).active().count() == 6
        waiting = FactReview.objects.filter(user=user).values_list("fact_id", "other_id")
        assert list(waiting) == [(also.pk, by_hand.pk)]
    assert run(user, clock).counts == {}


def test_a_later_value_ends_an_earlier_one_and_two_of_one_time_are_doubted(user: EndUser, clock: Clock) -> None:
    old = keep(user, "I live in Leeds.", clock())
    new = keep(user, "I live in York.", clock.advance(days=30))
    one = keep(user, "My dentist is called Weber.", clock())
    two = keep(user, "My dentist is called Lang.", clock())
    done = run(user, clock)
    assert (done.counts["superseded"], done.counts["doubted"]) == (1, 1)
    assert (reload(old).state, old.superseded_by) == (FactState.SUPERSEDED, new.pk)
    assert (reload(one).base_confidence, reload(two).base_confidence) == (0.4, 0.4)
    assert run(user, clock).counts == {}
    review = memory.list_reviews(user, limit=5)[0]
    memory.decide_review(user, review.pk, ReviewDecision.KEEP_BOTH, now=clock())
    assert (reload(one).base_confidence, reload(two).base_confidence) == (0.8, 0.8)
    # Brought back beside what took its place, it is not ended a second time.
    memory.restore_fact(user, old.pk, now=clock())
    assert run(user, clock).counts == {}


def test_a_doubt_goes_with_the_end_of_either_unless_something_moved_the_other(user: EndUser, clock: Clock) -> None:
    weber, lang = (keep(user, f"My dentist is called {name}.", clock()) for name in ("Weber", "Lang"))
    bank, other = (keep(user, f"My bank is called {name}.", clock()) for name in ("Umbra", "Vesta"))
    assert run(user, clock).counts["doubted"] == 2
    memory.confirm_fact(user, other.pk, now=clock())
    for gone in (weber, bank):
        memory.reject_fact(user, gone.pk, now=clock())
    assert (reload(lang).base_confidence, reload(other).base_confidence) == (0.8, 1.0)
    assert memory.list_reviews(user, limit=5) == []
    details = memory.get_fact(user, lang.pk)
    assert details is not None
    last = details.history[0]
    assert (last.kind, last.before, last.after) == ("settled", {"confidence": 0.4}, {"confidence": 0.8})


def test_what_time_has_worn_fades_and_what_lasts_does_not(user: EndUser, clock: Clock) -> None:
    worn = keep(user, "I want to paint the shed.", clock())
    lasting = keep(user, "I am allergic to peanuts.", clock())
    clock.advance(days=120)
    assert run(user, clock, dry_run=True).counts["deprecated"] == 1
    assert run(user, clock).counts["deprecated"] == 1
    assert (reload(worn).state, reload(lasting).state) == (FactState.DEPRECATED, FactState.ACTIVE)
    memory.restore_fact(user, worn.pk, now=clock())
    assert run(user, clock).counts == {}
    assert reload(worn).state == FactState.ACTIVE


def say(user: EndUser, clock: Clock, *messages: str, thread: str = "t") -> list[Any]:
    said = [memory.store_exchange(user, NewExchange(thread, one, "I see."), now=clock()) for one in messages]
    clock.advance(days=1)
    return said


def test_an_episode_supports_what_it_says_and_goes_with_its_words(user: EndUser, clock: Clock) -> None:
    fact = keep(user, "I play the cello in an orchestra.", clock())
    clock.advance(days=1)
    told = fact.statement
    question, said, _ = say(user, clock, "Do I play the cello in an orchestra?", told, "Good.")
    done = run(user, clock)
    assert (done.counts["episodes"], done.counts["supported"]) == (1, 1)
    with user_scope(user):
        episode = FactEpisode.objects.get(user=user)
        assert episode.gist.splitlines()[1] == "I play the cello in an orchestra."
        assert "I see" not in episode.gist
        row = FactEvidence.objects.get(user=user, kind=EvidenceKind.EPISODE)
        assert question.memory_id != row.memory_id
        assert (row.fact_id, row.memory_id) == (fact.pk, said.memory_id)
    assert reload(fact).evidence_count == 2
    assert run(user, clock).counts == {}
    archiving.delete_memories(user, [said.memory_id], now=clock())
    with user_scope(user):
        assert not FactEpisode.objects.filter(user=user).exists()
        assert not FactEvidence.objects.filter(user=user, kind=EvidenceKind.EPISODE).exists()
    assert run(user, clock).counts["episodes"] == 1
    with user_scope(user):
        assert said.memory_id not in FactEpisode.objects.get(user=user).memory_ids


def test_a_run_that_was_cut_off_goes_on_behind_its_last_stage(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(user, "I want to paint the shed.", clock())
    clock.advance(days=120)

    def break_off(work: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setitem(consolidation.STAGES, "fading", break_off)
        with pytest.raises(KeyboardInterrupt):
            run(user, clock)
    with monkeypatch.context() as broken:
        broken.setitem(consolidation.STAGES, "episodes", break_off)
        assert run(user, clock).counts == {"embedded": 1, "deprecated": 1}
    assert [one.state for one in memory.list_runs(user, 5)] == ["done"]


def test_without_an_embedder_the_rest_is_done_and_of_two_runs_one_goes_on(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fact = keep(user, "I want to paint the shed.", clock())
    clock.advance(days=120)

    def fail(*args: object) -> list[Any]:
        raise Unavailable("embedder", "down")

    with monkeypatch.context() as down:
        down.setattr(type(embedder()), "embed_passages", fail)
        done = run(user, clock)
    assert (done.state, done.missing, done.counts) == ("partial", ["embedder"], {"deprecated": 1})
    assert reload(fact).indexing == "pending"
    with monkeypatch.context() as held:
        held.setattr(consolidation, "try_task_lock", lambda name, key: nullcontext(False))
        assert run(user, clock).state == "busy"
    assert run(user, clock).counts == {"embedded": 1}


def test_it_runs_at_night_and_after_missed_nights(user: EndUser, clock: Clock, capsys: pytest.CaptureFixture) -> None:
    night = clock().replace(hour=3)
    EndUser.objects.update(created_at=night)
    assert consolidation.list_due_users(night) == []
    assert consolidation.list_due_users(night + timedelta(days=1)) == [user.pk]
    assert consolidation.list_due_users(night + timedelta(days=1, hours=9)) == []
    assert consolidation.list_due_users(night + timedelta(days=3, hours=9)) == [user.pk]
    clock.now = night + timedelta(days=1)
    keep(user, "I want to paint the shed.", clock() - timedelta(days=200))
    call_command("consolidate", "--dry-run")
    told = capsys.readouterr().out
    assert "would do: 1 deprecated, 1 embedded; 1 users" in told
    # An id alone tells nobody what would fade.
    assert "I want to paint the shed." in told
    assert tasks.consolidate_user(user.pk) == 2
    assert (tasks.consolidate_user(user.pk), tasks.consolidate_user(2**40)) == (0, 0)
    assert consolidation.list_due_users(clock()) == []


def test_over_http_it_takes_the_scope_of_an_administrator(user: EndUser, api: ApiClient, clock: Clock) -> None:
    keep(user, "I want to paint the shed.", clock() - timedelta(days=200))
    planned = api.post("facts/consolidate", {"dry_run": True}).json()
    assert (planned["state"], planned["counts"]) == ("dry_run", {"deprecated": 1, "embedded": 1})
    done = api.post("facts/consolidate").json()
    assert (done["state"], [one["effect"] for one in done["changes"]]) == ("done", ["deprecated"])
    assert api.post("facts/consolidate").json()["counts"] == {}
    assert client_for(user, scopes=("read", "write")).post("facts/consolidate").status_code == 403
    assert ApiClient("nobody", api.key).post("facts/consolidate").json()["changes"] == []


@pytest.fixture
def model(tmp_path: Path, settings: Settings) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


def test_a_language_model_judges_what_waits_once_and_within_its_calls(
    user: EndUser, clock: Clock, model: LanguageModelStub
) -> None:
    pairs = [
        (keep(user, f"My {kin} paints.", clock()), keep(user, f"My {kin} paints a lot.", clock() + timedelta(days=1)))
        for kin in ("aunt", "uncle", "cousin", "niece")
    ]
    by_hand = keep(user, "I sing.", clock(), is_curated=True), keep(user, "I never sing.", clock())
    with user_scope(user):
        for number, (older, newer) in enumerate([*pairs, by_hand]):
            at = clock() + timedelta(seconds=number)
            FactReview.objects.create(user=user, fact=newer, other=older, kind=ReviewKind.UNSURE, created_at=at)
    decisions = ("MERGE", "KEEP_BOTH", "CONTRADICTION", "UNSURE")
    judged = [{"pair": number, "decision": said} for number, said in enumerate(decisions, start=1)]
    model.says("no json", json.dumps({"pairs": [*judged, {"pair": 9, "decision": "MERGE"}]}))
    done = run(user, clock)
    assert (done.model_calls, done.counts["answered"]) == (2, 3)
    states = [(reload(newer).state, reload(older).state) for older, newer in pairs]
    assert states == [("merged", "active"), ("active", "active"), ("active", "superseded"), ("active", "active")]
    assert len(memory.list_reviews(user, limit=9)) == 2
    # Each pair once, and not more than the day's calls.
    assert run(user, clock).model_calls == 0
    with user_scope(user):
        FactReview.objects.update(asked_at=None)
    assert run(user, clock).model_calls == 0
    clock.advance(days=1)
    model.says(json.dumps({"pairs": []}))
    assert (run(user, clock).model_calls, run(user, clock).model_calls) == (1, 0)


def test_facts_that_one_sentence_told_stay_several(user: EndUser, clock: Clock) -> None:
    said = "My sister Inès is pregnant and my son Eoin is 6."
    slots = {
        "sister": ("you", "inès"),
        "has_condition": ("inès", "pregnant"),
        "son": ("you", "eoin"),
        "age": ("eoin", "6"),
    }
    kept = [
        keep(
            user, said, clock(), relation=relation, subject=subject, subject_key=subject, object=value, object_key=value
        )
        for relation, (subject, value) in slots.items()
    ]
    run(user, clock)
    assert {reload(fact).state for fact in kept} == {FactState.ACTIVE}
