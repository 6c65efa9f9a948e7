"""What an operator sees of a person's facts and does about them: confirm, correct, reject, undo, forget."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.access.scope import user_scope
from memory.console.facts import PAGE
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, FactEvent, FactRun, MemoryItem
from memory.models.facts import FactState
from memory.tiers import Status
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange, StoredExchange
from tests.memory.console.conftest import Console
from tests.memory.console.test_undo_in_messages import take_back

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def state(user: EndUser, statement: str, days_ago: float = 0) -> Fact:
    now = timezone.now()
    fact = memory.state_fact(user, statement, now=now, said_at=now - timedelta(days=days_ago)).fact
    assert fact is not None
    return fact


def reload_fact(fact: Fact) -> Fact:
    with user_scope(fact.user):
        return Fact.objects.get(pk=fact.pk)


def load_bank_status(fact: Fact) -> str:
    item_id = reload_fact(fact).bank_item_id
    assert item_id is not None
    with user_scope(fact.user):
        return MemoryItem.objects.get(pk=item_id).status


def tell(user: EndUser, message: str) -> StoredExchange:
    stored = memory.store_exchange(user, NewExchange("kitchen", message, "I see."), now=timezone.now())
    profiling.profile_due_exchanges(user, now=timezone.now())
    return stored


def read(console: Console, path: str, **asked: str) -> str:
    return console.get(path, asked).content.decode()


def test_facts_stand_by_subject_the_person_first_then_people_animals_things(
    console: Console, user: EndUser, place: str
) -> None:
    for statement in (
        "My cat Mimi is 12 years old.",
        "My sister lives in Berlin.",
        "I live in York.",
    ):
        state(user, statement)
    page = read(console, f"{place}/facts")
    order = [page.index(f"<bdi hx-disable>{name}</bdi>") for name in ("ann", "Sister", "Mimi")]
    assert order == sorted(order)
    assert "person · 1 fact" in page
    assert "animal · 1 fact" in page


def test_what_is_denied_or_over_is_told_before_its_relation(console: Console, user: EndUser, place: str) -> None:
    denied, over = state(user, "I'm not allergic to nuts."), state(user, "I no longer work at the harbour.")
    page = read(console, f"{place}/facts")
    assert '<span class="relation">not allergic to</span>' in page
    assert '<span class="relation">no longer works at</span>' in page
    assert "<dd>not allergic to</dd>" in read(console, f"{place}/facts/{denied.pk}")
    assert "<dd>no longer works at</dd>" in read(console, f"{place}/facts/{over.pk}")


def test_a_line_tells_relation_confidence_its_grounds_and_since_when(
    console: Console, user: EndUser, place: str
) -> None:
    state(user, "I live in York.", days_ago=40)
    state(user, "I live in York.", days_ago=2)
    page = read(console, f"{place}/facts")
    since = timezone.now() - timedelta(days=40)
    for said in (
        "lives in",
        ">York</bdi>",
        f"since {since.day} {since:%B %Y}",
        "2 pieces of evidence, last seen",
        "2 days ago",
        "does not fade",
        'aria-label="confidence"',
        "0.93",
    ):
        assert said in page


def test_what_was_superseded_is_listed_apart_with_what_came_then(console: Console, user: EndUser, place: str) -> None:
    old, new = state(user, "I live in Leeds.", days_ago=30), state(user, "I live in York.", days_ago=3)
    assert "Leeds" not in read(console, f"{place}/facts")
    page = read(console, f"{place}/facts", state="superseded")
    until = timezone.now() - timedelta(days=3)
    assert f"until {until.day} {until:%B %Y}, then:" in page
    assert f"{place}/facts/{new.pk}" in page
    assert ">Superseded</span>" in page
    everything = read(console, f"{place}/facts", state="all")
    assert f"{place}/facts/{old.pk}" in everything
    assert f"{place}/facts/{new.pk}" in everything


def test_a_day_shows_what_held_then(console: Console, user: EndUser, place: str) -> None:
    state(user, "I live in Leeds.", days_ago=30)
    state(user, "I live in York.", days_ago=3)
    day = (timezone.now() - timedelta(days=10)).date().isoformat()
    page = read(console, f"{place}/facts", as_of=day)
    assert "I live in Leeds." in page
    assert "1 fact listed" in page
    answer = console.get(f"{place}/facts", {"as_of": "the other day"})
    assert (answer.status_code, b"As of: Enter a valid date." in answer.content) == (422, True)


def test_words_narrow_the_list_and_an_empty_one_says_how_facts_come_about(
    console: Console, user: EndUser, place: str
) -> None:
    assert "Facts are read from what the person says" in read(console, f"{place}/facts")
    state(user, "I live in York.")
    state(user, "I am allergic to cashews.")
    page = read(console, f"{place}/facts", q="cashew")
    assert "cashews" in page
    assert "York" not in page
    assert "No fact fits" in read(console, f"{place}/facts", q="zebra")
    assert "Nothing is rejected" in read(console, f"{place}/facts", state="retracted")


def test_a_long_list_comes_in_pages_without_losing_or_doubling_a_fact(
    console: Console, user: EndUser, place: str
) -> None:
    insert_facts(user, PAGE + 7)
    first = read(console, f"{place}/facts")
    assert f'href="?from={PAGE}"' in first
    second = console.part(f"{place}/facts?from={PAGE}").content.decode()
    assert "<html" not in second
    assert "ann</bdi>, continued" in second
    found = [n for n in range(PAGE + 7) for page in (first, second) if f"Habit number {n} of mine." in page]
    assert sorted(found) == list(range(PAGE + 7))
    assert "End of the list" in read(console, f"{place}/facts", **{"from": "900"})
    assert "Habit" in read(console, f"{place}/facts", **{"from": "9" * 40})


def insert_facts(user: EndUser, number: int) -> None:
    now = timezone.now()
    with user_scope(user):
        Fact.objects.bulk_create(
            Fact(
                user=user,
                subject="you",
                subject_key="you",
                relation="about",
                statement=f"Habit number {n} of mine.",
                base_confidence=0.8,
                evidence_at=now,
                valid_from=now,
                first_seen=now,
                last_seen=now - timedelta(minutes=n),
            )
            for n in range(number)
        )


def test_a_fact_shows_its_evidence_its_history_and_its_place_in_the_bank(
    console: Console, user: EndUser, place: str
) -> None:
    stored = tell(user, "I live in Leeds.")
    tell(user, "I live in York now.")
    with user_scope(user):
        old, new = Fact.objects.get(object_key="leeds"), Fact.objects.exclude(object_key="leeds").get()
    page = read(console, f"{place}/facts/{old.pk}")
    assert f"/conversations?thread=kitchen&amp;exchange={stored.exchange_id}#exchange-{stored.exchange_id}" in page
    assert f"{place}/memories/{stored.memory_id}" in page
    assert "Said in a conversation" in page
    assert "User: I live in Leeds." in page
    assert "It was true until" in page
    assert f"{place}/facts/{new.pk}" in page
    assert "a later statement" in page
    assert f"{place}/memories/{old.bank_item_id}" in page
    # What led to it stands on the page of what holds now too.
    assert f"{place}/facts/{old.pk}" in read(console, f"{place}/facts/{new.pk}")


def test_a_memory_names_its_facts_and_what_superseded_them(console: Console, user: EndUser, place: str) -> None:
    stored = tell(user, "I live in Leeds.")
    page = read(console, f"{place}/memories/{stored.memory_id}")
    assert "that it is evidence for" in page
    assert "<strong>Superseded</strong>" not in page
    tell(user, "I live in York.")
    tell(user, "I live in Hull.")
    page = read(console, f"{place}/memories/{stored.memory_id}")
    banner = page[page.index("<strong>Superseded</strong>") :].split("</div>")[0]
    assert "since " in banner
    assert "I live in Hull." in banner


def test_confirming_makes_it_certain_and_is_written_down(console: Console, user: EndUser, place: str) -> None:
    fact = state(user, "I play the cello.")
    page = console.post(f"{place}/facts/{fact.pk}/confirm", follow=True).content.decode()
    assert "The fact was confirmed" in page
    assert "1.00" in page
    assert reload_fact(fact).is_confirmed
    with user_scope(user):
        assert FactEvent.objects.get(fact=fact, kind="confirmed").actor == "operator:olga"
    assert ">Confirmed</span>" in read(console, f"{place}/facts")


def test_rejecting_takes_it_out_of_facts_and_bank_and_undoing_brings_both_back(
    console: Console, user: EndUser, place: str
) -> None:
    tell(user, "I live in Leeds.")
    with user_scope(user):
        fact = Fact.objects.get()
    assert load_bank_status(fact) == Status.ACTIVE
    page = console.post(f"{place}/facts/{fact.pk}/reject", follow=True).content.decode()
    assert "It was never true" in page
    assert reload_fact(fact).state == FactState.RETRACTED
    assert load_bank_status(fact) == Status.ARCHIVED
    assert "Leeds" not in read(console, f"{place}/facts")
    assert "Leeds" in read(console, f"{place}/facts", state="retracted")

    page = console.post(f"{place}/facts/{fact.pk}/restore", follow=True).content.decode()
    assert "The fact is current again." in page
    assert "What took its place" not in page
    assert reload_fact(fact).state == FactState.ACTIVE
    assert load_bank_status(fact) == Status.ACTIVE


def test_rejecting_what_replaced_another_brings_that_back_and_its_page_says_so(
    console: Console, user: EndUser, place: str
) -> None:
    old, new = state(user, "I live in Leeds.", days_ago=9), state(user, "I live in York.", days_ago=6)
    assert "Then:" in read(console, f"{place}/facts/{old.pk}")
    page = console.post(f"{place}/facts/{new.pk}/reject", follow=True).content.decode()
    assert "What it had replaced is current again." in page
    assert reload_fact(old).state == FactState.ACTIVE
    page = read(console, f"{place}/facts/{old.pk}")
    assert "Then:" not in page
    assert "what replaced it was rejected" in page

    # As in what earlier releases wrote: ended by a fact that was rejected since.
    with user_scope(user):
        Fact.objects.filter(pk=old.pk).update(state=FactState.SUPERSEDED, superseded_by=new.pk)
    assert "What took its place was rejected since:" in read(console, f"{place}/facts/{old.pk}")


def test_a_true_sentence_is_kept_without_what_was_read_into_it(console: Console, user: EndUser, place: str) -> None:
    state(user, "I live in Leeds.", days_ago=9)
    fact = state(user, "I live in York.", days_ago=6)
    own = f"{place}/facts/{fact.pk}"
    assert "Only the reading is wrong" in read(console, own)
    page = console.post(f"{own}/reading", follow=True).content.decode()
    assert "without what was read into it" in page
    assert "Kept as a plain statement" in page
    assert "Only the reading is wrong" not in page
    held = read(console, f"{place}/facts")
    assert "I live in Leeds." in held
    assert "I live in York." in held
    assert "as it was before" in console.post(f"{own}/undo", follow=True).content.decode()
    assert reload_fact(fact).relation == "lives_in"


def test_undoing_says_so_when_the_same_holds_already(console: Console, user: EndUser, place: str) -> None:
    old = state(user, "I live in Leeds.", days_ago=9)
    state(user, "I live in York.", days_ago=6)
    state(user, "We live in Leeds.", days_ago=3)
    page = console.post(f"{place}/facts/{old.pk}/restore", follow=True).content.decode()
    assert "Not undone" in page
    assert reload_fact(old).state == FactState.SUPERSEDED


def test_correcting_changes_words_and_days_and_keeps_the_old_words(console: Console, user: EndUser, place: str) -> None:
    fact = state(user, "I live in Leads.")
    path = f"{place}/facts/{fact.pk}/correct"
    assert "I live in Leads." in read(console, path)
    given = {"statement": "I live in Leeds.", "valid_from": "2026-05-03", "valid_to": "", "revision": fact.revision}
    page = console.post(path, given, follow=True).content.decode()
    assert "The fact was corrected." in page
    assert "since 3 May 2026" in page
    assert "<del>Leads</del><ins>Leeds</ins>" in page
    changed = reload_fact(fact)
    assert (changed.statement, changed.object_key, changed.valid_to) == ("I live in Leeds.", "leeds", None)

    later = timezone.now() + timedelta(days=400)
    given |= {"valid_to": later.date().isoformat(), "revision": changed.revision}
    assert f"until {later.day} {later:%B %Y}" in console.post(path, given, follow=True).content.decode()
    given |= {"valid_to": "", "revision": reload_fact(fact).revision}
    console.post(path, given)
    assert reload_fact(fact).valid_to is None


def test_a_day_in_the_past_ends_a_fact_and_undoing_makes_it_endless(
    console: Console, user: EndUser, place: str
) -> None:
    fact = state(user, "I live in Leeds.", days_ago=30)
    ended = (timezone.now() - timedelta(days=2)).date()
    given = {"statement": fact.statement, "valid_from": "2020-05-03", "valid_to": ended, "revision": fact.revision}
    page = console.post(f"{place}/facts/{fact.pk}/correct", given, follow=True).content.decode()
    assert f"It was true until {ended.day} {ended:%B %Y}." in page
    console.post(f"{place}/facts/{fact.pk}/restore")
    changed = reload_fact(fact)
    assert (changed.state, changed.valid_to) == (FactState.ACTIVE, None)


def test_what_has_ended_is_said_by_its_day_and_called_ended(console: Console, user: EndUser, place: str) -> None:
    fact, today = state(user, "I live in Leeds.", days_ago=30), timezone.localdate()
    own = f"{place}/facts/{fact.pk}"
    assert "It has ended" in read(console, own)
    assert f'value="{today.isoformat()}"' in read(console, f"{own}/end")
    given: dict[str, object] = {"until": "2001-01-01", "revision": fact.revision}
    assert console.post(f"{own}/end", given).status_code == 422
    page = console.post(f"{own}/end", given | {"until": today.isoformat()}, follow=True).content.decode()
    assert "The fact has ended." in page
    assert "Ended." in page
    assert "Superseded" not in page
    assert "None" not in page
    assert reload_fact(fact).state == FactState.SUPERSEDED
    # What the message offers takes the end back.
    assert f'action="{own}/restore"' in page
    console.post(f"{own}/restore")
    assert reload_fact(fact).valid_to is None
    later = today + timedelta(days=40)
    given = {"until": later.isoformat(), "revision": reload_fact(fact).revision}
    assert "The fact ends after" in console.post(f"{own}/end", given, follow=True).content.decode()
    assert f"until {later.day}" in read(console, own)
    # An end that was told ahead comes back with the one that is taken back.
    given = {"until": today.isoformat(), "revision": reload_fact(fact).revision}
    take_back(console, console.post(f"{own}/end", given, follow=True).content.decode())
    assert f"until {later.day}" in read(console, own)
    assert reload_fact(fact).state == FactState.ACTIVE


def test_a_relation_told_with_a_colon_stands_without_it(console: Console, user: EndUser, place: str) -> None:
    fact = state(user, "My mother is called Rivka.")
    page = read(console, f"{place}/facts/{fact.pk}")
    assert "Relation</dt><dd>" in page
    assert ":</dd>" not in page


def test_undoing_a_correction_leaves_no_wording_of_a_person(console: Console, user: EndUser, place: str) -> None:
    tell(user, "I live in Leads.")
    with user_scope(user):
        fact = Fact.objects.get()
    own = f"{place}/facts/{fact.pk}"
    given = {"statement": "I live in Leeds.", "valid_from": "2026-05-03", "valid_to": "", "revision": fact.revision}
    page = console.post(f"{own}/correct", given, follow=True).content.decode()
    assert reload_fact(fact).is_curated
    assert f'action="{own}/undo"' in page
    console.post(f"{own}/undo")
    changed = reload_fact(fact)
    assert (changed.statement, changed.is_curated) == ("I live in Leads.", False)


def test_a_correction_is_refused_at_its_field(console: Console, user: EndUser, place: str) -> None:
    fact = state(user, "I live in Leeds.")
    path = f"{place}/facts/{fact.pk}/correct"
    good = {"statement": "I live in Leeds.", "valid_from": "2026-05-03", "valid_to": "", "revision": fact.revision}
    for wrong, said in (
        ({"statement": " "}, "This field is required."),
        ({"statement": "My password is the name of my dog"}, "no fact about a person"),
        ({"valid_from": "soon"}, "Enter a valid date."),
        ({"valid_to": "2026-05-02"}, "before the day from which it is true"),
        ({"revision": fact.revision + 1}, "changed while you were writing"),
    ):
        for send in (console.post, console.post_part):
            answer = send(path, {**good, **wrong})
            assert (answer.status_code, said in answer.content.decode()) == (422, True), wrong
    assert reload_fact(fact).revision == fact.revision


def test_correcting_to_what_another_fact_says_makes_them_one(console: Console, user: EndUser, place: str) -> None:
    kept, fact = state(user, "I am allergic to cashews."), state(user, "I am allergic to pistachios.")
    path = f"{place}/facts/{fact.pk}/correct"
    day = timezone.now().date().isoformat()
    given = {"statement": "I'm allergic to cashews.", "valid_from": day, "revision": fact.revision}
    page = console.post(path, given, follow=True).content.decode()
    assert "the two are one now" in page
    assert (reload_fact(fact).state, reload_fact(fact).merged_into) == (FactState.MERGED, kept.pk)
    assert reload_fact(kept).evidence_count == 2


def test_forgetting_asks_first_and_leaves_nothing(console: Console, user: EndUser, place: str) -> None:
    tell(user, "I live in Leeds.")
    with user_scope(user):
        fact = Fact.objects.get()
    path = f"{place}/facts/{fact.pk}/forget"
    for ask in (console.get, console.part):
        assert "Forget this for good?" in ask(path).content.decode()
    assert reload_fact(fact).state == FactState.ACTIVE
    page = console.post(path, follow=True).content.decode()
    assert "The fact was forgotten." in page
    assert "Leeds" not in page
    assert reload_fact(fact).statement == ""
    assert console.get(f"{place}/facts/{fact.pk}").status_code == 404
    assert "Leeds" not in read(console, f"{place}/facts", state="all")
    with user_scope(user):
        assert not MemoryItem.objects.filter(text__startswith="I live").exists()


def test_the_overview_counts_facts_and_leads_to_them(console: Console, user: EndUser, place: str) -> None:
    assert "No fact is known yet" in read(console, place)
    state(user, "I live in Leeds.", days_ago=3)
    state(user, "I live in York.")
    page = read(console, place)
    assert "1 current" in page
    assert "1 superseded" in page
    assert f'href="{place}/facts"' in page


def test_it_asks_the_database_no_oftener_for_many_facts_than_for_few(
    console: Console, user: EndUser, place: str
) -> None:
    asked = []
    for statements in (
        ["I live in Leeds.", "I live in York."],
        ["I live in Hull.", "My sister lives in Oslo.", "My cat Mimi is 12 years old.", "I play the cello."],
    ):
        for statement in statements:
            state(user, statement)
        console.get(f"{place}/facts")
        with CaptureQueriesContext(connection) as queries:
            console.get(f"{place}/facts", {"state": "all"})
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_the_last_night_stands_above_the_facts_and_each_on_a_page(console: Console, user: EndUser, place: str) -> None:
    assert "No night yet" in console.get(f"{place}/facts/nights").content.decode()
    assert "Last consolidated" not in console.get(f"{place}/facts").content.decode()
    with user_scope(user):
        FactRun.objects.create(
            user=user, state="done", counts={"merged": 2, "deprecated": 1}, finished_at=timezone.now()
        )
    page = console.get(f"{place}/facts").content.decode()
    assert "1 fact faded, 2 facts merged" in page
    assert f"{place}/facts/nights" in page
    with user_scope(user):
        FactRun.objects.update(state="partial", missing=["embedder"], counts={})
    nights = console.get(f"{place}/facts/nights").content.decode()
    assert "partly done" in nights
    assert "without Embedding model" in nights
    assert "nothing to do" in nights


def test_what_has_faded_or_was_merged_is_listed_apart(console: Console, user: EndUser, place: str) -> None:
    keep_fact = memory.state_fact(user, "I want to paint the shed.", now=timezone.now()).fact
    assert keep_fact is not None
    with user_scope(user):
        Fact.objects.filter(pk=keep_fact.pk).update(state=FactState.DEPRECATED)
    assert "paint the shed" in console.get(f"{place}/facts", {"state": "deprecated"}).content.decode()
    assert "paint the shed" not in console.get(f"{place}/facts", {"state": "merged"}).content.decode()
