"""A new time, place or start ends what it takes the place of, and nothing before it begins."""

from datetime import UTC, datetime

import pytest

from memory.access.scope import user_scope
from memory.claims.dates.beginnings import begins_later
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def list_states(user: EndUser, clock: Clock, *messages: str) -> dict[str, str]:
    """The states of all facts, by statement, after some turns of one thread, three days apart."""
    for message in messages:
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=3)
    with user_scope(user):
        return {fact.statement: fact.state for fact in Fact.objects.for_user(user)}


@pytest.mark.parametrize(
    ("told", "text", "moved", "kept"),
    [
        (
            "chiropodist thursday at 10, eye test friday at half 2",
            "eye test's gone back a week, chiropodist as planned",
            "Eye test friday at half 2.",
            "Chiropodist thursday at 10.",
        ),
        (
            "Friseur Dienstag 10 Uhr, Steuerberater Donnerstag 14 Uhr",
            "Friseur ist jetzt Mittwoch 11 Uhr",
            "Friseur Dienstag 10 Uhr.",
            "Steuerberater Donnerstag 14 Uhr.",
        ),
        (
            "plumber on the 5th at 9 and vet on the 7th at 4",
            "vet moved to the 8th",
            "Vet on the 7th at 4.",
            "Plumber on the 5th at 9.",
        ),
        (
            "oculista il 3 alle 9 e commercialista il 5 alle 15",
            "il commercialista ha spostato al 10",
            "Commercialista il 5 alle 15.",
            "Oculista il 3 alle 9.",
        ),
    ],
)
def test_of_two_appointments_one_is_moved(
    user: EndUser, clock: Clock, told: str, text: str, moved: str, kept: str
) -> None:
    states = list_states(user, clock, told, text)
    assert (states[moved], states[kept]) == (FactState.SUPERSEDED, FactState.ACTIVE)


@pytest.mark.parametrize(
    ("told", "text", "old"),
    [
        (
            "Mein Physiotermin ist Dienstag 14 Uhr.",
            "Physio ruft grad an, wird Mittwoch viertel nach drei",
            "superseded",
        ),
        ("mi fisio es los martes a las tres", "a partir de ahora a las tres y cuarto, los miércoles", "superseded"),
        ("la mia fisioterapia è il giovedì alle 9", "Lunedì alle 10 c'è il sole", "active"),
        (
            "my physio is on Wednesdays at 5",
            "is it not better to do physio in the morning? Fridays at 9 say",
            "active",
        ),
    ],
)
def test_a_new_time_ends_the_one_it_takes_the_place_of(
    user: EndUser, clock: Clock, told: str, text: str, old: str
) -> None:
    states = list_states(user, clock, told, text)
    assert [state for statement, state in states.items() if statement.casefold().startswith(told.casefold()[:20])] == [
        old
    ]


@pytest.mark.parametrize(
    ("told", "month", "later"),
    [
        ("cours de guitare le mardi à 18h", "à partir de {} ce sera jeudi, même heure", "fr"),
        ("I work at Howden", "from the 1st of {} I'm at Rowntree", "en"),
        ("ich wohne in Fulda", "ab dem 1. {} wohne ich in Kassel", "de"),
    ],
)
def test_what_begins_in_a_later_month_ends_nothing_yet(
    user: EndUser, clock: Clock, told: str, month: str, later: str
) -> None:
    names = {
        "fr": ("janvier", "avril", "juillet", "octobre"),
        "en": ("January", "April", "July", "October"),
        "de": ("Januar", "April", "Juli", "Oktober"),
    }[later]
    text = next(one for name in names if begins_later(one := month.format(name), clock()))
    states = list_states(user, clock, told, text)
    assert set(states.values()) == {FactState.ACTIVE}
    assert len(states) == 2


def test_what_begins_within_weeks_is_told_as_a_change() -> None:
    told = datetime(2026, 9, 14, tzinfo=UTC)
    assert not begins_later("Gudrun geht in Altersteilzeit, ab 1. Oktober.", told)
    assert begins_later("Gudrun geht in Altersteilzeit, ab 1. November.", told)
    # "From July", told in September, was this year's.
    assert not begins_later("I'm at Rowntree from July.", told)


@pytest.mark.parametrize(
    ("told", "text", "old", "new"),
    [
        (
            "my dentist appointment is on 3 November at 9am",
            "Dentist moved me to the 5th at 2pm.",
            "My dentist appointment is on 3 November at 9am.",
            "Dentist moved me to the 5th at 2pm.",
        ),
        (
            "Zahnarzttermin ist am 24. Oktober um 8 Uhr",
            "Zahnarzt musste ich absagen, neuer Termin 2. Dezember 10:30 Uhr.",
            "Zahnarzttermin ist am 24. Oktober um 8 Uhr.",
            "Zahnarzt musste ich absagen, neuer Termin 2. Dezember 10:30 Uhr.",
        ),
        (
            "tengo dentista el 3 de noviembre a las 10",
            "La dentista me ha cambiado la cita al 5 a las 14.",
            "Tengo dentista el 3 de noviembre a las 10.",
            "La dentista me ha cambiado la cita al 5 a las 14.",
        ),
        (
            "Zahnarzt ist am 3. November um 9 Uhr",
            "den Zahnarzt hab ich abgesagt",
            "Zahnarzt ist am 3. November um 9 Uhr.",
            "",
        ),
    ],
)
def test_an_appointment_that_was_told_elsewhere_is_moved_or_over(
    user: EndUser, clock: Clock, told: str, text: str, old: str, new: str
) -> None:
    for thread, message in (("a", told), ("b", text)):
        memory.store_exchange(user, NewExchange(thread, message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=3)
    with user_scope(user):
        timed = {
            (fact.statement, fact.state) for fact in Fact.objects.for_user(user).filter(relation="time", polarity=True)
        }
    assert timed == {(old, FactState.SUPERSEDED), *([(new, FactState.ACTIVE)] if new else [])}
