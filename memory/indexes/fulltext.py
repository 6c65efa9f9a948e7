"""Full-text search in Postgres, ranked by BM25 and as fresh as the rows.

Postgres' own ranking ignores how rare a word is. Here the rows are found through the GIN index word by word, which also
counts them, and the score is summed in the same statement. A small sample of the user's rows is read first:
ids are random, so the smallest of them are a fair one, and the largest id among those tells how many rows there are.

The index serves under row-level security only where `ts_match_vq` is marked leakproof; elsewhere every answer is the
same and a large user waits longer.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import combinations, product
from math import log
from operator import attrgetter
from typing import Any, Self
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.access.cursors import open_bounded_cursor
from memory.access.scope import apply_settings
from memory.conf import MemoryConf
from memory.indexes.base import IndexFilter, LexicalMatch
from memory.language import build_lexeme, build_query_groups, build_tsquery
from memory.models.conditions import build_scope_sql
from memory.platform.deadline import Deadline
from memory.tiers import Tier

LEXICAL = "lexical"

SATURATION = 0.9
LENGTH_WEIGHT = 0.4

SAMPLE = 256
# Of a longer query only the longest words are searched for: they are the rarest, and each costs an index scan.
MOST_WORDS = 24
# About how many rows the words of a query may find together; the commoner ones then only add to the scores.
FOUND_ROWS = 1_500
# How many of each tier stand for all rows of a word that is too common to read them all.
NEWEST_ROWS = 300
# So many of the common words are looked for after all, two together and then one by one, while the rarer ones found
# too little.
COMMON_TRIED = 3
RANKED_TWICE = 100

# Each of a word's many forms is taken to be on some rows of the whole table, which added up to reading it: 45 ms
# instead of 2. Where entries of indexes were called dear as well, so that no other index was read beside that of the
# words, a question of 99 forms read every row of its user in place of both: 147 ms of 10,000 rows among 100,000,
# instead of 27. The price is the second index: a question of one word takes 1.3 ms instead of 0.3.
READ_WHOLE_TABLE = "off"
# To start a second process takes 5 ms, as long as the first needs for all of it; and who shares two cores with the
# embedder gets no second one. Of 10,000 memories p50 15.9 ms instead of 18.7, p95 27 instead of 32.
HELPING_PROCESSES = "0"
# Of who has this many memories the index of the words alone is read, for the planner would intersect it with all of
# the user's: 100,000 entries and 3.4 of 4 ms. It leaves that one out when entries are dear; but not where the words
# could be taken for more rows than the user has, or it would read all of those in place of the words.
MANY_ROWS = 20_000
ENTRIES_ARE_DEAR = {"cpu_index_tuple_cost": "1"}
# What share of a table the planner takes for that of a word it has no statistics of, at most (DEFAULT_TS_MATCH_SEL).
TAKEN_SHARE = 0.005

FITS = "status = ANY(%(statuses)s) AND tier = ANY(%(tiers)s)"

SURVEY = """
SELECT (SELECT reltuples FROM pg_class WHERE oid = 'memory_item'::regclass), count(*), max(id::text),
    count(*) FILTER (WHERE fits), coalesce(avg(length(lexemes)) FILTER (WHERE fits), 1){words}
