"""Holds two statements against each other."""

from typing import Final

from memory.facts.pairs.comparison import Comparison
from memory.facts.pairs.lexicon import list_slots
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.replacing import PASSING, is_replaced, is_rival
from memory.facts.pairs.statement import PairStatement, PairVerdict
from memory.facts.pairs.values import conflict
from memory.facts.pairs.words import PairWord

# Of the shorter statement's words, those that the other must say as well for the two to be about one thing.
HALF: Final = 0.5
MOST: Final = 0.75
THIRD: Final = 0.33
CLOSE: Final = 0.75
# Two wordings of one thing; between .8 and .9 stand as many contradictions as paraphrases, so the words have to agree.
ALIKE: Final = 0.85
# What a statement holds for that another one is not about: a second home, a work phone, a project.
APART: Final = frozenset({"second", "project", "private", "work"})


# "In spring" says when something happened as often as when it holds.
SEASONS: Final = frozenset({"spring", "summer", "autumn", "winter"})


def judge_pair(
    a: PairStatement, b: PairStatement, cosine: float | None = None, *, is_ordered: bool = False
) -> PairVerdict:
    """``is_ordered``: the same person said ``b`` later; a contradiction then means that it replaces or ends ``a``.

    ``cosine`` is that of their embeddings, None where there is none.
    """
    both = Comparison(read_pair_statement(a), read_pair_statement(b), cosine)
    if both.a.folded == both.b.folded:
        return "merge"
    return judge_ordered(both) if is_ordered else judge_readings(both)


def judge_ordered(both: Comparison) -> PairVerdict:
    if is_replaced(both):
        return "contradiction"
    verdict = judge_readings(both)
    if verdict == "contradiction" and (not both.b.tags.isdisjoint(PASSING) or not is_rival(both)):
        return "keep_both"
    return verdict


def judge_readings(both: Comparison) -> PairVerdict:
    a, b = both.a, both.b
    apart = judge_apart(both)
    if both.are_persons_apart:
        return "keep_both" if both.is_related or both.coverage > HALF or both.share_a_name else "unrelated"
    if both.are_contexts_apart or (a.contexts ^ b.contexts) & APART:
        return "keep_both" if both.shared or both.is_related or both.are_contexts_apart else apart
    if a.time != b.time and ("past" in (a.time, b.time)) and not both.axis_conflict:
        return apart
    if a.time != b.time and "plan" in (a.time, b.time) and not ("good" in a.tags and "good" in b.tags):
        return apart
    if both.axis_conflict and a.polarity and b.polarity:
        return "contradiction"
    turned = a.polarity != b.polarity or (a.time != b.time and "ended" in (a.time, b.time))
    if turned:
        is_elsewhere = (a.contexts - SEASONS) != (b.contexts - SEASONS)
        return apart if not both.is_one_point else "keep_both" if is_elsewhere else "contradiction"
    return judge_values(both, apart)


def judge_apart(both: Comparison) -> PairVerdict:
    """The verdict on statements that neither agree nor clash."""
    is_near = both.is_related or both.is_about_one_thing or both.is_one_frame or both.are_both_habits
    return "keep_both" if is_near or both.share_a_name else "unrelated"


def judge_values(both: Comparison, apart: PairVerdict) -> PairVerdict:
    """The verdict on statements of one time and one polarity, by their values."""
    a, b = both.a, both.b
    differ = conflict(a.values, b.values)
    is_open = bool(both.only_a and both.only_b)
    if (
        differ
        and not both.is_of_others
        and (both.single_slots or not (a.words or b.words) or (both.told and not is_open))
    ):
        return "contradiction"
    if both.is_of_others and both.only_a and both.only_b:
        return "keep_both"
    if both.is_one_attribute:
        return "contradiction"
    if both.single_slots - list_slots("numeric") and is_open:
        return "keep_both" if "second" in a.tags | b.tags or not both.are_values_alike else "contradiction"
    if is_open and any(word.key == "best" for word in both.shared) and len(both.shared) > 1:
        return "contradiction"
    if not (a.words or b.words) and a.values and not differ:
        return "merge" if len(a.said & b.said) > len(a.said ^ b.said) / 2 else apart
    is_open = any(map(is_told, both.only_a)) and any(map(is_told, both.only_b))
    if has_moved(both) or both.is_exchanged:
        return "contradiction"
    if differ or not ((not is_open and is_same_matter(both)) or is_paraphrase(both)):
        return apart
    # "Ten minutes" and "over an hour", "one son" and "three sons": an amount on one side alone.
    is_amount = bool(a.values) != bool(b.values) and not (both.only_a or both.only_b)
    return "unsure" if is_amount else "merge"


def has_moved(both: Comparison) -> bool:
    """ "Lives in Jena", "has moved from Jena to Ulm"."""
    sides = ((both.a, both.only_a), (both.b, both.only_b))
    changed = [left for reading, left in sides if reading.tags & {"c change", "weak slot home"}]
    return bool(both.single_slots) and len(changed) == 1 and any(word.is_name for word in changed[0])


def is_paraphrase(both: Comparison) -> bool:
    """Whether the embedder takes both for one and no word stands in the place of another.

    The embedder is trusted in its own language: of others it sees the letters more than the meaning.
    """
    if both.cosine is None or both.have_other_names or both.is_substitution or both.has_owner_left:
        return False
    left = (*both.only_a, *both.only_b)
    if any(word.is_marker and not word.slots <= list_slots("plain") for word in left):
        return False
    if both.a.is_english and both.b.is_english:
        return both.cosine >= CLOSE and both.coverage >= THIRD
    return both.cosine >= ALIKE and both.coverage >= MOST


def is_same_matter(both: Comparison) -> bool:
    """Whether what one says and the other says as well is more than a word that both happen to hold."""
    a, b = both.a, both.b
    if both.has_owner_left:
        return False
    if all(word.is_marker for word in (*a.words, *b.words)):
        return bool(a.words and b.words) and bool(a.values) == bool(b.values) and a.slots == b.slots
    is_covered = not any(is_told(word) for word in (*both.only_a, *both.only_b))
    if is_covered and all(any(not word.is_marker for word in words) for words in (a.words, b.words)):
        return True
    if both.axis_match or both.shared_slots or both.is_one_frame or both.is_about_one_thing:
        return bool(both.told or both.axis_match or a.values & b.values)
    return len(both.told) > 1


def is_told(word: PairWord) -> bool:
    """Whether a word says more than which slot it is about."""
    return not word.is_marker or not word.slots <= list_slots("plain")
