"""What a turn asks about or mentions: names, people by their noun, relations, topics. Pure.

Gating begins here: nothing is laid beside a turn that names nobody and nothing that is known and asks for nothing of
the person's. Freshness and importance only rank what the turn is about; alone they would pass any threshold.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from knowledge_graph.hotmem.asking import find_named_relations, has_question_word
from memory.claims.claim import SPEAKER
from memory.claims.questions import PETS, AskedFor, expand_relations, find_people, read_question
from memory.claims.taxonomy import PARTNER_NOUNS, PERSONS
from memory.language import query_cues
from memory.language.analysis import build_query_groups, extract_terms
from memory.language.folding import WORD, fold_text
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.stopwords import load_all_stop_words

# Characters and words of a turn that are read: what goes on longer is pasted.
READ: Final = 2_000
MOST_WORDS: Final = 64
SHORTEST: Final = 2
# "Mats' birthday", "Annas Hund": the name with an ending that it takes where it owns something.
OWNING: Final = ("'s", "’s", "s")
BEINGS: Final = PERSONS | PETS
# By which a partner is told of as well.
LOVES: Final = frozenset({"married_to", "dating", "engaged_to"})
ASKING: Final = frozenset({"PURE_QUESTION", "QUESTION_WITH_FACT"})


@dataclass(frozen=True, slots=True)
class TurnCue:
    """``words`` are folded, with the readings of each; ``terms`` are stems of each word and of its translations."""

    words: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    # Those that its own words name, not what else may hold the answer.
    named: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    is_about_me: bool = False
    # By a word of its own, and not only because it names nobody else.
    says_me: bool = False
    is_asking: bool = False
    wants_advice: bool = False
    # The stems of each word that is worth looking for, with those of its translations.
    groups: tuple[frozenset[str], ...] = ()


@lru_cache(maxsize=512)
def read_cue(text: str, intent: str = "", lang: str = "", *, tells: bool = False) -> TurnCue:
    """What a text asks about or mentions. ``tells``: it also tells something, so a doubtful word does not ask."""
    text = text[:READ]
    asked = read_question(text)
    bare = fold_text(text)
    groups = build_query_groups(text)
    named = find_named_relations(text, lang) | ({"moved_from"} if is_former_home(asked) else frozenset())
    people = expand_people(find_people(text) | ((asked.subjects | named) & BEINGS))
    says_me = query_cues.ABOUT_ME.search(bare) is not None or query_cues.SAYS_I.search(bare) is not None
    return TurnCue(
        frozenset(list_readings(WORD.findall(bare)[:MOST_WORDS])),
        frozenset(term for group in groups for term in group),
        asked.relations | named,
        named,
        people,
        asked.topics,
        says_me or SPEAKER in asked.subjects or bool(named and not people),
        says_me,
        asked.is_question or "?" in text or intent in ASKING or (not tells and has_question_word(text, lang)),
        asked.wants_advice,
        tuple(map(frozenset, groups)),
    )


def is_former_home(asked: AskedFor) -> bool:
    """ "Where did I live before": what is known of it is where the person moved from."""
    return asked.is_past and "lives_in" in asked.relations


def expand_people(named: frozenset[str]) -> frozenset[str]:
    """The relations with all others that may mean the same people: a child is a son or a daughter."""
    wide = expand_relations(set(named)) if named else frozenset()
    return named | (wide & BEINGS) | (LOVES if named & PARTNER_NOUNS else frozenset())


def list_readings(words: Iterable[str]) -> Iterable[str]:
    """Each word that may name something, and what is left of it without an ending or a prefix of its language."""
    for word in words:
        if len(word) < SHORTEST or word in load_all_stop_words() or word.isdigit():
            continue
        yield word
        if is_hebrew(word):
            yield from list_hebrew_readings(word)
        for ending in OWNING:
            if word.endswith(ending) and len(word) - len(ending) > SHORTEST:
                yield word.removesuffix(ending)


@lru_cache(maxsize=8192)
def list_key_terms(key: str) -> frozenset[str]:
    """The stems of a subject or an object."""
    return frozenset(extract_terms(key))


@lru_cache(maxsize=8192)
def list_key_words(key: str) -> tuple[str, ...]:
    """The words of a key that tell it from others."""
    words = [word for word in key.split() if word not in load_all_stop_words() and not word.isdigit()]
    return tuple(words)


def is_name_said(cue: TurnCue, key: str) -> bool:
    words = list_key_words(key)
    return bool(words) and (cue.words.issuperset(words) or (words[0] in cue.words and len(words[0]) > SHORTEST))


def measure_said(cue: TurnCue, key: str) -> float:
    """How much of a thing's words the turn says, in any language, 0 to 1."""
    words = list_key_words(key)
    if not words:
        return 0.0
    said = sum(word in cue.words or not cue.terms.isdisjoint(list_key_terms(word)) for word in words)
    return said / len(words)
