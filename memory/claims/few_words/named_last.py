"""The name of an animal with which a sentence ends that tells of it: "we adopted a kitten last week, Pickle"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import word_whole
from memory.claims.frames.places import is_known_place
from memory.claims.frames.words import load_hot_words, load_relation_nouns
from memory.claims.presupposed.kinds import find_pet, load_kinds, normalise
from memory.claims.taxonomy import HAVING
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.concepts import is_vocabulary
from memory.language.loader import read_entries
from memory.language.names import capitalises_nouns, load_given_names

LAST: Final = re.compile(r",\s([^\W\d_]{1,20}(?:\s[^\W\d_]{2,20}){0,2})\W*$")
WORD: Final = re.compile(r"[^\W\d_]+")


def name_last_animals(claims: Sequence[Claim], sentence: Sentence) -> list[Claim]:
    """The claims of a sentence, those of an animal that is had by its name, where one ends the sentence."""
    found = LAST.search(sentence.raw)
    if found is None or sentence.is_question:
        return list(claims)
    return list(dict.fromkeys(name_last_animal(claim, found[1], sentence) for claim in claims))


def name_last_animal(claim: Claim, spoken: str, sentence: Sentence) -> Claim:
    if (
        claim.subject != SPEAKER
        or claim.relation not in HAVING
        or not claim.polarity
        or claim.tense in {"past", "over"}
    ):
        return claim
    language = claim.lang or "en"
    relation = next(filter(None, (find_pet(word, language) for word in WORD.findall(claim.object))), "")
    name = strip_article(spoken, language)
    if not relation or not is_animal_name(name, language):
        return claim
    return replace(claim, relation=relation, object=name.casefold(), statement=word_whole(sentence), is_sure=True)


def strip_article(spoken: str, language: str) -> str:
    """ "Adotei uma gata, a Mia"."""
    first, _, rest = spoken.partition(" ")
    return rest if rest and fold_letters(first) in read_entries(language, "slots", "article") else spoken


def is_animal_name(spoken: str, language: str) -> bool:
    """A given name, or what has a capital and is neither a breed nor a town nor, where nouns have one, a known noun."""
    words = spoken.split()
    plain = fold_letters(words[0])
    if len(words) > 2 or normalise(spoken) in load_kinds(language).nouns or plain in load_relation_nouns(language):
        return False
    if plain in load_given_names():
        return True
    is_known = is_known_place(spoken) or load_hot_words(language).classify(words[0].casefold())
    if capitalises_nouns(language):
        # "Wir haben eine Katze, Perserin".
        is_noun = is_vocabulary(spoken, language) or plain.endswith(read_entries(language, "names", "endings of nouns"))
        return len(words) == 1 and not (is_known or is_noun or spoken[0].islower())
    return spoken[0].isupper() and not is_known
