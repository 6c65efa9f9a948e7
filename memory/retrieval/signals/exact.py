"""Exact comparisons of identifiers, days, amounts and names, where a near miss is something else."""

from collections.abc import Callable, Collection, Hashable
from functools import lru_cache
from typing import TypeVar

from memory.language import figures
from memory.language.folding import WORD
from memory.language.times import find_times
from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

T = TypeVar("T", bound=Hashable)

OTHER = -0.5
"""A memory that has a value of the kind and not the one asked for."""


def compare_values(asked: Collection[T], pool: Pool, read: Callable[[str], Collection[T]]) -> list[float]:
    """1 for a memory with the asked value, slightly negative for one with only others; if any has it at all."""
    if not asked:
        return [0.0] * len(pool)
    wanted = set(asked)
    found = []
    for memory in pool.memories:
        held = read(memory.text)
        found.append(1.0 if wanted & set(held) else OTHER if held else 0.0)
    return found if 1.0 in found else [0.0] * len(pool)


def score_codes(query: Query, pool: Pool) -> list[float]:
    shapes = {figures.mask_code(code) for code in query.codes}
    return compare_values(
        query.codes,
        pool,
        lambda text: [
            code for code in figures.find_codes(text) if code in query.codes or figures.mask_code(code) in shapes
        ],
    )


def score_days(query: Query, pool: Pool) -> list[float]:
    return compare_values(query.days, pool, figures.find_days)


def score_clock(query: Query, pool: Pool) -> list[float]:
    return compare_values(query.times, pool, find_times)


def score_amounts(query: Query, pool: Pool) -> list[float]:
    return compare_values(query.numbers, pool, figures.find_numbers)


def score_names(query: Query, pool: Pool) -> list[float]:
    """How many of the people in the question the memory lacks, by name or relation, of those any candidate has.

    Nothing for turns: who talks of somebody names them once and then says "she".
    """
    if not query.names and not query.relations:
        return [0.0] * len(pool)
    lacks = [[not held for held in find_name_holders(name, pool)] for name in query.names]
    lacks += [[relation not in known for known in pool.relations] for relation in query.relations]
    telling = [lack for lack in lacks if not all(lack)]
    if not telling:
        return [0.0] * len(pool)
    return [
        0.0 if memory.is_turn else -sum(lacking) / len(telling)
        for memory, lacking in zip(pool.memories, zip(*telling, strict=True), strict=True)
    ]


def find_name_holders(name: str, pool: Pool) -> list[bool]:
    """The candidates that mention a name, capitalised: the robin in the hedge is not Robin."""
    parts = set(WORD.findall(name))
    return [all(list_name_forms(part) & names for part in parts) for names in pool.capitals]


@lru_cache(maxsize=4096)
def list_name_forms(part: str) -> frozenset[str]:
    """The spellings of a part of a name: with and without the mark of the genitive."""
    return frozenset({part, part.removesuffix("s"), part + "s"})


CODES = RankingSignal("identifier", 4.5, score_codes)
DAYS = RankingSignal("day", 4.5, score_days)
CLOCK = RankingSignal("clock", 4.5, score_clock)
AMOUNTS = RankingSignal("amount", 4.0, score_amounts)
NAMES = RankingSignal("names", 3.1, score_names)
