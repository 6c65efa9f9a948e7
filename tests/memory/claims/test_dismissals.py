"""Who has lost, left or retired from their work works there no more, whatever the language names of it."""

import pytest

from memory.access.scope import user_scope
from memory.claims import read_claims
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

Ended = set[tuple[str, str]]


def list_ended(text: str) -> Ended:
    return {(one.relation, one.object) for one in read_claims(text) if one.tense == "over" and one.subject == "you"}


@pytest.mark.parametrize(
    "said",
    [
        *(
            "I was laid off last week, what now?",
            "I lost my job",
            "I quit my job",
            "I quit!",
            "I was laid off last week",
            "I retired last week",
        ),
        *("ich hab gekündigt", "mir wurde gekündigt", "ich bin jetzt in Rente", "me han despedido", "dejé mi trabajo"),
        *("j'ai démissionné", "je suis à la retraite", "mi sono licenziata", "ho perso il lavoro", "fui despedida"),
        *("demiti-me", "פיטרו אותי", "יצאתי לפנסיה"),
    ],
)
def test_a_work_ends_that_nobody_names(said: str) -> None:
    assert list_ended(said) == {("works_at", "")}


@pytest.mark.parametrize(
    "said",
    [
        *("I got fired in 2012", "I almost quit my job", "if I got fired I'd move to Spain", "my brother got fired"),
        "do you think I was laid off because of him?",
        *("I quit smoking", "ich hab meinen Handyvertrag gekündigt", "I quit my job and started at Lidl"),
    ],
)
def test_no_work_ends_by_what_only_sounds_so(said: str) -> None:
    assert ("works_at", "") not in list_ended(said)


def test_an_employer_that_is_named_ends_by_name() -> None:
    assert list_ended("I quit my job at Aldi") == {("works_at", "aldi")}


@pytest.mark.django_db
def test_the_employer_that_was_told_holds_no_more(user: EndUser, clock: Clock) -> None:
    facade = MemoryFacade("test")
    for said in ("I work at Aldi", "I was laid off last week"):
        facade.store_exchange(user, NewExchange("t", said, "Noted."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=30)
    with user_scope(user):
        states = set(Fact.objects.filter(user=user, relation="works_at", object="aldi").values_list("state", flat=True))
    assert "active" not in states
    assert states
