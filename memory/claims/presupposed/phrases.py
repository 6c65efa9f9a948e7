"""The possessive phrases of a sentence that are the person's own: "my old beagle", "la mia vecchia Panda"."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from memory.claims.frames.jobs import matches_job
from memory.claims.frames.tokens import HotToken, read_hot_tokens
from memory.claims.frames.words import HotWords, load_hot_words
from memory.claims.presupposed.kinds import ENGAGED, PERSON, KindTable, load_kinds, load_said
from memory.claims.taxonomy import HELPERS
from memory.language.hebrew import HEBREW
from memory.language.names import load_given_names

# Languages whose noun ends a phrase: there what follows it may be the noun that is meant, "my dog food".
HEAD_LAST: Final = frozenset({"en", "de"})
# Words from "my" to the end of its noun, and of a Hebrew phrase before "שלי".
REACH: Final = 7
REACH_BEFORE: Final = 4
LONGEST_MODEL: Final = 4
SHORTEST_LETTERED: Final = 3
# Small words that are neither of a phrase nor of a name.
SMALL: Final = ("prep", "conj", "but", "sub", "not", "wh", "i", "he", "she", "they", "it", "my")
# What no adjective of a phrase is.
PARTS: Final = (*SMALL, "if", "that", "rel", "his")
VERBS: Final = ("be 1", "be 3", "have 1", "have 3", "modal", "verb", "frame", "was")
# Verbs behind which "my ..." has another verb behind it: "does my ficus drop its leaves".
ASKING: Final = ("modal", "be 1", "be 3", "have 1", "have 3")
AUXILIARY: Final = frozenset(
    {"do", "does", "did", "should", "can", "could", "will", "would", "must", "let", "make", "help"}
)
# Kinds of which what another noun names belongs to one: whoever buys dog food has a dog.
LENDING: Final = frozenset(
    {"dog", "cat", "vehicle", "device", "instrument", "condition", "drug", "study", "tool", "system", "sport"}
)
OWNER_OF: Final = "'s"


@dataclass(frozen=True, slots=True)
class OwnNoun:
    """``start`` and ``end`` are places among the tokens, ``first`` to ``last`` those of the noun itself."""

    kinds: tuple[str, ...]
    start: int
    first: int
    last: int
    end: int


@dataclass(frozen=True)
class SpokenSentence:
    raw: str
    tokens: Sequence[HotToken]
    words: HotWords
    table: KindTable

    @classmethod
    def of(cls, raw: str, language: str) -> "SpokenSentence":
        words = load_hot_words(language)
        return cls(raw, read_hot_tokens(raw, words), words, load_kinds(language))

    @property
    def language(self) -> str:
        return self.words.language

    @cached_property
    def has_capitals(self) -> bool:
        return any(one.is_capital for one in self.tokens[1:])

    @cached_property
    def own_nouns(self) -> tuple[OwnNoun, ...]:
        """The nouns that are the person's own, in their order."""
        return tuple(find_own_nouns(self))

    def cut(self, start: int, end: int) -> str:
        return " ".join(self.raw[self.tokens[start].start : self.tokens[end - 1].end].split()) if start < end else ""

    def cut_noun(self, first: int, last: int) -> str:
        """The words of a noun, in Hebrew without the particles that are written onto it."""
        said = self.cut(first, last)
        if self.language != HEBREW:
            return said
        return next((said[at:] for at in (1, 2) if said[at:] in self.table.nouns), said)

    def says(self, at: int, *kinds: str) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].has(*kinds)

    def is_end(self, at: int) -> bool:
        return at >= len(self.tokens) or self.tokens[at].is_mark


def find_own_nouns(sentence: SpokenSentence) -> Iterator[OwnNoun]:
    read = read_before if sentence.language == HEBREW else read_behind
    for at in range(len(sentence.tokens)):
        is_mine = is_owner(sentence, at)
        noun = read(sentence, at) if is_mine or sentence.says(at, "the") else None
        if noun is not None and (is_mine or is_engaged(sentence, noun)):
            yield noun


def is_engaged(sentence: SpokenSentence, noun: OwnNoun) -> bool:
    """ "Para el pediatra, el doctor Llorente": whose the doctor is goes without saying where a name follows."""
    who = noun.kinds[0].removeprefix(PERSON)
    is_near = noun.first == noun.start + 1
    return who in HELPERS | ENGAGED and is_near and sentence.says(skip_to_name(sentence, noun.end), "title")


def skip_to_name(sentence: SpokenSentence, at: int) -> int:
    """The place of a name behind its noun, past a comma and the article of a title: "mein Chef, der Herr Maier"."""
    at += at < len(sentence.tokens) and sentence.tokens[at].text == ","
    return at + (sentence.says(at, "det") and sentence.says(at + 1, "title"))


def is_owner(sentence: SpokenSentence, at: int) -> bool:
    if sentence.language == HEBREW:
        return sentence.says(at, "my behind")
    return sentence.says(at, "my")


