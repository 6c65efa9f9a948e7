"""With what a clause opens a statement: a phrase of a relation behind a subject that belongs to the person.

The first that holds decides: a whole opening ("my goal is"), a phrase of a relation, somebody close and what lasts
about them, a thing of the person's, what they have, and at last any clause of theirs that tells of body, home, people,
animals, work or habits, or of a change.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.lexicon import LEFT, MARK, THIRD, list_nouns, list_relations, strip_marks
from memory.claims.relations import ABOUT, REQUEST
from memory.guard.annotation import Sentence, Span

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

# The subject of a clause that goes on about what the sentence before it named.
PRONOUN: Final = "it"
# Relations whose value is somebody; of a thing or an animal anything may be told, of people what lasts.
PERSONS: Final = frozenset(
    {"mother", "father", "parent", "sister", "brother", "sibling", "son"}
    | {"daughter", "child", "wife", "husband", "partner", "girlfriend", "boyfriend"}
    | {"fiance", "ex", "aunt", "uncle", "cousin", "nephew", "niece"}
    | {
        "mother_in_law",
        "father_in_law",
        "sister_in_law",
        "brother_in_law",
        "son_in_law",
        "daughter_in_law",
        "grandmother",
    }
    | {"grandfather", "grandparent", "grandson", "granddaughter", "stepmother", "stepfather", "stepson"}
    | {"stepdaughter", "half_brother", "half_sister", "godmother", "godfather", "godson", "goddaughter"}
    | {"godchild", "boss", "colleague", "neighbor", "roommate", "landlord", "teacher"}
    | {"student", "coach", "doctor", "dentist", "therapist", "vet", "hairdresser"}
    | {"babysitter", "friend", "twins"}
)
# Words that may stand between a subject and its phrase: "I have never been able to", "my sister still".
PERSON_NOUNS: Final = MARK + "persons"
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
THE_ONES: Final = ("child", "twins", "dog", "cat", "landlord", "boss", "car")
# All nouns together; the reader puts them beside the single ones.
NOUNS: Final = MARK + "nouns"
# People of whom a fact is nobody's business unless it touches the person.
STRANGERS: Final = "strangers"
REACH: Final = 3
REACH_NAME: Final = 5
LONGEST_NAME: Final = 3
LEAST_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class ClauseOpening:
    """``start`` is where the statement begins, ``end`` where what it tells begins."""

    category: str
    relation: str
    subject: str
    start: int
    end: int
    # Whether it names its subject, so that it may begin a statement of its own.
    is_explicit: bool = True
    is_left: bool = False
    is_free: bool = False
    # `family` or `colleagues` where it is about one of them.
    phrase: int = -1
    """Where the phrase of its relation begins, which may hold words that mean something else elsewhere."""
    people: str = ""


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
        if is_named or (word_count == 1 and not is_known):
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


def find_subject(
    sentence: Sentence,
    heads: Span,
    phrase: Span,
    end: int,
    mentions: frozenset[str],
    *,
    is_third: bool,
    drops: bool,
) -> str | None:
    """Whose claim a phrase is, or None where it is nobody's that the person speaks of."""
    head, first = heads[1], phrase[0]
    if is_third and any(head <= at and 0 <= first - after <= 1 for at, after in sentence.spans(MARK + "i")):
        return SPEAKER
    if not is_third and is_of_speaker(sentence, heads, phrase, end, drops=drops):
        return SPEAKER
    owner = find_owned_noun(sentence, head, first)
    if owner is not None and first - owner[1] <= REACH_NAME and not is_of_another(sentence, owner[1], first):
        name = next((sentence.words[at] for at in range(owner[1], first) if at in sentence.capitals), "")
        return name or sentence.words[owner[1] - 1]
    for at in range(head, min(first, head + REACH_NAME)):
        if is_third and sentence.words[at] in mentions:
            return sentence.words[at]
    if is_third and drops and heads[0] <= first <= head:
        return PRONOUN
    if is_third and any(head <= at < first and first - after <= REACH for at, after in sentence.spans(MARK + "third")):
        return PRONOUN
    return None


def is_of_speaker(sentence: Sentence, heads: Span, phrase: Span, end: int, *, drops: bool) -> bool:
    """Whether the person is the subject: named before or behind the phrase, or by its form alone."""
    start, head = heads
    first, last = phrase
    if start <= first <= head or is_within_change(sentence, head, first):
        return True
    speakers = [span for span in sentence.spans(MARK + "i") if head <= span[0]]
    if any(0 <= first - after <= REACH or (at in {last, last + 1} and last < end) for at, after in speakers):
        return True
    if any(head <= at and after == first for at, after in sentence.spans(MARK + "my")):
        return True
    names_another = sentence.has_at(head, MARK + "my", MARK + "the", MARK + "third")
    return drops and first - head <= REACH_NAME and not names_another


