"""What a sentence says of the person and of somebody else at once: "my brother and I work at Bosch".

With "we" in the place of both, the sentence is read by all that reads what the person says of themselves; what it tells
holds of each of the two by itself, so that the end of the one's is not the end of the other's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.dates.agenda import collect_appointments
from memory.claims.frames.words import load_hot_words
from memory.claims.health.denials import list_other_limits
from memory.claims.slots.framed import FRAMED, join_slots, read_frames
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch, load_words, overlaps
from memory.claims.slots.nouns import NOUN_SIZES, is_person_or_animal, load_nouns
from memory.claims.slots.resolution import LAST_TURNS, READ_OF_TURN, SENTENCES, collect_known, read_slots
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_AND
from memory.language.loader import read_entries
from memory.language.names import load_given_names

# What each of two may be, do or have for themselves.
SHARED: Final = frozenset(
    {"lives_in", "moved_from", "works_at", "works_as", "studies", "school", "diet", "religion"}
    | {"allergic_to", "intolerant_to", "takes", "has_condition"}
)
ANSWERS: Final = "answers"
WORD: Final = re.compile(r"[^\W_]+")
MARK: Final = re.compile(r"[,;:.!?…()\n]")
# Words of a sentence that are looked at, before its subject, between "my" and a noun, and of a name.
MOST_WORDS: Final = 60
MOST_BEFORE: Final = 3
MOST_ADJECTIVES: Final = 2
MOST_NAMES: Final = 2
OTHERS: Final = frozenset({"i", "he", "she", "they"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """A word and its place; of Hebrew the "and" that is written onto it stands apart."""

    raw: str
    start: int

    @property
    def folded(self) -> str:
        return fold_letters(self.raw)

    @property
    def end(self) -> int:
        return self.start + len(self.raw)


@dataclass(frozen=True, slots=True)
class Party:
    """One of two whom a sentence is about: the person, with an empty name, or somebody else."""

    name: str
    end: int


@dataclass(frozen=True, slots=True)
class JoinedSubject:
    """Whom a sentence is about beside the person, the sentence with "we" in their place, and how far it is of both."""

    other: str
    text: str
    start: int
    end: int


def share_slots(
    slots: Sequence[SlotMatch], raw: str, languages: frozenset[str] | None, language: str, known: Sequence[KnownSlot]
) -> list[SlotMatch]:
    """The slots of a sentence with what it says of two people as the slot of each."""
    shared = find_shared_subject(raw, language, known)
    if shared is None:
        return list(slots)
    read = join_slots(read_slots(shared.text, languages, ()), read_frames(shared.text, (), languages).slots)
    told = (one for one in read if one.subject == SPEAKER and one.relation in SHARED)
    own = [
        replace(one, is_shared=True, is_explicit=True, weight=FRAMED, start=shared.start)
        for one in told
        if shared.start <= one.object_span[0] < shared.end
    ]
    kept = [one for one in slots if not any(overlaps(one.object_span, other.object_span) for other in own)]
    both = [replace(one, subject=subject) for one in own for subject in (SPEAKER, shared.other)]
    return sorted([*kept, *both], key=lambda one: one.object_span[0])


def list_told(
    previous: Sequence[str], languages: frozenset[str] | None, language: str, framed: Sequence[KnownSlot]
) -> list[KnownSlot]:
    """The slots that the last turns fill, those of frames last, and first the appointments of a list and what they told
    of somebody else together with the person."""
    spoken = (raw for turn in previous[-LAST_TURNS:] for raw in SENTENCES.split(turn[:READ_OF_TURN]))
    shared = (slot for raw in spoken for slot in share_slots((), raw, languages, language, ()))
    others = [KnownSlot(one.subject, one.relation, one.object) for one in shared if one.subject != SPEAKER]
    elsewhere = list_other_limits(previous, languages)
    told = [*collect_appointments(previous, languages), *elsewhere, *others, *collect_known(previous, languages)]
    return [*(one for one in told if one not in framed), *framed]


def find_shared_subject(raw: str, language: str, known: Sequence[KnownSlot] = ()) -> JoinedSubject | None:
    """ "Mein Bruder Jan und ich", "me and Dave" at the beginning of a clause, before whatever both do."""
    words = list(list_spoken(raw, language))
    joints = load_words(language, "and", ANSWERS)
    for at in range(len(words)):
        first = read_party(words, at, language, known) if begins_clause(raw, words, at, language) else None
        if first is None or first.end >= len(words) or words[first.end].folded not in joints:
            continue
        second = read_party(words, first.end + 1, language, known)
        if second is None or bool(first.name) == bool(second.name):
            continue
        start, end = words[at].start, find_end(words, second.end, language)
        we = next(iter(read_entries(language, "slots", "we")), "")
        if (
            second.end < len(words)
            and len(we) <= end - start
            and not MARK.search(raw[start : words[second.end - 1].end])
        ):
            text = raw[:start] + we.ljust(end - start) + raw[end:]
            reach = find_reach(raw, words, end, language)
            return JoinedSubject(first.name or second.name, text, start, reach)
    return None


def list_spoken(raw: str, language: str) -> Iterator[Spoken]:
    for found in list(WORD.finditer(raw))[:MOST_WORDS]:
        word, start = found[0], found.start()
        rest = word.removeprefix(HEBREW_AND)
        if language == HEBREW and rest != word and is_party(rest, language):
            yield Spoken(HEBREW_AND, start)
            yield Spoken(rest, start + 1)
        else:
            yield Spoken(word, start)


def is_party(word: str, language: str) -> bool:
    return word in load_words(language, "me") or is_person_or_animal(load_nouns(language).get(fold_letters(word), ""))


def begins_clause(raw: str, words: Sequence[Spoken], at: int, language: str) -> bool:
    """ "So my brother and I": behind nothing but words that tell nothing. "With my brother and me" is no subject."""
    light = load_words(language, "adverb") | load_words(language, "joint")
    for place in range(at, max(at - MOST_BEFORE, 0) - 1, -1):
        if not place or MARK.search(raw, words[place - 1].end, words[place].start):
            return True
        if words[place - 1].folded not in light:
            return False
    return False


def read_party(words: Sequence[Spoken], at: int, language: str, known: Sequence[KnownSlot]) -> Party | None:
    if at >= len(words):
        return None
    if words[at].folded in load_words(language, "me"):
        return Party("", at + 1)
    mine = load_words(language, "my") - load_words(language, "their")
    # "A minha irmã", "la mia compagna".
    is_led = at + 1 < len(words) and words[at].folded in load_words(language, "article")
    at += is_led and words[at + 1].folded in mine
    is_owned = words[at].folded in mine
    places = range(at + 1, min(at + 2 + MOST_ADJECTIVES, len(words))) if is_owned else (at,)
    noun = next((found for place in places if (found := read_noun(words, place, language))), None)
    end = noun[0] if noun else at
    if language == HEBREW and noun and end < len(words) and words[end].folded in mine:
        end += 1
    named = end
    while named < min(end + MOST_NAMES, len(words)) and is_name(words[named], language, is_behind=noun is not None):
        named += 1
    if named > end and (noun or not is_owned):
        return Party(" ".join(word.raw for word in words[end:named]).casefold(), named)
    if noun is None:
        return None
    told = (one.object for one in reversed(known) if (one.subject, one.relation) == (SPEAKER, noun[2]))
    return Party(next(told, noun[1]), end)


def read_noun(words: Sequence[Spoken], at: int, language: str) -> tuple[int, str, str] | None:
    """Where the noun of a person ends that begins at a place, as it was said, and its relation."""
    for size in NOUN_SIZES:
        spoken = words[at : at + size]
        relation = load_nouns(language).get(" ".join(word.folded for word in spoken), "")
        if len(spoken) == size and is_person_or_animal(relation):
            return at + size, " ".join(word.raw for word in spoken).casefold(), relation
    return None


def is_name(word: Spoken, language: str, *, is_behind: bool) -> bool:
    """Behind a noun whatever has a capital; alone, as German nouns have one as well, only a known given name."""
    if word.folded in load_words(language, "me"):
        return False
    is_written = word.raw[0].isupper() and (is_behind or (word.start > 0 and language != "de"))
    return is_written or fold_letters(word.raw) in load_given_names()


def find_end(words: Sequence[Spoken], at: int, language: str) -> int:
    """With the pronoun that takes both up: "moi et ma sœur, on habite"."""
    is_taken_up = at < len(words) and words[at].folded in load_words(language, "we")
    return words[at].end if is_taken_up else words[at - 1].end


def find_reach(raw: str, words: Sequence[Spoken], end: int, language: str) -> int:
    """Up to the clause of one of them alone: "my brother and I live in Kiel, but I work in Ulm"."""
    hot, joints = load_hot_words(language), load_words(language, "joint")
    cut = end
    for at, word in enumerate(words):
        if word.start < end:
            continue
        if word.folded in joints or MARK.search(raw, words[at - 1].end, word.start):
            cut = words[at - 1].end
        if set(hot.classify(word.raw.casefold())) & OTHERS:
            return cut if cut > end else word.start
    return len(raw)
