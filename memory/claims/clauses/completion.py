"""Adds to the claims of a sentence what its other clauses tell, where no rule reads those.

"It's Nadège who took his place, she signs my leave": who signs is claimed, and the name stands in the other clause.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import LONGEST, word_statement, word_whole
from memory.claims.clauses.cutting import ClauseTokens, Place, cut_clauses, find_heads
from memory.claims.clauses.stretches import find_told_stretch, rate_stretch
from memory.claims.health.reactions import begins_with_reaction
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT, PLACES
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import find_drug, join_entries, load_words
from memory.claims.slots.nouns import WORDS, find_known_noun, is_person_or_animal, load_nouns
from memory.claims.subjects import (
    PRONOUN,
    SPOKEN_BY,
    find_apposed_subject,
    find_owned_noun,
    is_being_at,
    name_owner,
)
from memory.guard import find_refusal
from memory.guard.annotation import Sentence, Span
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.kinds import list_kinds
from memory.language.loader import collect_entries, read_entries
from memory.language.names import find_names, load_given_names
from memory.language.stems import DEFAULT_LANGUAGE

# How likely clauses beside a claim that names its relation must tell something to be a claim of their own.
BESIDE_LEAST: Final = 0.5
LEAST_WORDS: Final = 3
# Languages whose verbs need no word for whom they are about.
DROPPING: Final = frozenset({"es", "it", "pt"})
# What cuts a clause in two or speaks of the person.
CUTTING: Final = (MARK + "joint", MARK + "that", MARK + "relative", "me")
# Words from which a clause about "it" or "her" may hold, besides, the name of what it is about.
SHORTEST_ALONE: Final = 6


def complete_claims(claims: Sequence[Claim], sentence: Sentence, *, is_masked: bool) -> list[Claim]:
    """What names no relation takes the clauses around it in; beside the rest they are a claim of their own."""
    tokens = cut_clauses(sentence)
    clauses = [piece for segment in tokens.segments for piece in segment]
    if len(clauses) < 2 or sentence.is_question:
        return list(claims)
    uncovered = [clause for clause in clauses if not is_covered(sentence, tokens, clause, claims)]
    told = find_told_stretch(sentence, tokens, is_masked=is_masked) if uncovered else None
    left = [clause for clause in uncovered if told and told[0] <= clause[0] and clause[1] <= told[1]]
    if told is None or not left:
        return list(claims)
    statement = word_statement(sentence, tokens, *told)
    if len(statement) > LONGEST:
        return list(claims)
    free = [claim for claim in claims if claim.relation == ABOUT]
    if free:
        widened = {id(claim) for claim in free}
        kept = [claim for claim in claims if id(claim) not in widened]
        return [*kept, replace(free[0], statement=statement)]
    beside = left[0][0], left[-1][1]
    if beside[1] - beside[0] < LEAST_WORDS or rate_stretch(sentence, beside, is_masked=is_masked) < BESIDE_LEAST:
        return list(claims)
    first, said = claims[0], word_statement(sentence, tokens, *beside)
    if any(claim.statement == said for claim in claims):
        return list(claims)
    return [*claims, Claim(SPEAKER, ABOUT, "", said, first.span, lang=first.lang)]


def drop_contained(claims: Sequence[Claim]) -> list[Claim]:
    """Without what another claim of the turn says as well: a pronoun's statement begins with the sentence before it."""
    # Two clauses of one sentence may both be read into all of its slots.
    unlike = {(one.subject, one.relation, one.object, one.statement, one.tense): one for one in reversed(claims)}
    claims = [claim for claim in [*unlike.values()][::-1] if not is_part_of_home(claim, claims)]
    said = [claim.statement for claim in claims]

    read = {claim.statement for claim in claims if claim.relation != ABOUT}

    def is_contained(claim: Claim) -> bool:
        # "Soy alérgica a las nueces" is no trade, which leaves a second claim of it that says nothing.
        if " " not in claim.statement or (not claim.object and claim.statement in read):
            return True
        return any(claim.statement in one and claim.statement != one for one in said)

    return [claim for claim in claims if claim.relation != ABOUT or claim.is_remark or not is_contained(claim)]


def is_part_of_home(claim: Claim, claims: Sequence[Claim]) -> bool:
    """ "Nos mudamos a Alcalá de Henares" leaves no Henares."""
    homes = (one.object.split() for one in claims if (one.subject, one.relation) == (claim.subject, "lives_in"))
    return claim.relation == "moved_from" and any(set(claim.object.split()) < set(home) for home in homes)


