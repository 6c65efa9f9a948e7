"""Clauses about a thing, an animal or somebody that is the person's: its name, or what they have."""

from functools import cache

from memory.claims.claim import SPEAKER
from memory.claims.clauses.cutting import ClauseOpening
from memory.claims.lexicon import MARK, list_nouns, strip_marks
from memory.claims.subjects import NOUNS, PRONOUN, REACH, REACH_NAME, is_of_another, is_person
from memory.guard.annotation import Sentence, Span


@cache
def list_noun_relations() -> tuple[tuple[str, str], ...]:
    return tuple((kind, strip_marks(kind)) for kind in list_nouns())


def find_own_thing(sentence: Sentence, head: int, end: int) -> ClauseOpening | None:
    """ "My tortoise is called Flash", "our parrot Kiwi": an owned noun and its name, or anything about a thing."""
    for kind, relation in list_noun_relations():
        if kind not in sentence.spans_by_kind:
            continue
        for first, last in sentence.spans(kind):
            if not head <= first < last <= end:
                continue
            owner = next(
                (
                    span
                    for span in sentence.spans(MARK + "my", "mine")
                    if span[0] >= head
                    and span[1] <= end
                    and (0 <= first - span[1] <= 2 or 0 <= span[0] - last <= 1 or span[0] == first)
                ),
                None,
            )
            owner = owner or find_definite(sentence, first, last)
            if owner is None:
                continue
            after = max(last, owner[1])
            start = min(first, owner[0])
            if start - head > REACH or is_of_another(sentence, after, min(end, after + 2)):
                continue
            link = next(
                (b for a, b in sentence.spans(MARK + "link") if 0 <= a - after <= REACH_NAME and b <= end), None
            )
            if any(0 <= start - b <= 1 < b - head + 1 for _, b in sentence.spans(MARK + "link")) and start > head:
                subject = PRONOUN if sentence.has_at(head, MARK + "third") else SPEAKER
                return ClauseOpening("", relation, subject, head, start, subject == SPEAKER, is_left=True)
            is_named = after in sentence.capitals or (link is not None and link < end)
            is_named = is_named or sentence.has_at(after, MARK + "relative")
            is_named = is_named or any(0 <= at - after <= 2 and b < end for at, b in sentence.spans(MARK + "named"))
            if (is_person(relation) or after >= end) and not is_named:
                continue
            return ClauseOpening("", relation, SPEAKER, head, link or after, is_left=after >= end)
    return None


def find_definite(sentence: Sentence, first: int, last: int) -> Span | None:
    """ "The landlord's called Mr Abney": the one there is, if its name follows."""
    if any(0 <= at - last <= REACH for at, _ in sentence.spans(MARK + "named")):
        return next((span for span in sentence.spans(MARK + "the") if span[1] == first), None)
    return None


def find_possession(sentence: Sentence, head: int, end: int) -> ClauseOpening | None:
    """ "I have type 1 diabetes", "abbiamo due gemelle": having, and one of the nouns or topics close behind it."""
    things = sentence.spans(NOUNS, MARK + "topic", "kin")
    for first, last in sentence.spans(MARK + "have"):
        if not head <= first < last <= end or first - head > REACH:
            continue
        if first > head and not any(head <= at < first for at, _ in sentence.spans(MARK + "i")):
            continue
        if any(0 <= at - last <= REACH + 1 and after <= end for at, after in things):
            return ClauseOpening("", "has", SPEAKER, head, last)
    return None
