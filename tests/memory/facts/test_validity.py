"""Since when and until when a state holds: by a day that was told, or till it is over."""

from datetime import UTC, date, datetime

import pytest

from memory.access.scope import user_scope
from memory.claims.dates.endings import find_end
from memory.claims.dates.starting import find_start
from memory.facade import MemoryFacade
from memory.lifecycle.promotion import promote_user
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

# A Thursday.
SAID = datetime(2026, 11, 26, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("statement", "day"),
    [
        ("Our car is in the garage till tuesday, it's a red skoda fabia.", (2026, 12, 2)),
        ("I'm off until next thursday.", (2026, 12, 4)),
        ("I'm on antibiotics til the 14th.", (2026, 12, 15)),
        ("I work at Aldi until the end of June.", (2027, 7, 1)),
        ("The offer's valid until 30 June 2028.", (2028, 7, 1)),
        ("I'm home until 29 February 2027.", None),
        ("Ich bin bis zum 3. März krankgeschrieben.", (2027, 3, 4)),
        ("Estoy en Vigo hasta mañana.", (2026, 11, 28)),
        ("Je suis en arrêt jusqu'au 12.", (2026, 12, 13)),
        ("Fino a sabato sono a Bari.", (2026, 11, 29)),
        ("Estou em Braga até sexta.", (2026, 11, 28)),
        ("אני בחופש עד יום ראשון.", (2026, 11, 30)),
        ("I work Monday till Thursday.", None),
        ("The shop is open 9 till Friday.", None),
        ("I have the kids every week till Sunday.", None),
        ("Ich arbeite Montag bis Mittwoch.", None),
        ("I work until 6.", None),
        ("We were friends until the end.", None),
    ],
)
def test_the_day_till_which_something_holds(statement: str, day: tuple[int, int, int] | None) -> None:
    end = find_end(statement, SAID)
    assert (end and (end.year, end.month, end.day)) == day


@pytest.mark.parametrize(
    ("statement", "is_new", "day"),
    [
        ("I moved to Porto last month.", True, (2026, 10, 1)),
        ("I moved to Porto in March.", True, (2026, 3, 1)),
        ("I moved to Kyoto yesterday.", True, (2026, 11, 25)),
        ("I have lived in Bern since 2020.", False, (2020, 1, 1)),
        ("Ich wohne seit März in Bern.", False, (2026, 3, 1)),
        ("Ich bin vor zwei Wochen nach Porto gezogen.", True, (2026, 11, 12)),
        ("J'habite à Lyon depuis mars 2021.", False, (2021, 3, 1)),
        ("J'ai déménagé à Lyon il y a deux ans.", True, (2024, 1, 1)),
        ("Vivo en Vigo desde hace tres años.", False, (2023, 1, 1)),
        ("Me mudé a Vigo el mes pasado.", True, (2026, 10, 1)),
        ("Vivo a Roma da novembre.", False, (2026, 11, 1)),
        ("Mudei-me para o Porto há dois anos.", True, (2024, 1, 1)),
        ("אני גר בחיפה מאז 2020.", False, (2020, 1, 1)),
        ("עברתי לחיפה בחודש שעבר.", True, (2026, 10, 1)),
        ("Sono arrivato qui da Bologna nel 2020.", False, None),
        ("I live in York now.", True, None),
        ("I live in Leeds since my mum died.", False, None),
        # Of what goes on without a word of change a time may be anything's.
        ("I live in York and got married in March.", False, None),
        ("I'm starting at Bosch in January.", True, None),
        ("From January I'm at Bosch.", True, None),
    ],
)
def test_the_time_since_which_something_holds(statement: str, is_new: bool, day: tuple[int, int, int] | None) -> None:
    start = find_start(statement, "lives_in", SAID, is_new=is_new)
    assert (start and (start.year, start.month, start.day)) == day


