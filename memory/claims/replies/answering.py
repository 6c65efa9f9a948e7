"""What a person answers to a question of the assistant's: "Any allergies?" "Sesame, quite badly".

The answer holds the value alone; which relation it fills, the question says. It is kept under a label, in the person's
words ("Allergy: sesame, quite badly."), as its bare words told nobody what they were about.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.words import load_hot_words
from memory.claims.lexicon import MARK
from memory.claims.questions import read_question
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import find_drug, load_small_words, load_words
from memory.claims.slots.nouns import CAPITAL_NOUNS, find_known_noun
from memory.claims.slots.templates import load_templates
from memory.claims.slots.unnamed import ALLERGIC
from memory.claims.subjects import PRONOUN
from memory.claims.taxonomy import ANIMALS, KIN
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries
from memory.language.names import load_given_names

SUBJECT: Final = "answers"
# The relations that a bare answer may fill.
ANSWERED: Final = frozenset(
    {"allergic_to", "name", "age", "birthday", "lives_in", "works_at", "works_as", "takes", "diet"}
)
# Relations that a question about food is read to concern beside allergies.
OF_FOOD: Final = frozenset({"eats", "drinks", "likes"})
SEVERAL: Final = frozenset({"allergic_to", "takes"})
# What limits somebody: of another's it is told whose it is.
LIMITING: Final = frozenset({"allergic_to", "takes", "diet"})
DIET: Final = "diet"
OF_HEALTH: Final = frozenset({"allergic_to", "medication"})
# "No, nothing", "actually no": where the denial stands of what was no answer.
DENIES_WITHIN: Final = 2
LONGEST_TOLD: Final = 240
# Words of the longest noun of a relative.
NOUN_WORDS: Final = 3
# Words of an answer that is a value and nothing else.
LONGEST: Final = 5
# Letters of a Hebrew word with an "and" written onto it.
LEAST: Final = 3
# Where the value ends that an answer begins with.
END: Final = re.compile(r"[.,;:!?…(\n]|\s[-–—]\s")
PLAIN: Final = re.compile(r"[^\W_]+")
WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def claim_answer(sentence: Sentence, place: int, asked: str, before: str = "", behind: str = "") -> list[Claim]:
    """The claims of the first sentence of a turn that answers a question of the assistant's with a bare value.

    ``before`` is the person's turn before: of a dinner for their daughter the allergies may be hers. ``behind`` is the
    sentence after it: "mornings lol. No, nothing" tells of none.
    """
    language = next(iter(find_turn_languages(f"{asked} {sentence.raw}", (before,))), "en") if asked else ""
    relation = find_asked_relation(asked, language) if language else ""
    values = read_values(sentence, language, relation) if relation else []
    if not asked or takes_back(behind, language):
        return []
    said = " ".join(sentence.raw.split()).rstrip(" .!?…,;:")
    span = (place, place + len(sentence.raw))
    if not relation or may_ask_of_kin(asked, before, language):
        return claim_of_another(sentence, said, span, asked, before, language)
    label, said = load_label(relation, language), cut_agreement(said, language)
    return [Claim(SPEAKER, relation, one, f"{label}: {said}.", span, lang=language, is_sure=True) for one in values]


def cut_agreement(said: str, language: str) -> str:
    """ "Yeah, nuts": the value without the yes before it."""
    agrees = load_words(language, "agrees", SUBJECT)
    first, mark, rest = said.partition(",")
    is_agreed = bool(mark) and all(fold_letters(word) in agrees for word in WORD.findall(first))
    return rest.strip() if is_agreed and rest.strip() else said


def load_label(relation: str, language: str) -> str:
    return next(iter(read_entries(language, SUBJECT, f"label {relation}")), relation)


def claim_of_another(
    sentence: Sentence, said: str, span: tuple[int, int], asked: str, before: str, language: str
) -> list[Claim]:
    """ "Is he on any medication?" "Warfarin and bisoprolol" behind "my dad needs a meal plan": his, and told as his.

    Where the question does not say whose it is, the words stand behind the turn that says whom they are for. Of nobody
    who was named they are no claim, but an empty remark takes the place of what had no owner.
    """
    # Few words ask and fewer answer: "Allergie o farmaci?" "Noci" may be of several languages.
    language = next(iter(find_turn_languages(before, ())), language) if before else language
    relation = find_asked_relation(asked, language, of_others=True)
    concerned = read_question(asked).relations
    is_double = not relation and concerned >= OF_HEALTH
    values = read_values(sentence, language, relation or DIET) if relation in LIMITING or is_double else []
    if not values:
        return []
    label, is_theirs = load_label(relation, language), speaks_of_others(asked, language)
    said = cut_agreement(said, language)
    other = find_kin_noun(asked, language)
    is_theirs = is_theirs or other is not None or asks_of_third(asked, relation, language)
    other = other or find_kin_noun(before, language)
    if other is None:
        return [Claim(PRONOUN, ABOUT, "", "", span, lang=language)]
    noun, phrase = other
    if is_theirs and relation:
        label = label if language in CAPITAL_NOUNS else f"{label[:1].lower()}{label[1:]}"
        told = f"{phrase[:1].upper()}{phrase[1:]}, {label}: {said}."
        return [Claim(noun, relation, one, told, span, lang=language, is_sure=True) for one in values]
    told = f"{before.rstrip(' .!?…,;:')}. {f'{label}: ' if label else ''}{said}."
    return [Claim(noun, ABOUT, "", told, span, lang=language)] if len(told) <= LONGEST_TOLD else []


def asks_of_third(asked: str, relation: str, language: str) -> bool:
    """ "¿Toma algún medicamento?" behind a turn about somebody: by its verb theirs, where no pronoun need stand."""
    if not load_words(language, "drop", "slots"):
        return False
    told = [one for one in load_templates(language) if one.relation == relation]
    third = {word for one in told if one.is_third for word in one.needs}
    # "Alergia" stands in the question of anybody's.
    third -= {word for one in told if not one.is_third for word in one.needs}
    hot = load_hot_words(language)
    words = [word.casefold() for word in PLAIN.findall(asked)]
    return any(fold_letters(word) in third or "have 3" in hot.classify(word) for word in words)


def find_kin_noun(spoken: str, language: str) -> tuple[str, str] | None:
    """The one relative or animal that somebody speaks of, with a "my" where it has one; None of several."""
    words = PLAIN.findall(spoken)
    found: dict[str, str] = {}
    for at, word in enumerate(words):
        known = find_known_noun([word], language)
        if known is not None and known[1] in KIN | ANIMALS:
            beside = words[at + 1 : at + 2] if language == HEBREW else words[max(0, at - 1) : at]
            owner = next((one for one in beside if fold_letters(one) in load_words(language, "my")), "")
            pair = (word, owner) if language == HEBREW else (owner, word)
            found.setdefault(word.casefold(), " ".join(filter(None, pair)))
    return next(iter(found.items())) if len(found) == 1 else None


def find_asked_relation(asked: str, language: str, *, of_others: bool = False) -> str:
    """The relation that a question asks the person for: none where it is about somebody who is named, unless
    ``of_others``."""
    spoken = spell_out(asked)
    read = read_question(asked)
    # "Haben Sie Allergien?": a pronoun is whom the assistant speaks to.
    is_of_others = bool(read.subjects - {SPEAKER} - load_small_words(language)) or speaks_of_others(asked, language)
    is_of_others = is_of_others or any(word in load_given_names() for word in spoken.split())
    if is_of_others and not of_others:
        return ""
    cued = {one for one in ANSWERED if is_cued(spoken, load_words(language, f"asks {one}", SUBJECT))}
    if read.subjects or of_others:
        # "What's the name of your project?" has a name in it: only of health is it clear whose a word of the kind is.
        # "Do you eat fish?" asks for no allergy, though one would answer it.
        left = read.relations - {"allergic_to"} if read.relations & OF_FOOD else read.relations
        cued |= {"takes"} if "medication" in read.relations else left & {"allergic_to"}
    if "medication" in read.relations and "allergic_to" in read.relations:
        return ""
    # "Any allergies or dietary requirements?" asks for one thing, "what do you do and where do you live?" for two.
    cued -= {"diet"} if "allergic_to" in cued else set()
    is_double = any(fold_letters(word) in load_words(language, "and", SUBJECT) for word in PLAIN.findall(asked))
    return next(iter(cued)) if len(cued) == 1 and not (is_double and "allergic_to" not in cued) else ""


def is_cued(spoken: str, cues: frozenset[str]) -> bool:
    """Whether a spelled-out question has one of the cues; one with a mark before it is the whole of a question."""
    return f"={spoken.strip()}" in cues or any(f" {cue} " in spoken for cue in cues)


def is_within(word: str, known: frozenset[str]) -> bool:
    """Whether all parts of a word are known: "it's" is "it" and "s"."""
    return all(fold_letters(part) in known for part in PLAIN.findall(word))


def spell_out(spoken: str) -> str:
    """The folded words with a blank around each, so that whole words are found as a part of it."""
    return " ".join(["", *(fold_letters(word) for word in PLAIN.findall(spoken)), ""])


def speaks_of_others(asked: str, language: str) -> bool:
    """ "Does she have any allergies?"; "Sie" with a capital within a sentence is whom the assistant speaks to."""
    others = load_words(language, "others", SUBJECT)
    words = PLAIN.findall(asked)
    return any(fold_letters(word) in others and not (at and word[0].isupper()) for at, word in enumerate(words))


def read_values(sentence: Sentence, language: str, relation: str) -> list[str]:
    """The values of a bare answer in small letters; none where it denies, goes on in a clause or asks."""
    if sentence.is_question:
        return []
    agrees, denies = (load_words(language, kind, SUBJECT) for kind in ("agrees", "denies"))
    pieces = [piece for piece in END.split(sentence.raw) if piece.strip()]
    while pieces and all(fold_letters(word) in agrees for word in WORD.findall(pieces[0])):
        pieces.pop(0)
    words = WORD.findall(pieces[0]) if pieces else []
    # Without its accent the "is" of Italian is the "and".
    light = agrees | load_words(language, "and", SUBJECT) if "è" not in sentence.raw else agrees
    if any(fold_letters(word) in denies for word in words) or speaks_in_clause(sentence, len(words), light):
        return []
    if relation == "age":
        return [word for word in words if word.isdigit()][:1]
    small = load_small_words(language) | agrees
    joints = load_words(language, "and", SUBJECT)
    runs: list[list[str]] = [[]]
    for word in split_joined(words, language):
        if fold_letters(word) in joints and relation in SEVERAL:
            runs.append([])
        elif runs[-1] or fold_letters(word) not in small:
            runs[-1].append(word.casefold())
    values = [" ".join(run) for run in runs if run]
    if any(value.startswith(ALLERGIC) for value in values) or names_eater(values, language):
        return []
    if relation == "takes":
        # "Do you take sugar?" asks for a number.
        values = [value for value in values if find_drug(value)]
    return values if values and len(words) <= LONGEST else []


def names_eater(values: Sequence[str], language: str) -> bool:
    """ "Steffi gegen Nüsse", "tom can't do shellfish": somebody else's, who stands before it."""
    apart = frozenset().union(*(load_words(language, kind, "frames") for kind in ("prep", "not", "modal")))
    return any(fold_letters(word) in apart for value in values for word in value.split()[1:])


