"""What holds now stands above what has ended, in every tier, and the past is found where it is asked for."""

from collections.abc import Callable

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from memory.retrieval.results import SearchHit, SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db

IndexNow = Callable[[EndUser], None]


def tell(user: EndUser, clock: Clock, *messages: str) -> None:
    """Each in an hour of its own, in a thread of its own, and read at once."""
    for number, message in enumerate(messages):
        memory.store_exchange(user, NewExchange(f"t{number}", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(hours=1)


def ask(user: EndUser, clock: Clock, question: str, tier: Tier | None = None, limit: int = 5) -> list[SearchHit]:
    tiers = frozenset({tier}) if tier else None
    return list(memory.search(user, SearchRequest(question, tiers=tiers, limit=limit), now=clock()).hits)


def place(hits: list[SearchHit], word: str) -> int:
    """Of the first hit that has the word and not the other city."""
    return next(hit.position for hit in hits if word in hit.item.text)


def test_an_exchange_that_told_the_old_value_stands_below_and_says_so(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(user, clock, "I live in Leeds.", "I live in York.")
    index_now(user)
    hits = ask(user, clock, "Where do I live?", Tier.WORKING)

    assert place(hits, "York") < place(hits, "Leeds")
    [old] = [hit for hit in hits if "Leeds" in hit.item.text]
    assert old.superseded_by is not None
    assert old.superseded_by.statement == "I live in York."
    assert old.superseded_by.until is not None
    [new] = [hit for hit in hits if "York" in hit.item.text]
    assert new.superseded_by is None


def test_the_explanation_still_adds_up_to_the_score(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "I live in Leeds, near the mill by the river.", "I live in York.")
    index_now(user)
    for hit in ask(user, clock, "Do I live near the mill by the river?"):
        parts = hit.explain["relevance"] + sum(hit.explain["boosts"].values())
        assert parts == pytest.approx(hit.explain["total"], abs=1e-5)


def test_what_the_words_of_a_question_do_not_find_takes_the_place_of_what_they_find(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(user, clock, "I live in Leeds, near the mill by the river.", "I live in York.")
    for number in range(12):
        memory.store(user, NewMemory(f"The mill by the river opens at {number}"), now=clock())
    index_now(user)
    hits = ask(user, clock, "Do I live near the mill by the river?", limit=14)
    assert place(hits, "York") < place(hits, "Leeds")


def test_what_has_ended_moves_nothing_where_something_else_is_asked(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(
        user, clock, "My sister Chiara lives in Leeds.", "My sister Chiara lives in York.", "Chiara works at Pelham's."
    )
    index_now(user)
    hits = ask(user, clock, "Where does Chiara work?")
    assert "Pelham" in hits[0].item.text
    assert all("ended" not in hit.explain["boosts"] for hit in hits)


def test_a_question_about_the_past_gets_the_past(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "I live in Leeds.", "I live in York.")
    index_now(user)
    hits = ask(user, clock, "Where did I live before?")
    assert place(hits, "Leeds") < place(hits, "York")


def test_a_question_about_the_past_lifts_no_other_past(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "I live in Leeds.", "I live in York.", "I work at Asda.", "I work at Boots now.")
    index_now(user)
    hits = ask(user, clock, "Where did I live before?")
    assert "Leeds" in hits[0].item.text
    [asda] = [hit for hit in hits if "Asda" in hit.item.text and hit.item.tier == Tier.WORKING]
    assert asda.superseded_by is not None
    assert "ended" not in asda.explain["boosts"]


def test_another_fact_of_the_same_turn_is_not_lowered(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "I live in Leeds and my dog is called Rex.", "I live in York.")
    index_now(user)
    hits = ask(user, clock, "What is my dog called?")
    assert "Rex" in hits[0].item.text


def test_nobody_elses_facts_order_a_persons_memories(
    user: EndUser, other_user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(other_user, clock, "I live in Leeds.", "I live in York.")
    tell(user, clock, "I live in Leeds.")
    index_now(user)
    [hit, *_] = ask(user, clock, "Where do I live?")
    assert hit.superseded_by is None


def test_a_fact_with_a_vector_of_another_model_costs_no_search(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(user, clock, "I live in Leeds and my dog is called Rex.", "I live in York.")
    index_now(user)
    with user_scope(user):
        Fact.objects.for_user(user).update(vector=[0.6, 0.8], model="an earlier one")
    hits = ask(user, clock, "Where do I live?")
    assert any("York" in hit.item.text for hit in hits)


def first_told(user: EndUser, clock: Clock, question: str) -> str:
    return ask(user, clock, question)[0].item.text


def test_a_later_value_that_names_no_change_of_what_comes_before_the_one_it_changes(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(
        user,
        clock,
        "I swim thirty lengths before work.",
        "Which goggles don't fog up?",
        "Forty lengths now, I got quicker.",
    )
    index_now(user)
    hits = ask(user, clock, "How many lengths do I swim?")
    assert "orty lengths" in hits[0].item.text
    for hit in hits:
        parts = hit.explain["relevance"] + sum(hit.explain["boosts"].values())
        assert parts == pytest.approx(hit.explain["total"], abs=1e-5)


@pytest.mark.parametrize(
    "later",
    [
        "One day I'd love to live in Turku.",
        "My sister lives in Turku with her twins.",
        "Where in Turku can one live cheaply?",
    ],
)
def test_plans_others_and_questions_do_not_come_before_what_is_so(
    user: EndUser, clock: Clock, index_now: IndexNow, later: str
) -> None:
    tell(user, clock, "I live in Vaasa, above the old bakery.", later)
    index_now(user)
    assert "Vaasa" in first_told(user, clock, "Where do I live?")


def test_what_was_told_last_of_another_matter_does_not_come_first(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(
        user,
        clock,
        "My dentist is Dr Okonjo on Mill Street.",
        "Our bins are emptied on Fridays now.",
        "I painted the shed green.",
        "The choir sings Fauré this term.",
        "I've started baking with rye.",
    )
    index_now(user)
    assert "Okonjo" in first_told(user, clock, "Who is my dentist?")


@pytest.mark.parametrize("later", ["I sold the old bicycle for 90 euros.", "The tomatoes got blight, all of them."])
def test_what_shares_nothing_leads_past_nothing_that_is_far_nearer(
    user: EndUser, clock: Clock, index_now: IndexNow, later: str
) -> None:
    tell(user, clock, "You get the password of the portal from Hilary, the porter.", later)
    index_now(user)
    assert "Hilary" in first_told(user, clock, "Who is the porter?")


def test_a_fact_of_the_relation_asked_for_leads_past_nothing_that_is_far_nearer(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(user, clock, "My doctor is Dr Pell.", "I swam 1,500 metres this morning.")
    memory.store(user, NewMemory("The physio is at 12 Lilac Street, Hugh has the code of the gate"), now=clock())
    index_now(user)
    assert "Lilac" in ask(user, clock, "Where is the physio?")[0].item.text


def test_whoever_asks_for_a_phone_finds_what_is_called_by_its_make(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    tell(user, clock, "My Fairphone dies before lunch every day.", "My Yaris passed its MOT, champagne!")
    index_now(user)
    for question, thing in (("What phone do I have?", "Fairphone"), ("Che macchina ho?", "Yaris")):
        [first, *others] = ask(user, clock, question)
        assert thing in first.item.text
        assert "asked_fact" in first.explain["boosts"]
        assert not [one for one in others if thing not in one.item.text and "asked_fact" in one.explain["boosts"]]


def test_a_newer_statement_of_another_matter_takes_nothing_back(
    user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    # Both are tagged as of health, and the later one tells a change.
    tell(user, clock, "Sono celiaca.", "Prendo l'Eutirox 75.", "L'endocrinologa ha cambiato l'Eutirox, ora 100.")
    index_now(user)
    for hit in ask(user, clock, "Che intolleranza ho?", Tier.MEMORY_BANK):
        if "celiaca" in hit.item.text:
            assert "superseded" not in hit.explain["boosts"]
            break
    else:
        pytest.fail("what was told is not in the bank")


def test_where_a_partner_works_is_told_by_their_name(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "My partner is called Davide.", "I work at Pelham's.", "Davide works at Ducati.")
    index_now(user)
    hits = ask(user, clock, "Where does my partner work?")
    assert "Ducati" in hits[0].item.text
    assert all("asked_fact" not in hit.explain["boosts"] for hit in hits if "Pelham" in hit.item.text)
