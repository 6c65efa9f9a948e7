"""Reads the words of content of a sentence, each under the longest phrase that covers it."""

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Final

from memory.claims.lexicon import MARK as CLAIM
from memory.facts.pairs.lexicon import AXIS, CONTEXT, MARK, SAME, SLOT, TOPIC, TURNED, WEAK_SLOT, list_slots
from memory.facts.pairs.spans import OWNERS, SentenceSpans
from memory.facts.pairs.values import find_weekday
from memory.facts.pairs.words import PairWord, form_stems, strip_mark
from memory.language.concepts import find_english_name
from memory.language.folding import fold_text, strip_accents
from memory.language.loader import collect_entries
from memory.language.names import capitalises_nouns, find_names, load_given_names
from memory.language.numbers import AMOUNT, load_values
from memory.language.periods import find_month_term
from memory.language.stems import DEFAULT_LANGUAGE
from memory.language.stopwords import load_own_script_stop_words, load_stop_words

# Kinds of words that are no content.
SILENT: Final = (
    *("user", "of you before", "of you behind", "past", "plan", "still", "not", "good", "bad", "light", "only"),
    *("second", "instead", "renamed", "copula", "title", "unit"),
)


class ContentReader:
    """Words behind their places: by what they mean, whether they name somebody, and whose slot they are a word of."""

    def __init__(self, spans: SentenceSpans) -> None:
        self.spans = spans
        self.languages = spans.languages

    def read_words(self) -> Iterator[tuple[int, PairWord]]:
        silent, meanings, slots = self.find_silent(), self.find_meanings(), self.find_slots()
        chances = self.spans.list_places(MARK + "chance")
        done: set[str] = set()
        for place, word in enumerate(self.spans.words):
            key = meanings.get(place, "")
            is_name = self.is_name(place)
            is_plain = is_figure(word, self.languages) or (
                not is_name and (place in silent or is_grammar(word, self.languages))
            )
            if (is_plain and not key) or (key and key in done):
                continue
            done.add(key)
            stems = form_stems(word, self.languages)
            known, is_marker = slots.get(place, (frozenset(), False))
            key = key or (strip_accents(word) if is_name else find_english_name(stems) or strip_mark(stems[0]))
            yield place, PairWord(key, frozenset(stems), is_name, known, is_marker, place in chances)

    def find_silent(self) -> frozenset[int]:
        """Places of words that are read into side, time, owner and context."""
        kinds = [*(MARK + kind for kind in SILENT), *self.spans.list_kinds(CONTEXT)]
        return self.spans.list_places(*kinds, CLAIM + "change", CLAIM + "over")

    def find_meanings(self) -> dict[int, str]:
        """The meaning of the places of each phrase that has one; the longer phrase decides."""
        found: dict[int, str] = {}
        axes = list_slots("synonymous")
        phrases = [
            (end - start, start, end, kind.removeprefix(SAME).removesuffix(TURNED))
            for kind, (start, end) in self.spans.iterate(SAME, AXIS)
            if kind.startswith(SAME) or kind.split(" ")[1] in axes
        ]
        for _, start, end, key in sorted(phrases):
            for at in range(start, end):
                found[at] = key
        return found

    def find_slots(self) -> dict[int, tuple[frozenset[str], bool]]:
        """The slots that the word of a place names, and whether it says no more than that."""
        found: dict[int, tuple[frozenset[str], bool]] = {}
        for kind, (start, end) in self.spans.iterate(SLOT, WEAK_SLOT, TOPIC):
            for at in range(start, end):
                known, was_marker = found.get(at, (frozenset(), False))
                found[at] = known | {kind.split(" ")[-1]}, was_marker or not kind.startswith(TOPIC)
        return found

    def is_name(self, place: int) -> bool:
        if place not in self.spans.sentence.capitals or place in self.owners:
            return False
        word = self.spans.words[place]
        if word in load_given_names() or place in self.behind_titles:
            return True
        if any(capitalises_nouns(code) for code in self.languages):
            return fold_text(word) in self.names_among_nouns
        return True

    @cached_property
    def owners(self) -> frozenset[int]:
        return self.spans.list_places(*OWNERS)

    @cached_property
    def behind_titles(self) -> frozenset[int]:
        return frozenset(end for _, end in self.spans.of(MARK + "title"))

    @cached_property
    def names_among_nouns(self) -> frozenset[str]:
        return frozenset(find_names(self.spans.sentence.raw))


def is_grammar(word: str, languages: tuple[str, ...]) -> bool:
    bare = strip_accents(word)
    if bare in load_clitics() or bare in load_own_script_stop_words():
        return True
    return any(bare in load_stop_words(code) for code in (*languages, DEFAULT_LANGUAGE))


def is_figure(word: str, languages: tuple[str, ...]) -> bool:
    """Whether it is read as a value, or a single letter."""
    bare = strip_accents(word)
    return (
        word[:1].isdigit()
        or len(bare) == 1
        or find_weekday(bare) is not None
        or bare in load_values(AMOUNT)
        or find_month_term(word, languages) is not None
    )


@cache
def load_clitics() -> frozenset[str]:
    return frozenset(collect_entries("language", "clitics"))
