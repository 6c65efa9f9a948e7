"""Noun phrases of a clause: who or what, whose, how many, and by what name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from knowledge_graph.hotmem.reading.numerals import read_number
from knowledge_graph.hotmem.reading.taxonomy import PEOPLE
from knowledge_graph.hotmem.reading.tokens import HotToken
from knowledge_graph.hotmem.reading.words import HotWords
from memory.language.names import load_given_names

PRONOUNS: Final = ("i", "he", "she", "they", "it", "there")
VERBS_ONLY: Final = ("be 1", "be 3", "have 1", "have 3")
JOINTS: Final = ("prep", "conj", "but", "sub", "if", "that", "rel", "not", "adv", "clitic", "time", "wh", "named")
STOPS: Final = (*JOINTS, *VERBS_ONLY, *PRONOUNS, "verb", "frame", "modal")
# Words of a phrase and of a name; what goes on longer is no noun.
LONGEST: Final = 8
LONGEST_NAME: Final = 4
NOUN_SIZES: Final = (4, 3, 2, 1)
SPEAKER: Final = "you"
THIRD: Final = "third"
# Kin that belong to who speaks without a word for it: "mum is a nurse".
OWN_KIN: Final = frozenset({"mother", "father", "grandmother", "grandfather"})


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """``head`` is its canonical text; ``owner`` is SPEAKER, THIRD, a name, or empty for nobody's."""

    start: int
    end: int
    head: str
    owner: str = ""
    noun: str = ""
    relation: str = ""
    name: str = ""
    count: str = ""
    pronoun: str = ""
    has_article: bool = False
    is_named: bool = False

    @property
    def is_person(self) -> bool:
        return self.relation in PEOPLE


