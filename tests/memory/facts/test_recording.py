"""What a statement does to what was known, through the verbs of the product and a conversation."""

from datetime import timedelta

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts import changes
from memory.facts.queries import FactFilter
from memory.models import EndUser, Fact, FactEvidence, MemoryItem
from memory.models.facts import FactState
from memory.store import archiving
from memory.tiers import Status, Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange, StoredExchange
from outcomes.models import Exchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def tell(user: EndUser, message: str, clock: Clock, thread: str = "t") -> StoredExchange:
    stored = memory.store_exchange(user, NewExchange(thread, message, "I see."), now=clock())
    profiling.profile_due_exchanges(user, now=clock())
    return stored


def held(user: EndUser, clock: Clock, **wanted: object) -> list[str]:
    found = memory.list_facts(user, FactFilter(**{"state": FactState.ACTIVE, **wanted}), now=clock(), limit=50)  # type: ignore[arg-type]
    return [fact.statement for fact in found]


def bank(user: EndUser) -> list[str]:
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
        return sorted(items.values_list("text", flat=True))


def test_a_new_home_supersedes_the_old_one_in_facts_and_bank(user: EndUser, clock: Clock) -> None:
    tell(user, "I live in Leeds.", clock)
    clock.advance(days=3)
    moved = clock()
    tell(user, "I live in York.", clock)

    assert held(user, clock, relation="lives_in") == ["I live in York."]
    assert bank(user) == ["I live in York."]
    with user_scope(user):
        old = Fact.objects.for_user(user).get(object_key="leeds")
        new = Fact.objects.for_user(user).get(object_key="york")
        archived = MemoryItem.objects.for_user(user).get(text="I live in Leeds.")
    assert (old.state, old.superseded_by, old.valid_to) == (FactState.SUPERSEDED, new.pk, moved)
    assert archived.status == Status.ARCHIVED
    before = memory.list_facts(user, FactFilter(as_of=moved - timedelta(days=1)), now=clock(), limit=5)
    assert [fact.statement for fact in before] == ["I live in Leeds."]


@pytest.mark.parametrize(
    ("before", "after", "home"),
    [
        ("Moro em Recife.", "Me mudei pra Curitiba mês passado por causa do trabalho.", "curitiba"),
        ("אני גרה בחיפה עם בן הזוג שלי יואב.", "עברנו לנהריה בשבוע שעבר.", "נהריה"),
        ("I live in Leeds with my partner Jo.", "I moved to York last week because of work.", "york"),
    ],
)
def test_what_else_a_sentence_tells_keeps_no_former_home(
    user: EndUser, clock: Clock, before: str, after: str, home: str
) -> None:
    tell(user, before, clock, "one")
    clock.advance(days=3)
    tell(user, after, clock, "two")
    with user_scope(user):
        homes = Fact.objects.for_user(user).active().filter(relation="lives_in", subject_key="you")
        assert [fact.object_key.split()[0] for fact in homes] == [home]


def test_no_medicine_is_told_with_the_dose_it_had_before(user: EndUser, clock: Clock) -> None:
    tell(user, "I take cetirizine 10 mg every morning.", clock, "one")
    assert bank(user) == ["I take cetirizine 10 mg every morning."]
    clock.advance(days=3)
    tell(user, "update: doctor doubled my cetirizine, it's 20 mg now", clock, "two")
    assert not [text for text in (*bank(user), *held(user, clock)) if "10 mg" in text]
    assert len(held(user, clock, relation="takes")) == 1
    assert any("20 mg" in text for text in bank(user))


def test_a_thing_that_is_only_named_is_a_fact_and_no_memory_of_its_own(user: EndUser, clock: Clock) -> None:
    for question in ("Where did I leave my bicycle?", "Will my Passat pass the inspection?"):
        clock.advance(minutes=1)
        tell(user, question, clock)

    assert held(user, clock) == ["My Passat.", "My bicycle."]
    assert bank(user) == ["My Passat."]


def test_the_same_words_again_are_evidence_and_no_second_fact(user: EndUser, clock: Clock) -> None:
    tell(user, "I am allergic to peanuts.", clock)
    clock.advance(days=1)
    tell(user, "I am allergic to peanuts.", clock, thread="other")
    with user_scope(user):
        fact = Fact.objects.for_user(user).get()
        assert (fact.evidence_count, FactEvidence.objects.filter(user=user).count()) == (2, 2)
        assert fact.base_confidence > 0.9


