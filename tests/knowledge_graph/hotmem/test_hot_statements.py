"""What a turn of several facts asks of the database: each statement is a message, and a turn waits for every one."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from knowledge_graph.hotmem.triples import GivenTriple, import_triples
from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from memory.access.confinement import EVERYTHING
from memory.access.scope import user_scope
from memory.facts import queries
from memory.facts.judgement import TOLD_WITH, list_told_with
from memory.models import EndUser, Fact, FactTombstone
from memory.models.facts import FactState

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

TOLD = "I live in Leeds and my sister Ana lives in York."
CHANGED = "I live in Hull and my sister Ana lives in Bath."


def say(user: EndUser, text: str) -> set[tuple[str, str]]:
    """What the turn ended."""
    result = run_hot_turn(user, NewHotTurn("t", text), now=timezone.now(), actor="test")
    return {(fact.subject_key, fact.object_key) for fact in result.update.superseded}


def list_held(user: EndUser, relation: str) -> set[tuple[str, str]]:
    with user_scope(user):
        facts = Fact.objects.for_user(user).filter(state=FactState.ACTIVE, relation=relation)
        return set(facts.values_list("subject_key", "object_key"))


def test_slots_are_looked_up_once_for_a_turn(user: EndUser) -> None:
    say(user, TOLD)
    with CaptureQueriesContext(connection) as sent:
        ended = say(user, CHANGED)
    assert ended == {("you", "leeds"), ("ana", "york")}
    sent_alone = [one["sql"] for one in sent if "SAVEPOINT" not in one["sql"]]
    assert sum("WITH asked" in sql for sql in sent_alone) == 1
    told = [sql for sql in sent_alone if "webhook" not in sql and "current_setting" not in sql]
    # The conversation, the slots, what is known of the matter and of whom it names, the turn. One by one it was
    # fourteen, and nine while pairs, evidence and the worker's mark waited for an answer.
    assert len(told) <= 5


def test_what_is_said_in_more_words_asks_for_nothing_again(user: EndUser) -> None:
    """The second fact of a sentence asked what the first was worded as, and what else stood in each sentence."""
    known = [GivenTriple("you", "friend_of", "Giulia"), GivenTriple("Giulia", "lives_in", "Bari")]
    import_triples(user, known, now=timezone.now(), actor="test")
    with CaptureQueriesContext(connection) as sent:
        ended = say(user, "My friend Giulia moved to Palermo.")
    assert ended == {("giulia", "bari")}
    assert not any("reworded' AND" in one["sql"] for one in sent)
    assert not any(TOLD_WITH.split("%s")[0].strip() in one["sql"] for one in sent)
    assert list_held(user, "friend_of") == {("you", "giulia")}


def test_a_sentence_is_found_by_its_index(user: EndUser) -> None:
    """Under the policies no index serves but by functions that tell nothing of other people's rows."""
    say(user, TOLD)
    with user_scope(user), connection.cursor() as cursor:
        for way in ("seqscan", "bitmapscan"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
        fact = Fact.objects.for_user(user).get(relation="lives_in", subject_key="ana")
        cursor.execute(f"EXPLAIN {TOLD_WITH}", [user.pk, TOLD, TOLD, fact.pk])
        assert any("fact_sentence" in line for (line,) in cursor.fetchall())
        assert {one.value for one in list_told_with(fact)} == {"leeds", "ana"}


@pytest.mark.parametrize("has_lookup", [True, False])
def test_what_is_looked_up_at_once_is_judged_as_one_by_one(
    user: EndUser, monkeypatch: pytest.MonkeyPatch, has_lookup: bool
) -> None:
    if not has_lookup:
        monkeypatch.setattr("memory.facts.recording.find_slots", lambda *given: queries.FoundSlots())
    say(user, TOLD)
    assert say(user, CHANGED) == {("you", "leeds"), ("ana", "york")}
    # The second sentence finds what the first has just written.
    assert say(user, "I live in Derby. I live in Ripon now.") == {("you", "hull"), ("you", "derby")}
    assert list_held(user, "lives_in") == {("you", "ripon"), ("ana", "bath")}


def test_a_slot_is_found_with_its_sentence_and_what_was_forgotten(user: EndUser) -> None:
    say(user, TOLD)
    with user_scope(user):
        fact = Fact.objects.for_user(user).get(subject_key="ana", relation="lives_in")
        asked = queries.AskedSlot(("ana", "lives_in", "bath"), "x" * 64, timezone.now(), holds_one=True)
        FactTombstone.objects.create(user=user, digest=asked.digest, forgotten_at=timezone.now())
        found = queries.find_slots(user, [asked, replace(asked, digest="y" * 64)], EVERYTHING)
    assert list(found.forgotten.values()) == [True, False]
    assert [fact.object_key for fact in found.facts[asked]] == ["york"]
    assert {one.value for one in found.beside[fact.pk, fact.statement]} == {"leeds", "ana"}
