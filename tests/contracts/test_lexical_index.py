"""The lexical index port: one suite of behaviours over every adapter, then what only one of them can get wrong."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.db.backends.utils import CursorWrapper

from memory import redis
from memory.access import WrongScope, user_scope
from memory.indexes import bm25, cached, fulltext, versions
from memory.indexes.base import Filter, LexicalIndex
from memory.indexes.bm25 import Bm25Index
from memory.indexes.cached import Background, CachedLexical
from memory.indexes.fulltext import FullTextIndex
from memory.models import EndUser, MemoryItem
from memory.redis import key
from memory.resilience import Deadline, Late, Unavailable
from memory.rows import lexemes
from memory.text import date_words
from memory.tiers import Status, Tier
from memory.words import query_groups, terms
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


def soon() -> Deadline:
    return Deadline(20)


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
        def find(query: str, limit: int = 10, **narrowed: frozenset[str]) -> list[UUID]:
            return [match.id for match in index.search(query, Filter(user.pk, **narrowed), limit, soon())]

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

    def test_equal_matches_are_ordered_by_id(self, index: LexicalIndex, note: Note, user: EndUser) -> None:
        ids = sorted(note(user, "The ferry leaves at noon") for _ in range(6))
        matches = index.search("ferry", Filter(user.pk), 10, soon())
        assert [match.id for match in matches] == ids
        assert len({match.score for match in matches}) == 1

    def test_no_more_than_the_limit_are_returned_and_they_are_the_best(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        for number in range(12):
            note(user, "ferry " + "harbour " * (number % 4) + f"pier {number}")
        everything = index.search("ferry harbour", Filter(user.pk), 50, soon())
        assert len(everything) == 12
        assert [match.score for match in everything] == sorted((match.score for match in everything), reverse=True)
        assert index.search("ferry harbour", Filter(user.pk), 5, soon()) == everything[:5]
        assert index.search("ferry harbour", Filter(user.pk), 0, soon()) == []

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
        assert [match.id for match in index.search("safe", Filter(other_user.pk), 10, soon())] == [secret]

    def test_what_was_written_revised_or_deleted_a_moment_ago_is_known(
        self, find: Find, note: Note, user: EndUser
    ) -> None:
        ferry = note(user, "The ferry leaves at noon")
        assert find("ferry") == [ferry]
        with user_scope(user):
            item = MemoryItem.objects.for_user(user).get(pk=ferry)
            item.text = "The train leaves at noon"
            item.lexemes = lexemes(user.pk, item.text, "", item.occurred_at, [])
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
        with pytest.raises(Late) as late:
            index.search("lamp", Filter(user.pk), 10, Deadline(-1))
        assert late.value.dependency == "lexical"


@pytest.mark.django_db
class TestFullTextIndex(LexicalIndexContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        return FullTextIndex()

    def test_scores_are_those_of_bm25(self, index: LexicalIndex, note: Note, user: EndUser) -> None:
        texts = ["kiln kiln shelf", "a shelf in the shed", "the shed has a roof and a door", "roof of the kiln shed"]
        held = {note(user, text): Counter(terms(f"{text} {date_words(LONG_AGO)}")) for text in texts}
        average = sum(len(counts) for counts in held.values()) / len(held)
        expected = dict.fromkeys(held, 0.0)
        for forms in query_groups("kiln roof shed"):
            times = {id: sum(counts[form] for form in forms) for id, counts in held.items()}
            rows = sum(1 for count in times.values() if count)
            for id, count in times.items():
                damped = count + 0.9 * (1 - 0.4 + 0.4 * len(held[id]) / average)
                expected[id] += math.log(1 + (len(held) - rows + 0.5) / (rows + 0.5)) * count / damped
        found = {match.id: match.score for match in index.search("kiln roof shed", Filter(user.pk), 10, soon())}
        assert found == pytest.approx({id: score for id, score in expected.items() if score})

    @pytest.mark.parametrize("found_rows", [0, 3, 10])
    def test_common_words_still_find_when_nothing_rarer_does(
        self, find: Find, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch, found_rows: int
    ) -> None:
        monkeypatch.setattr(fulltext, "FOUND_ROWS", found_rows)
        monkeypatch.setattr(fulltext, "NEWEST_ROWS", 4)
        lamps = [note(user, "The lamp is lit", occurred_at=LONG_AGO + timedelta(days=day)) for day in range(12)]
        ferry = note(user, "The ferry has a lamp")
        assert find("lamp ferry")[0] == ferry
        newest = set(lamps[-4:])
        assert newest <= set(find("lamp"))
        assert newest <= set(find("lamp barometer"))
        assert len(find("lamp ferry")) == len(set(find("lamp ferry")))

    def test_a_statement_that_takes_too_long_is_interrupted_and_the_transaction_survives(
        self, index: LexicalIndex, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lamp = note(user, "The lamp in the room")
        with user_scope(user), connection.cursor() as cursor:
            before = self._settings(cursor)
            monkeypatch.setattr(fulltext, "FITS", "(SELECT true FROM pg_sleep(5))")
            with pytest.raises(Unavailable, match="statement timeout"):
                index.search("lamp", Filter(user.pk), 10, Deadline(0.05))
            monkeypatch.undo()
            assert self._settings(cursor) == before
            assert [match.id for match in index.search("lamp", Filter(user.pk), 10, soon())] == [lamp]
            assert self._settings(cursor) == before

    def test_an_open_scope_of_another_user_is_a_bug_and_not_an_answer(
        self, index: LexicalIndex, user: EndUser, other_user: EndUser
    ) -> None:
        with pytest.raises(WrongScope), user_scope(other_user):
            index.search("lamp", Filter(user.pk), 10, soon())

    def test_rows_without_lexemes_are_passed_over(self, find: Find, note: Note, user: EndUser) -> None:
        lamp = note(user, "The lamp in the room")
        with user_scope(user):
            MemoryItem.objects.for_user(user).filter(pk=lamp).update(lexemes=None)
        assert find("lamp") == []

    def _settings(self, cursor: CursorWrapper) -> tuple[str, str, str]:
        cursor.execute(
            "SELECT current_setting('statement_timeout'), current_setting('cpu_index_tuple_cost'), "
            "current_setting('app.user_id')"
        )
        return cursor.fetchone()


EVERYTHING = frozenset(status.value for status in Status)
BUDGET = 10_000_000


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no dead Redis."""
    monkeypatch.setattr(redis, "ATTEMPT_TIMEOUT_S", 5.0)