def test_reading_an_exchange_again_changes_nothing(user: EndUser, clock: Clock) -> None:
    tell(user, "I live in Leeds.", clock)
    tell(user, "I live in York.", clock)
    with user_scope(user):
        before = list(Fact.objects.for_user(user).order_by("pk").values())
        Exchange.objects.filter(user=user).update(profiled_at=None, profile_attempts=0)
    assert profiling.profile_due_exchanges(user, now=clock()) == 2
    with user_scope(user):
        assert list(Fact.objects.for_user(user).order_by("pk").values()) == before


def test_deleting_the_memory_takes_the_fact_that_rested_on_it(user: EndUser, clock: Clock) -> None:
    stored = tell(user, "I live in Leeds.", clock)
    assert memory.remove(user, stored.memory_id, now=clock())
    assert held(user, clock) == []
    assert bank(user) == []
    with user_scope(user):
        assert not Fact.objects.for_user(user).exists()


def test_what_is_forgotten_is_not_learned_again_from_the_same_turn(user: EndUser, clock: Clock) -> None:
    tell(user, "I live in Leeds.", clock)
    [fact] = memory.list_facts(user, FactFilter(), now=clock(), limit=5)
    clock.advance(minutes=1)
    assert memory.forget_fact(user, fact.pk, now=clock())
    with user_scope(user):
        Exchange.objects.filter(user=user).update(profiled_at=None, profile_attempts=0)
    profiling.profile_due_exchanges(user, now=clock())
    assert held(user, clock) == []
    assert bank(user) == []
    clock.advance(minutes=1)
    tell(user, "I live in Leeds.", clock, thread="later")
    assert held(user, clock) == ["I live in Leeds."]


def test_archiving_the_bank_item_rejects_the_fact_and_restoring_it_brings_it_back(user: EndUser, clock: Clock) -> None:
    tell(user, "I live in Leeds.", clock)
    [fact] = memory.list_facts(user, FactFilter(), now=clock(), limit=5)
    assert fact.bank_item_id is not None
    memory.archive(user, fact.bank_item_id, now=clock())
    assert held(user, clock) == []
    memory.restore(user, fact.bank_item_id, now=clock())
    assert held(user, clock) == ["I live in Leeds."]


def read_everything_again(user: EndUser, clock: Clock) -> None:
    with user_scope(user):
        Exchange.objects.filter(user=user).update(profiled_at=None, profile_attempts=0)
    while profiling.profile_due_exchanges(user, now=clock()):
        pass


@pytest.mark.parametrize(
    "said",
    [
        ("I live in Leeds.", "I live in leeds, near the river.", "I live in York."),
        ("I am allergic to peanuts.", "I am really allergic to peanuts, you know.", "I am allergic to eggs and nuts."),
        ("I am vegetarian.", "I have been a vegetarian for ten years."),
        ("I like tea.", "I like green tea in the morning."),
        ("My sister Ines lives in Hull.", "My sister Ines lives in Hull with her two cats."),
    ],
)
def test_what_was_said_in_other_words_or_has_ended_is_not_learned_again(
    user: EndUser, clock: Clock, said: tuple[str, ...]
) -> None:
    for message in said:
        clock.advance(days=1)
        tell(user, message, clock)
    with user_scope(user):
        before = [list(model.objects.filter(user=user).order_by("pk").values()) for model in (Fact, FactEvidence)]
    clock.advance(days=1)
    read_everything_again(user, clock)
    with user_scope(user):
        after = [list(model.objects.filter(user=user).order_by("pk").values()) for model in (Fact, FactEvidence)]
    assert after == before


def test_what_was_said_again_since_is_not_ended_by_what_comes_in_late(user: EndUser, clock: Clock) -> None:
    began = clock()
    tell(user, "I live in Leeds.", clock)
    clock.advance(days=10)
    tell(user, "I live in Leeds.", clock, thread="later")
    late = memory.state_fact(user, "I live in York.", said_at=began + timedelta(days=5), now=clock())
    assert late.fact is not None
    assert late.fact.state == FactState.SUPERSEDED
    assert held(user, clock, relation="lives_in") == ["I live in Leeds."]


@pytest.mark.parametrize(
    "later",
    [
        "My brother Sam lives in Toronto.",
        "My company is called Silverkey.",
        "Morning coffee for me is a flat white.",
        "I might move to Hull one day.",
        "We adopted a kitten called Mops.",
    ],
)
def test_what_has_nothing_to_do_with_it_ends_nothing(user: EndUser, clock: Clock, later: str) -> None:
    for before in ("I live in Leeds.", "I work at the city library.", "My cat Tibbles hates Mondays."):
        tell(user, before, clock)
    clock.advance(days=1)
    tell(user, later, clock)
    with user_scope(user):
        assert not Fact.objects.for_user(user).filter(state=FactState.SUPERSEDED).exists()


