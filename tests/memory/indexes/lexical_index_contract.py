"""What every lexical index does: the suite each adapter's tests inherit."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memory.access.scope import user_scope
from memory.indexes.base import IndexFilter, LexicalIndex
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import DeadlineExceeded
from memory.store.rows import build_lexemes
from memory.tiers import Status, Tier
from tests.factories import LONG_AGO, MemoryItemFactory

HOSTILE = [
    "a & ",
    "!!!",
    "((((",
    "'",
    "''",
    '"',
    "\\",
    "\\' OR 1=1; --",
    "lamp & | ! <-> :* ( ) ' \" \\",
    "lamp:* & !room",
    "-lamp",
    "--lamp -room",
    '"lamp room"',
    "%s %(user)s {} {0} {number}",
    "100 % lamp_ \\%",
    "a*a*a*a*b",
    "[.*+?^${}()|",
    "the of and",
    "😂👍🏽🏳️‍🌈",
    "\x00lamp\x00",
    "\ud800lamp",
    "\u202elamp\u202c",
    "שלום lamp مرحبا",
    "ﷺ ﷽ ½ ①",
    "<script>lamp</script>",
    "7~en:lamp",
    "lamp\nroom\r\n\troom",
    " ".join(f"word{number}" for number in range(100_000)),
    "lamp " * 200_000,
    "x" * 1_000_000,
    "東" * 5_000,
    "é́" * 3_000,
]


Note = Callable[..., UUID]
Find = Callable[..., list[UUID]]


def make_deadline() -> Deadline:
    return Deadline(100)


class LexicalIndexContract:
    """What every lexical index does. An adapter's class gives ``index``, and ``settle`` where it can lag."""

    @pytest.fixture
    def index(self) -> LexicalIndex:
        raise NotImplementedError

    def settle(self, user: EndUser) -> None:
        """Bring the index up to date with the rows."""

    @pytest.fixture
    def note(self) -> Note:
        def note(user: EndUser, text: str, **values: object) -> UUID:
            item = MemoryItemFactory.create(user=user, text=text, **values)
            self.settle(user)
            return UUID(str(item.pk))

        return note

    @pytest.fixture
    def find(self, index: LexicalIndex, user: EndUser) -> Find:
        def find(query: str, limit: int = 10, **narrowed: Any) -> list[UUID]:
            return [match.id for match in index.search(query, IndexFilter(user.pk, **narrowed), limit, make_deadline())]

        return find

    def test_words_are_found_in_their_other_forms_and_nothing_else_is(
        self, find: Find, note: Note, user: EndUser
    ) -> None:
        painting = note(user, "She painted a sunrise for her brother")
        note(user, "The tyres were changed on Friday")
        assert find("paintings of sunrises") == [painting]

    def test_identifiers_are_found_whole_before_their_parts(self, find: Find, note: Note, user: EndUser) -> None:
        swapped = note(user, "Ticket HLP-9043 is about a password")
        right = note(user, "HLP-9034: the parish printer has a stuck sensor")
        assert find("What is HLP-9034?") == [right, swapped]

    def test_hebrew_and_unspaced_scripts_are_found(self, find: Find, note: Note, user: EndUser) -> None:
        rehearsal = note(user, "בחזרות המקהלה שרנו שעתיים")
        tokyo = note(user, "来週東京都に行く")
        assert find("מתי החזרה של המקהלה") == [rehearsal]
        assert find("東京") == [tokyo]

    def test_a_rare_word_counts_for_more_than_a_common_one(self, find: Find, note: Note, user: EndUser) -> None:
        lamps = [note(user, f"The lamp stands in room {number}") for number in range(8)]
        barometer = note(user, "The barometer stands elsewhere")
        found = find("lamp barometer")
        assert found[0] == barometer
        assert set(found[1:]) == set(lamps)

    def test_more_of_the_words_said_more_often_in_fewer_words_ranks_higher(
        self, find: Find, note: Note, user: EndUser
    ) -> None:
        long = note(user, "The kiln, which was bought in spring from the old potter across the river, works")
        short = note(user, "The kiln works")
        often = note(user, "The kiln: our kiln is a good kiln")
        both = note(user, "The kiln has a shelf")
        assert find("kiln shelf") == [both, often, short, long]

    def test_the_date_the_speaker_and_the_tags_are_words_too(self, find: Find, note: Note, user: EndUser) -> None:
        said = note(user, "It rained all day", speaker="Gustav", tags=["weather"], occurred_at=LONG_AGO)
        note(user, "It rained all week", occurred_at=LONG_AGO - timedelta(days=60))
        assert find("What did Gustav say") == [said]
        assert find("weather") == [said]
        assert find("in March") == [said]

    def test_of_equal_matches_the_newest_said_is_first_then_by_id(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        said = [LONG_AGO + timedelta(days=number % 3, hours=1) for number in range(9)]
        told = {note(user, "The ferry leaves at noon", occurred_at=moment): moment for moment in said}
        ids = sorted(told, key=lambda key: (-told[key].timestamp(), key))
        matches = index.search("ferry", IndexFilter(user.pk), 10, make_deadline())
        assert [match.id for match in matches] == ids
        assert len({match.score for match in matches}) == 1
        assert index.search("ferry", IndexFilter(user.pk), 4, make_deadline()) == matches[:4]

    def test_no_more_than_the_limit_are_returned_and_they_are_the_best(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        for number in range(12):
            note(user, "ferry " + "harbour " * (number % 4) + f"pier {number}")
        everything = index.search("ferry harbour", IndexFilter(user.pk), 50, make_deadline())
        assert len(everything) == 12
        assert [match.score for match in everything] == sorted((match.score for match in everything), reverse=True)
        assert index.search("ferry harbour", IndexFilter(user.pk), 5, make_deadline()) == everything[:5]
        assert index.search("ferry harbour", IndexFilter(user.pk), 0, make_deadline()) == []

    def test_tiers_and_statuses_narrow_the_search(self, find: Find, note: Note, user: EndUser) -> None:
        working = note(user, "The ferry leaves at noon")
        banked = note(user, "The ferry leaves at one", tier=Tier.MEMORY_BANK)
        archived = note(user, "The ferry leaves at two", status=Status.ARCHIVED)
        assert set(find("ferry")) == {working, banked}
        assert find("ferry", tiers=frozenset({"memory_bank"})) == [banked]
        assert find("ferry", statuses=frozenset({"archived"})) == [archived]
        assert set(find("ferry", statuses=frozenset({"archived", "active"}))) == {working, banked, archived}
        assert find("ferry", tiers=frozenset()) == []
        assert find("ferry", statuses=frozenset()) == []

    def test_only_the_users_own_memories_are_found(
        self, index: LexicalIndex, find: Find, note: Note, user: EndUser, other_user: EndUser
    ) -> None:
        secret = note(other_user, "The safe opens with 4711")
        assert find("The safe opens with 4711") == []
        assert find(f"{other_user.pk}~en:safe {other_user.pk}~4711") == []
        assert [match.id for match in index.search("safe", IndexFilter(other_user.pk), 10, make_deadline())] == [secret]

    def test_what_was_written_revised_or_deleted_a_moment_ago_is_known(
        self, find: Find, note: Note, user: EndUser
    ) -> None:
        ferry = note(user, "The ferry leaves at noon")
        assert find("ferry") == [ferry]
        with user_scope(user):
            item = MemoryItem.objects.for_user(user).get(pk=ferry)
            item.text = "The train leaves at noon"
            item.lexemes = build_lexemes(user.pk, item.text, "", item.occurred_at, [])
            item.updated_at += timedelta(minutes=1)
            item.save(update_fields=["text", "lexemes", "updated_at"])
        self.settle(user)
        assert (find("ferry"), find("train")) == ([], [ferry])
        with user_scope(user):
            MemoryItem.objects.for_user(user).filter(pk=ferry).delete()
        self.settle(user)
        assert find("train") == []

    @pytest.mark.parametrize("query", ["", "  \n", "!?", "😂", "---"])
    def test_a_query_without_a_word_finds_nothing(self, find: Find, note: Note, user: EndUser, query: str) -> None:
        note(user, "The lamp in the room 😂 !? ---")
        assert find(query) == []

    def test_a_query_of_stop_words_is_taken_at_its_word(self, find: Find, note: Note, user: EndUser) -> None:
        note(user, "The lamp in the room")
        assert find("to be or not to be") == []

    @pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
    def test_no_query_breaks_the_search(self, find: Find, note: Note, user: EndUser, query: str) -> None:
        lamp = note(user, "The lamp in the room is 100 % repaired")
        assert find(query) in ([], [lamp])
        assert find("lamp") == [lamp]

    def test_a_deadline_that_has_passed_is_an_unavailable_index(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        note(user, "The lamp in the room")
        with pytest.raises(DeadlineExceeded) as late:
            index.search("lamp", IndexFilter(user.pk), 10, Deadline(-1))
        assert late.value.dependency == "lexical"