def read_behind(sentence: SpokenSentence, owner: int) -> OwnNoun | None:
    tokens, found = sentence.tokens, None
    end = min(owner + 1 + REACH, len(tokens))
    at = owner + 1
    while at < end and not tokens[at].is_mark:
        size, kinds = sentence.table.match(tokens, at, end)
        if size:
            is_person = any(one.startswith(PERSON) for one in kinds)
            # "My neighbours cat" is the neighbours', "meine kleine Schwester" one person.
            if found is not None and found.kinds[0].startswith(PERSON) and not is_person:
                break
            found = OwnNoun(kinds, owner, at, at + size, at + size)
            at += size
            if sentence.language not in HEAD_LAST:
                break
        elif found is not None or (is_part(sentence, at, owner) and not is_practised(sentence, at)):
            break
        else:
            at += 1
    found = found or read_job(sentence, owner) or read_model(sentence, owner)
    if found is None or (sentence.language == "en" and goes_on(sentence, found)):
        return None
    return found if is_whole(sentence, found) else None


def is_practised(sentence: SpokenSentence, at: int) -> bool:
    """ "Mi partido de pádel": what is played or learned, by the word before "of"."""
    before = sentence.tokens[at - 1].plain
    return sentence.says(at, "of") and before in load_said(sentence.language, "practice")


def read_job(sentence: SpokenSentence, owner: int) -> OwnNoun | None:
    """ "My plumber Gary": endings of occupations are too common to tell one by, but not where a name stands behind."""
    at = owner + 1
    if at + 1 >= len(sentence.tokens) or not is_job(sentence.tokens[at], sentence.language):
        return None
    named = sentence.tokens[min(skip_to_name(sentence, at + 1), len(sentence.tokens) - 1)]
    is_given = named.plain in load_given_names() and named.is_capital and not named.classes
    if not (is_given or named.has("title")):
        return None
    return OwnNoun((PERSON + sentence.tokens[at].plain,), owner, at, at + 1, at + 1)


def is_job(token: HotToken, language: str) -> bool:
    # "My letters Helena Adeyemi": what several do is no name's.
    is_one = not token.plain.endswith("s") and not token.has("no occupation", "title")
    return is_one and matches_job(token.plain, language) and token.plain not in load_given_names()


def read_model(sentence: SpokenSentence, owner: int) -> OwnNoun | None:
    """ "My Brother MFC-L2710", "mon Creality Ender 3": a name with a number is what no list needs to know."""
    end = owner + 1
    while end < min(owner + 1 + LONGEST_MODEL, len(sentence.tokens)):
        token = sentence.tokens[end]
        if token.is_mark or token.classes or not (token.is_capital or (end > owner + 1 and token.text[0].isdigit())):
            break
        end += 1
    said = sentence.tokens[owner + 1 : end]
    is_model = bool(said) and said[0].is_capital and any(map(str.isdigit, "".join(one.text for one in said)))
    first = said[0].text if is_model else ""
    # "My S23", and not "my A4".
    is_lettered = first[:1].isalpha() and first[1:].isdigit() and len(first) >= SHORTEST_LETTERED
    is_written = is_lettered or (len(first) > 1 and any(map(str.isalpha, first[1:])))
    # "Unser Emil 18 Monate" is told how old.
    is_age = is_written and said[-1].text.isdigit() and sentence.says(end, "unit")
    is_written = is_written and not is_age and said[0].plain not in load_said(sentence.language, "no model")
    return OwnNoun(("device",), owner, owner + 1, end, end) if is_written else None


def is_part(sentence: SpokenSentence, at: int, owner: int) -> bool:
    """Whether a word belongs to no phrase of nouns and adjectives."""
    token = sentence.tokens[at]
    if token.text == OWNER_OF or token.has(*PARTS):
        return True
    return token.has(*VERBS) and at > owner + 1 and not token.is_capital


def goes_on(sentence: SpokenSentence, noun: OwnNoun) -> bool:
    """ "My tomato soup": another noun behind it, of which it says only what kind."""
    if sentence.is_end(noun.last) or not LENDING.isdisjoint(noun.kinds) or noun.kinds[0].startswith(PERSON):
        return False
    token = sentence.tokens[noun.last]
    is_known = token.classes or token.text == OWNER_OF or token.is_capital or token.text[0].isdigit()
    before = sentence.tokens[noun.start - 1] if noun.start else None
    is_asked = before is not None and (before.has(*ASKING) or before.text in AUXILIARY)
    return not (is_known or is_asked or token.text.endswith(("s", "ing", "ed")))


def is_whole(sentence: SpokenSentence, noun: OwnNoun) -> bool:
    """Whether the noun names what there is: not a next one, nor one that was."""
    beside = [*range(noun.start + 1, noun.first), *range(noun.last, min(noun.last + 2, len(sentence.tokens)))]
    if sentence.language in HEAD_LAST:
        beside = [*range(noun.start + 1, noun.first)]
    return tells_what_is(sentence, beside)


def tells_what_is(sentence: SpokenSentence, beside: Iterable[int]) -> bool:
    """Whether none of the words beside a noun says that there is no such thing, or no longer."""
    said = {sentence.tokens[at].plain for at in beside}
    return all(said.isdisjoint(load_said(sentence.language, kind)) for kind in ("unreal", "gone"))


def read_before(sentence: SpokenSentence, owner: int) -> OwnNoun | None:
    """Of Hebrew, whose "my" stands behind its noun and the adjectives of it."""
    for start in range(max(0, owner - REACH_BEFORE), owner):
        size, kinds = sentence.table.match(sentence.tokens, start, owner)
        between = range(start + size, owner)
        if size and not any(sentence.is_end(at) or is_part(sentence, at, start) for at in between):
            noun = OwnNoun(kinds, start, start, start + size, owner + 1)
            beside = range(noun.last, min(noun.end + 2, len(sentence.tokens)))
            return noun if tells_what_is(sentence, beside) else None
    return None
