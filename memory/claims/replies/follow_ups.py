"""What a person answers to a question about what they have just told: "got a dog" "What's she called?" "Nala".

The question names neither relation nor person, so the value is put into the sentence that it stands for ("my dog is
called Nala"), and that is read as if the person had said it. The statement keeps the person's words under what they
are about: "Dog: Nala, she's tiny."
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames.languages import find_turn_languages
from memory.claims.replies.answering import (
    END,
    LONGEST,
    PLAIN,
    SUBJECT,
    WORD,
    find_kin_noun,
    is_within,
    load_label,
    speaks_of_others,
    spell_out,
    takes_back,
)
from memory.claims.replies.told_questions import word_as_told
from memory.claims.slots.matching import load_small_words, load_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.slots.unnamed import MADE
from memory.claims.subjects import is_person
from memory.claims.taxonomy import ANIMALS, KIN
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.exchanges import SENTENCES
from memory.language.loader import read_entries

Read = Callable[[str], Sequence[Claim]]
# Words of a question that only follows up.
LONGEST_QUESTION: Final = 9
KINDS: Final = ("name", "who", "where", "when", "much", "which")
TOPICS: Final = ("home", "work", "rent", "dose")
# Which sentence a value stands for, by what the question asks and what it is about. Of a noun it is told what it is
# called, which it is or when.
TOLD: Final = {
    ("where", "home"): "home",
    ("where", "work"): "work",
    ("who", "work"): "work",
    ("which", "work"): "trade",
    ("much", "rent"): "rent",
    ("which", "rent"): "rent",
    ("much", "dose"): "dose",
    ("which", "dose"): "dose",
    ("name", "close"): "name",
    ("who", "close"): "name",
    ("name", "seen"): "name",
    ("who", "seen"): "name",
    ("when", "seen"): "when",
    ("which", "made"): "which",
}
# Which place a question asked about.
PLACED: Final = (("work", "works_at"), ("home", "lives_in"))
OF_NOUNS: Final = frozenset({"name", "when", "which"})
LABELS: Final = {"home": "lives_in", "work": "works_at", "trade": "works_as"}
# Whose answers are names, which many write small.
NAMING: Final = frozenset({"name", "home", "work", "which"})


@dataclass(frozen=True, slots=True)
class FollowedTopic:
    """What a question is about: its kind, and the word for it, as said."""

    kind: str
    word: str


def claim_follow_up(sentence: Sentence, place: int, asked: str, before: str, behind: str, read: Read) -> list[Claim]:
    """The claims of the first sentence of a turn that fills what the turn before leaves open, as the question asks.

    ``read`` reads a sentence's claims; ``behind`` is the sentence after it.
    """
    language = next(iter(find_turn_languages(f"{before} {asked} {sentence.raw}", (before,))), "")
    told = (find_told(asked, before, language) or find_left(asked, before, language, read)) if language else None
    value = read_filling(sentence, language) if told else ""
    if not told or not value or takes_back(behind, language):
        return []
    topic, form = told
    if form == "name" and asks_where_with(asked, language):
        return []
    if form == "home" and is_move_to_come(f"{before} {asked}", language):
        return []
    if form == "which" and value.islower() and not any(map(str.isdigit, value)):
        # "The cheap one" is no make.
        return []
    if form in NAMING and value.islower():
        value = value.title()
    frame = next(iter(read_entries(language, SUBJECT, f"tell {form}")))
    said = " ".join(sentence.raw.split()).rstrip(" .!?…,;:")
    label = load_label(LABELS[form], language) if form in LABELS else topic.word.capitalize()
    filled = frame.replace("<noun>", topic.word).replace("<value>", value)
    found = [one for one in read(filled) if value.casefold().startswith(one.object) or one.object in value.casefold()]
    span = (place, place + len(sentence.raw))
    return [replace(one, statement=f"{label}: {said}.", span=span, is_sure=True) for one in found if one.object.strip()]


def find_left(asked: str, before: str, language: str, read: Read) -> tuple[FollowedTopic, str] | None:
    """ "Are you still at Bosch?" "nah, left in june" "Where are you now?": where they work, as that was asked about."""
    spoken = spell_out(asked)
    is_where = any(f" {one} " in spoken for one in load_words(language, "kind where", SUBJECT))
    questions = [one for one in SENTENCES.split(before) if one.rstrip().endswith("?")]
    told = word_as_told(questions[-1], language) if is_where and questions else None
    relations = {one.relation for one in read(told.text)} if told is not None else set[str]()
    form = next((form for form, relation in PLACED if relation in relations), "")
    topic = FollowedTopic(form, form)
    return (topic, form) if form and is_bare(asked, topic, language) else None


def asks_where_with(asked: str, language: str) -> bool:
    """ "Chez qui ?", "bei wem?": with whom somebody is, and not what they are called."""
    first = next(iter(PLAIN.findall(asked)), "")
    return fold_letters(first) in load_words(language, "at work") | load_words(language, "work prep", "frames")


def is_move_to_come(spoken: str, language: str) -> bool:
    """ "We're moving in December" "Where to?" "Nailsworth": until then the home is where it was."""
    # With its accents: "on déménage" is to come, "on a déménagé" is done. "Trasloco" alone is the noun.
    words = f" {' '.join(PLAIN.findall(spoken.casefold()))} "
    moving = set(read_entries(language, "claims", "moving")) - load_words(language, "topic home", SUBJECT)
    return any(f" {one} " in words for one in moving)


def find_told(asked: str, before: str, language: str) -> tuple[FollowedTopic, str] | None:
    """What a question follows up, and which sentence its answer stands for; None where it asks something else."""
    spoken = spell_out(asked)
    cues = ((kind, load_words(language, f"kind {kind}", SUBJECT)) for kind in KINDS)
    kinds = [kind for kind, words in cues if any(f" {one} " in spoken for one in words)]
    for said in (asked, before):
        topics = find_topics(said, language)
        told = [(one, TOLD[kind, one.kind]) for kind in kinds for one in topics if (kind, one.kind) in TOLD]
        if told and told[0][1] not in OF_NOUNS and is_of_another(before, language):
            return None
        # Of two that it may be about it is about neither.
        if told and len({one for one, form in told if form == told[0][1]}) == 1:
            return told[0] if is_bare(asked, told[0][0], language) else None
    return None


def read_filling(sentence: Sentence, language: str) -> str:
    """The value of an answer as it is written, without what only leads to it: of "she's called Nala" the name."""
    piece = take_piece(sentence.raw)
    denies = load_words(language, "denies", SUBJECT)
    if sentence.is_question or any(fold_letters(word) in denies for word in WORD.findall(piece)):
        return ""
    value = trim_value(piece, list_bare(language) | load_words(language, "agrees", SUBJECT), language)
    return "" if speaks_of_self(value, language) else value


def take_piece(spoken: str) -> str:
    """The words up to the first mark."""
    return next((one for one in END.split(spoken) if one.strip()), "")


def trim_value(piece: str, leading: frozenset[str], language: str) -> str:
    """The words without those that lead to them and small ones behind; nothing of more than a value has."""
    words = list(WORD.finditer(piece))
    while words and is_within(words[0][0], leading):
        words.pop(0)
    while words and is_within(words[-1][0], load_small_words(language)):
        words.pop()
    return piece[words[0].start() : words[-1].end()] if 0 < len(words) <= LONGEST else ""


def speaks_of_self(spoken: str, language: str) -> bool:
    own = load_words(language, "i")
    return any(is_within(word, own) for word in WORD.findall(spoken))


@cache
def list_bare(language: str) -> frozenset[str]:
    """The words by which a question follows up, and those that lead to an answer."""
    kinds = frozenset().union(*(load_words(language, f"kind {kind}", SUBJECT) for kind in KINDS))
    return load_words(language, "bare", SUBJECT) | load_small_words(language) | kinds


def is_of_another(before: str, language: str) -> bool:
    """ "My brother got a new job" "Where?": his."""
    return speaks_of_others(before, language) or find_kin_noun(before, language) is not None


def find_topics(spoken: str, language: str) -> list[FollowedTopic]:
    """The things of the person's that a turn speaks of, each once."""
    found: dict[str, FollowedTopic] = {}
    for word in PLAIN.findall(spoken):
        for kind in TOPICS:
            if fold_letters(word) in load_words(language, f"topic {kind}", SUBJECT):
                found.setdefault(kind, FollowedTopic(kind, word.casefold()))
        known = find_known_noun([word], language)
        if known is not None and (is_person(known[1]) or known[1] in ANIMALS | KIN | MADE):
            kind = "made" if known[1] in MADE else "close" if known[1] in ANIMALS | KIN else "seen"
            found.setdefault(f"{kind} {known[1]}", FollowedTopic(kind, word.casefold()))
    return list(found.values())


def is_bare(asked: str, topic: FollowedTopic, language: str) -> bool:
    """Whether a question says nothing beside what it follows up: "And where is that?", not "what will you cook?"."""
    words = PLAIN.findall(asked)
    topics = frozenset().union(*(load_words(language, f"topic {kind}", SUBJECT) for kind in TOPICS))
    known = list_bare(language) | topics | {fold_letters(topic.word)}
    return len(words) <= LONGEST_QUESTION and all(fold_letters(word) in known for word in words)
