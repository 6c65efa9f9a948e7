"""Which facts a turn's words find: by the beginnings of words in keys, of a person's own facts in the value alone."""

import pytest
from django.db import connection
from django.utils import timezone

from knowledge_graph.hotmem.candidates import find_candidates
from knowledge_graph.hotmem.cues import read_cue
from knowledge_graph.hotmem.triples import GivenTriple, import_triples
from memory.access.scope import user_scope
from memory.models import EndUser, Fact

pytestmark = pytest.mark.django_db

GIVEN = (
    ("Zoe Müller", "lives_in", "Turin"),
    ("Otto", "works_at", "Newport Press"),
    ("you", "owns", "a green tent"),
    ("you", "likes", "jazz"),
)


@pytest.fixture
def known(user: EndUser) -> EndUser:
    import_triples(user, [GivenTriple(*one) for one in GIVEN], now=timezone.now(), actor="test")
    return user


def find(user: EndUser, text: str) -> set[str]:
    with user_scope(user):
        edges = find_candidates(user, read_cue(text, tells=True), (), (), timezone.now())
    return {edge.object_key for edge in edges}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Zoe called.", {"turin"}),
        ("Frau Müller hat angerufen.", {"turin"}),
        ("We flew to Turin.", {"turin"}),
        # What a word begins with, and not what it ends with: "port" is in "Newport".
        ("The new tents arrived.", {"a green tent", "newport press"}),
        ("A port and an ent.", set()),
        # Of the person's own the value alone: "you" names none of them.
        ("Greenery everywhere, you know.", set()),
        ("haha", set()),
        ("it's 100% of a_b", set()),
    ],
)
def test_a_word_of_a_turn_finds_what_begins_with_it(known: EndUser, text: str, found: set[str]) -> None:
    assert find(known, text) == found


def test_another_persons_facts_are_not_found(known: EndUser, other_user: EndUser) -> None:
    import_triples(other_user, [GivenTriple("Zoe", "lives_in", "Oslo")], now=timezone.now(), actor="test")
    assert find(known, "Zoe called.") == {"turin"}
    assert find(other_user, "Zoe called.") == {"oslo"}


def test_words_follow_the_keys_of_a_fact(known: EndUser) -> None:
    with user_scope(known):
        Fact.objects.for_user(known).filter(object_key="jazz").update(object_key="blues")
        Fact.objects.for_user(known).filter(subject_key="otto").update(subject_key="", object_key="")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT words::text FROM fact WHERE user_id = %s AND object_key IN ('', 'blues')", [known.pk]
            )
            assert {words for (words,) in cursor.fetchall()} == {"", f"'{known.pk}~blues'"}
    assert find(known, "The blues tonight.") == {"blues"}
    assert find(known, "Otto and his press.") == set()
