"""What a turn takes back: "not X but Y", "no longer", "I meant", a new value for what was told before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.clauses import HotClause
from memory.claims.frames.details import find_duration, find_time, read_amount
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.naming import find_span
from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import PhraseReader, measure_phrase
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.triples import HotTriple
from memory.claims.frames.words import HotWords
from memory.claims.taxonomy import ANIMALS, PEOPLE, REPLACEABLE, is_single
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW_TO

VERBAL: Final = ("verb", "frame", "be 1", "be 3", "have 1", "have 3", "modal", "named")
# What somebody may cease to have, to like or to be at, and whatever word takes its place.
CEASING: Final = REPLACEABLE | {"owns", "has", "works_at", "lives_in", "likes", "works_as", "married_to"}

NAMES: Final = PEOPLE | ANIMALS | {"name", "friend_of", "married_to"}
# What one word takes the place of.
NAMED_ALIKE: Final = NAMES | REPLACEABLE | {"lives_in", "works_at", "works_as"}
SHORTEST_RESPELT: Final = 3
# Share of letters in common from which a name is the same, spelt otherwise: "Mopsy", "Mopsie".
NEARLY: Final = 0.7
# Words that deny that there is any; what is set against a value is "not" it.
NO_ANY: Final = {
    "en": frozenset({"no"}),
    "de": frozenset({"kein", "keine", "keinen", "keiner", "keinem"}),
    "it": frozenset({"niente"}),
    "es": frozenset({"nada"}),
    "pt": frozenset({"nada"}),
}
OF_TIME: Final = ("time", "clock", "unit", "time adj", "month")
# Digits of a year.
YEAR: Final = 4
# Words of a clause among which a pronoun means what was told last.
PRONOUN_REACH: Final = 6


@dataclass(slots=True)
class HotChange:
    new: list[ClauseFact] = field(default_factory=list)
    retracted: list[HotTriple] = field(default_factory=list)


def is_correcting(clauses: Sequence[HotClause], words: HotWords) -> bool:
    # Across clauses: "that" of "scratch that we moved" stands in the next.
    spoken = " ".join(one.text.strip() for one in clauses)
    return any(phrase in f" {spoken} " for phrase in words.phrases["correct"])


def answers_no(clauses: Sequence[HotClause]) -> bool:
    """ "No, on Wednesday": a no and a value alone."""
    return begins_with_no(clauses) and all(one.is_bare for one in clauses)


def begins_with_no(clauses: Sequence[HotClause]) -> bool:
    """ "Nee, der Elternabend ist Dienstag": what is told behind it takes the place of what was."""
    return bool(clauses) and clauses[0].tokens[0].has("answers no")


def find_replaced(fact: ClauseFact, reader: PhraseReader) -> str:
    """ "Brest, pas à Lorient": the old value behind the new one."""
    tokens = reader.tokens
    begun = next(
        (at for at, token in enumerate(tokens) if token.start >= fact.span[1] and token.has("not", "instead")), None
    )
    if begun is None or begun < 1:
        return ""
    if is_lack(reader, begun):
        return ""
    is_set_off = tokens[begun - 1].is_mark or tokens[begun - 1].has("conj", "but") or tokens[begun].has("instead")
    if not is_set_off and not is_contrasted(tokens, begun):
        return ""
    return read_value(reader, begun + 1, fact.relation)


def is_lack(reader: PhraseReader, denial: int) -> bool:
    """ "She's coeliac so no pasta", "also keine Nudeln", "donc pas de pâtes": what there is not, and no other value."""
    tokens = reader.tokens
    before, behind = tokens[denial - 1], tokens[denial + 1] if denial + 1 < len(tokens) else None
    is_of = behind is not None and behind.text in {"de", "d'"} and tokens[denial].text == "pas"
    is_any = not before.is_mark and tokens[denial].text in NO_ANY.get(reader.words.language, ())
    return is_any or before.has("sub") or is_of


def is_contrasted(tokens: Sequence[HotToken], denial: int) -> bool:
    """ "Pacha pas filou": a value follows the denial, and no verb."""
    behind = tokens[denial + 1] if denial + 1 < len(tokens) else None
    if tokens[denial - 1].has(*VERBAL):
        return False
    return behind is not None and not behind.is_mark and not behind.has("adv", "degree", "ended", *VERBAL)


def read_value(reader: PhraseReader, at: int, relation: str) -> str:
    tokens = reader.tokens
    small = ("adv", "be 3", "clitic", "but", "it", "named")
    skipped = small if relation == "time" else (*small, "prep", "of")
    while at < len(tokens) and (tokens[at].is_mark or tokens[at].has(*skipped)):
        at += 1
    if at >= len(tokens):
        return ""
    if relation == "time":
        found = find_time(reader, at, len(tokens)) or find_time(reader, max(0, at - 1), len(tokens))
        return found[0] if found else ""
    if relation in {"age", "quantity"}:
        number = read_number(tokens, at, len(tokens), reader.words.language)
        return number[0] if number else ""
    if relation == "duration":
        amount = read_amount(tokens, at, reader.words.language)
        return amount[0] if amount else ""
    phrase = reader.read_phrase(at, len(tokens))
    return phrase.head if phrase is not None and not phrase.pronoun else ""


def find_behind_phrase(reader: PhraseReader, phrases: Sequence[str]) -> int:
    """Where the words behind a phrase of correction begin that stands within a clause; 0 for none."""
    end = len(reader.tokens) - 1
    return next((at + size for at in range(end) if (size := measure_phrase(reader, at, end, phrases))), 0)


def read_respelt(reader: PhraseReader, told: Sequence[HotTriple]) -> HotChange:
    change = HotChange()
    tokens = reader.tokens
    named = [one for one in told if one.relation in NAMES]
    start = next((at for at, token in enumerate(tokens[:PRONOUN_REACH]) if token.has("be 3", "named")), -1) + 1
    for at in range(start, min(start + 3, len(tokens))):
        if tokens[at].is_mark or tokens[at].classes:
            continue
        for known in reversed(named):
            if is_respelt(tokens[at].text, known.object):
                put(change, known, tokens[at].text)
                return change
    return change


def is_respelt(word: str, name: str) -> bool:
    if word == name or len(word) < SHORTEST_RESPELT or word[0] != name[:1] or " " in name:
        return False
    return SequenceMatcher(None, word, name).ratio() >= NEARLY


def read_elliptic(reader: PhraseReader, told: Sequence[HotTriple], skip: int) -> HotChange:
    """ "Uy, a las once, perdón": a value for what the last turns told, whose kind it fits."""
    change, end = HotChange(), len(reader.tokens)
    if not told:
        return change
    found = find_time(reader, skip, end)
    if found is not None and (known := find_last(told, "time") or find_last(told, "birthday")):
        put(change, known, found[0], find_span(reader, *found[1:]))
        return change
    read_other_number(reader, told, skip, change)
    at = next((at for at in range(skip, end) if not is_small(reader.tokens[at])), end)
    if change.new or at == end or reader.tokens[at].text.isdigit():
        return change
    value = read_value(reader, at, "")
    # "I meant to Nahariya, not to Acre": written onto both.
    if value.startswith(HEBREW_TO) and any(f"{HEBREW_TO}{one.object}" in reader.text for one in told):
        value = value.removeprefix(HEBREW_TO)
    known = next((one for one in reversed(told) if fits_value(one, value, reader, at)), None)
    if value and known is not None:
        put(change, known, value, find_span(reader, at, end))
    elif value and (exchanged := exchange_object(told[-1], value, reader)):
        put(change, told[-1], exchanged, find_span(reader, at, end))
    return change


def exchange_object(told: HotTriple, value: str, reader: PhraseReader) -> str:
    """ "Allergic to penicillin" with amoxicillin in its place; nothing of what does not hang on a preposition."""
    spoken = told.object.split() if told.relation == "is" else []
    kinds = [reader.words.classify(word) for word in spoken]
    led = next((at + 1 for at, kind in enumerate(kinds[:-1]) if "prep" in kind), len(spoken))
    while led < len(spoken) - 1 and "det" in kinds[led]:
        led += 1
    return " ".join([*spoken[:led], value, *spoken[led + 1 :]]) if led < len(spoken) else ""


def is_small(token: HotToken) -> bool:
    return token.is_mark or token.has("correcting", "adv", "not", "prep", "wh", "be 3", "clitic", "it", "that")


def read_other_number(reader: PhraseReader, told: Sequence[HotTriple], skip: int, change: HotChange) -> None:
    """ "Typo, 1948": for a number that was told, one of the same kind."""
    tokens, language = reader.tokens, reader.words.language
    numbers = ((read_number(tokens, at, len(tokens), language), at) for at in range(skip, len(tokens)))
    number, at = next(((one, at) for one, at in numbers if one is not None), (None, 0))
    if number is None or find_duration(reader) is not None or numbers_another(reader, at, told):
        return
    span = find_span(reader, at, number[1])
    amount = read_amount(tokens, at, language)
    if amount is not None and (known := find_last(told, "duration")):
        put(change, known, amount[0], span)
        return
    aged = None if counts_something(reader, number[1]) else find_last(told, "age")
    year = find_last(told, "born_in") if len(number[0]) == YEAR else None
    if known := year or aged or find_last(told, "quantity"):
        put(change, known, number[0], span)


def numbers_another(reader: PhraseReader, at: int, told: Sequence[HotTriple]) -> bool:
    """ "Not page 9, page 12": what a number is of that stands right behind a noun, and nothing told before."""
    before = reader.tokens[at - 1] if at else None
    if before is None or before.is_mark or before.classes:
        return False
    return not any(before.text in f"{one.subject} {one.object}".split() for one in told)


def says_only_that(reader: PhraseReader, phrases: Sequence[str]) -> bool:
    """ "Typo, 1948": the words of the correction are no value."""
    spoken = [token.text for token in reader.tokens if not token.is_mark]
    return f" {' '.join(spoken)} " in phrases


def counts_something(reader: PhraseReader, end: int) -> bool:
    """ "Make that one sugar": a number of things of its own is nobody's age."""
    return end < len(reader.tokens) and not (reader.tokens[end].is_mark or reader.tokens[end].classes)