def cool_down(user: EndUser) -> None:
    """A part may be built again at once."""
    pattern = key("bm25", "cooldown", str(user.pk), "*")
    redis.demand(lambda client: [client.delete(name) for name in client.scan_iter(pattern)])


@pytest.mark.django_db
@pytest.mark.usefixtures("unhurried")
class TestBm25Index(LexicalIndexContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        self.bm25 = Bm25Index(BUDGET)
        return self.bm25

    def settle(self, user: EndUser) -> None:
        self.bm25.changed(user.pk)
        self.bm25.refresh(Filter(user.pk, statuses=EVERYTHING))
        cool_down(user)

    @pytest.fixture
    def note(self, index: LexicalIndex, user: EndUser) -> Note:
        def note(owner: EndUser, text: str, **values: object) -> UUID:
            item = MemoryItemFactory.create(user=owner, text=text, **values)
            self.settle(owner)
            return UUID(str(item.pk))

        self.settle(user)
        return note

    def test_scores_are_near_those_of_full_text_and_the_order_is_the_same(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        note(user, "the kiln shed by the river", tier=Tier.PATTERNS)
        for number in range(12):
            note(user, "ferry " * (1 + number % 3) + "harbour " * (number % 4) + f"pier {number}")
        wanted = Filter(user.pk)
        for query in ("ferry harbour", "kiln pier", "pier 7 harbour"):
            ours, theirs = index.search(query, wanted, 20, soon()), FullTextIndex().search(query, wanted, 20, soon())
            assert {match.id for match in ours} == {match.id for match in theirs}
            assert ours[0].id == theirs[0].id
            expected = {match.id: match.score for match in theirs}
            assert {match.id: match.score for match in ours} == pytest.approx(expected, rel=0.25)

    def test_a_write_makes_it_unavailable_until_it_was_refreshed(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        ferry = note(user, "The ferry leaves at noon")
        index.changed(user.pk)
        with pytest.raises(Unavailable, match="being read"):
            index.search("ferry", Filter(user.pk), 5, soon())
        self.bm25.refresh(Filter(user.pk))
        assert [match.id for match in index.search("ferry", Filter(user.pk), 5, soon())] == [ferry]

    def test_a_part_whose_rows_are_as_they_were_is_not_read_again(
        self, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(user, "The ferry leaves at noon")
        monkeypatch.setattr(bm25, "ROWS", "SELECT broken")
        self.settle(user)
        assert self.bm25.ready(Filter(user.pk)) is not None

    def test_one_process_builds_a_part_and_not_again_right_after(self, note: Note, user: EndUser) -> None:
        note(user, "The ferry leaves at noon")
        other = Bm25Index(BUDGET)
        working = Filter(user.pk, frozenset({"working"}))
        with versions.turn_to_build(user.pk, "working", "active") as turn:
            assert turn is not None
            other.refresh(working)
            assert other.ready(working) is None
        cool_down(user)
        other.refresh(working)
        assert other.ready(working) is not None
        third = Bm25Index(BUDGET)
        third.refresh(working)
        assert third.ready(working) is None

    def test_a_lost_turn_is_not_taken_from_the_one_who_has_it_now(self, user: EndUser, db: None) -> None:
        with versions.turn_to_build(user.pk, "working", "active") as late:
            assert late is not None
            cool_down(user)
            redis.demand(lambda client: client.delete(key("bm25", "lock", str(user.pk), "working", "active")))
            with versions.turn_to_build(user.pk, "working", "active") as mine:
                assert mine is not None
                late.extend()
                late.end()
                cool_down(user)
                with versions.turn_to_build(user.pk, "working", "active") as third:
                    assert third is None

    def test_parts_used_last_are_kept_within_the_budget(self, note: Note, user: EndUser, other_user: EndUser) -> None:
        for owner in (user, other_user):
            note(owner, "The ferry leaves at noon")
        working, others = (Filter(owner.pk, frozenset({"working"})) for owner in (user, other_user))
        [part] = self.bm25.ready(working) or []
        small = Bm25Index(int(part.size * 1.5))
        small.refresh(working)
        small.refresh(others)
        assert (small.ready(working), small.ready(others) is None) == (None, False)
        tiny = Bm25Index(100)
        tiny.refresh(working)
        assert tiny.ready(working) is None

    def test_what_nobody_asks_for_is_let_go(self, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
        note(user, "The ferry leaves at noon")
        assert not self.bm25.cache.drop_idle()
        monkeypatch.setattr(bm25, "IDLE_S", -1.0)
        assert self.bm25.cache.drop_idle()
        assert self.bm25.ready(Filter(user.pk)) is None

    def test_without_redis_nothing_counts_as_fresh(
        self, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(user, "The ferry leaves at noon")
        monkeypatch.setattr(redis, "attempt", lambda call, otherwise: otherwise)
        assert self.bm25.ready(Filter(user.pk)) is None
        self.settle(user)
        assert self.bm25.ready(Filter(user.pk)) is None


@pytest.mark.django_db
@pytest.mark.usefixtures("unhurried")
class TestCachedLexical(LexicalIndexContract):
    """Nobody settles here: whatever the cache knows, the answer is that of the rows."""

    @pytest.fixture
    def index(self) -> LexicalIndex:
        self.asked: list[Filter] = []
        self.cached = CachedLexical(Bm25Index(BUDGET), FullTextIndex(), self.asked.append)
        return self.cached

    def settle(self, user: EndUser) -> None:
        self.cached.changed(user.pk)

    @pytest.fixture
    def note(self, index: LexicalIndex) -> Note:
        def note(user: EndUser, text: str, **values: object) -> UUID:
            item = MemoryItemFactory.create(user=user, text=text, **values)
            self.settle(user)
            return UUID(str(item.pk))

        return note

    def test_full_text_answers_until_the_cache_was_built_and_again_after_a_write(
        self, index: LexicalIndex, find: Find, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ferry = note(user, "The ferry leaves at noon")
        assert find("ferry") == [ferry]
        assert self.asked == [Filter(user.pk)]
        self.cached.quick.refresh(self.asked.pop())
        with monkeypatch.context() as patch:
            patch.setattr(fulltext, "SURVEY", "SELECT broken")
            assert find("ferry") == [ferry]
        assert self.asked == []
        boat = note(user, "The ferry is a boat")
        assert find("boat") == [boat]
        assert self.asked == [Filter(user.pk)]

    def test_now_and_then_the_rows_are_compared_though_no_write_was_heard_of(
        self, find: Find, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(user, "The ferry leaves at noon")
        self.cached.quick.refresh(Filter(user.pk))
        unheard = MemoryItemFactory.create(user=user, text="The ferry is a boat")
        monkeypatch.setattr(bm25, "VERIFY_EVERY_S", -1.0)
        assert find("boat") == []
        cool_down(user)
        self.cached.quick.refresh(self.asked.pop())
        assert find("boat") == [unheard.pk]


class TestBackground:
    def test_a_question_is_worked_on_once_at_a_time_and_not_again_right_after(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cached, "LOOK_ROUND_S", 0.01)
        monkeypatch.setattr(cached, "AGAIN_AFTER_S", 0.2)
        let_go, done = threading.Event(), []

        def work(filter: Filter) -> None:
            assert let_go.wait(5)
            done.append(filter.user_id)
            raise Unavailable("redis", "away")

        background = Background(work, lambda: True)
        for _ in range(3):
            background.ask(Filter(1))
        background.ask(Filter(2))
        let_go.set()
        self.wait_for(lambda: done == [1, 2])
        background.ask(Filter(1))
        time.sleep(0.25)
        background.ask(Filter(1))
        self.wait_for(lambda: done == [1, 2, 1])
        self.wait_for(lambda: not background._runs)

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        until = time.monotonic() + 5
        while not is_so():
            assert time.monotonic() < until
            time.sleep(0.01)