@pytest.mark.django_db
def test_what_holds_since_an_earlier_time_still_takes_the_place_of_what_was_told_before(
    user: EndUser, clock: Clock
) -> None:
    told = ("I live in Leeds.", "I moved to Porto last month.", "I live in Porto.", "I've lived in York since 2020.")
    for number, turn in enumerate(told):
        clock.advance(days=2)
        memory.store_exchange(user, NewExchange(f"t{number}", turn, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
    with user_scope(user):
        homes = {fact.object_key: fact for fact in Fact.objects.for_user(user).filter(relation="lives_in")}
    assert [name for name, fact in homes.items() if fact.state == FactState.ACTIVE] == ["york"]
    assert homes["porto"].superseded_by == homes["york"].pk
    starts = {name: fact.valid_from.date() for name, fact in homes.items() if fact.valid_from}
    assert (starts["porto"], starts["york"]) == (date(2026, 2, 1), date(2020, 1, 1))


def state_facts(user: EndUser) -> dict[str, str]:
    with user_scope(user):
        return {fact.statement: fact.state for fact in Fact.objects.for_user(user)}


@pytest.mark.django_db
def test_it_is_told_with_its_day_and_no_longer_after_it(user: EndUser, clock: Clock) -> None:
    told = "Our car is in the garage till tuesday, it's a red skoda fabia."
    memory.store_exchange(user, NewExchange("t", told, "I see."), now=SAID)
    profiling.profile_due_exchanges(user, now=SAID)
    before = memory.compose_context(user, "what's up with our car?", now=SAID, thread_id="u").injection
    assert "told on 26 November 2026, until 1 December 2026" in before
    promote_user(user, now=SAID.replace(day=30))
    assert state_facts(user)[told] == FactState.ACTIVE
    promote_user(user, now=datetime(2026, 12, 2, 3, tzinfo=UTC))
    assert state_facts(user)[told] == FactState.SUPERSEDED


@pytest.mark.django_db
def test_a_later_day_takes_the_place_of_the_first(user: EndUser, clock: Clock) -> None:
    for message in ("I'm in Lyon until tuesday.", "I'm in Lyon until friday."):
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=SAID)
        profiling.profile_due_exchanges(user, now=SAID)
    promote_user(user, now=datetime(2026, 12, 2, 3, tzinfo=UTC))
    with user_scope(user):
        active = [fact.valid_to for fact in Fact.objects.for_user(user).active() if "Lyon" in fact.statement]
    assert all(end is not None and end.date().isoformat() in {"2026-11-28", "2026-12-05"} for end in active)


@pytest.mark.django_db
def test_a_past_that_names_its_end_ends_what_was_known(user: EndUser, clock: Clock) -> None:
    for message in ("I work at Lidl", "I worked at Lidl until last week"):
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=3)
    assert state_facts(user)["I work at Lidl."] == FactState.SUPERSEDED


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("turns", "gone", "kept"),
    [
        (("I swim on Thursdays.", "On Mondays I have choir now."), "", "I swim on Thursdays."),
        (("I work at Lidl.", "im a trainee at aldi since monday"), "I work at Lidl.", ""),
        (("Ich wohne in Kiel.", "voilà, installés à Concarneau depuis hier"), "Ich wohne in Kiel.", ""),
    ],
)
def test_a_new_state_ends_its_own_slot_and_no_other_day(
    user: EndUser, clock: Clock, turns: tuple[str, ...], gone: str, kept: str
) -> None:
    for message in turns:
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=3)
    states = state_facts(user)
    assert states.get(gone, FactState.SUPERSEDED) == FactState.SUPERSEDED
    assert states.get(kept, FactState.ACTIVE) == FactState.ACTIVE
    assert {gone, kept} & states.keys()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("turns", "doses"),
    [
        (("I take sertraline 50 mg.", "I stopped taking sertraline, my GP agreed."), []),
        (("Ich nehme Ramipril 5 mg", "Ramipril habe ich abgesetzt"), []),
        (("Prendo il Lasix 25 mg", "Non prendo più il Lasix"), []),
        (("My mum takes ramipril 5 mg", "I take ramipril too", "I stopped the ramipril"), ["5 mg"]),
    ],
)
def test_with_a_medicine_its_dose_ends_unless_somebody_takes_it(
    user: EndUser, clock: Clock, turns: tuple[str, ...], doses: list[str]
) -> None:
    for message in turns:
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=3)
    with user_scope(user):
        told = Fact.objects.for_user(user).active().filter(relation="takes_dose")
        assert list(told.values_list("object", flat=True)) == doses
