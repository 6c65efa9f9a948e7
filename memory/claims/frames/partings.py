"""What a clause ends of what was told, whatever it is, and whom it tells to be new in the person's life.

"We had to put Miso down", "Callum and I called it a day", "nous quittons Plougastel": each names what was told before,
in words that end anything. So no verb needs a frame for each thing that may end.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.mentions import HotMention
from memory.claims.frames.naming import find_span
from memory.claims.frames.phrases import SPEAKER, PhraseReader
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.triples import HotTriple
from memory.claims.frames.words import SUBJECT
from memory.claims.slots.matching import load_phrases
from memory.claims.slots.nouns import names_kin
from memory.claims.taxonomy import ANIMALS, DEPARTING, HELPERS, PARTNERS, THINGS
from memory.guard.spelling import fold_letters
from memory.language.names import load_given_names
from memory.language.stems import DEFAULT_LANGUAGE

# Who is called by a part of a name.
CALLED: Final = ANIMALS | DEPARTING
SHORTEST_NAME: Final = 3
# Before a noun it denies no verb.
NO: Final = ("en", "no")
# Kin stay kin when they die or move; a hobby or a liking is ended by frames of its own.
ENDABLE: Final = ANIMALS | THINGS | PARTNERS | DEPARTING | {"lives_in", "works_at", "owns", "has"}
RETIRES: Final = "retires"
# What nothing else ends: who moves out is a flatmate no more and all else that they were, who retires nobody's boss.
ENDED_BY: Final[Mapping[str, frozenset[str]]] = {"moves out": frozenset({"roommate"}), RETIRES: HELPERS}
# "We're leaving Utrecht on Friday at nine" is a journey.
JOURNEY: Final = ("time", "unit", "clock", "there")
NEW_PERSON: Final = {"m": "boyfriend", "f": "girlfriend", "": "partner"}


def find_parted(reader: PhraseReader, clause: HotClause, told: Sequence[HotTriple]) -> Iterator[HotTriple]:
    """What was told, is named in the clause by its value, and has ended; where it lives, only if for good."""
    is_denied = any(denies(token, reader.words.language) for token in reader.tokens)
    phrases = reader.words.phrases
    ending = frozenset[str]() if is_denied else list_ending(clause, phrases)
    if not ending:
        return
    said = reader.cut(0, len(reader.tokens))
    is_journey = any(token.has(*JOURNEY) for token in reader.tokens)
    over = {one.key for one in told if one.is_over}
    for one in list_named(reader, told):
        if not any(one.relation in ENDED_BY.get(how, ENDABLE) for how in ending):
            continue
        if is_journey and one.relation == "lives_in":
            continue
        if one.relation in PARTNERS | DEPARTING and (leaves_early(reader) or names_kin(said, reader.words.language)):
            continue
        # "Mireille hat Schluss gemacht" ends her and the person's brother; what else others have is theirs to end.
        is_ours = one.subject == SPEAKER or one.relation in PARTNERS
        if is_ours and one.key not in over and not leaves_something(reader, one):
            span = find_span(reader, 0, len(reader.tokens))
            yield HotTriple(one.subject, one.relation, one.object, span, one.confidence, is_over=True)


def list_ending(clause: HotClause, phrases: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """The sections of words by which a clause ends something."""
    return frozenset(how for how in ("parting", *ENDED_BY) if clause.says(phrases[how]))


def ends_with_parting(reader: PhraseReader) -> bool:
    """ "My boss Karen left" introduces nobody; "my boss Karen left me a note" does."""
    phrases = reader.words.phrases
    end = find_first_mark(reader)
    said = f" {' '.join(token.text for token in reader.tokens[:end])} "
    is_last = any(said.endswith(one) for one in (*phrases["parting"], *phrases[RETIRES]))
    return is_last and not any(denies(token, reader.words.language) for token in reader.tokens[:end])


def find_first_mark(reader: PhraseReader) -> int:
    return next((at for at, token in enumerate(reader.tokens) if token.is_mark), len(reader.tokens))


def tells_end_of_work(statement: str, language: str) -> bool:
    """ "Jürgen ist in Rente": what is over is his work, and nothing between him and his wife."""
    return load_phrases(language or DEFAULT_LANGUAGE, RETIRES, SUBJECT).search(statement) is not None


def leaves_early(reader: PhraseReader) -> bool:
    """ "Clive left the office early" comes back tomorrow: the hour alone, wherever in the clause it stands."""
    return any(token.has("early") for token in reader.tokens)


def list_named(reader: PhraseReader, told: Sequence[HotTriple]) -> list[HotTriple]:
    """What the clause names of what may end, by its whole name before one that is called by a part of it."""
    spoken = {token.plain for token in reader.tokens}
    endable = dict.fromkeys(one for one in told if one.relation in ENDABLE)
    found = [one for one in endable if is_named(one, spoken)]
    if found:
        return found
    partly = [one for one in endable if one.relation in CALLED and calls_partly(one, spoken, reader)]
    return partly if len({one.object for one in partly}) == 1 else []


def calls_partly(one: HotTriple, spoken: set[str], reader: PhraseReader) -> bool:
    """ "Pim" of Monsieur Pim, "Ottilie" of Ottilie Brandt: a word of the name that is nothing else."""
    parts = fold_letters(one.object).split()
    own = [part for part in parts if len(part) >= SHORTEST_NAME and not reader.words.classify(part)]
    return len(parts) > 1 and not spoken.isdisjoint(own)


def is_named(one: HotTriple, spoken: set[str]) -> bool:
    """Of who has a title the name alone says who: "der Wolff" is Herr Wolff."""
    parts = fold_letters(one.object).split()
    return spoken.issuperset(parts) or (one.relation in DEPARTING and len(parts) > 1 and parts[-1] in spoken)


def find_successor(reader: PhraseReader, clause: HotClause, parted: HotTriple) -> ClauseFact | None:
    """ "Clive retired, Shaz runs the shop now": whom the turn names in the place of a boss or a doctor who has gone."""
    phrases = reader.words.phrases
    says_both = clause.says((*phrases["parting"], *phrases[RETIRES]))
    # "Karen ist weg, jetzt leitet Mohammed das Team" is one clause.
    start = find_first_mark(reader) if says_both else 0
    behind = reader.tokens[start:]
    is_placed = bool(behind) and (clause.says(phrases["succeeds"]) or any(one.has("now", "instead") for one in behind))
    if not is_placed:
        return None
    names = [one for one in list_names(reader, start) if not is_named(parted, set(fold_letters(one).split()))]
    span = find_span(reader, 0, len(reader.tokens))
    return ClauseFact(parted.subject, parted.relation, names[0], span) if len(names) == 1 else None


def list_names(reader: PhraseReader, start: int) -> Iterator[str]:
    at, end = start, len(reader.tokens)
    while at < end:
        is_titled = reader.tokens[at].has("title") and at + 1 < end
        first = at + 1 if is_titled else at
        # A noun of German is written as a name is.
        is_given = reader.words.language != "de" or reader.tokens[at].plain in load_given_names()
        is_sure = is_titled or (reader.is_sure_name_at(at) and is_given)
        stop = reader.find_name_end(first, end) if is_sure else at
        if stop > first:
            yield reader.cut(at, stop)
        at = max(at + 1, stop)


def denies(token: HotToken, language: str) -> bool:
    """ "No more Rex" says that he is gone."""
    return token.has("not") and (language, token.text) != NO


def leaves_something(reader: PhraseReader, one: HotTriple) -> bool:
    """ "Greg left work early", "Inès a quitté la pharmacie": what somebody leaves who is named before it is no partner,
    unless they leave me."""
    if one.relation not in PARTNERS:
        return False
    spoken = [token.text for token in reader.tokens]
    first = next((at for at, token in enumerate(reader.tokens) if token.plain in fold_letters(one.object).split()), 0)
    for phrase in reader.words.phrases["parting"]:
        size = len(phrase.split())
        for at in range(first + 1, len(spoken) - size):
            behind = reader.tokens[at + size]
            if spoken[at : at + size] == phrase.split() and not behind.is_mark:
                return behind.has("det", "my", "his", "verb") or not behind.classes
    return False


def find_courted(reader: PhraseReader, clause: HotClause) -> HotMention:
    """ "Seeing someone new": a person whose name the next words may tell; without a text where there is none."""
    is_courted = clause.says(reader.words.phrases["courting"])
    for at, token in enumerate(reader.tokens) if is_courted else ():
        # "Ich hab einen neuen Hund" courts nobody.
        behind = reader.tokens[at + 1 : at + 2]
        if behind and (behind[0].is_capital or behind[0].plain in reader.words.nouns):
            continue
        gender = "m" if token.has("someone m") else "f" if token.has("someone f") else ""
        if gender or token.has("someone"):
            return HotMention(token.text, "person", gender, NEW_PERSON[gender], is_noun=True)
    return HotMention("", "person")
