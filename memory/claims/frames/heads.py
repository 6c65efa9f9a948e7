"""Where a noun phrase ends, and which of its words names a relation."""

from functools import cache
from typing import Final

from memory.claims.frames.participles import is_participle
from memory.claims.frames.wording import STOPS, VERBS_ONLY, ClauseWords
from memory.claims.frames.words import LANGUAGES, load_relation_nouns
from memory.claims.taxonomy import PEOPLE

SHORTEST_FOREIGN: Final = 2
# Words of a phrase; what goes on longer is no noun.
LONGEST: Final = 8
NOUN_SIZES: Final = (4, 3, 2, 1)
HEAD_LAST: Final = frozenset({"en", "de"})
AFTER_DETERMINER: Final = ("verb", "frame", "adv", "time")
INSIDE: Final = frozenset({"&", '"'})


def find_head_end(clause: ClauseWords, at: int, end: int, *, is_determined: bool) -> int:
    place = at
    while place < min(end, at + LONGEST):
        step = measure_step(clause, place, at, end, is_determined=is_determined)
        if step == 0:
            break
        place += step
    return min(place, end)


def measure_step(clause: ClauseWords, place: int, at: int, end: int, *, is_determined: bool) -> int:
    """How many words go on with the phrase that began at ``at``; none where it ends."""
    token = clause.tokens[place]
    is_first = place == at
    if token.is_mark:
        return int(token.text in INSIDE and not is_first)
    if (size := measure_compound(clause, place, end)) > 1:
        return size
    if token.text == "'s" or (not is_first and clause.measure_called(place, end)):
        return 0
    if token.has("of") and not is_first:
        # "El Mercadona de noche": when, and no part of a name.
        is_when = is_capital_at(clause, place - 1) and place + 1 < end and clause.tokens[place + 1].has("time", "unit")
        return 2 if place + 1 < end and may_follow_of(clause, place + 1) and not is_when else 0
    if token.has("det") and not is_first and clause.tokens[place - 1].has("of"):
        return 1
    is_capital = clause.has_capitals and token.is_capital and place > 0 and clause.words.language != "de"
    if not is_first and is_reduced(clause, place):
        return 0
    if token.has("quality", "occupation") and not token.has("prep", "conj"):
        return 1
    if is_capital or (is_determined and is_first and token.has(*AFTER_DETERMINER)):
        return 1
    if token.has("unit") and not is_first and not is_determined and not clause.tokens[place - 1].has("of"):
        # "Curitiba mês passado".
        return 0
    return int(not token.has(*STOPS) and (is_first or not token.has("det", "my", "his")))


def is_capital_at(clause: ClauseWords, place: int) -> bool:
    return clause.has_capitals and clause.tokens[place].is_capital


def is_reduced(clause: ClauseWords, place: int) -> bool:
    """ "La San Silvestre disfrazada de croqueta": behind a name a participle tells what was done, and not which."""
    token, before = clause.tokens[place], clause.tokens[place - 1]
    is_name = clause.has_capitals and before.is_capital and not token.is_capital
    return is_name and is_participle(token.text, clause.words.language)


def measure_compound(clause: ClauseWords, place: int, end: int) -> int:
    """How many words a noun of several has that begins here: "sister in law"."""
    for size in NOUN_SIZES[:-1]:
        if place + size <= end and join_plain(clause, place, place + size) in clause.words.nouns:
            return size
    return 0


def join_plain(clause: ClauseWords, start: int, end: int) -> str:
    return " ".join(token.plain.replace("-", " ") for token in clause.tokens[start:end])


def join_text(clause: ClauseWords, start: int, end: int) -> str:
    return " ".join(token.text for token in clause.tokens[start:end])


def may_follow_of(clause: ClauseWords, place: int) -> bool:
    token = clause.tokens[place]
    return not (token.is_mark or token.text.isdigit() or token.has("my", "his", "i", *VERBS_ONLY))


def find_noun(clause: ClauseWords, at: int, stop: int) -> tuple[int, int, str] | None:
    """The first noun of the words that names a relation, the longest first."""
    for place in range(at, stop):
        for size in NOUN_SIZES:
            if place + size > stop or is_modifier(clause, place + size, stop):
                continue
            if join_plain(clause, place, place + size) in clause.words.other_nouns:
                # "Il mio gruppo sanguigno" is no band.
                return None
            nouns = clause.words.nouns
            relation = nouns.get(join_text(clause, place, place + size)) or nouns.get(
                join_plain(clause, place, place + size)
            )
            if relation is not None:
                return place, place + size, relation
        if place > at and clause.tokens[place].has("of"):
            return None
    return None


def find_foreign_noun(clause: ClauseWords, at: int) -> tuple[int, int, str] | None:
    """ "My abuela Consuelo": who speaks two languages says of whom in either."""
    relation = load_foreign_nouns(clause.words.language).get(clause.tokens[at].plain)
    return (at, at + 1, relation) if relation is not None and not clause.tokens[at].classes else None


@cache
def load_foreign_nouns(language: str) -> dict[str, str]:
    own = load_relation_nouns(language)
    return {
        word: relation
        for other in LANGUAGES
        if other != language
        for word, relation in load_relation_nouns(other).items()
        if word not in own and relation in PEOPLE and len(word) > SHORTEST_FOREIGN
    }


def is_modifier(clause: ClauseWords, after: int, stop: int) -> bool:
    """Whether the noun before a place only says what kind the next is: "dentist appointment"."""
    if after >= stop or clause.words.language not in HEAD_LAST:
        return False
    token = clause.tokens[after]
    if token.has("of", "det", "prep") or token.is_mark:
        return False
    if clause.has_capitals and clause.words.language == "en":
        return not token.is_capital
    return token.has("event", "noun", "dwelling") or token.plain in clause.words.nouns