def test_an_announced_end_closes_what_it_names(user: EndUser, clock: Clock) -> None:
    tell(user, "I drive a Skoda.", clock)
    clock.advance(days=1)
    tell(user, "I sold the Skoda last week.", clock)
    with user_scope(user):
        [old] = Fact.objects.for_user(user).filter(state=FactState.SUPERSEDED)
    assert "drive" in old.statement


def test_another_fact_of_the_same_sentence_outlives_the_one_that_ended(user: EndUser, clock: Clock) -> None:
    tell(user, "I live in Leeds with my dog Rex.", clock)
    clock.advance(days=1)
    tell(user, "We finally moved, I live in York now.", clock)
    with user_scope(user):
        closed = Fact.objects.for_user(user).filter(state=FactState.SUPERSEDED)
        assert set(closed.values_list("object_key", flat=True)) == {"leeds"}
        assert Fact.objects.for_user(user).active().filter(object_key="rex").exists()


def list_closed(user: EndUser) -> set[str]:
    with user_scope(user):
        closed = Fact.objects.for_user(user).filter(state=FactState.SUPERSEDED)
        return set(closed.values_list("statement", flat=True))


def test_a_new_value_without_its_slot_ends_the_nearest_that_it_fits(user: EndUser, clock: Clock) -> None:
    tell(user, "My gym is the Pulse on Dock Road.", clock)
    clock.advance(days=1)
    tell(user, "I bake rye bread on Sundays.", clock)
    clock.advance(days=1)
    tell(user, "The gym moved me to the Iron Works, half the price.", clock)
    assert list_closed(user) == {"My gym is the Pulse on Dock Road."}


@pytest.mark.parametrize(
    "later",
    [
        "My brother's gym is the Iron Works now.",
        "I might switch to the gym at the Iron Works next year.",
        "I also joined a second gym, the Iron Works.",
    ],
)
def test_what_others_do_plans_and_a_second_one_end_nothing(user: EndUser, clock: Clock, later: str) -> None:
    tell(user, "My gym is the Pulse on Dock Road.", clock)
    clock.advance(days=1)
    tell(user, later, clock)
    assert list_closed(user) == set()


def test_news_of_another_matter_ends_nothing_though_nothing_else_is_known(user: EndUser, clock: Clock) -> None:
    tell(user, "My gym is the Pulse on Dock Road.", clock)
    clock.advance(days=1)
    tell(user, "I've started reading Saramago now.", clock)
    assert list_closed(user) == set()


def test_a_remark_that_likely_speaks_of_a_fact_is_kept_beside_it_for_a_person_to_decide(
    user: EndUser, clock: Clock
) -> None:
    tell(user, "My rent is nine hundred a month.", clock)
    clock.advance(days=1)
    tell(user, "Make that nine sixty, the letter came.", clock)
    with user_scope(user):
        known = " ".join(MemoryItem.objects.for_user(user).active().values_list("text", flat=True))
    assert "nine sixty" in known


@pytest.mark.parametrize(
    ("earlier", "later", "value"),
    [
        ("We rent a flat in Selby.", "keys at last, we have our own place!! it's in Goole, by the docks", "goole"),
        ("I get up at six for the bakery.", "half seven now, they changed our shifts", "half seven"),
        ("Ich fahre einen Golf.", "der Neue steht vor der Tür, ein Zoe", "zoe"),
    ],
)
def test_a_new_value_told_without_its_matter_stands_in_the_bank(
    user: EndUser, clock: Clock, earlier: str, later: str, value: str
) -> None:
    tell(user, earlier, clock)
    clock.advance(days=40)
    tell(user, later, clock, thread="later")
    assert any(value in text.casefold() for text in bank(user))


def test_a_turn_as_a_whole_ends_nothing(user: EndUser, clock: Clock) -> None:
    tell(user, "I train at the Pulse on Dock Road.", clock)
    clock.advance(days=40)
    tell(user, "the trial is over!! the Iron Works was nice, but too dear", clock, thread="later")
    assert list_closed(user) == set()


@pytest.mark.parametrize(
    ("earlier", "later", "is_ended"),
    [
        ("Mein Kater heißt Mohrle.", "Mohrle ist letzte Woche leider gestorben.", True),
        ("My girlfriend is called Ilse.", "Ilse and I broke up last week.", True),
        ("Je prends le bus 12 pour aller au travail.", "Je ne prends plus le bus.", True),
        ("Mein Kater heißt Mohrle.", "Die Katze der Nachbarin ist leider gestorben.", False),
        ("I train at the Pulse.", "The month at the Iron Works is over, I'm staying at the Pulse.", False),
        ("Entreno en el Atlas.", "Se acabó la prueba en La Nave, sigo en el Atlas.", False),
        ("I train at the Pulse.", "It's over with the Pulse, I train at the Iron Works now.", True),
    ],
)
def test_what_is_said_to_be_over_ends_and_what_is_said_to_go_on_does_not(
    user: EndUser, clock: Clock, earlier: str, later: str, is_ended: bool
) -> None:
    tell(user, earlier, clock)
    clock.advance(days=40)
    tell(user, later, clock, thread="later")
    assert bool(list_closed(user)) is is_ended