FROM (
    SELECT id, lexemes, {fits} AS fits FROM memory_item WHERE user_id = %(user)s ORDER BY id LIMIT {sample}
) AS sample
"""
OCCURRENCES = ", count(*) FILTER (WHERE fits AND lexemes @@ %(word{number})s::tsquery)"

ROWS = (
    "SELECT id, occurred_at, length(lexemes) AS length, {holds} FROM memory_item WHERE user_id = %(user)s AND {where}"
)
NEWEST = "({rows} ORDER BY occurred_at DESC, id LIMIT {newest})"
HOLDS = "lexemes @@ %(word{number})s::tsquery AS holds{number}"
COUNTED = "count(*) FILTER (WHERE holds{number})"
WEIGHT = "ln(1 + greatest(0, %(total)s - {counted} + 0.5) / ({counted} + 0.5))"

# First only whether a word is there decides, then how often: reading positions is dear and changes little. OFFSET 0
# holds the planner to one row a match: for a user it has no statistics of yet it read all of them for each. Summed
# in the order of the words, or the last digit of equal scores would depend on the plan.
RANKED = """
WITH found AS MATERIALIZED ({found}),
rarity AS MATERIALIZED (SELECT ARRAY[{weights}]::float8[] AS weights FROM found HAVING true),
best AS MATERIALIZED (
    SELECT id, occurred_at FROM found, rarity
    ORDER BY ({gains}) / (1 + {base} + {slope} * length) DESC, occurred_at DESC, id LIMIT %(depth)s
),
sought (lexeme, word) AS MATERIALIZED (SELECT * FROM unnest(%(lexemes)s::text[], %(words)s::int[])),
counted AS (
    SELECT item.id, sought.word, min(length(item.lexemes)) AS length, sum(cardinality(said.positions)) AS times,
        min(best.occurred_at) AS occurred_at
    FROM best CROSS JOIN LATERAL (
        SELECT id, lexemes FROM memory_item WHERE user_id = %(user)s AND id = best.id OFFSET 0
    ) AS item
    CROSS JOIN LATERAL unnest(item.lexemes) AS said JOIN sought ON sought.lexeme = said.lexeme
    GROUP BY item.id, sought.word
)
SELECT id, sum(weights[word] * times / (times + {base} + {slope} * length) ORDER BY word) AS score
FROM counted, rarity GROUP BY id ORDER BY score DESC, min(occurred_at) DESC, id LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the query in its forms, and about how many of the rows in question hold it."""

    number: int
    forms: tuple[str, ...]
    rows: float


@dataclass(frozen=True, slots=True)
class RowsFound:
    """By which words rows are found: all that hold one of some, all that hold two of others, the newest of a third
    sort. What is left is only scored."""

    whole: list[Word]
    pairs: list[tuple[Word, Word]]
    newest: list[Word]
    scored: list[Word]

    @property
    def words(self) -> list[Word]:
        return [*self.whole, *self.newest, *self.scored]


@dataclass(frozen=True, slots=True)
class WordCounts:
    """What the sample says of the rows a filter lets through."""

    total: float
    average_length: float
    # Of the user whatever the filter, and of everybody as the planner counts them.
    owned: float
    table: float
    # Rarest first.
    words: list[Word]

    def split(self) -> tuple[list[Word], list[Word]]:
        """The words to find rows by, and the commoner rest. The first list is empty when every word is common."""
        room = float(FOUND_ROWS)
        for position, word in enumerate(self.words):
            room -= word.rows
            if room < 0:
                return self.words[:position], self.words[position:]
        return self.words, []

    def choose_pairs(self, common: list[Word]) -> list[tuple[Word, Word]]:
        """Which two of the common words are looked for together, rarest first, as many as there is room for."""
        room, pairs = float(FOUND_ROWS), []
        for one, other in combinations(common[:COMMON_TRIED], 2):
            room -= one.rows * other.rows / self.total
            if room < 0:
                break
            pairs.append((one, other))
        return pairs

    def choose_costs(self, found: RowsFound) -> dict[str, str]:
        """The settings under which the rows of words are found through one index."""
        forms = sum(len(word.forms) for word in found.whole)
        is_clear = bool(found.whole or found.pairs) and forms * TAKEN_SHARE * self.table < self.owned / 2
        return ENTRIES_ARE_DEAR if self.owned > MANY_ROWS and is_clear and not found.newest else {}

    def weigh(self, word: Word) -> float:
        return log(1 + max(0.0, self.total - word.rows + 0.5) / (word.rows + 0.5))


class FullTextIndex:
    """A LexicalIndex over the column `lexemes` of `memory_item`."""

    @classmethod
    def from_conf(cls, conf: MemoryConf) -> Self:
        return cls()

    def search(self, query: str, filter: IndexFilter, limit: int, deadline: Deadline) -> list[LexicalMatch]:
        groups = build_query_groups(query)
        if len(groups) > MOST_WORDS:
            groups = sorted(groups, key=lambda forms: -len(forms[0]))[:MOST_WORDS]
        if not groups or filter.matches_nothing or limit <= 0:
            return []
        with _cursor(filter.user_id, deadline) as cursor:
            return FullTextSearch(cursor, filter, groups, limit).run()

    def invalidate(self, user_id: int) -> None:
        """The rows are what is searched."""


class FullTextSearch:
    """One question to the table: the survey, the ranking, and perhaps a second ranking with common words."""

    def __init__(
        self, cursor: CursorWrapper, filter: IndexFilter, groups: Sequence[tuple[str, ...]], limit: int
    ) -> None:
        self.cursor = cursor
        self.groups = groups
        self.limit = limit
        self.owner = filter.user_id
        conditions, condition_values = filter.rows.build_sql(filter.user_id)
        scope, seen = build_scope_sql(filter.scope)
        # Not in the survey: how rare a word is does not depend on what is asked for beside it.
        self.conditions = conditions + scope
        self.tiers = sorted(filter.tiers) if filter.tiers is not None else [tier.value for tier in Tier]
        self.statuses = sorted(filter.statuses)
        self.values: dict[str, Any] = {
            "user": self.owner,
            "tiers": self.tiers,
            "statuses": self.statuses,
            **condition_values,
            **seen,
            **{f"word{number}": build_tsquery(forms, self.owner) for number, forms in enumerate(groups)},
        }

    def run(self) -> list[LexicalMatch]:
        survey = self._count_words()
        rare, common = survey.split()
        found: list[LexicalMatch] = []
        for sought in self._list_attempts(survey, rare, common):
            found = self._rank(survey, sought)
            if len(found) >= self.limit:
                break
        return found

    @staticmethod
    def _list_attempts(survey: WordCounts, rare: list[Word], common: list[Word]) -> Iterator[RowsFound]:
        """Each finds all that the one before it found, and more."""
        if rare:
            yield RowsFound(rare, [], [], common)
        pairs = survey.choose_pairs(common)
        if pairs:
            yield RowsFound(rare, pairs, [], common)
        for tried in range(1, min(len(common), COMMON_TRIED) + 1):
            yield RowsFound(rare, pairs, common[:tried], common[tried:])

    def _count_words(self) -> WordCounts:
        words = "".join(OCCURRENCES.format(number=number) for number in range(len(self.groups)))
        self.cursor.execute(SURVEY.format(words=words, fits=FITS, sample=SAMPLE), self.values)
        table, seen, last, fitting, average, *occurrences = self.cursor.fetchone()
        # The ids of the sample lie below its last as densely as all ids of the user do below the largest possible.
        each = 1.0 if seen < SAMPLE else 2.0**128 / max(1, UUID(last).int)
        words_seen = [
            Word(number, forms, rows * each)
            for number, (forms, rows) in enumerate(zip(self.groups, occurrences, strict=True))
        ]
        words_seen.sort(key=attrgetter("rows"))
        total, length = max(1.0, fitting * each), max(1.0, float(average))
        return WordCounts(total, length, seen * each, table, words_seen)

    def _rank(self, survey: WordCounts, found: RowsFound) -> list[LexicalMatch]:
        """The rows that were found, ranked by all words."""
        words = found.words
        holds = ", ".join(HOLDS.format(number=word.number) for word in words)
        weights = [WEIGHT.format(counted=COUNTED.format(number=word.number)) for word in found.whole]
        weights += [str(survey.weigh(word)) for word in (*found.newest, *found.scored)]
        # What a match costs for its length, as one factor: saturation * (1 - weight + weight * length / average).
        statement = RANKED.format(
            found=" UNION ALL ".join(self._parts(found, holds)),
            weights=", ".join(weights),
            gains=" + ".join(
                f"CASE WHEN holds{word.number} THEN weights[{place}] ELSE 0 END" for place, word in enumerate(words, 1)
            ),
            base=SATURATION * (1 - LENGTH_WEIGHT),
            slope=SATURATION * LENGTH_WEIGHT / survey.average_length,
        )
        values = {
            **self.values,
            "total": survey.total,
            "whole": self._write_query(found),
            "lexemes": [build_lexeme(form, self.owner) for word in words for form in word.forms],
            "words": [place for place, word in enumerate(words, 1) for _ in word.forms],
            "depth": max(self.limit, RANKED_TWICE),
            "limit": self.limit,
        }
        with apply_settings(survey.choose_costs(found)):
            self.cursor.execute(statement, values)
            rows = self.cursor.fetchall()
        return [LexicalMatch(id, float(score)) for id, score in rows]

    def _write_query(self, found: RowsFound) -> str:
        """Any of the words, or any two that are looked for together."""
        singles = [build_tsquery(word.forms, self.owner) for word in found.whole]
        pairs = [
            f"(({build_tsquery(one.forms, self.owner)})&({build_tsquery(other.forms, self.owner)}))"
            for one, other in found.pairs
        ]
        return "|".join(singles + pairs)

    def _parts(self, found: RowsFound, holds: str) -> Iterator[str]:
        """The rows in question, each once: of the rare words and the pairs together, of a common word by tier and
        status."""
        has_all = bool(found.whole or found.pairs)
        if has_all:
            yield ROWS.format(holds=holds, where=f"{FITS} AND lexemes @@ %(whole)s::tsquery{self.conditions}")
        apart = " AND NOT lexemes @@ %(whole)s::tsquery" if has_all else ""
        for word in found.newest:
            held = f"lexemes @@ %(word{word.number})s::tsquery"
            for tier, status in product(range(len(self.tiers)), range(len(self.statuses))):
                # The order and the leading columns of the index on recent rows.
                self.values |= {f"tier{tier}": self.tiers[tier], f"status{status}": self.statuses[status]}
                where = f"tier = %(tier{tier})s AND status = %(status{status})s AND {held}{apart}{self.conditions}"
                yield NEWEST.format(rows=ROWS.format(holds=holds, where=where), newest=NEWEST_ROWS)
            apart += f" AND NOT {held}"


def _cursor(user_id: int, deadline: Deadline) -> AbstractContextManager[CursorWrapper]:
    settings = {"enable_seqscan": READ_WHOLE_TABLE, "max_parallel_workers_per_gather": HELPING_PROCESSES}
    return open_bounded_cursor(LEXICAL, user_id, deadline, settings)
