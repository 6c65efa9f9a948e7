"""What a question asks for: which relations, of whom, of now or of the past, and which topics a request touches.

The words that claims are read by serve as cues here: "dónde trabajo" asks for `works_at`. The nouns of a relation stand
in each language's `claims.txt`, what only questions say in its `questions.txt`, the topics in its `topics.txt`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.lexicon import SUBJECT as CLAIMS
from memory.claims.taxonomy import ANIMALS, HAVING, PARTNER_NOUNS, PARTNERS, PERSONS
from memory.claims.topics import LANGUAGE, cut_middle, find_spoken, find_topic_words, read_small_words
from memory.guard.annotation import find_entries
from memory.guard.lexicon import WORD, Lexicon, LexiconEntry, build_entries
from memory.guard.spelling import normalise_text
from memory.language import intents, query_cues
from memory.language.folding import fold_text
from memory.language.kinds import list_kinds
from memory.language.loader import list_codes, read_entries, read_sections
from memory.language.names import find_names

SUBJECT: Final = "questions"
SLOTS: Final = "slots"
NOUN: Final = "noun "
WAS: Final = "was"
BEFORE: Final = "before"
# "Who was it before?", not "what do I take before breakfast?": a word of these at the end, or with a past verb.
BEFORE_AT_END: Final = "before at the end"
AT_END: Final = "at the end"
ADVICE: Final = "advice"
STRUCTURE: Final = frozenset({WAS, BEFORE, BEFORE_AT_END, AT_END, ADVICE, LANGUAGE})

# What else may hold the answer: who is asked for by a word may have been told by another.
RELATED: Final[dict[str, frozenset[str]]] = {
    "birthday": frozenset({"anniversary", "time"}),
    "size": frozenset({"shoe_size", "ring_size"}),
    "laptop": frozenset({"owns", "has"}),
    "phone": frozenset({"owns", "has", "phone_number"}),
    "salary": frozenset({"pays"}),
    "rent": frozenset({"pays"}),
    "dose": frozenset({"takes_dose", "takes", "medication"}),
    "course": frozenset({"studies", "hobby", "time"}),
    "choir": frozenset({"hobby", "time"}),
    "gym": frozenset({"hobby", "member_of"}),
    "boss": frozenset({"reports_to"}),
    "reports_to": frozenset({"boss"}),
    "company": frozenset({"works_at"}),
    "job": frozenset({"works_at", "works_as", "routine"}),
    "works_at": frozenset({"job", "company", "routine"}),
    "works_as": frozenset({"job", "is"}),
    "team": frozenset({"works_at", "hobby"}),
    "home": frozenset({"lives_in"}),
    "house": frozenset({"lives_in"}),
    "address": frozenset({"lives_in"}),
    "lives_in": frozenset({"home", "house", "address", "roommate"}),
    "car": frozenset({"owns", "has", "drives"}),
    "motorbike": frozenset({"owns", "has"}),
    "bike": frozenset({"owns", "has"}),
    "boat": frozenset({"owns", "has"}),
    "phone_number": frozenset({"owns", "has", "phone", "landline"}),
    "owns": frozenset({"has", "car", "bike", "motorbike", "boat", "phone", "laptop"}),
    "medication": frozenset({"takes", "takes_dose", "dose"}),
    "takes": frozenset({"medication", "has_condition", "takes_dose", "dose", "drinks"}),
    "has_condition": frozenset({"takes", "allergic_to", "diet"}),
    "allergic_to": frozenset({"diet", "dislikes", "has_condition"}),
    "diet": frozenset({"allergic_to", "likes", "dislikes", "eats", "drinks", "takes"}),
    "likes": frozenset({"diet", "hobby"}),
    "dislikes": frozenset({"diet", "allergic_to", "afraid_of"}),
    "school": frozenset({"studies", "nursery", "works_at"}),
    "studies": frozenset({"school", "learning", "learns", "nursery", "course"}),
    "dentist": frozenset({"sees"}),
    "doctor": frozenset({"sees", "physio"}),
    "therapist": frozenset({"sees"}),
    "sees": frozenset({"dentist", "doctor", "therapist", "physio", "hairdresser"}),
    "coach": frozenset({"hobby"}),
    "band": frozenset({"hobby"}),
    "guitar": frozenset({"hobby", "owns"}),
    "hobby": frozenset({"learning", "learns", "plays", "plays_for", "instrument", "choir", "course"})
    | {"routine", "gym", "member_of", "time"},
    "instrument": frozenset({"plays", "learns", "learning", "hobby"}),
    "routine": frozenset({"hobby", "works_at", "time"}),
    "married_to": PARTNER_NOUNS | {"dating"},
    "child": frozenset({"son", "daughter", "twins"}),
    "parent": frozenset({"mother", "father"}),
    "sibling": frozenset({"sister", "brother"}),
    "friend": frozenset({"friend_of"}),
    "friend_of": frozenset({"friend"}),
    "name": frozenset({"surname", "goes_by", "nickname", "has"}),
    "speaks": frozenset({"native_language", "learns", "learning"}),
    "pays": frozenset({"bank", "rent", "salary", "landlord"}),
    "religion": frozenset({"is", "diet"}),
    "pet": frozenset({"dog", "cat", "rabbit", "hamster", "guinea_pig", "ferret", "parrot", "bird", "fish", "turtle"}),
    "family": frozenset(
        {"mother", "father", "parent", "sister", "brother", "sibling", "son", "daughter", "child", "wife", "husband"}
    ),
}
PETS: Final = ANIMALS | {"pet"}
# Of a thing that names one of a kind, whoever asks for another kind learns nothing by it.
KINDS: Final = {"car": "car", "bike": "bicycle", "motorbike": "motorcycle", "phone": "phone", "laptop": "computer"}
# Relations of which "what do I have" and "what is he called" say nothing when another is named.
GENERIC: Final = frozenset({"owns", "name"})
# Beside these a name is asked for all the same: "what should you call me?".
OF_NAMES: Final = frozenset({"name", "nickname", "style"})
# What somebody takes or cannot eat is told by constraints.
TOPICS: Final = {
    "takes": frozenset({"health"}),
    "medication": frozenset({"health"}),
    "has_condition": frozenset({"health"}),
    "allergic_to": frozenset({"food"}),
    "diet": frozenset({"food", "drink"}),
}
FAVORITE: Final = "favorite_"
# Of a question, each of which may be the noun of a favourite.
MOST_WORDS: Final = 16
# "When was I born" asks for what is still so.
TIMELESS: Final = frozenset({"born_in", "birthday", "age", "surname"})


@dataclass(frozen=True, slots=True)
class AskedFor:
    """``subjects`` holds SPEAKER for the person, relations of people and animals ("father"), and names in lower case.

    ``wants_advice`` is true where it says that it is a request for something new ("suggest a recipe").
    """

    relations: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    is_past: bool = False
    topics: frozenset[str] = frozenset()
    wants_advice: bool = False
    # Whether it opens with a word that asks, and whether with one for what is so: where, when, who.
    is_question: bool = False
    asks_fact: bool = False

    def may_mean(self, relation: str, value: str) -> bool:
        """Whether what a fact tells by this relation may be one of what is asked for.

        "My Yaris" tells of no phone, though both are had; of what names no kind it may be.
        """
        return is_of_kind(self.relations, relation, value) is not False

    @property
    def people(self) -> frozenset[str]:
        """The relations of the people and animals that it asks of."""
        return self.subjects & (PERSONS | PETS)

    @property
    def is_request(self) -> bool:
        """Whether something new is to be made or chosen, and not only said how things are."""
        return self.wants_advice or not (self.is_question or self.relations)

    @property
    def is_plain(self) -> bool:
        """Whether it asks for a fact alone: where the person lives, when a birthday is, what a sister is called."""
        return self.asks_fact and bool(self.relations) and not self.wants_advice


def is_of_kind(asked: frozenset[str], relation: str, value: str) -> bool | None:
    """Whether what is had is a car where one is asked for; None where no kind is asked for, or its words name none."""
    kinds = {KINDS[one] for one in asked & KINDS.keys()}
    named = list_kinds(value) if kinds and relation in HAVING else frozenset()
    return not named.isdisjoint(kinds) if named else None


@lru_cache(maxsize=1024)
def read_question(text: str) -> AskedFor:
    """Read a question or request in any language. The middle of a long one is not read."""
    question = cut_middle(text)
    kinds = find_kinds(question)
    nouns = {kind.removeprefix(NOUN) for kind in kinds if kind.startswith(NOUN)}
    named = nouns | {kind for kind in kinds if kind not in STRUCTURE and not kind.startswith(NOUN)}
    bare = fold_text(question)
    return AskedFor(
        expand_relations(named | find_marked(bare, named)),
        find_subjects(question, bare, named),
        is_past(bare, kinds, named),
        find_topic_words(question).topics | {topic for name in named for topic in TOPICS.get(name, ())},
        ADVICE in kinds,
        intents.OPENS_ASKING.search(bare) is not None,
        intents.ASKS_FACT.search(bare) is not None,
    )


def find_marked(bare: str, named: set[str]) -> set[str]:
    """What marks of the question tell beside its nouns: when something is, and which of its kind is the favourite."""
    found = {"time"} if intents.ASKS_WHEN.search(bare) else set()
    # "My favourite novel is ..." is told by a relation of that noun, in whatever language it was said.
    if "likes" in named:
        words = WORD.findall(bare)[:MOST_WORDS]
        found |= {f"{FAVORITE}{name}" for name in (*named, *words) if not name.startswith(FAVORITE)}
    return found


def find_kinds(text: str) -> Mapping[str, None]:
    words = tuple(WORD.findall(normalise_text(text).casefold()))
    entries = find_entries(words, load_question_words())
    # One language only: "was" asks in German, and tells in English what is over.
    spoken = find_spoken(entries, 1.0)
    # "Où" at the beginning asks where; "ou" behind something leaves a choice.
    asks = intents.OPENS_ASKING.search(fold_text(text)) is not None
    entries = [one for one in entries if not (asks and one[0] == ADVICE and one[2] == (0, 1))]
    # Of "בן הזוג" the first word alone would be a son.
    wider = [(start, end) for kind, _, (start, end) in entries if kind.startswith(NOUN) and end - start > 1]
    entries = [one for one in entries if not (one[0].startswith(NOUN) and is_within(one[2], wider))]
    found = [(kind, end) for kind, language, (_, end) in entries if spoken is None or language in spoken]
    found += [(AT_END, end) for kind, end in found if kind == BEFORE_AT_END and end == len(words)]
    return dict.fromkeys(kind for kind, _ in found)


def is_within(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in others)


@lru_cache(maxsize=4096)
def find_people(text: str) -> frozenset[str]:
    """The relations of the people and animals that a few words name: of "chefin" it is `boss`."""
    named = {kind.removeprefix(NOUN) for kind in find_kinds(text) if kind.startswith(NOUN)}
    return frozenset(name for name in named if name in PERSONS or name in PETS)


def expand_relations(named: set[str]) -> frozenset[str]:
    clear = named if named <= OF_NAMES else named - GENERIC or named
    found = clear | {other for name in clear for other in RELATED.get(name, ())}
    # What the cat is called is told by "goes by Duke" and "we have a cat, Duke".
    found |= RELATED["name"] if "name" in named else set()
    # A husband may have been told of as a partner, and the wedding with him as one.
    return frozenset(found | (PARTNERS if found & PARTNER_NOUNS else set()))


def find_subjects(question: str, bare: str, named: set[str]) -> frozenset[str]:
    found = {name for name in named if name in PERSONS or name in PETS}
    found |= {fold_text(name) for name in find_names(question)}
    if query_cues.ABOUT_ME.search(bare) or query_cues.SAYS_I.search(bare) or (named and not found):
        found.add(SPEAKER)
    return frozenset(found)


def is_past(bare: str, kinds: Mapping[str, None], named: set[str]) -> bool:
    """Whether what is no longer so is asked for: "where did I live before", "what was my old job"."""
    # "When did I last see the dentist" is about the latest; "when was I born" about what is still so.
    if query_cues.LATEST.search(bare):
        return False
    if BEFORE in kinds or AT_END in kinds or {WAS, BEFORE_AT_END} <= kinds.keys():
        return True
    # "When did I start there?" asks for the job of now.
    return WAS in kinds and not (named and named <= TIMELESS) and not intents.ASKS_WHEN.search(bare)


@cache
def load_question_words() -> Lexicon:
    return Lexicon(read_small_words(), read_question_entries())


def read_question_entries() -> Iterator[LexiconEntry]:
    for language in list_codes():
        for section in read_sections(language, SUBJECT):
            yield from build_entries(section, language, read_entries(language, SUBJECT, section))
        for subject in (SLOTS, CLAIMS):
            for section in read_sections(language, subject):
                if section.startswith(NOUN):
                    yield from build_entries(section, language, read_entries(language, subject, section))