def is_within_change(sentence: Sentence, head: int, first: int) -> bool:
    """ "First week at Northlight": the words before the phrase only announce the change."""
    return any(at == head and first < after for at, after in sentence.spans(MARK + "change"))


def find_owned_noun(sentence: Sentence, start: int, end: int) -> Span | None:
    """ "my sister", "our old dog", "meine Schwester": from the owner to the noun."""
    owners = [span for span in sentence.spans(MARK + "my", "mine") if start <= span[0] < end]
    nouns = sentence.spans(NOUNS, "kin", "workmate")
    owners += [
        span for span in sentence.spans(MARK + "the") if start <= span[0] < end and is_the_one(sentence, span[1])
    ]
    near = [
        (min(owner[0], noun[0]), max(owner[1], noun[1]))
        for owner in owners
        for noun in nouns
        if noun[1] <= end and (0 <= noun[0] - owner[1] <= 2 or 0 <= owner[0] - noun[1] <= 1 or owner[0] == noun[0])
    ]
    return min(near) if near else None


def find_people(sentence: Sentence, start: int, end: int) -> str:
    """What those are to the person who are spoken of between two places."""

    def names(*kinds: str) -> bool:
        return any(start <= at < end for at, _ in sentence.spans(*kinds))

    if names(MARK + "noun neighbor"):
        return STRANGERS
    if names("workmate", MARK + "noun boss", MARK + "noun colleague"):
        return "colleagues"
    return "family" if names("kin", PERSON_NOUNS) else ""


def is_the_one(sentence: Sentence, place: int) -> bool:
    """ "The kids", "der Hund": there is one of them, or all are the person's."""
    return sentence.has_at(place, *(f"{MARK}noun {name}" for name in THE_ONES))


def is_of_another(sentence: Sentence, start: int, end: int) -> bool:
    """Whether somebody else comes before what is said: "my friend's cousin" is nobody close."""
    return any(start <= at < end for at, _ in sentence.spans("kin", "stranger", "workmate"))


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


def is_person(relation: str) -> bool:
    return relation in PERSONS


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


def find_free_claim(
    sentence: Sentence, start: int, end: int, head: int, mentions: frozenset[str]
) -> ClauseOpening | None:
    """Any other clause of the person's that tells of something lasting, or of a change."""
    cues = (MARK + "topic", MARK + "habit", MARK + "change", NOUNS)
    has_cue = any(start <= at < end for at, _ in sentence.spans(*cues))
    has_change = any(start <= at < end for at, _ in sentence.spans(MARK + "change", MARK + "over"))
    if not (has_cue or has_change) or end - head < LEAST_WORDS:
        return None
    if has_change and sentence.has_at(head, MARK + "third"):
        return ClauseOpening("", ABOUT, PRONOUN, head, head, is_explicit=False, is_free=True)
    owned = find_owned_noun(sentence, head, end)
    speakers = sentence.spans(MARK + "i", MARK + "self", "me")
    speaks = any(start <= at < end and not sentence.has_at(at, MARK + "my", "my") for at, _ in speakers)
    if owned is not None and not speaks and is_person_at(sentence, owned):
        if is_of_another(sentence, owned[1], min(end, owned[1] + 2)) or not has_change:
            return None
        return ClauseOpening("", ABOUT, sentence.words[owned[1] - 1], head, owned[1], is_free=True)
    is_own = speaks or any(start <= at < end for at, _ in sentence.spans(MARK + "my"))
    is_known = has_change and any(sentence.words[at] in mentions for at in range(start, end))
    if not (is_own or is_known or opens_with_change(sentence, head)):
        return None
    return ClauseOpening("", ABOUT, SPEAKER, head, head, is_explicit=is_own, is_free=True)


def is_person_at(sentence: Sentence, span: Span) -> bool:
    is_noun = any(span[0] <= at < span[1] for at, _ in sentence.spans(NOUNS))
    return not is_noun or any(span[0] <= at < span[1] for at, _ in sentence.spans(PERSON_NOUNS))


def find_wish(sentence: Sentence, start: int, end: int, head: int) -> ClauseOpening | None:
    """What stands behind a request to remember within a sentence, whatever it is."""
    if end - head > 1 and any(start <= at and after <= head for at, after in sentence.spans(MARK + "remember")):
        return ClauseOpening("", REQUEST, SPEAKER, head, head)
    return None


def opens_with_change(sentence: Sentence, head: int) -> bool:
    """A change told without its subject: "cancelled PureFit", "first day at Hartmoor"."""
    return any(at == head for at, _ in sentence.spans(MARK + "change", MARK + "over"))
