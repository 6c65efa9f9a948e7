"""What somebody calls a thing or an animal: "un van qu'on appelle Gustave", "ein Saugroboter, den wir Marcel nennen".

"On appelle" and "llamamos" name what was told of before; only with a pronoun of its own, as in "je m'appelle", does
the verb tell who speaks.
"""

from collections.abc import Sequence
from typing import Final

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.naming import find_names, find_span, rename
from memory.claims.frames.phrases import SPEAKER, PhraseReader
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.triples import HotTriple
from memory.claims.taxonomy import HAVING, THINGS
from memory.language.hebrew import HEBREW

# Languages in which the verb of one's own name is that of naming others, with a pronoun of its own.
REFLEXIVE: Final = {
    "es": ("me", "se", "te", "nos", "os"),
    "fr": ("me", "m'", "se", "s'", "te", "t'", "vous"),
    "it": ("mi", "si", "ti", "ci", "vi"),
    "pt": ("me", "se", "te", "nos"),
}
WE: Final = "nous"
# What may stand between the verb and a name: whom one names.
WHOM: Final = ("he", "she", "it", "they", "clitic", "adv", "to them", "to whom")


def find_calling(reader: PhraseReader) -> int | None:
    """The verb of a clause that names somebody else than its subject."""
    tokens, language = reader.tokens, reader.words.language
    own = REFLEXIVE.get(language)
    for at, token in enumerate(tokens):
        # "שאנחנו קוראים לו גוסטב": without who calls, somebody is called so.
        is_told_by = language == HEBREW and token.has("named") and at > 0 and tokens[at - 1].has("i")
        # "We named her Nala": in the past the word for being called so.
        is_given = token.has("called") and at > 0 and tokens[at - 1].has("i") and is_pronoun(tokens[at + 1 : at + 2])
        if is_told_by or is_given or token.has("calls another"):
            return at
        if own is not None and token.has("named") and not token.has("called") and not is_reflexive(tokens, at, own):
            return at
    return None


def is_pronoun(tokens: Sequence[HotToken]) -> bool:
    return any(token.has("he", "she", "it", "they") for token in tokens)


def is_reflexive(tokens: Sequence[HotToken], at: int, own: Sequence[str]) -> bool:
    """ "Je m'appelle", "chamo-me", "nous nous appelons"."""
    beside = [*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2]]
    is_twice = at > 1 and tokens[at - 1].text == tokens[at - 2].text == WE
    return is_twice or any(token.text in own for token in beside)


def read_calling(reader: PhraseReader, stack: MentionStack, clause: HotClause, verb: int) -> list[ClauseFact]:
    """The name of what was told of last; nothing where a clause of its own calls somebody: "chiamo Luca stasera"."""
    tokens = reader.tokens
    is_of_last = clause.link == "rel" or (clause.link == "" and tokens[0].has("i"))
    is_taken_up = any(token.has("he", "she", "it", "clitic") for token in tokens[max(0, verb - 1) : verb + 2])
    names = find_called(reader, verb) if is_of_last or is_taken_up else []
    told = find_owned(stack.told) if names else None
    latest = (stack.find(told.object) if told is not None else None) or stack.find_latest()
    if not names or (told is None and latest is None):
        return []
    if latest is not None and latest.relation in THINGS and not latest.is_noun:
        # "Un van VW qu'on appelle Gustave": by its make first.
        return [ClauseFact(latest.owner or SPEAKER, latest.relation, names[0], find_span(reader, 0, len(tokens)))]
    if latest is not None and latest.relation and (told is None or latest.text == told.object):
        return list(rename(reader, stack, latest.text, names))
    whole = find_span(reader, 0, len(tokens))
    subject = told.object if told is not None else ""
    return [ClauseFact(subject, "name", name, whole) for name in names[:1] if subject]


def find_called(reader: PhraseReader, verb: int) -> list[str]:
    """The names behind the verb, or right before it at the end of a clause: "den wir Marcel nennen"."""
    tokens, end = reader.tokens, len(reader.tokens)
    start = verb + 1
    while start < end and tokens[start].has(*WHOM):
        start += 1
    if start < end and reader.is_sure_name_at(start):
        return list(find_names(reader, start, end))
    before = verb - 1
    is_last = all(token.is_mark for token in tokens[verb + 1 :])
    return [reader.cut(before, verb)] if before > 0 and is_last and reader.is_sure_name_at(before) else []


def find_owned(told: Sequence[HotTriple]) -> HotTriple | None:
    """The thing that was told last, of which how many there are may have been told too."""
    last = [one for one in told[-2:] if one.relation in HAVING]
    return last[-1] if last else None


def is_called_so(one: ClauseFact, called: ClauseFact, told: HotTriple | None) -> bool:
    """Whether it is what has a name now: what somebody has, or has by its make."""
    is_made = one.relation == called.relation and one.relation in THINGS and one.subject == called.subject
    return is_made or (told is not None and one.key == told.key)


def find_thing_called(name: str, told: Sequence[HotTriple]) -> HotTriple | None:
    """What somebody has by the name that it is called."""
    things = {one.subject for one in told if one.relation == "name" and one.object == name}
    return next((one for one in reversed(told) if one.relation in HAVING and one.object in things), None)