def fits_value(known: HotTriple, value: str, reader: PhraseReader, at: int) -> bool:
    """Whether a value is of the kind of one that was told: a name for a name, a place for a place."""
    if known.relation not in NAMED_ALIKE or not value or value == known.object:
        return False
    first = reader.tokens[at]
    if any(token.plain in value.split() and token.has(*OF_TIME) for token in reader.tokens[at:]):
        # "Sorry, long day. Half past nine and still here" names no employer.
        return False
    if first.classes or (known.relation in {"lives_in", "works_at"} and reader.has_capitals):
        return first.is_capital
    return value.isdigit() == known.object.isdigit()


def find_last(told: Sequence[HotTriple], relation: str) -> HotTriple | None:
    return next((one for one in reversed(told) if one.relation == relation), None)


def put(change: HotChange, known: HotTriple, value: str, span: tuple[int, int] = (0, 0)) -> None:
    if value and value != known.object:
        change.new.append(ClauseFact(known.subject, known.relation, value, span))
        change.retracted.append(known)


def find_ceased(reader: PhraseReader, told: Sequence[HotTriple]) -> HotTriple | None:
    """ "The boat isn't ours any more", "I sold it": what was told before and has ended, by its words or a pronoun."""
    spoken = {token.plain for token in reader.tokens}
    ceasing = [one for one in reversed(told) if one.relation in CEASING]
    named = [one for one in ceasing if spoken.issuperset(fold_letters(one.object).split())]
    is_meant = any(token.has("it", "there", "that") for token in reader.tokens[:PRONOUN_REACH])
    found = named or (ceasing if is_meant else [])
    return choose_whose(found[0], ceasing, reader) if found else None


def choose_whose(ceased: HotTriple, ceasing: Sequence[HotTriple], reader: PhraseReader) -> HotTriple:
    """Of what two have in common, whose has ended: "I've left Bosch" is of the person, "he's left" of the other."""
    is_own = any(token.has("i") for token in reader.tokens)
    same = (one for one in ceasing if (one.relation, one.object) == (ceased.relation, ceased.object))
    return next((one for one in same if (one.subject == SPEAKER) == is_own), ceased)


def find_contradicted(fact: ClauseFact, told: Sequence[HotTriple]) -> HotTriple | None:
    """What was told before in the slot of a fact, where that holds one value."""
    if not is_single(fact.relation):
        return None
    return next(
        (
            one
            for one in reversed(told)
            if (one.subject, one.relation) == (fact.subject, fact.relation) and one.object != fact.object
        ),
        None,
    )
