"""BM25 held in the process: the suite of the port, and when a cached part counts as fresh."""

import threading
from types import SimpleNamespace
from uuid import UUID

import pytest

from memory.indexes import bm25, cached, fulltext, versions
from memory.indexes.base import IndexFilter, LexicalIndex
from memory.indexes.bm25 import Bm25Index
from memory.indexes.cached import BackgroundRefresher, CachedLexical
from memory.indexes.fulltext import FullTextIndex
from memory.models import EndUser
from memory.platform import redis
from memory.platform.faults import Unavailable
from memory.platform.redis import build_key
from memory.tiers import Status, Tier
from tests.factories import MemoryItemFactory
from tests.memory.indexes.lexical_index_contract import Find, LexicalIndexContract, Note, make_deadline
from tests.patience import PATIENCE_S, eventually

EVERYTHING = frozenset(status.value for status in Status)
BUDGET = 10_000_000


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no dead Redis."""
    monkeypatch.setattr(redis, "ATTEMPT_TIMEOUT_S", 5.0)


def cool_down(user: EndUser) -> None:
    """A part may be built again at once."""
    pattern = build_key("bm25", "cooldown", str(user.pk), "*")
    redis.call_or_raise(lambda client: [client.delete(name) for name in client.scan_iter(pattern)])


@pytest.mark.django_db
@pytest.mark.usefixtures("unhurried")
class TestBm25Index(LexicalIndexContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        self.bm25 = Bm25Index(BUDGET)
        return self.bm25

    def settle(self, user: EndUser) -> None:
        self.bm25.invalidate(user.pk)
        self.bm25.refresh(IndexFilter(user.pk, statuses=EVERYTHING))
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
        wanted = IndexFilter(user.pk)
        for query in ("ferry harbour", "kiln pier", "pier 7 harbour"):
            ours, theirs = (
                index.search(query, wanted, 20, make_deadline()),
                FullTextIndex().search(query, wanted, 20, make_deadline()),
            )
            assert {match.id for match in ours} == {match.id for match in theirs}
            assert ours[0].id == theirs[0].id
            expected = {match.id: match.score for match in theirs}
            assert {match.id: match.score for match in ours} == pytest.approx(expected, rel=0.25)

    def test_a_write_makes_it_unavailable_until_it_was_refreshed(
        self, index: LexicalIndex, note: Note, user: EndUser
    ) -> None:
        ferry = note(user, "The ferry leaves at noon")
        index.invalidate(user.pk)
        with pytest.raises(Unavailable, match="being read"):
            index.search("ferry", IndexFilter(user.pk), 5, make_deadline())
        self.bm25.refresh(IndexFilter(user.pk))
        assert [match.id for match in index.search("ferry", IndexFilter(user.pk), 5, make_deadline())] == [ferry]

    def test_a_part_whose_rows_are_as_they_were_is_not_read_again(
        self, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(user, "The ferry leaves at noon")
        monkeypatch.setattr(bm25, "ROWS", "SELECT broken")
        self.settle(user)
        assert self.bm25.ready(IndexFilter(user.pk)) is not None

    def test_one_process_builds_a_part_and_not_again_right_after(self, note: Note, user: EndUser) -> None:
        note(user, "The ferry leaves at noon")
        other = Bm25Index(BUDGET)
        working = IndexFilter(user.pk, frozenset({"working"}))
        with versions.try_build_lock(user.pk, "working", "active") as turn:
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
        with versions.try_build_lock(user.pk, "working", "active") as late:
            assert late is not None
            cool_down(user)
            redis.call_or_raise(
                lambda client: client.delete(build_key("bm25", "lock", str(user.pk), "working", "active"))
            )
            with versions.try_build_lock(user.pk, "working", "active") as mine:
                assert mine is not None
                late.extend()
                late.end()
                cool_down(user)
                with versions.try_build_lock(user.pk, "working", "active") as third:
                    assert third is None

    def test_parts_used_last_are_kept_within_the_budget(self, note: Note, user: EndUser, other_user: EndUser) -> None:
        for owner in (user, other_user):
            note(owner, "The ferry leaves at noon")
        working, others = (IndexFilter(owner.pk, frozenset({"working"})) for owner in (user, other_user))
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
        assert self.bm25.ready(IndexFilter(user.pk)) is None

    def test_without_redis_nothing_counts_as_fresh(
        self, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(user, "The ferry leaves at noon")
        monkeypatch.setattr(redis, "call_or_default", lambda call, otherwise: otherwise)
        assert self.bm25.ready(IndexFilter(user.pk)) is None
        self.settle(user)
        assert self.bm25.ready(IndexFilter(user.pk)) is None


@pytest.mark.django_db
@pytest.mark.usefixtures("unhurried")
class TestCachedLexical(LexicalIndexContract):
    """Nobody settles here: whatever the cache knows, the answer is that of the rows."""

    @pytest.fixture
    def index(self) -> LexicalIndex:
        self.asked: list[IndexFilter] = []
        self.cached = CachedLexical(Bm25Index(BUDGET), FullTextIndex(), self.asked.append)
        return self.cached

    def settle(self, user: EndUser) -> None:
        self.cached.invalidate(user.pk)

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
        assert self.asked == [IndexFilter(user.pk)]
        self.cached.quick.refresh(self.asked.pop())
        with monkeypatch.context() as patch:
            patch.setattr(fulltext, "SURVEY", "SELECT broken")
            assert find("ferry") == [ferry]
        assert self.asked == []
        boat = note(user, "The ferry is a boat")
        assert find("boat") == [boat]
        assert self.asked == [IndexFilter(user.pk)]

    def test_now_and_then_the_rows_are_compared_though_no_write_was_heard_of(
        self, find: Find, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(user, "The ferry leaves at noon")
        self.cached.quick.refresh(IndexFilter(user.pk))
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
        monkeypatch.setattr(cached, "IDLE_CHECK_S", 0.01)
        now = [0.0]
        monkeypatch.setattr(cached, "time", SimpleNamespace(monotonic=lambda: now[0]))
        let_go, done = threading.Event(), []

        def work(filter: IndexFilter) -> None:
            assert let_go.wait(PATIENCE_S)
            done.append(filter.user_id)
            raise Unavailable("redis", "away")

        background = BackgroundRefresher(work, lambda: True)
        for _ in range(3):
            background.ask(IndexFilter(1))
        background.ask(IndexFilter(2))
        let_go.set()
        assert eventually(lambda: done == [1, 2])
        background.ask(IndexFilter(1))
        now[0] += cached.MIN_INTERVAL_S

        def is_done_again() -> bool:
            # The first of these asks is heard as soon as the thread has put its work away, the others are too early.
            background.ask(IndexFilter(1))
            return done == [1, 2, 1]

        assert eventually(is_done_again)
        assert eventually(lambda: not background._runs)
        assert done == [1, 2, 1]
