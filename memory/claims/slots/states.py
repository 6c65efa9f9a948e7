"""What tells how somebody is: an illness, a diet, what they cannot stand; and what only sounds like it."""

import re
from dataclasses import replace
from itertools import dropwhile, pairwise
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.words import DEAD, load_hot_words
from memory.claims.relations import ABOUT, free_claim
from memory.claims.slots.matching import join_entries, load_phrases, load_small_words, load_words
from memory.claims.slots.spoken import cut_before, list_before, names_noun
from memory.claims.slots.unnamed import ALLERGIC, is_listed
from memory.claims.taxonomy import KIN, PARTNERS, PEOPLE
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.hebrew import HEBREW, HEBREW_TO
from memory.language.loader import read_entries
from memory.language.names import load_given_names

WORD: Final = re.compile(r"[^\W_]+")
# Relations of how somebody is, with the words that tell them.
STATES: Final = (("has_condition", "ill word"), ("diet", "diet word"), ("has_condition", "condition"))
EATS: Final = "eats"
ALLERGIC_FOLDED: Final = tuple(map(fold_letters, ALLERGIC))
# Relations of what stands behind "is".
SAID_OF_SOMEBODY: Final = PEOPLE | {"is", "works_as", "name"}
ALLERGIES: Final = frozenset({"allergic_to", "intolerant_to"})
# Topics of what somebody may be allergic to: crab sticks, aspirin, wool, a cream, a cat.
ALLERGENS: Final = frozenset({"food", "drink", "health", "clothes", "beauty", "animals"})


def name_state(claim: Claim) -> Claim:
    """ "I'm a vegetarian", "she's a diabetic": an article makes no trade of a diet or an illness.

    Nor does "como" make food of one: "empiezo como educadora".
    """
    if claim.relation == EATS and is_simile(claim):
        return free_claim(claim)
    if claim.relation == "likes" and claim.subject == SPEAKER and is_done_like(claim):
        return free_claim(claim)
    if claim.relation == EATS and fold_letters(claim.object) in load_words(claim.lang or "en", "occupation", "frames"):
        return free_claim(claim) if is_of_relative(claim) else replace(claim, relation="works_as")
    if claim.relation in {"has_condition", "is", "has"} and (borne := find_borne(claim)):
        return replace(claim, relation="allergic_to", object=borne)
    if claim.relation == "has_condition":
        return replace(claim, object=complete_ailment(claim))
    if claim.relation in ALLERGIES:
        return replace(claim, relation="dislikes") if is_no_allergen(claim) else claim
    if claim.relation == "diet" and not claim.object and claim.tense == "over" and names_no_diet(claim):
        return replace(free_claim(claim), tense="present")
    if claim.relation not in {"works_as", "is", "has"}:
        return claim
    if claim.relation == "works_as" and names_relative(claim):
        return replace(claim, relation="is")
    found = (relation for relation, section in STATES if is_listed(claim.object, section))
    return replace(claim, relation=next(found, claim.relation))


def find_borne(claim: Claim) -> str:
    """What somebody is "intollerante al", has an "alergia a" or, written onto it in Hebrew, an "אלרגיה ל"."""
    first, *rest = claim.object.split() or [""]
    if not fold_letters(first).startswith(ALLERGIC_FOLDED) or not rest:
        return ""
    if claim.lang == HEBREW:
        return " ".join((rest[0].removeprefix(HEBREW_TO), *rest[1:])) if rest[0].startswith(HEBREW_TO) else ""
    leading = load_words(claim.lang or "en", "allergy to") | load_words(claim.lang or "en", "article")
    said = [*dropwhile(lambda word: fold_letters(word) in leading, rest)]
    return " ".join(said) if len(said) < len(rest) else ""


def name_support(claim: Claim) -> Claim:
    """ "I'm a Man City fan", "ich bin Werder-Fan", "my brother is a City fan": what they like, and neither a name nor
    a trade."""
    if claim.relation not in SAID_OF_SOMEBODY or not claim.object:
        return claim
    language = claim.lang or "en"
    degree, named = (join_entries(language, kind) for kind in ("supporter degree", "supporter"))
    said = re.fullmatch(rf"(?:(?:{degree})\s)*(?:(?P<whom>.*\S)[\s-])?(?:{named})(?P<of>\s\S+\s.+)?", claim.object)
    if said is None or (said["whom"] and said["of"]):
        return claim
    liked = said["whom"] or (said["of"] or "").strip().partition(" ")[2]
    if not liked:
        return free_claim(claim)
    whose = claim.relation if claim.relation in PEOPLE and claim.subject == SPEAKER else claim.subject
    return replace(claim, subject=whose, relation="likes", object=liked)


def settle_death(claim: Claim) -> Claim:
    """ "My mum passed away last week": that somebody has died is told of them, and denies nothing."""
    if claim.relation != ABOUT or claim.polarity or not names_noun(claim.subject, PEOPLE - PARTNERS, claim.lang):
        return claim
    said = f" {' '.join(WORD.findall(claim.statement.casefold()))} "
    is_death = any(one in said for one in load_hot_words(claim.lang or "en").phrases[DEAD])
    return replace(claim, polarity=True, tense="present", is_sure=True) if is_death else claim


def is_no_allergen(claim: Claim) -> bool:
    """ "No tolero a mi jefe", "je ne supporte pas le bruit": whom and what nobody swells up from.

    What no list knows may be eaten, and stays an allergy; so does the dust that somebody says they are allergic to.
    """
    is_said = any(one in claim.statement.casefold() for one in ALLERGIC)
    topics = find_topic_words(claim.object).topics
    is_somebody = names_noun(claim.object, PEOPLE, claim.lang) or fold_name(claim.object) in load_given_names()
    return is_somebody or (not is_said and bool(topics) and topics.isdisjoint(ALLERGENS))


def is_simile(claim: Claim) -> bool:
    """ "Duermo como un tronco": behind another verb the word for "I eat" is "like"."""
    words = list_before(claim)
    language = claim.lang or "en"
    like = load_words(language, "occupation like")
    place = max((at for at, word in enumerate(words) if word in like), default=0)
    return place > 0 and words[place - 1] not in load_small_words(language)


def names_no_diet(claim: Claim) -> bool:
    """ "My boss quit" gives up nothing that is eaten."""
    return load_phrases(claim.lang or "en", "diet word").search(claim.statement) is None


def is_done_like(claim: Claim) -> bool:
    """ "I work like a horse": behind a verb "like" compares."""
    language = claim.lang or "en"
    words, hot, small = list_before(claim), load_hot_words(language), load_small_words(language)
    done = (before for before, word in pairwise(words) if word == "like" and before not in small)
    return any(hot.classify(before) & {"frame", "verb"} for before in done)


def complete_ailment(claim: Claim) -> str:
    """ "Voy en silla de ruedas": the whole of its words, and not the wheels."""
    said = claim.statement.casefold()
    known = (one for one in read_entries(claim.lang or "en", "slots", "ill word") if one.endswith(f" {claim.object}"))
    return next((one for one in known if claim.object and one in said), claim.object)


def is_of_relative(claim: Claim) -> bool:
    """ "Mi marido empieza como profesor": whether somebody else stands before the value."""
    return names_noun(cut_before(claim), PEOPLE, claim.lang)


def names_relative(claim: Claim) -> bool:
    """ "I'm the mother of twins", "a single dad of two"; a "sage-femme" is nobody's wife."""
    nouns = load_hot_words(claim.lang or "en").nouns
    return any(nouns.get(fold_letters(word)) in KIN for word in claim.object.split()[:2])
