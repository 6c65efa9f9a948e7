"""What a person says of their life in words that no phrase knows: any clause of theirs that nothing sets aside.

Phrases of relations found 62 of 80 statements they had not been written from, this 78; turns that should teach nothing
are kept apart by what they are (tasks, states, plans, opinions), not by what they lack.
"""

from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.clauses.cutting import ClauseOpening, find_heads
from memory.claims.clauses.rejection import has_within, points_at_conversation
from memory.claims.constraints import ANYTHING, find_constraint
from memory.claims.lexicon import MARK, load_small_words
from memory.claims.mentions import is_person_name
from memory.claims.relations import ABOUT
from memory.claims.subjects import NOUNS, find_owned_noun, find_people, is_of_another, is_person_at, name_owned
from memory.guard import speech
from memory.guard.annotation import Sentence

# Words that say a thing: "cheers then" says none.
LEAST_WORDS: Final = 4
# Words behind the head of a clause among which its verb is looked for: "no me lo", "ich hab's".
VERB_WITHIN: Final = 3
LOOSE: Final = ("friend", "colleague", "neighbor", "boss")
# Words of a clause among which something is pointed at that only the conversation shows: "I like the second option".
POINTED_WITHIN: Final = 4
# Words of a clause among which the verb of an event stands.
EVENT_WITHIN: Final = 4
# What a turn is about that asks for work, tells of the moment or of what somebody thinks.
ASIDE: Final = ("today", "weather", "errand", "would", "request", "text work", "opinion")
ASIDE_OF_CLAIMS: Final = tuple(MARK + kind for kind in ("plan", "temporary", "past", "opines", "machine", "reacts"))
# What no remark is: work to do, what is planned or only thought.
NO_REMARK: Final = (
    "would",
    "request",
    "text work",
    *(MARK + kind for kind in ("plan", "temporary", "opines", "machine")),
)
NOT_PLAIN: Final = ("today", *NO_REMARK, MARK + "past")
PLANNED: Final = tuple(kind for kind in NO_REMARK if kind != MARK + "temporary")
LEAST_OF_REMARK: Final = 2
# Words of a sentence that says something though no clause of it claims anything, and what it must not hold.
LEAST_TOLD: Final = 3
NOT_WORTH: Final = (
    *("request", "errand", "weather", "stranger", MARK + "noun neighbor"),
    *(MARK + kind for kind in ("plan", "temporary", "opines", "momentary", "past", "episode")),
)
SET_ASIDE_SURELY: Final = ("request", "errand", MARK + "plan", MARK + "temporary", MARK + "momentary", MARK + "past")
SPEAKS: Final = ("me", MARK + "i", MARK + "self")
POSSESSIVES: Final = ("mine", MARK + "my")
LASTING: Final = (MARK + "topic", MARK + "habit")


def find_general_claim(sentence: Sentence, start: int, end: int, mentions: frozenset[str]) -> ClauseOpening | None:
    """A claim whose statement is all that is known, or None where the words are not the person's life."""
    head = find_heads(sentence, start, end)
    if end - head < LEAST_WORDS or is_aside(sentence, start, end):
        return None
    subject = find_general_subject(sentence, start, head, end, mentions)
    if subject is None:
        return None
    people = "" if subject == SPEAKER else find_people(sentence, head, end)
    return ClauseOpening("", ABOUT, subject, head, head, is_free=True, people=people)


def is_aside(sentence: Sentence, start: int, end: int) -> bool:
    lasts = has_within(sentence, start, end, MARK + "habit")
    # "My dad died when I was six" stays so.
    is_over = has_within(sentence, start, end, MARK + "over")
    kinds = (*ASIDE, *ASIDE_OF_CLAIMS, *(() if lasts else (MARK + "episode",)))
    if stands_apart(sentence, start, end, *(kind for kind in kinds if not (is_over and kind == MARK + "past"))):
        return True
    # "I love that answer", "je cherche ton avis": said to the assistant, of the assistant.
    if sentence.has_at(start, MARK + "asks") or has_within(sentence, start, end, "you"):
        return True
    is_lasting = lasts or is_over or has_within(sentence, start, end, *LASTING, MARK + "change")
    if not is_lasting and has_within(sentence, start, end, MARK + "momentary"):
        return True
    # "I saw a fox" and "we went to the zoo" are over; "they took my thyroid out in 2015" stays true.
    if not is_lasting and has_within(sentence, start, start + EVENT_WITHIN, MARK + "past event"):
        return not any(word.isdigit() for word in sentence.words[start:end])
    if has_within(sentence, start, end, "state") and speech.is_passing_state(sentence):
        return True
    return not is_lasting and points_at_conversation(sentence, start, end, POINTED_WITHIN)


