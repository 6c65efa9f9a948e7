"""Full text in Postgres: the suite of the port, BM25 scores from SQL, and statements that are stopped."""

import math
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.db.backends.utils import CursorWrapper

from memory.access.scope import WrongScope, user_scope
from memory.indexes import fulltext
from memory.indexes.base import IndexFilter, LexicalIndex
from memory.indexes.fulltext import FullTextIndex
from memory.language import build_query_groups, extract_terms
from memory.language.text import format_date
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from tests.factories import LONG_AGO
from tests.memory.indexes.lexical_index_contract import Find, LexicalIndexContract, Note, make_deadline


@pytest.mark.django_db
class TestFullTextIndex(LexicalIndexContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        return FullTextIndex()

    def test_scores_are_those_of_bm25(self, index: LexicalIndex, note: Note, user: EndUser) -> None:
        texts = ["kiln kiln shelf", "a shelf in the shed", "the shed has a roof and a door", "roof of the kiln shed"]
        held = {note(user, text): Counter(extract_terms(f"{text} {format_date(LONG_AGO)}")) for text in texts}
        average = sum(len(counts) for counts in held.values()) / len(held)
        expected = dict.fromkeys(held, 0.0)
        for forms in build_query_groups("kiln roof shed"):
            times = {id: sum(counts[form] for form in forms) for id, counts in held.items()}
            rows = sum(1 for count in times.values() if count)
            for id, count in times.items():
                damped = count + 0.9 * (1 - 0.4 + 0.4 * len(held[id]) / average)
                expected[id] += math.log(1 + (len(held) - rows + 0.5) / (rows + 0.5)) * count / damped
        found = {
            match.id: match.score for match in index.search("kiln roof shed", IndexFilter(user.pk), 10, make_deadline())
        }
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

    def test_of_two_common_words_what_holds_both_is_found_however_old_it_is(
        self, find: Find, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fulltext, "FOUND_ROWS", 5)
        monkeypatch.setattr(fulltext, "NEWEST_ROWS", 2)
        both = note(user, "The lamp of the ferry", occurred_at=LONG_AGO)
        for day in range(1, 8):
            note(user, "The lamp is lit", occurred_at=LONG_AGO + timedelta(days=day))
            note(user, "The ferry is late", occurred_at=LONG_AGO + timedelta(days=day))
        assert find("lamp ferry")[0] == both

    def test_a_statement_that_takes_too_long_is_interrupted_and_the_transaction_survives(
        self, index: LexicalIndex, note: Note, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lamp = note(user, "The lamp in the room")
        with user_scope(user), connection.cursor() as cursor:
            before = self._settings(cursor)
            monkeypatch.setattr(fulltext, "FITS", "(SELECT true FROM pg_sleep(5))")
            with pytest.raises(Unavailable, match="statement timeout"):
                index.search("lamp", IndexFilter(user.pk), 10, Deadline(0.05))
            monkeypatch.undo()
            assert self._settings(cursor) == before
            assert [match.id for match in index.search("lamp", IndexFilter(user.pk), 10, make_deadline())] == [lamp]
            assert self._settings(cursor) == before

    def test_an_open_scope_of_another_user_is_a_bug_and_not_an_answer(
        self, index: LexicalIndex, user: EndUser, other_user: EndUser
    ) -> None:
        with pytest.raises(WrongScope), user_scope(other_user):
            index.search("lamp", IndexFilter(user.pk), 10, make_deadline())

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