def resolve_pronoun(claim: Claim, before: str) -> Claim | None:
    """ "He goes by Duke now" says nothing without the sentence before it."""
    if claim.subject != PRONOUN:
        return claim
    if before and len(before) + len(claim.statement) < LONGEST:
        return replace(claim, statement=f"{before} {claim.statement}")
    return claim if claim.statement.count(" ") >= SHORTEST_ALONE else None


def name_pronoun(claim: Claim, sentence: Sentence, place: int, before: Sentence | None) -> Claim:
    """With whom "she" and what "it" is: "She's coeliac" in the bank says of nobody that they are, "It makes my throat
    close up" of nothing.

    ``place`` is the sentence's, ``before`` the one before it.
    """
    if claim.is_request or claim.is_remark:
        return claim
    if stands_for_thing(claim.object, claim.lang):
        claim = replace(claim, relation=ABOUT, object="")
    if not needs_antecedent(claim):
        return claim
    tokens = cut_clauses(sentence)
    end = tokens.count_before(claim.span[1] - place)
    whole = word_statement(sentence, tokens, 0, end)
    if len(whole) <= len(claim.statement) or not whole.endswith(claim.statement[1:]):
        told = "" if before is None or before.is_question else word_whole(before)
        told = keep_antecedent(told, [find_first_word(claim)], claim.lang)
        whole = f"{told} {claim.statement}" if told else claim.statement
    is_fit = len(whole) <= LONGEST and find_refusal(whole) is None
    return replace(claim, statement=whole) if is_fit else claim


def stands_for_thing(word: str, language: str) -> bool:
    """ "Es" is a pronoun in German and no Spanish one; of an unknown language nothing is."""
    return bool(language) and fold_letters(word) in load_words(language, "stands for a thing")


@cache
def list_persons() -> frozenset[str]:
    return frozenset(map(fold_letters, collect_entries("slots", "stands for somebody")))


@cache
def load_persons(language: str) -> frozenset[str]:
    """The words of a language that stand for somebody alone: Spanish "el" without its accent is the article, and only
    English has an "its" beside "his"."""
    words = frozenset(map(fold_letters, read_entries(language, "slots", "stands for somebody")))
    owners = load_words(language, "their") if language == DEFAULT_LANGUAGE else frozenset()
    return (words | owners) - load_words(language, "article") - load_words(language, "stands for a thing")


def find_first_word(claim: Claim) -> str:
    return fold_letters(claim.statement.split("'")[0].split(" ")[0])


def keep_antecedent(before: str, words: Sequence[str], language: str) -> str:
    """What was said before some words, unless they speak of somebody and it names nobody: "Got a new phone, iphone 15"
    says not who "she" is."""
    language = language or DEFAULT_LANGUAGE
    persons = load_persons(language)
    if not before or persons.isdisjoint(map(fold_letters, words)):
        return before
    told, nouns = WORDS.findall(before), load_nouns(language)
    is_being = any(is_person_or_animal(nouns.get(fold_letters(word), "")) for word in told)
    names = [*find_names(before), *(word for word in map(fold_name, told) if word in load_given_names())]
    named = any(not list_kinds(name) and not find_drug(name) for name in names)
    is_spoken_of = not persons.isdisjoint(map(fold_letters, told))
    return before if is_being or named or is_spoken_of else ""


def needs_antecedent(claim: Claim) -> bool:
    """Whether its words begin with somebody or something that only the words before them name."""
    first = find_first_word(claim)
    if first in list_persons():
        return True
    is_thing = stands_for_thing(first, claim.lang) or begins_with_reaction(claim.statement, claim.lang)
    return is_thing and claim.relation == ABOUT


def complete_clause(
    claim: Claim, sentence: Sentence, tokens: ClauseTokens, place: int, language: str, known: Sequence[KnownSlot] = ()
) -> Claim:
    """With what its clause leaves to the rest of the sentence: where "here" is, or of whom it goes on.

    ``place`` is the sentence's.
    """
    claim = give_doer(claim, sentence, tokens, place, known)
    if claim.relation in PLACES and not claim.object:
        # "Somos de Vigo y aquí vivimos".
        return replace(claim, statement=word_whole(sentence)[:LONGEST])
    return give_subject(claim, sentence, tokens, place, language)


