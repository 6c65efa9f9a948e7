"""Whether a text may tell of a medicine or an allergy at all, for whoever would read it for these alone.

By the words that claims of them are known by, in any language: a tenth of a millisecond where reading takes six.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.health.named_doses import DOSE
from memory.claims.health.prescriptions import ALLERGY, TAKES, find_joined_drug
from memory.claims.health.reactions import find_reactions
from memory.claims.slots.matching import read_tokens
from memory.claims.slots.templates import SlotTemplate, join_words, load_templates
from memory.guard.spelling import fold_letters
from memory.language.hebrew import is_hebrew
from memory.language.loader import list_codes, read_entries

OF_HEALTH: Final = frozenset({ALLERGY, "intolerant_to", TAKES, "takes_dose"})
SECTIONS: Final = (ALLERGY, f"{ALLERGY} left", TAKES)
WORD: Final = re.compile(r"[^\W_]+")
SENTENCE: Final = re.compile(r"[^.!?…\n]+(?:\.\d[^.!?…\n]*)*")


@dataclass(frozen=True, slots=True)
class HealthCues:
    """By a word of each that stands in a text as it is, or as the beginning of one: phrases and templates of slots."""

    phrases: Mapping[str, Collection[re.Pattern[str]]]
    beginnings: tuple[str, ...]
    templates: Mapping[str, Collection[tuple[str, SlotTemplate]]]
    # Those of Hebrew, whose words are written onto others.
    glued: Collection[tuple[str, SlotTemplate]]


def may_tell_of_health(text: str) -> bool:
    spoken = WORD.findall(fold_letters(text))
    words = dict.fromkeys(spoken)
    if DOSE.search(text) or any(find_joined_drug(word) for word in words):
        return True
    cues, joined = load_health_cues(), " ".join(spoken)
    if any(word.startswith(cues.beginnings) for word in words):
        return True
    if any(phrase.search(joined) for word in words for phrase in cues.phrases.get(word, ())):
        return True
    if next(find_reactions(text, list_codes()), None) is not None:
        return True
    likely = [one for word in words for one in cues.templates.get(word, ())]
    glued = cues.glued if any(is_hebrew(word[:1]) for word in words) else ()
    return matches_any(text, dict.fromkeys([*likely, *glued]))


def matches_any(text: str, templates: Iterable[tuple[str, SlotTemplate]]) -> bool:
    by_language: dict[str, list[SlotTemplate]] = defaultdict(list)
    for language, template in templates:
        by_language[language].append(template)
    for language, wanted in by_language.items():
        for raw in SENTENCE.findall(text):
            tokens = read_tokens(raw, language)
            if any(template.pattern.search(tokens.text) for template in wanted):
                return True
    return False


@cache
def load_health_cues() -> HealthCues:
    phrases: dict[str, list[re.Pattern[str]]] = defaultdict(list)
    templates: dict[str, list[tuple[str, SlotTemplate]]] = defaultdict(list)
    beginnings, glued = [], []
    for words in list_phrases():
        whole = [word for word in words if "*" not in word]
        if whole:
            phrases[max(whole, key=len)].append(build_phrase(words))
        else:
            beginnings.append(max(words, key=len).rstrip("*"))
    for language in list_codes():
        for template in list_templates(language):
            for word in template.needs:
                templates[word].append((language, template))
            if not template.needs:
                glued.append((language, template))
    return HealthCues(phrases, tuple(beginnings), templates, glued)


def list_phrases() -> Iterator[list[str]]:
    for language in list_codes():
        for section in SECTIONS:
            for entry in read_entries(language, "claims", section):
                yield [word for word in re.split(r"[ '’]+", fold_letters(entry)) if word]


def build_phrase(words: Iterable[str]) -> re.Pattern[str]:
    pieces = (re.escape(word).replace(re.escape("*"), r"\S*") for word in words)
    return re.compile(rf"\b{' '.join(pieces)}(?!\S)")


def list_templates(language: str) -> Iterator[SlotTemplate]:
    """The templates of health that need no medicine by name: such a name is a cue by itself."""
    drug = join_words(language, "drug")
    for template in load_templates(language):
        if template.relation in OF_HEALTH and drug not in template.source:
            yield template
