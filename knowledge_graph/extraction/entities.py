"""Extracts entities by rules: people, places, organisations, products, tools, projects. Pure.

A capital letter suggests a name in English and the Romance languages, hardly in German and never in Hebrew. So a name
needs further evidence: a relation before them, a place or employer's preposition, a known list, a
second capital beside the first, letters mixed with digits. Precision comes before recall.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from knowledge_graph.extraction import announcements
from memory.language.folding import fold_name, normalise_text, strip_accents
from memory.language.hebrew import BEFORE_A_NAME, is_hebrew, list_hebrew_readings, restore_final_letter
from memory.language.names import capitalises_nouns, load_given_names
from memory.language.stems import detect_languages
from memory.language.vocabulary import load_places, load_plain_technologies, load_technologies

PERSON: Final = "person"
PLACE: Final = "place"
ORGANISATION: Final = "organisation"
PRODUCT: Final = "product"
TOOL: Final = "tool"
PROJECT: Final = "project"
THING: Final = "thing"
DATASET: Final = "dataset"
# A data set of a catalogue and what it is about; no rule reads these from a text.
TOPIC: Final = "topic"
KINDS: Final = (PERSON, PLACE, ORGANISATION, PROJECT, TOOL, PRODUCT, THING)
LONGEST_READ: Final = 8_000
MOST_ENTITIES: Final = 24
LONGEST_KEY: Final = 100
# Of a sentence; a longer one is a list or a paste. Each word asks whether the whole sentence is loud: with 3,000 words
# in one that took a second.
MOST_WORDS: Final = 200
SHORTEST: Final = 2
MOST_NAME_WORDS: Final = 4

_SENTENCE: Final = re.compile(r"[.!?…:;\n\"“”„«»()\[\]{}|*]+(?=\s|$|\S)|(?:\s[-–—]\s)")
_WORD: Final = re.compile(r"[^\W_](?:[\w&+#./'’׳״\"-]*[\w+#])?")
_POSSESSIVE: Final = re.compile(r"(?:['’]s|['’])$")
_MIXED: Final = re.compile(
    r"^(?:(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*)"
)
_MEASURE: Final = re.compile(r"v?\d+(?:[.,:]\d+)*[A-Za-z]{0,3}|[qQ][1-4]|[hH]\d|[a-f0-9]{8,}")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z&]{1,5}")
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»\n]{2,40})[\"”“»]")


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """``key`` unifies its spellings, ``name`` is how the text wrote it."""

    name: str
    key: str
    kind: str = THING


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    bare: str
    # Begins a sentence, where a capital says nothing.
    opens: bool
    # Behind a comma or somebody's own: "Alma, Tamar's daughter" and "Tamar's Heron" name two each.
    is_apart: bool = False

    @property
    def is_capital(self) -> bool:
        return self.text[:1].isupper()


def extract_entities(text: str, known_names: Collection[str] = ()) -> list[ExtractedEntity]:
    """The entities a text names, in its order, each once. ``known_names`` are people heard of before, case-folded."""
    return list(_extract_all(text[:LONGEST_READ], frozenset(fold_name(name) for name in known_names)))


@lru_cache(maxsize=4_096)
def _extract_all(text: str, known_names: frozenset[str]) -> tuple[ExtractedEntity, ...]:
    cleaned = normalise_text(text)
    languages, _ = detect_languages(cleaned, set(cleaned.casefold().split()))
    found: dict[str, ExtractedEntity] = {}
    for tokens in split_sentences(cleaned):
        for entity in extract_from_sentence(tokens, known_names, names_nouns=capitalises_nouns(languages[0])):
            if SHORTEST <= len(entity.key) <= LONGEST_KEY:
                earlier = found.get(entity.key)
                if earlier is None or (earlier.kind == THING and entity.kind != THING):
                    found[entity.key] = entity
    whole = [entity for entity in found.values() if not is_part_of_another(entity, found)]
    return tuple(whole[:MOST_ENTITIES])


def is_part_of_another(entity: ExtractedEntity, found: Collection[str]) -> bool:
    """Whether it is the first or last name of a person also named in full."""
    return entity.kind in {PERSON, THING} and any(
        key != entity.key and entity.key in key.split() for key in found if " " in key
    )


def split_sentences(text: str) -> Iterator[list[Token]]:
    quoted = {match[1].strip() for match in _QUOTED.finditer(text)}
    for sentence in _SENTENCE.split(_QUOTED.sub(r" \1 ", text) if quoted else text):
        tokens = list(read_tokens(sentence))
        for start in range(0, len(tokens), MOST_WORDS):
            yield tokens[start : start + MOST_WORDS]


def read_tokens(sentence: str) -> Iterator[Token]:
    end, is_owner = 0, False
    for place, match in enumerate(_WORD.finditer(sentence)):
        word = _POSSESSIVE.sub("", match[0])
        if word:
            is_apart = is_owner or "," in sentence[end : match.start()]
            yield Token(word, strip_accents(word.casefold()), not place, is_apart)
        end, is_owner = match.end(), word != match[0]


def extract_from_sentence(
    tokens: list[Token], known_names: frozenset[str], *, names_nouns: bool
) -> Iterator[ExtractedEntity]:
    place = 0
    while place < len(tokens):
        found = match_entity_at(tokens, place, known_names, names_nouns=names_nouns)
        if found is None:
            place += 1
            continue
        entity, length = found
        yield entity
        place += length


def match_entity_at(
    tokens: list[Token], place: int, known_names: frozenset[str], *, names_nouns: bool
) -> tuple[ExtractedEntity, int] | None:
    """The entity that begins at a position, and its number of words."""
    # From the surest evidence to the weakest. In German every noun has a capital, so there it says nothing.
    return (
        match_listed(tokens, place)
        or match_announced(tokens, place)
        or match_known_name(tokens, place, known_names)
        or match_mixed(tokens, place)
        or (None if names_nouns else match_capitalised(tokens, place))
    )


def match_listed(tokens: list[Token], place: int) -> tuple[ExtractedEntity, int] | None:
    """A listed tool or place, longest first. Everyday words count only with a capital inside."""
    for length in range(min(MOST_NAME_WORDS, len(tokens) - place), 0, -1):
        part = tokens[place : place + length]
        name = " ".join(token.text for token in part)
        if length == 1 and is_hebrew(name):
            return match_listed_hebrew(name)
        plain = fold_name(name)
        if is_hebrew(part[0].text) and plain not in load_places() and plain[:1] in BEFORE_A_NAME:
            name = plain = plain[1:]
        is_marked = part[0].is_capital and not part[0].opens
        if (tool := load_technologies().get(plain)) and (plain in load_plain_technologies() or is_marked):
            return ExtractedEntity(name, tool, TOOL), length
        if found := load_places().get(plain):
            usual, is_everyday = found
            is_name = is_marked if is_everyday else part[0].is_capital or not plain.isascii()
            if is_name:
                return ExtractedEntity(name, usual, PLACE), length
    return None


# Everyday words hide under Hebrew particles, so only plain names count here.
def match_listed_hebrew(word: str) -> tuple[ExtractedEntity, int] | None:
    """A listed name under the particles of a Hebrew word."""
    for form in (word.casefold(), *list_hebrew_readings(word)):
        if form in load_technologies():
            return (
                (ExtractedEntity(form, load_technologies()[form], TOOL), 1)
                if form in load_plain_technologies()
                else None
            )
        for spelling in (form, restore_final_letter(form)):
            if found := load_places().get(spelling):
                return None if found[1] else (ExtractedEntity(spelling, found[0], PLACE), 1)
    return None


def match_announced(tokens: list[Token], place: int) -> tuple[ExtractedEntity, int] | None:
    """A name after the words that announce one: "my sister Dana", "works at Siemens", "project Atlas"."""
    if place == 0:
        return None
    before = tokens[max(0, place - announcements.LONGEST) : place]
    kind = announcements.find_announced_kind([token.bare for token in before])
    if kind is None or not may_be_name(tokens[place], kind):
        return None
    length = measure_capital_run(tokens, place)
    return build_entity(tokens, place, length, kind), length


def may_be_name(token: Token, kind: str) -> bool:
    if is_hebrew(token.text):
        # Without capitals only the sure announcements count, and never before a word of grammar.
        return kind in {PERSON, PROJECT} and not announcements.is_function_word(token.bare) and len(token.bare) > 1
    return token.is_capital and not announcements.is_function_word(token.bare)


def measure_capital_run(tokens: list[Token], place: int) -> int:
    """The number of words in a name: adjacent capitalised words, with "de" and the like between them."""
    if is_hebrew(tokens[place].text):
        return 1
    length = 1
    while place + length < len(tokens) and length < MOST_NAME_WORDS:
        token = tokens[place + length]
        follows = tokens[place + length + 1] if place + length + 1 < len(tokens) else None
        if ends_name_before(tokens[place], token, length):
            break
        joins = token.bare in announcements.INSIDE_NAMES and follows is not None and follows.is_capital
        if not joins and (not token.is_capital or announcements.is_function_word(token.bare) or is_calendar(token)):
            break
        length += 2 if joins else 1
    return min(length, MOST_NAME_WORDS)


def ends_name_before(first: Token, token: Token, length: int) -> bool:
    """Whether a name that begins with ``first`` cannot go on with this token: "Acme, Inc." alone is one across a comma.

    The capital of a sentence's first word says nothing, so a word all in capitals behind it is a name of its own:
    "Raising EXPORT_TIMEOUT did not help".
    """
    if token.is_apart:
        return token.bare not in announcements.COMPANY_ENDINGS
    return first.opens and length == 1 and token.text.isupper() and len(token.text) > 1 and not first.text.isupper()


def build_entity(tokens: list[Token], place: int, length: int, kind: str) -> ExtractedEntity:
    name = " ".join(token.text for token in tokens[place : place + length])
    key = fold_name(name)
    tail = tokens[place + length - 1].bare
    if kind in {THING, PERSON} and tail in announcements.COMPANY_ENDINGS:
        kind = ORGANISATION
    return ExtractedEntity(name, load_technologies().get(key) or load_places().get(key, (key, False))[0], kind)


def match_known_name(
    tokens: list[Token], place: int, known_names: frozenset[str]
) -> tuple[ExtractedEntity, int] | None:
    """A given name or somebody heard of before, with the family name behind it."""
    token = tokens[place]
    if is_hebrew(token.text):
        forms = (token.bare, token.bare[1:] if token.bare[:1] in BEFORE_A_NAME else token.bare)
        name = next((form for form in forms if form in load_given_names() or form in known_names), None)
        return (ExtractedEntity(name, name, PERSON), 1) if name else None
    if not token.is_capital or (token.bare not in load_given_names() and token.bare not in known_names):
        return None
    length = measure_capital_run(tokens, place)
    return build_entity(tokens, place, length, PERSON), length


def match_mixed(tokens: list[Token], place: int) -> tuple[ExtractedEntity, int] | None:
    """Letters mixed with digits or capitals inside: RTX4090, iPhone, WooCommerce, ACME-42."""
    text = tokens[place].text
    if _MEASURE.fullmatch(text) or "/" in text or "@" in text or len(text) > LONGEST_KEY:
        return None
    if _MIXED.fullmatch(text):
        return ExtractedEntity(text, fold_name(text), PRODUCT), 1
    # A sentence mostly in capitals is loud, and its words are no acronyms.
    is_shouting = sum(token.text.isupper() for token in tokens) > len(tokens) / 2
    if _ACRONYM.fullmatch(text) and not is_shouting and announcements.is_acronym(tokens[place].bare):
        return ExtractedEntity(text, fold_name(text), THING), 1
    return None


def match_capitalised(tokens: list[Token], place: int) -> tuple[ExtractedEntity, int] | None:
    """Capitals inside a sentence; at its beginning only where two are adjacent or a person's verb follows."""
    token = tokens[place]
    if (
        not token.is_capital
        or announcements.is_function_word(token.bare)
        or is_calendar(token)
        or len(token.bare) < SHORTEST + 1
    ):
        return None
    # A heading or a line in capitals: nothing in it can be told for a name by its capital.
    if sum(one.is_capital for one in tokens) > max(3, len(tokens) * 0.6):
        return None
    length = measure_capital_run(tokens, place)
    follows = tokens[place + length].bare if place + length < len(tokens) else ""
    kind = PERSON if follows in announcements.PERSONS_VERBS else THING
    if token.opens and length == 1 and kind == THING:
        return None
    return build_entity(tokens, place, length, kind), length


def is_calendar(token: Token) -> bool:
    return token.bare in announcements.CALENDAR