def give_doer(claim: Claim, sentence: Sentence, tokens: ClauseTokens, place: int, known: Sequence[KnownSlot]) -> Claim:
    """ "Mona remarried and moved to Cork": behind a joint a verb without a subject is of who was named before it."""
    at = tokens.count_before(claim.span[0] - place)
    if claim.subject != SPEAKER or claim.is_request or not at or not sentence.has_at(at - 1, MARK + "joint"):
        return claim
    first = sentence.words[find_heads(sentence, 0, at)]
    told = {one.object for one in known if is_person_or_animal(one.relation)} | {one.subject for one in known}
    if sentence.spans(*SPOKEN_BY, "me", MARK + "my", "mine") or first not in (told - {SPEAKER}) | load_given_names():
        return claim
    statement = word_statement(sentence, tokens, 0, tokens.count_before(claim.span[1] - place))
    return replace(claim, subject=first, statement=statement) if len(statement) <= LONGEST else claim


def give_subject(claim: Claim, sentence: Sentence, tokens: ClauseTokens, place: int, language: str) -> Claim:
    """ "Firulais, mi gato, anda tomando mucha agua": the cat's, where the verb alone made it the person's."""
    is_tie = is_person_or_animal(claim.relation)
    if claim.subject != SPEAKER or claim.is_request or is_tie or language not in DROPPING:
        return claim
    segments = [(segment[0][0], segment[-1][1]) for segment in tokens.segments]
    told = sentence.raw.casefold().find(claim.object) if claim.object else -1
    at = tokens.find_word(told if told >= 0 else claim.span[0] - place)
    subject = find_apposed_subject(sentence, segments, max(at, 0))
    subject = subject or find_subject_of_participle(sentence, segments, max(at, 0), language)
    return replace(claim, subject=subject, statement=word_whole(sentence)[:LONGEST]) if subject else claim


def find_subject_of_participle(sentence: Sentence, segments: Sequence[Span], place: int, language: str) -> str:
    """Whose a participle is behind a verb of the third person: "mi hermano ha entrado en Ikea", "a mi madre le han
    diagnosticado diabetes". A participle alone may be the person's, as "he entrado" and "entrado" share it.

    ``place`` is that of the value. Empty where the verb is the person's, or a clause lies between.
    """
    start = next((first for first, last in segments if first <= place < last), 0)
    owned = find_owned_noun(sentence, start, place)
    if owned is None or owned[0] - start > 1 or not is_being_at(sentence, owned):
        return ""
    between = [fold_letters(word) for word in sentence.words[owned[1] : place]]
    is_cut = any(owned[1] <= at < place for at, _ in sentence.spans(*CUTTING))
    if is_cut or load_words(language, "third auxiliary").isdisjoint(between):
        return ""
    return name_owner(sentence, owned, place)


def is_covered(sentence: Sentence, tokens: ClauseTokens, clause: Place, claims: Sequence[Claim]) -> bool:
    start = find_heads(sentence, *clause)
    said = sentence.raw[tokens.starts[start] : tokens.ends[clause[1] - 1]].casefold()
    return any(" ".join(said.split()) in claim.statement.casefold() for claim in claims)


def resolve_pronouns(claims: Iterable[Claim], before: str) -> list[Claim]:
    return [claim for one in claims if (claim := resolve_pronoun(one, before))]


def name_theirs(claim: Claim) -> Claim:
    """ "His wife has diabetes" is told of his wife, "my friend's brother lives in York" of the friend's brother: the
    noun alone would be the person's own."""
    if not claim.lang or claim.subject == SPEAKER or find_known_noun(claim.subject.split(), claim.lang) is None:
        return claim
    owners, noun = join_entries(claim.lang, "their"), re.escape(claim.subject)
    of, own = join_entries(claim.lang, "of", "frames"), join_entries(claim.lang, "my")
    before, behind = rf"(?:{owners})|[^\W\d_]+'s", rf"(?:{owners})|(?:{of})\s(?:{own})\s\w+"
    said = re.search(rf"(?<!\w)(?:(?:{before})\s{noun}|{noun}\s(?:{behind}))(?!\w)", claim.statement, re.IGNORECASE)
    return replace(claim, subject=said[0].casefold()) if said is not None else claim


def mark_ended(claim: Claim, known: Sequence[KnownSlot]) -> Claim:
    """ "Jodie isn't vegan any more" of whom it was told is sure: what else would end it."""
    told = {(one.subject, one.object) for one in known if one.object}
    is_end = claim.tense == "over" and not claim.polarity and (claim.subject, claim.object) in told
    return replace(claim, is_sure=True) if is_end else claim
