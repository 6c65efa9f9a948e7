"""Facts found for a question: one line for each sentence, and what holds now ahead of what it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.facts.evidence import compute_confidence
from memory.facts.keys import fold_key
from memory.facts.relevance import weigh_relevance
from memory.facts.since import find_contradicted, read_changes
from memory.models import EndUser, Fact


@dataclass(frozen=True, slots=True)
class FactHit:
    """``relevance`` = 0.6 similarity + 0.3 confidence + 0.1 recency, as the source design has it.

    ``later`` is what was said since that ended a part of its sentence or speaks against it.
    """

    fact: Fact
    similarity: float
    confidence: float
    relevance: float = 0.0
    later: str = ""


def read_hits(user: EndUser, near: Mapping[UUID, float], now: datetime) -> list[FactHit]:
    """In the user's scope."""
    facts = list(Fact.objects.for_user(user).filter(pk__in=list(near)).defer("vector"))
    against = {fact_id: newer.statement for fact_id, newer in find_contradicted(user, near).items()}
    changes = read_changes(user, {fact.statement for fact in facts})
    return [
        build_hit(fact, near[fact.pk], now, against.get(fact.pk) or changes.get(fact.statement, "")) for fact in facts
    ]


def build_hit(fact: Fact, similarity: float, now: datetime, later: str) -> FactHit:
    confidence = compute_confidence(fact, now)
    relevance = weigh_relevance(similarity, confidence, fact.last_seen, now)
    return FactHit(fact, similarity, confidence, relevance, later)


def keep_best_of_sentences(hits: Sequence[FactHit]) -> list[FactHit]:
    """Best first. A sentence tells several facts, and a stretch of it stands in another of them."""
    kept: dict[str, FactHit] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.relevance, hit.fact.pk)):
        said = fold_key(hit.fact.statement)
        first = kept.setdefault(said, hit)
        # What speaks against one of the facts is said with the sentence, whichever of them is the best.
        kept[said] = first if first.later else replace(first, later=hit.later)
    return drop_stretches(kept)


def drop_stretches(by_words: Mapping[str, FactHit]) -> list[FactHit]:
    """Of "he is a bricklayer" and "he is a bricklayer, he lives in Hull" of one turn the longer, in the better."""
    kept: list[tuple[str, FactHit]] = []
    for said, hit in by_words.items():
        place = next((at for at, one in enumerate(kept) if is_stretch(said, hit, *one)), None)
        if place is None:
            kept.append((said, hit))
        elif len(said) > len(kept[place][0]):
            kept[place] = (said, replace(hit, relevance=kept[place][1].relevance))
    return [hit for _, hit in kept]


def is_stretch(said: str, hit: FactHit, other: str, other_hit: FactHit) -> bool:
    shorter, longer = sorted((said, other), key=len)
    is_at_once = hit.fact.first_seen == other_hit.fact.first_seen and hit.fact.thread_id == other_hit.fact.thread_id
    return is_at_once and f" {shorter} " in f" {longer} "


def put_later_first(hits: Sequence[FactHit]) -> list[FactHit]:
    """What ended a part of a sentence takes the sentence's place where it was found behind it."""
    by_words = {fold_key(hit.fact.statement): hit for hit in hits}
    for said, hit in list(by_words.items()):
        newer = by_words.get(fold_key(hit.later)) if hit.later else None
        if newer is not None and newer.relevance < hit.relevance:
            by_words[fold_key(hit.later)] = replace(newer, relevance=hit.relevance)
            by_words[said] = replace(hit, relevance=newer.relevance)
    return sorted(by_words.values(), key=lambda hit: (-hit.relevance, bool(hit.later), hit.fact.pk))
