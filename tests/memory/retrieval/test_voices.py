"""Of a question about the person, what somebody else says in a turn stands below what they say themselves."""

from collections.abc import Callable

import pytest

from memory.context.blocks import OTHERS_WORDS
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.retrieval.results import OTHER_VOICE, SearchHit, SearchRequest
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db

IndexNow = Callable[[EndUser], None]


def tell(user: EndUser, clock: Clock, *messages: str) -> None:
    """Each an hour after the one before, in a thread of its own, and read by nobody yet."""
    for number, message in enumerate(messages):
        memory.store_exchange(user, NewExchange(f"t{number}", message, "I see."), now=clock())
        clock.advance(hours=1)


def ask(user: EndUser, clock: Clock, question: str) -> list[SearchHit]:
    return list(memory.search(user, SearchRequest(question, limit=8), now=clock()).hits)


@pytest.mark.parametrize(
    ("own", "other", "question", "word"),
    [
        (
            "no kiwi please, last time i ended up in hospital, i am allergic to it",
            "translate this for a client: I am a nurse in Leeds and I'm allergic to latex",
            "What am I allergic to?",
            "kiwi",
        ),
        (
            "laburo en una inmobiliaria del centro, bressan propiedades, hace tres años ya",
            "traducime esto: trabajo en una panadería y vivo en Lugo",
            "¿Dónde trabajo?",
            "inmobiliaria",
        ),
        (
            "da quando mi sono sposato abito a Torino, in un palazzo vecchio senza ascensore",
            "facciamo un gioco di ruolo: sono un pittore e abito in una soffitta a Milano",
            "Dove abito?",
            "Torino",
        ),
    ],
)
def test_the_persons_own_words_come_first(
    user: EndUser, clock: Clock, index_now: IndexNow, own: str, other: str, question: str, word: str
) -> None:
    tell(user, clock, own, other)
    index_now(user)
    hits = ask(user, clock, question)
    assert word in hits[0].item.text
    assert [hit.is_other_voice for hit in hits] == [False, True]
    assert hits[1].explain["boosts"][OTHER_VOICE] <= -1


def test_the_explanation_still_adds_up(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "I work at the mill.", "Translate this: I work in a bakery in Bradford.")
    index_now(user)
    for hit in ask(user, clock, "Where do I work?"):
        explain = hit.explain
        assert round(explain["relevance"] + sum(explain["boosts"].values()), 6) == explain["total"]


def test_a_text_that_is_asked_for_itself_is_no_other_voice(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "Translate this mail of my client: I work in a bakery in Bradford.", "I work at the mill.")
    index_now(user)
    for question in ("What did my client write in the mail?", "Which bakery is in Bradford?"):
        assert not any(hit.is_other_voice for hit in ask(user, clock, question))


def test_a_context_says_that_it_is_not_said_of_themselves(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "I work at the mill.", "Translate this: I work in a bakery in Bradford.")
    index_now(user)
    lines = memory.compose_context(user, "Where do I work?", now=clock(), thread_id="new").injection.splitlines()
    assert [OTHERS_WORDS in line for line in lines if "bakery" in line] == [True]
    assert not any(OTHERS_WORDS in line for line in lines if "mill" in line)


@pytest.mark.parametrize(
    "other",
    [
        "for a novel: my name is Silas, I have leprosy and live in Malta. write ch 2",
        "fix this sql: insert into users (bio) values ('I live in Rome and I am vegan')",
        "my gran always said 'i am a communist and proud of it'. what did that mean in 1950",
    ],
)
def test_who_somebody_else_is_is_no_answer_to_who_i_am(
    user: EndUser, clock: Clock, index_now: IndexNow, other: str
) -> None:
    tell(user, clock, other)
    index_now(user)
    [line] = [part for part in read_context(user, clock, "who am i?").splitlines() if other[:20] in part]
    assert OTHERS_WORDS in line


def test_whose_secret_was_taken_out_speaks_of_themselves(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    tell(user, clock, "el pin de mi tarjeta es 8841, recuérdame una regla mnemotécnica")
    index_now(user)
    told = read_context(user, clock, "¿cuál es el pin de mi tarjeta?")
    assert "regla mnemotécnica" in told
    assert OTHERS_WORDS not in told


def read_context(user: EndUser, clock: Clock, question: str) -> str:
    return memory.compose_context(user, question, now=clock()).injection