def is_plain(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a clause that fills a slot is meant: no plan, no task, nobody's opinion, nothing that holds for today."""
    return not stands_apart(sentence, start, end, *NOT_PLAIN)


def is_remark(sentence: Sentence) -> bool:
    """Whether a sentence says something of the world of the person, if only beside what is known: "Böhme hört auf"."""
    end = len(sentence.words)
    if sentence.is_question or end < LEAST_OF_REMARK or sentence.has_at(0, MARK + "asks"):
        return False
    return not stands_apart(sentence, 0, end, *NO_REMARK)


def is_worth_telling(sentence: Sentence, *, is_sure: bool = False) -> bool:
    """Whether a sentence without a claim may be one as a whole: it says enough, asks nothing and names no task.

    ``is_sure``: it is so likely the person's life that no word of strangers or the weather sets it aside.
    """
    end = len(sentence.words)
    if end < LEAST_TOLD or sentence.is_question or points_at_conversation(sentence, 0, end, POINTED_WITHIN):
        return False
    # "From the attic in Falmouth, where can I buy a ladder": what a clause of it asks is not told.
    asks = any(sentence.has_at(at, MARK + "asks") for at in sentence.breaks)
    is_own = bool(sentence.spans(*SPEAKS, *POSSESSIVES)) or has_first_person(sentence, 0, end)
    is_sure = is_sure and is_own and not asks
    return not stands_apart(sentence, 0, end, *(SET_ASIDE_SURELY if is_sure else NOT_WORTH))


def tells_limit(sentence: Sentence) -> bool:
    """Whether a sentence that claims nothing else limits what the person may be advised: "I can't manage stairs".

    A few words without a subject are the person's as well: "nut allergy", "vegetarian here".
    """
    end = len(sentence.words)
    if sentence.is_question or stands_apart(sentence, 0, end, *NO_REMARK, "today"):
        return False
    is_own = any(sentence.spans(*SPEAKS, *POSSESSIVES)) or has_first_person(sentence, 0, end)
    return (is_own or end < LEAST_WORDS) and bool(find_constraint(sentence.raw) - {ANYTHING})


def stands_apart(sentence: Sentence, start: int, end: int, *kinds: str) -> bool:
    """Whether a word of the kinds stands there, and no longer phrase that takes its meaning: "to this day"."""
    apart = sentence.spans(MARK + "apart")
    places = (at for at, _ in sentence.spans(*kinds) if start <= at < end)
    return any(not any(first <= at < last for first, last in apart) for at in places)


def find_general_subject(sentence: Sentence, start: int, head: int, end: int, mentions: frozenset[str]) -> str | None:
    """Whose life a clause tells of: the person's, somebody's close to them, or None."""
    person = find_owned_noun(sentence, head, end)
    if person is not None and not is_person_at(sentence, person):
        person = None
    # "My friend's cousin" is nobody close, "my wife's uncle" is.
    is_loose = person is not None and has_within(sentence, *person, *(MARK + f"noun {noun}" for noun in LOOSE))
    if is_loose and person is not None and is_of_another(sentence, person[1], min(end, person[1] + 2)):
        return None
    speaks = any(
        start <= at < end and not sentence.has_at(at, MARK + "my", "my") for at, _ in sentence.spans(*SPEAKS)
    ) or has_first_person(sentence, head, end)
    # "My mum and I", "I live with my sister": only where nobody speaks of themselves it is the other's life.
    if person is not None and (person[0] - head <= 1 or not speaks):
        return name_owned(sentence, person)
    if speaks or has_within(sentence, start, end, *POSSESSIVES):
        return SPEAKER
    if sentence.has_at(head, "kin", NOUNS) and not sentence.has_at(head, "workmate"):
        return sentence.words[head]
    if is_person_name(sentence.words[head], mentions):
        return sentence.words[head]
    is_own = (
        has_within(sentence, head, end, *LASTING)
        and not sentence.has(MARK + "noun neighbor")
        and not has_within(sentence, start, end, "you")
    )
    return SPEAKER if is_own else None


def has_first_person(sentence: Sentence, head: int, end: int) -> bool:
    """Whether the verb of the clause has the form of "I" or "we", where a language says no pronoun."""
    place = head
    while place < min(end, head + VERB_WITHIN) and sentence.has_at(place, MARK + "not", MARK + "before verb"):
        place += 1
    return (
        place < end and sentence.has_at(place, MARK + "verb ending") and sentence.words[place] not in load_small_words()
    )
