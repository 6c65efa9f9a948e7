"""Whose a clause is: the words before its verb, a pronoun and whom it means, or who the clause before was about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.claims.frames.matching import FINITE
from memory.claims.frames.mentions import HotMention, MentionStack
from memory.claims.frames.phrases import SPEAKER, TAKEN_UP, THIRD, NounPhrase, PhraseReader
from memory.claims.taxonomy import ANIMALS, GROUPS, PEOPLE, SYMMETRIC, find_gender

VERB_SECOND: Final = frozenset({"de"})
# A subject stands no further behind its verb.
REACH_BEHIND: Final = 4
SKIPPED: Final = ("clitic", "conj", "wh", "rel", "sub", "that", "not", "greets")


@dataclass(frozen=True, slots=True)
class HotSubject:
    """``names`` in canonical form; ``is_known`` is false for a thing or somebody that nobody told of."""

    names: tuple[str, ...]
    phrases: tuple[NounPhrase, ...] = ()
    is_known: bool = True
    is_elided: bool = False

    @property
    def is_speaker(self) -> bool:
        return self.names == (SPEAKER,)


def find_subject(
    reader: PhraseReader,
    verb: tuple[int, int],
    stack: MentionStack,
    previous: tuple[str, ...],
    *,
    is_third: bool,
    is_linked: bool,
) -> HotSubject | None:
    """The subject of a verb, or None where it names nobody that can be told."""
    phrases = find_phrases(reader, find_finite(reader, verb), is_third=is_third)
    if phrases:
        return name_subject(phrases, stack)
    drops = reader.words.drops_subjects
    if not is_third and (drops or not is_linked or not previous):
        return HotSubject((SPEAKER,), is_elided=True)
    if previous and is_linked and (not is_third or previous != (SPEAKER,)):
        return HotSubject(previous, is_elided=True)
    if drops and is_third:
        found = stack.resolve("any")
        return HotSubject((found.text,), is_elided=True) if found else None
    # "Works at Greggs, lives in Hull": whoever was spoken of.
    found = stack.resolve("any") if is_third else None
    return HotSubject((found.text,), is_elided=True) if found else None


def find_finite(reader: PhraseReader, verb: tuple[int, int]) -> tuple[int, int]:
    """The verb that the subject stands beside: of "hab mir ein Rad gekauft" the first."""
    if reader.words.language not in VERB_SECOND:
        return verb
    helping = (at for at in range(verb[0]) if reader.tokens[at].has(*FINITE))
    place = next(helping, None)
    return verb if place is None else (place, place + 1)


def find_phrases(reader: PhraseReader, verb: tuple[int, int], *, is_third: bool) -> tuple[NounPhrase, ...]:
    # "Los pepinos los detesto", "el hígado no lo soporto".
    taken_up = any(reader.tokens[at].text in TAKEN_UP for at in range(max(1, verb[0] - 1), verb[1]))
    if taken_up and not is_third and reader.words.drops_subjects:
        return ()
    behind = find_behind(reader, verb, is_third=is_third)
    # "Rosenkohl hasse ich": a pronoun behind its verb is the subject, whatever stands before.
    if behind and behind[0].pronoun:
        return behind
    return find_before(reader, verb[0]) or behind


def find_before(reader: PhraseReader, end: int) -> tuple[NounPhrase, ...]:
    """The last phrase before the verb that no preposition takes, with those joined to it."""
    found: tuple[NounPhrase, ...] = ()
    at = 0
    while at < end:
        token = reader.tokens[at]
        # "My son sleeps badly since we moved": a preposition takes no "we".
        if token.has("prep") and not (at + 1 < end and reader.tokens[at + 1].has("i")):
            phrase = reader.read_phrase(at + 1, end)
            at = max(at + 1, phrase.end if phrase else 0)
            continue
        # "Moi c'est Fanny".
        is_topic = token.has("i") and at + 1 < end and reader.tokens[at + 1].has("it")
        if token.is_mark or (token.has(*SKIPPED) and not (is_topic or token.has("my", "he", "det"))):
            at += 1
            continue
        group = tuple(reader.read_list(at, end))
        # "Mon plat préféré, c'est ...": the pronoun takes up what was named.
        if group and found and group[0].pronoun == "it":
            at = group[-1].end
            continue
        if not group or (is_temporal(reader, group) and len(group) == 1):
            at = max(at + 1, group[-1].end if group else 0)
            continue
        found = group
        at = group[-1].end
    return found


def is_temporal(reader: PhraseReader, group: Sequence[NounPhrase]) -> bool:
    return any(
        token.has("time", "unit") for one in group if not one.relation for token in reader.tokens[one.start : one.end]
    )


def find_behind(reader: PhraseReader, verb: tuple[int, int], *, is_third: bool) -> tuple[NounPhrase, ...]:
    """ "Seit zwei Jahren wohnt meine Schwester in Kiel": German puts it behind the verb where another word is first."""
    if reader.words.language not in VERB_SECOND:
        return ()
    at = verb[1]
    while at < min(verb[1] + REACH_BEHIND, len(reader.tokens)) and reader.tokens[at].has("adv", "clitic", "not"):
        at += 1
    phrase = reader.read_phrase(at, len(reader.tokens)) if at < len(reader.tokens) else None
    if phrase is None:
        return ()
    if phrase.pronoun in {"i", "he", "she", "they"}:
        return (phrase,)
    is_fronted = verb[0] > 0 and not reader.tokens[verb[0] - 1].has("conj", "but")
    if is_third and is_fronted and (phrase.owner or phrase.is_named or phrase.name):
        return tuple(reader.read_list(at, len(reader.tokens)))
    return ()


def name_subject(phrases: Sequence[NounPhrase], stack: MentionStack) -> HotSubject | None:
    names: list[str] = []
    is_known = True
    for phrase in phrases:
        pair = list_pair(stack) if phrase.pronoun == "they" and len(phrases) == 1 and not list_group(stack) else ()
        if pair:
            return HotSubject(pair, tuple(phrases))
        name = name_phrase(phrase, stack)
        if name is None:
            return None
        names.append(name)
        is_known = is_known and (name == SPEAKER or is_known_phrase(phrase, name, stack))
    # "My sister and I": the person stands first.
    names.sort(key=lambda one: one != SPEAKER)
    # Whoever does something together with the person is known by that.
    return HotSubject(tuple(dict.fromkeys(names)), tuple(phrases), is_known or SPEAKER in names)


def is_known_phrase(phrase: NounPhrase, name: str, stack: MentionStack) -> bool:
    return bool(phrase.owner or phrase.pronoun or phrase.is_named or phrase.name) or stack.find(name) is not None


def name_phrase(phrase: NounPhrase, stack: MentionStack) -> str | None:
    """The canonical form of somebody: their name where one is known, else the noun."""
    if phrase.pronoun == "i":
        return SPEAKER
    if phrase.pronoun:
        if phrase.pronoun == "they" and (group := list_group(stack)):
            return group
        found = stack.resolve(phrase.pronoun)
        return found.text if found else None
    if phrase.name:
        return phrase.name
    if phrase.relation in PEOPLE | ANIMALS and phrase.owner in {SPEAKER, ""}:
        known = stack.name_of(phrase.relation)
        return known or phrase.noun
    return phrase.head or None


def list_group(stack: MentionStack) -> str:
    found = stack.resolve("they")
    return found.text if found else ""


def list_pair(stack: MentionStack) -> tuple[str, ...]:
    """ "Ido is married to Romi and they live in Lod": two who were just told to be together."""
    latest = stack.told[-1] if stack.told else None
    if latest is None or latest.relation not in SYMMETRIC or latest.subject == SPEAKER:
        return ()
    return latest.subject, latest.object


def mention_phrase(phrase: NounPhrase, stack: MentionStack) -> None:
    """Remember somebody or something that a clause spoke of."""
    if phrase.pronoun:
        return
    relation = phrase.relation
    # "Elle est dentiste" speaks of nobody else.
    if relation in PEOPLE and not (phrase.owner or phrase.name or phrase.count or phrase.has_article):
        return
    text = phrase.name or (phrase.noun if relation in PEOPLE | ANIMALS else phrase.head)
    if relation in PEOPLE:
        is_group = relation in GROUPS and not phrase.name
        known = stack.name_of(relation) if not phrase.name else ""
        stack.add(
            HotMention(known or text, "person", find_gender(relation), relation, is_group, not (phrase.name or known))
        )
    elif relation in ANIMALS:
        known = stack.name_of(relation) if not phrase.name else ""
        stack.add(HotMention(known or text, "animal", "", relation, is_noun=not (phrase.name or known)))
    elif phrase.owner == SPEAKER and relation:
        stack.add(HotMention(text, "thing", "", relation, is_noun=True))
    elif phrase.is_named and phrase.owner != THIRD:
        stack.add(HotMention(text, "person"))
