"""Exact comparisons of identifiers, days, amounts and names, where a near miss is something else."""

from collections.abc import Callable, Collection, Hashable
from functools import lru_cache
from typing import TypeVar

from memory.language import figures
from memory.language.folding import WORD
from memory.language.spellings import is_same_name
from memory.language.times import find_times
from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

T = TypeVar("T", bound=Hashable)

# For a memory that has a value of the kind and not the one in the question.
OTHER = -0.5
# Of a memory's text: with all of it, a hundred candidates of 32 KB each would be read for seconds.
MAX_CHARS_COMPARED = 4_000
# Letters of a name that is looked for in other spellings.
SHORTEST_ALIKE = 5


def compare_values(query_values: Collection[T], pool: Pool, read: Callable[[str], Collection[T]]) -> list[float]:
    """1 for a memory with the value, slightly negative for one with only others; if any candidate has it at all."""
    if not query_values:
        return [0.0] * len(pool)
    wanted_values = set(query_values)
    found = []
    for memory in pool.memories:
        values_held = read(memory.text[:MAX_CHARS_COMPARED])
        found.append(1.0 if wanted_values & set(values_held) else OTHER if values_held else 0.0)
    # Where nobody has it, having another is no reason against: the question may name what is not stored.
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

    Nothing for what stands in a thread: who talks of somebody names them once and then says "she".
    """
    if not query.names and not query.relations:
        return [0.0] * len(pool)
    lacks = [[not holds for holds in find_name_holders(name, pool)] for name in query.names]
    lacks += [[relation not in known for known in pool.relations] for relation in query.relations]
    telling = [lack for lack in lacks if not all(lack)]
    if not telling:
        return [0.0] * len(pool)
    return [
        -sum(lacking) / len(telling) if memory.stands_alone else 0.0
        for memory, lacking in zip(pool.memories, zip(*telling, strict=True), strict=True)
    ]


def find_name_holders(name: str, pool: Pool) -> list[bool]:
    """The candidates that mention a name, capitalised: the robin in the hedge is not Robin."""
    forms = [list_name_forms(part) for part in set(WORD.findall(name))]
    return [not any(map(names.isdisjoint, forms)) for names in pool.capitals]


def score_spelling(query: Query, pool: Pool) -> list[float]:
    """Up for a memory that may hold a name of the question in another spelling, where none holds it as written."""
    missing = [name for name in query.names if not any(find_name_holders(name, pool))]
    if not missing:
        return [0.0] * len(pool)
    return [float(any(holds_alike(name, capitals) for name in missing)) for capitals in pool.capitals]


def holds_alike(name: str, capitals: frozenset[str]) -> bool:
    return all(
        len(part) >= SHORTEST_ALIKE and any(is_same_name(part, word) for word in capitals)
        for part in WORD.findall(name)
    )


@lru_cache(maxsize=4096)
def list_name_forms(part: str) -> frozenset[str]:
    """The spellings of a part of a name: with and without the mark of the genitive."""
    return frozenset({part, part.removesuffix("s"), part + "s"})


# Rounded up from the fit, as all that compare exactly: a wrong ticket number is a wrong answer. Without it Top-1 .740
# and .713, trap@1 .040 and .178.
CODES = RankingSignal("identifier", 4.5, score_codes)
# Without it Top-1 .740 and .713, trap@1 .040 and .170.
DAYS = RankingSignal("day", 4.5, score_days)
# The sets hold one case of it; weighted as the other exact ones.
CLOCK = RankingSignal("clock", 4.5, score_clock)
# Without it Top-1 .704 and trap@1 .183 on `scenarios-v1`.
AMOUNTS = RankingSignal("amount", 4.0, score_amounts)
# Without it Top-1 .680 and .691, trap@1 .080 and .187. Not for turns, which say "she": on left-out conversations that
# gave .005 of R@10 and .003 of MRR.
NAMES = RankingSignal("names", 3.1, score_names)
# Half of what a name as written is worth; no set has enough cases of it to say.
SPELLING = RankingSignal("spelling", 1.5, score_spelling)