@dataclass(frozen=True, slots=True)
class PhraseReader:
    """The words of one clause. ``has_capitals``: the turn marks its names by capitals."""

    text: str
    tokens: Sequence[HotToken]
    words: HotWords
    has_capitals: bool
    known_names: frozenset[str] = frozenset()

    def cut(self, start: int, end: int) -> str:
        if start >= end:
            return ""
        raw = self.text[self.tokens[start].start : self.tokens[end - 1].end]
        return " ".join(raw.casefold().replace("’", "'").split())

    def is_name_at(self, at: int) -> bool:
        """Whether a word may be one of a name."""
        token = self.tokens[at]
        if token.is_mark or not token.text[0].isalpha():
            return False
        if token.has("title") and at + 1 < len(self.tokens):
            return True
        if self.has_capitals:
            return token.is_capital and not (token.classes - {"verb", "frame", "prep"} and at == 0)
        return not token.classes and token.plain.replace("-", " ") not in self.words.nouns

    def is_sure_name_at(self, at: int) -> bool:
        token = self.tokens[at]
        if token.plain in load_given_names() or token.text in self.known_names:
            return not token.has(*STOPS) or token.is_capital
        return self.has_capitals and self.is_name_at(at) and (self.words.language != "de" or at > 0)

    def find_name_end(self, at: int, end: int) -> int:
        """Where the name that begins at a place ends; the place itself for none."""
        place = at
        while place < min(end, at + LONGEST_NAME):
            if self.is_name_at(place):
                place += 1
            elif place > at and self.tokens[place].text in {"de", "del", "la", "van", "von", "der", "di", "da", "."}:
                if place + 1 < end and self.is_name_at(place + 1):
                    place += 2
                else:
                    break
            else:
                break
            # Without capitals the second word of a name must be one that is known as no other.
            if not self.has_capitals and place - at >= 1 and not self.goes_on_naming(place, end):
                break
        return place

    def goes_on_naming(self, place: int, end: int) -> bool:
        return place < end and self.is_name_at(place) and self.tokens[place - 1].plain in load_given_names()

    def read_phrase(self, at: int, end: int) -> NounPhrase | None:
        tokens = self.tokens
        start = at
        owner, count, has_article = "", "", False
        while at < end:
            token = tokens[at]
            number = read_number(tokens, at, end, self.words.language)
            if token.has("my"):
                owner = SPEAKER
            elif token.has("his"):
                owner = owner or THIRD
            elif token.has("det"):
                has_article = True
            elif number is not None and not count and number[1] < end and not tokens[number[1]].has("prep"):
                count, at = number[0], number[1]
                continue
            elif not (token.has("approx") and at + 1 < end):
                break
            at += 1
        if at >= end:
            return None
        pronoun = next((kind for kind in PRONOUNS if kind in tokens[at].classes), "")
        if pronoun and not owner and not (has_article and pronoun != "i"):
            return NounPhrase(start, at + 1, tokens[at].text, pronoun=pronoun)
        stop = self.find_head_end(at, end, is_determined=bool(owner or has_article or count))
        if stop == at:
            return None
        return self.describe(start, at, stop, end, owner, count, has_article=has_article)

    def find_head_end(self, at: int, end: int, *, is_determined: bool) -> int:
        tokens = self.tokens
        place = at
        while place < min(end, at + LONGEST):
            token = tokens[place]
            if token.is_mark:
                if token.text in {"&", '"'} and place > at:
                    place += 1
                    continue
                break
            is_first = place == at
            if (size := self.find_compound_noun(place, end)) > 1:
                place += size
                continue
            is_capital = self.has_capitals and token.is_capital and place > 0 and self.words.language != "de"
            if token.has("of") and not is_first:
                if place + 1 < end and self.may_follow_of(place + 1):
                    place += 2
                    continue
                break
            if token.has("det") and not is_first and tokens[place - 1].has("of"):
                place += 1
                continue
            is_noun = is_determined and is_first and token.has("verb", "frame", "adv", "time")
            if token.has(*STOPS) and not is_capital and not is_noun:
                break
            if token.has("det", "my", "his") and not is_first and not is_capital:
                break
            place += 1
        return place

    def find_compound_noun(self, place: int, end: int) -> int:
        """How many words a noun of several has that begins here: "sister in law", "padre de acogida"."""
        for size in (4, 3, 2):
            if place + size <= end:
                plain = " ".join(token.plain.replace("-", " ") for token in self.tokens[place : place + size])
                if plain in self.words.nouns:
                    return size
        return 0

    def may_follow_of(self, place: int) -> bool:
        token = self.tokens[place]
        return not token.is_mark and not token.has("my", "his", "i", "num", *VERBS_ONLY) and not (token.text.isdigit())

    def describe(
        self, start: int, at: int, stop: int, end: int, owner: str, count: str, *, has_article: bool
    ) -> NounPhrase | None:
        found = self.find_noun(at, stop)
        if found is None:
            is_named = self.find_name_end(at, stop) == stop and self.is_sure_name_at(at)
            head = self.cut(at, stop)
            name = head if is_named and not owner else ""
            return NounPhrase(start, stop, head, owner, "", "", name, count, "", has_article, is_named)
        first, last, relation = found
        name = ""
        tail = last
        if tail < end and self.tokens[tail].is_mark and self.tokens[tail].text in {",", ":"}:
            tail += 1
        if relation in NAMEABLE:
            tail = self.skip_called(tail, end)
            named = self.find_name_end(tail, end) if tail < end else tail
            if named > tail and self.is_apposed(last, tail, named, end):
                name, stop = self.cut(tail, named), named
        of_owner = self.find_owner_behind(last, stop, end)
        if of_owner:
            owner, stop = of_owner
        if not owner and not has_article and relation in OWN_KIN and not count:
            owner = SPEAKER
        noun = self.cut(first, last)
        is_whole = not (owner and relation in PEOPLE) and not name and not of_owner
        head = self.cut(at, max(last, stop)) if is_whole else noun if relation in PEOPLE else self.cut(at, last)
        return NounPhrase(start, max(stop, last), head, owner, noun, relation, name, count, has_article=has_article)

    def skip_called(self, at: int, end: int) -> int:
        """Behind "called" and "namens"."""
        place = at
        while place < end and self.tokens[place].has("called") and not self.tokens[place].has("frame"):
            place += 1
        return place

    def is_apposed(self, last: int, tail: int, named: int, end: int) -> bool:
        """Whether a name beside a noun is its name: without capitals only where nothing else fits."""
        if self.has_capitals:
            is_list = tail > last and named < end and self.tokens[named].has("verb", "frame")
            return not is_list or self.tokens[tail].is_capital
        token = self.tokens[tail]
        if tail > last:
            return token.plain in load_given_names()
        behind = self.tokens[named] if named < end else None
        is_known = token.plain in load_given_names() or token.text in self.known_names
        return is_known or (behind is not None and behind.has("be 3", "have 3", "frame", "verb", "clitic", "i", "not"))

    def find_owner_behind(self, last: int, stop: int, end: int) -> tuple[str, int] | None:
        """ "La hermana de Juan": whose it is stands behind it."""
        if last >= end or not self.tokens[last].has("of", "genitive"):
            return None
        phrase = self.read_phrase(last + 1, end)
        if phrase is None:
            return None
        if phrase.owner == SPEAKER and phrase.relation:
            return phrase.name or phrase.noun, phrase.end
        if phrase.is_named and not phrase.has_article:
            return phrase.head, phrase.end
        return None

    def find_noun(self, at: int, stop: int) -> tuple[int, int, str] | None:
        """The first noun of the words that names a relation, the longest first."""
        plain = [token.plain.replace("-", " ") for token in self.tokens[at:stop]]
        for place in range(len(plain)):
            for size in NOUN_SIZES:
                relation = self.words.nouns.get(" ".join(plain[place : place + size]))
                if relation is None or place + size > len(plain) or self.is_modifier(at + place + size, stop):
                    continue
                return at + place, at + place + size, relation
            if place and self.tokens[at + place].has("of"):
                return None
        return None

    def is_modifier(self, after: int, stop: int) -> bool:
        """Whether the noun before a place only says what kind the next is: "dentist appointment"."""
        if after >= stop or self.words.language not in {"en", "de"}:
            return False
        token = self.tokens[after]
        if token.has("of", "det", "prep") or token.is_mark:
            return False
        if self.has_capitals and self.words.language == "en":
            return not token.is_capital
        return token.has("event", "noun", "dwelling") or token.plain in self.words.nouns

    def read_list(self, at: int, end: int, prepositions: frozenset[str] = frozenset()) -> Iterator[NounPhrase]:
        """A phrase and those that are joined to it: "Cádiz y a Tarifa"."""
        while at < end:
            phrase = self.read_phrase(at, end)
            if phrase is None:
                return
            yield phrase
            at = phrase.end
            if at >= end or not (self.tokens[at].has("conj") or self.tokens[at].text == ","):
                return
            while at < end and (self.tokens[at].has("conj") or self.tokens[at].text in {","}):
                at += 1
            while at < end and (self.tokens[at].text in prepositions or self.tokens[at].has("also")):
                at += 1
            if at < end and self.tokens[at].has("prep", "adv", "not"):
                return


NAMEABLE: Final = PEOPLE | frozenset(
    {"dog", "cat", "rabbit", "hamster", "guinea_pig", "ferret", "parrot", "bird", "fish", "turtle", "snake", "lizard"}
    | {"horse", "pony", "donkey", "goat", "hen", "band", "company", "shop", "bakery", "restaurant", "boat", "team"}
    | {"school", "car", "house", "motorbike", "bike"}
)
