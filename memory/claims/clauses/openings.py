"""With what a clause opens a statement: a phrase of a relation behind a subject that belongs to the person.

The first that holds decides: a whole opening ("my goal is"), a phrase of a relation, somebody close and what lasts
about them, a thing of the person's, what they have, and at last any clause of theirs that tells of body, home, people,
animals, work or habits, or of a change.
"""

from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.clauses.cutting import ClauseOpening
from memory.claims.clauses.possessions import find_own_thing, find_possession
from memory.claims.lexicon import LEFT, MARK, THIRD, list_relations, strip_marks
from memory.claims.relations import ABOUT, REQUEST
from memory.claims.subjects import (
    NOUNS,
    PRONOUN,
    REACH,
    find_owned_noun,
    find_people,
    find_subject,
    is_of_another,
    is_person_at,
    is_pronoun_at,
    name_owned,
)
from memory.guard.annotation import Sentence

# Whole openings of the languages' `profile.txt` and the relation of each, the more telling first.
FAMILIES: Final[dict[str, str]] = {
    "name": "name",
    "manner style": "style",
    "learning": "learning",
    "work": "works_as",
    "projects": "project",
    "goals": "goal",
    "technical": "skill",
    "creative": "skill",
    "challenges": "struggles_with",
    "interests": "interest",
    "identity": "is",
    "preferences": "likes",
}

# Relations whose phrase may be all there is: "I'm left-handed", "he is nine years old".
WITHIN_PHRASE: Final = frozenset(
    {
        "is",
        "age",
        "diet",
        "has_condition",
        "married_to",
        "religion",
        "works_as",
        "style",
        "owns",
        "likes",
        "has",
        "hobby",
    }
    | {"studies", "works_at", "takes", "born_in"}
)
LONGEST_NAME: Final = 3
LEAST_WORDS: Final = 2


def find_opening(
    sentence: Sentence,
    start: int,
    end: int,
    head: int,
    mentions: frozenset[str],
    *,
    drops_subjects: bool,
    is_greeting: bool,
) -> ClauseOpening | None:
    heads = {start, head, *(after for at, after in sentence.spans(MARK + "habit") if at == head)}
    relation = find_relation(sentence, start, end, head, mentions, drops_subjects=drops_subjects)
    if whole := find_whole_opening(sentence, heads, end, head):
        is_within = relation is not None and relation.subject == SPEAKER and relation.phrase < whole.end
        return replace(whole, relation=relation.relation) if relation is not None and is_within else whole
    return (
        find_introduction(sentence, heads, end, is_greeting=is_greeting)
        or relation
        or find_close_person(sentence, heads, end)
        or find_value(sentence, start, end)
        or find_own_thing(sentence, head, end)
        or find_possession(sentence, head, end)
        or find_free_claim(sentence, start, end, head, mentions)
        or find_wish(sentence, start, end, head)
    )


def find_whole_opening(sentence: Sentence, heads: set[int], end: int, head: int) -> ClauseOpening | None:
    found = [
        (last - first, -rank, kind, first, last)
        for rank, kind in enumerate(FAMILIES)
        for first, last in sentence.spans(kind)
        if first in heads and last <= end
    ]
    if not found:
        return None
    _, _, kind, first, last = max(found)
    return ClauseOpening(kind, FAMILIES[kind], SPEAKER, min(first, head), last)


def find_introduction(sentence: Sentence, heads: set[int], end: int, *, is_greeting: bool) -> ClauseOpening | None:
    """ "I'm Rowena": behind a greeting, a name and nothing else, with or without a capital."""
    for first, last in sentence.spans(MARK + "i am") if is_greeting else ():
        word_count = end - last
        if first not in heads or not 0 < word_count <= LONGEST_NAME:
            continue
        is_named = all(at in sentence.capitals for at in range(last, end))
        is_known = sentence.has("state") or any(sentence.has_at(at, MARK + "topic", "kin") for at in range(last, end))
        # "Ok it's official, Sam and I are a couple": who writes capitals writes one in a name.
        if is_named or (word_count == 1 and not is_known and not sentence.capitals):
            return ClauseOpening("", "name", SPEAKER, first, last)
    return None


