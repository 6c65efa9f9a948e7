"""What somebody is that is no trade: "I'm a morning person", "a Londoner", "ich bin Frühaufsteher"."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.jobs import matches_job
from memory.claims.relations import free_claim
from memory.claims.slots.matching import join_entries, load_words
from memory.claims.slots.spoken import cut_as_written, cut_before, drop_articles, list_before, load_being
from memory.claims.slots.unnamed import names_person
from memory.guard.spelling import fold_letters
from memory.language.names import capitalises_nouns

WORD: Final = re.compile(r"[^\W\d_]+")

# Words before a place of work among which stands that the work is unpaid: "volunteer at the local food bank".
MOST_BETWEEN: Final = 4


def settle_trade(claim: Claim) -> Claim:
    """Of 14 things that people say they are, behind a bare "I'm a", 12 were read as a trade and ended the true one."""
    if claim.relation in {"works_at", "works_as"} and claim.object and is_unpaid(claim):
        return replace(claim, relation="hobby")
    if claim.relation == "works_at" and claim.object and is_studied_at(claim):
        return replace(claim, relation="school")
    if claim.relation == "works_as" and claim.subject != SPEAKER and names_person(claim):
        return free_claim(claim)
    if claim.relation != "works_as" or not claim.object or names_trade(claim):
        return claim
    is_other = is_listed_otherwise(claim) or is_merely_been(claim)
    return replace(claim, relation="is") if is_other else claim


def is_studied_at(claim: Claim) -> bool:
    """ "Ich studiere Soziale Arbeit an der FH Dortmund": the word for work is the subject."""
    language = claim.lang or "en"
    before = list_before(claim)
    studying, joints = load_words(language, "studying"), load_words(language, "conj", "frames")
    at = max((at for at, word in enumerate(before) if word in studying), default=len(before))
    # "Studia a Pisa ma lavora in pizzeria".
    joints |= load_words(language, "but", "frames")
    return at < len(before) and joints.isdisjoint(before[at:])


def is_unpaid(claim: Claim) -> bool:
    """ "I volunteer at the food bank", "soy voluntario en la Cruz Roja": beside the work, not in its place."""
    before = WORD.findall(fold_letters(cut_before(claim)))[-MOST_BETWEEN:]
    own = WORD.findall(fold_letters(claim.object))
    return not load_words(claim.lang or "en", "unpaid").isdisjoint([*before, *own])


def is_listed_otherwise(claim: Claim) -> bool:
    kept = load_words(claim.lang or "en", "no occupation", "frames")
    return any(fold_letters(word) in kept for word in WORD.findall(claim.object))


def is_merely_been(claim: Claim) -> bool:
    """Whether nothing but a form of "to be" says that it is a trade."""
    language = claim.lang or "en"
    before = cut_before(claim)
    if re.search(rf"\b(?:{join_entries(language, 'works_as', 'questions')})\b", before, re.IGNORECASE):
        return False
    words = drop_articles([fold_letters(word) for word in WORD.findall(before)], language)
    return bool(words) and words[-1] in load_being(language)


def names_trade(claim: Claim) -> bool:
    """By a list, or by how the word ends: "roofer". Of a name with a capital the ending says nothing: "Dubliner"."""
    language = claim.lang or "en"
    said = cut_as_written(claim)
    listed = load_words(language, "occupation", "frames")
    # "Sage-femme" is one word of the list.
    if any(fold_letters(word) in listed for word in [*WORD.findall(said), *said.split()]):
        return True
    kept = load_words(language, "no occupation", "frames")
    may_name = not capitalises_nouns(language)
    words = [word for word in WORD.findall(said) if fold_letters(word) not in kept]
    return any(word.isupper() or (matches_job(word, language) and not (may_name and word.istitle())) for word in words)