def split_joined(words: Sequence[str], language: str) -> list[str]:
    """With the "and" apart that Hebrew writes onto a word."""
    if language != HEBREW:
        return list(words)
    return [part for word in words for part in (("ו", word[1:]) if word[0] == "ו" and len(word) > LEAST else (word,))]


def speaks_in_clause(sentence: Sentence, reach: int, light: frozenset[str]) -> bool:
    """ "I'm not sure", "my sister has one": what has a subject of its own is read by its own words."""
    kinds = (MARK + "i", MARK + "my", MARK + "third", MARK + "have", MARK + "self", MARK + "link")
    spans = [at for at, _ in sentence.spans(*kinds) if at < reach]
    return any(fold_letters(sentence.words[at]) not in light for at in spans)


def may_ask_of_kin(asked: str, before: str, language: str) -> bool:
    """Whether the turn before speaks of kin or an animal, and the question does not say that it is of the person."""
    words = PLAIN.findall(before)
    known = (find_known_noun(words[at : at + NOUN_WORDS], language) for at in range(len(words)))
    addressed = load_words(language, "addressed", SUBJECT)
    is_addressed = any(fold_letters(word) in addressed for word in PLAIN.findall(asked))
    return not is_addressed and any(one is not None and one[1] in KIN | ANIMALS for one in known)


def takes_back(spoken: str, language: str) -> bool:
    agrees = load_words(language, "agrees", SUBJECT)
    words = [word for word in map(fold_letters, WORD.findall(spoken)) if word not in agrees]
    # "Frutta secca. Io però, i bimbi no" denies it of the children.
    denied = (word in load_words(language, "denies", SUBJECT) for word in words[:DENIES_WITHIN])
    return len(words) <= LONGEST and any(denied)


def replace_answered(claims: Sequence[Claim], answered: Sequence[Claim]) -> list[Claim]:
    """The claims of a turn with those of its answer, in place of what its first sentence was taken to tell."""
    if not answered:
        return list(claims)
    # One without words only takes the place of what had no owner.
    told = [one for one in answered if one.statement]
    low, high = answered[0].span
    relations, objects = {ABOUT, answered[0].relation}, {one.object for one in answered if one.object}
    # "Er heißt Rex" about the dog names nobody else.
    told_again = (low <= one.span[0] < high and (one.relation in relations or one.object in objects) for one in claims)
    kept = [one for one, is_again in zip(claims, told_again, strict=True) if not is_again]
    return [*(replace(one, is_remark=False) for one in told), *kept]