def find_relation(
    sentence: Sentence, start: int, end: int, head: int, mentions: frozenset[str], *, drops_subjects: bool
) -> ClauseOpening | None:
    found: list[tuple[int, int, ClauseOpening]] = []
    known_kinds = sentence.spans_by_kind.keys()
    for kind in list_relations():
        if kind not in known_kinds:
            continue
        for first, last in sentence.spans(kind):
            if first < start or last > end:
                continue
            relation = strip_marks(kind)
            if last >= end and relation not in WITHIN_PHRASE and not kind.endswith(LEFT):
                continue
            if kind.endswith(LEFT):
                if first > head:
                    found.append(
                        (first, -last, ClauseOpening("", relation, SPEAKER, head, last, is_left=True, phrase=first))
                    )
                continue
            subject = find_subject(
                sentence,
                (start, head),
                (first, last),
                end,
                mentions,
                is_third=kind.endswith(THIRD),
                drops=drops_subjects,
            )
            if subject is None:
                continue
            is_explicit = first > head or (subject != PRONOUN and (drops_subjects or subject != SPEAKER))
            people = "" if subject in {SPEAKER, PRONOUN} else find_people(sentence, head, first)
            opening = ClauseOpening("", relation, subject, head, last, is_explicit, phrase=first, people=people)
            found.append((first, -last, opening))
    return min(found, key=lambda one: one[:2])[2] if found else None


def find_close_person(sentence: Sentence, heads: set[int], end: int) -> ClauseOpening | None:
    """ "My sister Ana is allergic to nuts": somebody close, then what lasts about them."""
    traits = [at for at, after in sentence.spans("trait") if after <= end]
    for owner in sentence.spans("mine"):
        for category, person in (("colleagues", "workmate"), ("family", "kin")):
            for one in sentence.spans(person):
                first, last = min(owner[0], one[0]), max(owner[1], one[1])
                trait = next((at for at in traits if 0 <= at - last <= REACH), None)
                if first in heads and trait is not None and one[0] - owner[1] <= 1 and owner[0] - one[1] <= 1:
                    if is_of_another(sentence, one[1], trait):
                        return None
                    return ClauseOpening(category, "is", sentence.words[one[0]], first, trait)
    return None


def find_value(sentence: Sentence, start: int, end: int) -> ClauseOpening | None:
    """What matters to somebody stands in front: "Honesty matters more to me than comfort"."""
    for first, last in sentence.spans("values"):
        if start <= first <= start + 4 and last <= end and not sentence.has_before(first, 4, "there"):
            return ClauseOpening("values", "values", SPEAKER, start, last)
    return None


def find_free_claim(
    sentence: Sentence, start: int, end: int, head: int, mentions: frozenset[str]
) -> ClauseOpening | None:
    """Any other clause of the person's that tells of something lasting, or of a change."""
    cues = (MARK + "topic", MARK + "habit", MARK + "change", NOUNS)
    has_cue = any(start <= at < end for at, _ in sentence.spans(*cues))
    has_change = any(start <= at < end for at, _ in sentence.spans(MARK + "change", MARK + "over"))
    if not (has_cue or has_change) or end - head < LEAST_WORDS:
        return None
    if has_change and is_pronoun_at(sentence, head):
        return ClauseOpening("", ABOUT, PRONOUN, head, head, is_explicit=False, is_free=True)
    owned = find_owned_noun(sentence, head, end)
    speakers = sentence.spans(MARK + "i", MARK + "self", "me")
    speaks = any(start <= at < end and not sentence.has_at(at, MARK + "my", "my") for at, _ in speakers)
    if owned is not None and not speaks and is_person_at(sentence, owned):
        if is_of_another(sentence, owned[1], min(end, owned[1] + 2)) or not has_change:
            return None
        return ClauseOpening("", ABOUT, name_owned(sentence, owned), head, owned[1], is_free=True)
    is_own = speaks or any(start <= at < end for at, _ in sentence.spans(MARK + "my"))
    known = next((sentence.words[at] for at in range(start, end) if sentence.words[at] in mentions), "")
    if is_own or opens_with_change(sentence, head):
        return ClauseOpening("", ABOUT, SPEAKER, head, head, is_explicit=is_own, is_free=True)
    if has_change and known:
        return ClauseOpening("", ABOUT, known, head, head, is_explicit=False, is_free=True)
    return None


def find_wish(sentence: Sentence, start: int, end: int, head: int) -> ClauseOpening | None:
    """What stands behind a request to remember within a sentence, whatever it is."""
    if end - head > 1 and any(start <= at and after <= head for at, after in sentence.spans(MARK + "remember")):
        return ClauseOpening("", REQUEST, SPEAKER, head, head)
    return None


def opens_with_change(sentence: Sentence, head: int) -> bool:
    """A change told without its subject: "cancelled PureFit", "first day at Hartmoor"."""
    return any(at == head for at, _ in sentence.spans(MARK + "change", MARK + "over"))
