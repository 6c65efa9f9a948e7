"""Noun phrases of a clause: who or what, whose, how many, and by what name."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory.claims.frames.heads import find_foreign_noun, find_head_end, find_noun
from memory.claims.frames.numerals import read_number
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.wording import PRONOUNS, VERBS_ONLY, ClauseWords
from memory.claims.taxonomy import ANIMALS, GROUPS, PEOPLE
from memory.language.hebrew import HEBREW
from memory.language.names import load_given_names, load_possible_names

# Pronouns before a verb that take up what stands before them: "i finocchi li detesto".
TAKEN_UP: Final = frozenset({"lo", "la", "li", "le", "los", "las", "l'", "les"})
SPEAKER: Final = "you"
THIRD: Final = "third"
LONGEST_PHRASE: Final = 4
BEHIND_A_NAME: Final = ("be 3", "have 3", "frame", "verb", "clitic", "i", "not", "genitive")
# What makes a clause of its words.
VERBAL: Final = (*VERBS_ONLY, "frame", "verb", "modal", "was", "called")
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


@dataclass(slots=True)
class Lead:
    """What stands before the head of a phrase: whose, how many, which."""

    at: int
    owner: str = ""
    count: str = ""
    has_article: bool = False


@dataclass(frozen=True, slots=True)
class PhraseReader(ClauseWords):
    """Reads the noun phrases of a clause, each once: verbs and nouns ask for the same, and so do the next turns."""

    read: dict[tuple[int, int], NounPhrase | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def read_phrase(self, at: int, end: int) -> NounPhrase | None:
        if (at, end) not in self.read:
            self.read[at, end] = self.find_phrase(at, end)
        return self.read[at, end]

    def find_phrase(self, at: int, end: int) -> NounPhrase | None:
        pair = find_pair(self, at, end) if at < end else None
        if pair is not None:
            return pair
        lead = self.read_lead(at, end)
        if lead.at >= end:
            return None
        token = self.tokens[lead.at]
        pronoun = next((kind for kind in PRONOUNS if kind in token.classes), "")
        if pronoun and not lead.owner and not (lead.has_article and pronoun != "i"):
            return NounPhrase(at, lead.at + 1, token.text, pronoun=pronoun)
        is_determined = bool(lead.owner or lead.has_article or lead.count)
        stop = find_head_end(self, lead.at, end, is_determined=is_determined)
        if stop == lead.at:
            return None
        if (named := find_german_owner(self, lead.at, stop)) and not lead.owner:
            lead.owner, lead.at = named, lead.at + 1
        phrase = self.describe(at, lead, stop, end)
        if phrase.end + 1 < end and self.is_owned_behind(phrase.end):
            owned = self.read_phrase(phrase.end + 1, end)
            if owned is not None and owned.relation:
                return replace(owned, start=at, owner=phrase.name or phrase.noun or phrase.head)
        return phrase

    def read_lead(self, at: int, end: int) -> Lead:
        lead = Lead(at)
        while lead.at < end:
            token = self.tokens[lead.at]
            number = read_number(self.tokens, lead.at, end, self.words.language)
            if token.has("my"):
                lead.owner = SPEAKER
            elif token.has("his"):
                lead.owner = lead.owner or THIRD
            elif token.has("det"):
                lead.has_article = True
            elif number is not None and not lead.count and number[1] < end and not self.tokens[number[1]].has("prep"):
                lead.count, lead.at = number
                continue
            elif not (token.has("approx") and lead.at + 1 < end):
                break
            lead.at += 1
        return lead

    def is_owned_behind(self, at: int) -> bool:
        """ "My sister's dog"."""
        return self.words.language == "en" and self.tokens[at].has("genitive")

    def describe(self, start: int, lead: Lead, stop: int, end: int) -> NounPhrase:
        at, owner, has_article = lead.at, lead.owner, lead.has_article
        found = find_noun(self, at, stop) or (find_foreign_noun(self, at) if owner == SPEAKER else None)
        # "Frau Adam" is nobody's wife.
        if not owner and self.tokens[at].has("title") and self.find_name_end(at, stop) > at + 1:
            found = None
        if found is None:
            is_named = self.find_name_end(at, stop) == stop and self.is_sure_name_at(at)
            head = self.cut(at, stop)
            name = head if is_named and not owner else ""
            return NounPhrase(start, stop, head, owner, "", "", name, lead.count, "", has_article, is_named)
        first, last, relation = found
        noun_end = last
        if last < end and self.tokens[last].has("my behind", "his behind"):
            # "אחות שלי תמר", "o cachorro dela".
            owner = owner or (SPEAKER if self.tokens[last].has("my behind") else THIRD)
            last, stop = last + 1, max(stop, last + 1)
        name, stop = self.find_apposed(last, relation, stop, end)
        behind = self.find_owner_behind(last, end)
        if behind:
            owner, stop = behind
        if not owner and not has_article and relation in OWN_KIN and not lead.count:
            owner = SPEAKER
        noun = self.cut(first, noun_end)
        is_whole = not (owner and relation in PEOPLE) and not name and not behind
        whole_end = noun_end if last > noun_end else max(last, stop)
        head = self.cut(at, whole_end) if is_whole else noun if relation in PEOPLE else self.cut(at, noun_end)
        end_of_all = max(stop, last)
        return NounPhrase(start, end_of_all, head, owner, noun, relation, name, lead.count, "", has_article)

    def find_apposed(self, last: int, relation: str, stop: int, end: int) -> tuple[str, int]:
        """The name beside a noun that ends at ``last``, and where the phrase then ends."""
        if relation not in NAMEABLE:
            return "", stop
        is_plain_group = relation in GROUPS and last < end and not self.tokens[last].is_mark
        if is_plain_group and not self.goes_on_listing(last, end):
            # "Mes parents Limoges": of several nobody has the one name.
            return "", stop
        if self.is_qualified(last, end):
            last += 1 + self.tokens[last].has("det")
        tail = last + (last < end and self.tokens[last].text in {",", ":"})
        tail += tail + 1 < end and self.tokens[tail].has("det") and self.tokens[tail + 1].has("title")
        tail = self.skip_called(tail, end)
        # "Mein Nachbar der Günther".
        is_german = self.words.language == "de" and tail + 1 < end and self.tokens[tail].text in {"der", "die"}
        tail += is_german and self.tokens[tail + 1].plain in load_given_names()
        # "Mi hermano pequeño Unai".
        # "אחותי הקטנה תמר".
        is_definite = self.words.language == HEBREW and tail + 2 < end and self.tokens[tail].has("the")
        tail += is_definite and self.tokens[tail + 1].has("quality")
        tail += tail + 1 < end and self.tokens[tail].has("quality") and self.is_sure_name_at(tail + 1)
        named = self.find_name_end(tail, end) if tail < end else tail
        if self.words.language == "de" and self.has_capitals and relation in ANIMALS:
            # "Darf mein Hund Strolch Trauben essen": the next noun has a capital too.
            named = min(named, tail + 1)
        if named > tail and self.is_apposed(last, tail, named, end):
            return self.cut(tail, named), named
        return "", stop

    def goes_on_listing(self, at: int, end: int) -> bool:
        """ "My kids Ana and Leo", "our children called Ana"."""
        if self.skip_called(at, end) > at:
            return True
        stop = self.find_name_end(at, end)
        is_joined = stop + 1 < end and (self.tokens[stop].has("conj") or self.tokens[stop].text == ",")
        return is_joined and self.is_sure_name_at(stop + 1)

    def is_qualified(self, at: int, end: int) -> bool:
        """ "Mi hija mayor, Carmen": a word between a noun and the mark before its name."""
        # "A mi hija la mayor, Lucía".
        at += at + 3 < end and self.tokens[at].has("det")
        if at + 2 >= end or self.tokens[at].is_mark or self.tokens[at].is_capital or self.tokens[at + 1].text != ",":
            return False
        return self.tokens[at + 2].is_capital and not self.tokens[at].has("verb", "conj", "prep", "my behind")

    def skip_called(self, at: int, end: int) -> int:
        """Behind "called" and "namens"."""
        place = at
        if size := self.measure_called(at, end):
            return at + size
        while place < end and self.tokens[place].has("called") and not self.tokens[place].has("frame"):
            place += 1
        return place

    def is_apposed(self, last: int, tail: int, named: int, end: int) -> bool:
        """Whether a name beside a noun is its name: without capitals only where nothing else fits."""
        if self.has_capitals:
            is_list = tail > last and named < end and self.tokens[named].has("verb", "frame")
            return not is_list or self.tokens[tail].is_capital
        if is_set_apart(self, tail, named) or (tail > last and self.tokens[tail - 1].has("called")):
            return True
        token = self.tokens[tail]
        relation = self.words.nouns.get(self.tokens[last - 1].plain)
        if tail > last or (relation is not None and relation not in PEOPLE | ANIMALS):
            return token.plain in load_given_names()
        if not token.classes and (named >= end or self.tokens[named].is_mark or self.tokens[named].has("conj", "prep")):
            is_ending = self.words.language == "de" and token.plain.endswith(("n", "e", "r"))
            return not is_ending and not is_verb_at(self, last, tail, named)
        behind = self.tokens[named] if named < end else None
        is_known = token.plain in load_possible_names() or token.text in self.known_names
        return is_known or (behind is not None and behind.has(*BEHIND_A_NAME))

    def find_owner_behind(self, last: int, end: int) -> tuple[str, int] | None:
        """ "La hermana de Juan": whose it is stands behind it."""
        if last >= end:
            return None
        # "Der Geburtstag meiner Mutter": German says so by the case alone.
        is_case = self.words.language == "de" and self.tokens[last].has("my")
        if not (is_case or self.tokens[last].has("of", "genitive")):
            return None
        phrase = self.read_phrase(last + (not is_case), end)
        if phrase is None:
            return None
        if phrase.owner == SPEAKER and phrase.relation:
            return phrase.name or phrase.noun, phrase.end
        # "Prof de SVT": letters are a subject or a make, and nobody's.
        is_letters = phrase.head.upper() in self.text and len(phrase.head) > 1
        if phrase.is_named and not phrase.has_article and not is_letters:
            return phrase.head, phrase.end
        return None

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
            # A noun of German looks like a name: "im Klinikum, Spätschichten".
            may_be_list = bool(phrase.name) and not (prepositions and self.words.language == "de")
            if not may_be_list and is_afterthought(self.tokens, at, end):
                return
            while at < end and (self.tokens[at].has("conj") or self.tokens[at].text in {","}):
                at += 1
            while at < end and (self.tokens[at].text in prepositions or self.tokens[at].has("also")):
                at += 1
            if at < end and self.tokens[at].has("prep", "adv", "not"):
                return


NAMEABLE: Final = PEOPLE | frozenset(
    ANIMALS
    | {"band", "company", "shop", "bakery", "restaurant", "boat", "team"}
    | {"school", "car", "house", "motorbike", "bike"}
)


def find_german_owner(clause: ClauseWords, at: int, stop: int) -> str:
    """ "Annas Hund"."""
    token = clause.tokens[at]
    if clause.words.language != "de" or stop - at < 2 or not token.plain.endswith("s") or token.classes:
        return ""
    is_noun = clause.tokens[at + 1].plain in clause.words.nouns
    return token.text[:-1] if is_noun else ""


def is_set_apart(clause: ClauseWords, at: int, end: int) -> bool:
    """Whether the words stood in brackets, which are blanks: "my mum  linda  fell"."""
    start, stop = clause.tokens[at].start, clause.tokens[end - 1].end
    return clause.text[:start].endswith("  ") and clause.text[stop : stop + 1] in {" ", "("}


def is_afterthought(tokens: Sequence[HotToken], comma: int, end: int) -> bool:
    """ "I can't eat mushrooms, the texture", "allergica al glutine, occhio": a list has "and", or three."""
    if tokens[comma].text != "," or any(one.has("conj") or one.text == "," for one in tokens[:comma]):
        return False
    return not any(one.has("conj") or one.text == "," for one in tokens[comma + 1 : end])


def find_pair(clause: ClauseWords, at: int, end: int) -> NounPhrase | None:
    """ "Die beiden haben drei Katzen", "i due", "ambos", "the two of us"."""
    place = at + (at + 1 < end and clause.tokens[at].has("det") and not clause.tokens[at].has("both"))
    number = read_number(clause.tokens, place, end, clause.words.language) if place > at else None
    if not (clause.tokens[place].has("both") or number == ("2", place + 1)):
        return None
    behind = place + 1
    if behind + 1 < end and clause.tokens[behind].has("of") and clause.tokens[behind + 1].has("i", "they"):
        return NounPhrase(at, behind + 2, "", pronoun="i" if clause.tokens[behind + 1].has("i") else "they")
    if behind < end and not (clause.tokens[behind].is_mark or clause.tokens[behind].has(*VERBS_ONLY, "frame", "verb")):
        return None
    return NounPhrase(at, behind, "", pronoun="they")


def measure_phrase(reader: PhraseReader, at: int, end: int, phrases: Collection[str]) -> int:
    """How many words before ``end`` the longest of some phrases has that begins at a place; 0 for none."""
    spoken = [token.text for token in reader.tokens[at : min(end, at + LONGEST_PHRASE)]]
    return next((size for size in range(len(spoken), 0, -1) if f" {' '.join(spoken[:size])} " in phrases), 0)


def is_verb_at(reader: PhraseReader, last: int, at: int, stop: int) -> bool:
    """ "My mum fell", "mi madre falló": in a clause that has no other verb what stands behind its noun is one.

    ``last`` is where the noun ends. In "dinner with my mum linda" the noun begins no clause.
    """
    if at > last or reader.tokens[at].plain in load_given_names() or reader.tokens[at].text in reader.known_names:
        return False
    before, behind = reader.tokens[:last], reader.tokens[stop:]
    # "Frau Bohnert" behind a mark says who was meant before it.
    opens = not any(one.is_mark or one.has(*VERBAL, "prep") for one in before)
    return opens and not any(one.has(*VERBAL) for one in behind)