def test_a_merged_fact_goes_with_the_words_it_was_read_from(user: EndUser, clock: Clock) -> None:
    tell(user, "My landlord is Mr Patel.", clock)
    said = tell(user, "I have a cat called Misha.", clock, thread="other")
    with user_scope(user):
        winner = Fact.objects.for_user(user).get(statement__contains="Patel")
        losers = list(Fact.objects.for_user(user).filter(statement__contains="Misha"))
        for loser in losers:
            changes.merge_facts(winner, loser, now=clock(), actor="key:test")
    archiving.delete_memories(user, [said.memory_id], now=clock())
    with user_scope(user):
        assert list(Fact.objects.for_user(user).values_list("statement", flat=True)) == [winner.statement]


def test_a_name_that_another_conversation_introduced_is_known(user: EndUser, clock: Clock) -> None:
    tell(user, "We have two cats, Minka and Tiger.", clock)
    clock.advance(days=9)
    tell(user, "Tiger died last week, sadly.", clock, thread="other")
    with user_scope(user):
        cats = Fact.objects.for_user(user).filter(relation="cat").exclude(tense="over")
        assert dict(cats.values_list("object_key", "state")) == {
            "minka": FactState.ACTIVE,
            "tiger": FactState.SUPERSEDED,
        }


@pytest.mark.parametrize(
    ("before", "after", "stays"),
    [
        (
            "Je joue à la pétanque tous les vendredis avec les anciens.",
            "À la place je fais de la poterie à l'atelier du quai le samedi matin.",
            "pétanque",
        ),
        (
            "Ich jobb nebenher im Café Kuckuck, 12,50 die Stunde.",
            "So ab jetzt nehm ich die Straßenbahn, Linie 3.",
            "Café",
        ),
        (
            "Montags hab ich immer Chorprobe (Alt, Unichor).",
            "Hab im Kuckuck gekündigt, der Chef war schlimm.",
            "Chorprobe",
        ),
        (
            "Le docteur Morel m'a prescrit du bisoprolol, 2,5 mg le matin.",
            "Le docteur Morel part à la retraite, le nouveau c'est une dame, le docteur Petit.",
            "bisoprolol",
        ),
        (
            "Je suis à la retraite depuis avril.",
            "Le docteur Morel part à la retraite, le nouveau c'est une dame, le docteur Petit.",
            "Je suis à la retraite",
        ),
        (
            "Ich vertrag keine Laktose und Tilda ist vegan",
            "Kleine Korrektur: Tilda ist nicht vegan sondern nur vegetarisch.",
            "Laktose",
        ),
    ],
)
def test_what_is_told_of_another_matter_or_person_ends_nothing(
    user: EndUser, clock: Clock, before: str, after: str, stays: str
) -> None:
    tell(user, before, clock, "one")
    clock.advance(days=3)
    tell(user, after, clock, "two")
    kept = held(user, clock)
    assert any(stays in statement for statement in kept), kept
    with user_scope(user):
        told = Fact.objects.for_user(user).get(statement__contains="retraite depuis") if "depuis" in before else None
    assert told is None or told.evidence_count == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "Le docteur Morel m'a prescrit du bisoprolol, 2,5 mg le matin.",
            "Le cardio a monté le bisoprolol à 5 mg, mon cœur trottait trop vite.",
        ),
        ("I'm on metformin 500 mg twice a day", "the doctor upped it to 850"),
        ("Ich nehme Ramipril 5 mg", "der Arzt hat auf 10 erhöht"),
    ],
)
def test_one_medicine_has_one_dose(user: EndUser, clock: Clock, before: str, after: str) -> None:
    tell(user, before, clock)
    clock.advance(days=3)
    tell(user, after, clock)
    with user_scope(user):
        doses = Fact.objects.for_user(user).filter(relation="takes_dose").order_by("first_seen")
        states = [fact.state for fact in doses]
    assert states == [FactState.SUPERSEDED, FactState.ACTIVE]
    assert held(user, clock, relation="takes")


def test_somebody_elses_allergy_is_none_of_the_persons(user: EndUser, clock: Clock) -> None:
    tell(user, "my neighbour Ruth is diabetic and allergic to wasps, can she eat jam?", clock)
    with user_scope(user):
        told = Fact.objects.for_user(user).filter(relation="allergic_to")
        assert {fact.subject_key for fact in told} <= {"ruth"}
