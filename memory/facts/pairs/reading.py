"""What a statement says, as the judge of pairs compares it: whom, which slot, which words, values, side and time."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.lexicon import MARK as CLAIM
from memory.claims.lexicon import NOUN
from memory.facts.pairs.lexicon import (
    AXIS,
    CONTEXT,
    MARK,
    SAME,
    SLOT,
    TOPIC,
    TURNED,
    list_all_slots,
    load_domains,
    load_pair_words,
)
from memory.facts.pairs.statement import READ, PairStatement
from memory.facts.pairs.values import PairValue, find_values, find_weekday
from memory.guard.annotation import Sentence, Span, annotate_text
from memory.guard.lexicon import WORD
from memory.language.concepts import find_english_name
from memory.language.folding import fold_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.names import capitalises_nouns, load_given_names
from memory.language.numbers import AMOUNT, load_values
from memory.language.periods import find_month_term
from memory.language.stems import LANGUAGES, stem_word
from memory.language.stopwords import load_stop_words

# People whom a statement about "the user's ..." is about; the others are slots of the person: a boss, a dentist.
KIN: Final = frozenset(
    {"mother", "father", "parent", "sister", "brother", "sibling", "son", "daughter", "child", "ex", "aunt", "uncle"}
    | {"cousin", "nephew", "niece", "grandmother", "grandfather", "grandparent", "grandson", "granddaughter", "twins"}
    | {"mother_in_law", "father_in_law", "sister_in_law", "brother_in_law", "son_in_law", "daughter_in_law", "friend"}
    | {"stepmother", "stepfather", "stepson", "stepdaughter", "half_brother", "half_sister", "godmother", "godfather"}
    | {"godson", "goddaughter", "godchild", "colleague", "neighbor", "roommate", "student", "coach", "teacher"}
    | {"wife", "husband", "partner", "girlfriend", "boyfriend", "fiance"}
)
# Relations of claims and the slots they fill.
SLOT_OF_RELATION: Final = {
    "lives_in": "home",
    "works_at": "employer",
    "works_as": "job",
    "studies": "course",
    "reports_to": "boss",
    "married_to": "partner",
    "wife": "partner",
    "husband": "partner",
    "girlfriend": "partner",
    "boyfriend": "partner",
    "fiance": "partner",
    "phone_number": "phone",
    "blood_type": "blood",
    "takes": "medication",
    "takes_dose": "medication",
    "allergic_to": "allergy",
    "speaks": "language",
    "born_in": "origin",
    "pays": "salary",
}
# Words that the owner's word may stand apart from what is owned: "the user's younger brother".
REACH: Final = 3
LEAST_PREFIX: Final = 5


@dataclass(frozen=True, slots=True)
class PairWord:
    """A word of content. ``key`` is its meaning where one is known, else its stem; ``slots`` those it is a word of."""

    key: str
    forms: frozenset[str]
    is_name: bool = False
    slots: frozenset[str] = frozenset()
    is_marker: bool = False
    # Of something that happens once: to lose a glove and to lose a bet have nothing in common.
    is_chance: bool = False

    def meets(self, other: "PairWord") -> bool:
        return self.key == other.key or not self.forms.isdisjoint(other.forms) or self._begins_like(other)

    def _begins_like(self, other: "PairWord") -> bool:
        """Words of one root: "allergic" and "allergy" do not part before the fifth letter."""
        one, two = self.key, other.key
        shorter = min(len(one), len(two))
        if shorter < LEAST_PREFIX or self.is_name != other.is_name:
            return False
        same = next((at for at in range(shorter) if one[at] != two[at]), shorter)
        return same >= max(LEAST_PREFIX, 0.7 * shorter)


@dataclass(frozen=True, slots=True)
class PairReading:
    """``owned`` are the words of the thing that the statement is about: "the user's *bike* was stolen"."""

    folded: str
    kin: frozenset[str]
    names: frozenset[str]
    opening_name: str
    is_of_user: bool
    owned: tuple[PairWord, ...]
    words: tuple[PairWord, ...]
    slots: frozenset[str]
    axes: Mapping[str, frozenset[str]]
    contexts: frozenset[str]
    values: frozenset[PairValue]
    polarity: bool
    has_feeling: bool
    tags: frozenset[str]
    domains: frozenset[str]
    verbs: frozenset[str]
    # What the reader of claims says besides: its slot, and an old value.
    relation: str
    replaces: str

    @property
    def time(self) -> str:
        """`plan`, `ended`, `past` or `present`."""
        return next((name for name in ("plan", "ended", "past") if name in self.tags), "present")


@lru_cache(maxsize=8192)
def read_pair_statement(statement: PairStatement) -> PairReading:
    text = statement.statement[:READ]
    whole = annotate_text(text, load_pair_words())
    languages = tuple(code for code in LANGUAGES if whole.languages and code in whole.languages) or ("en",)
    parts = [SentenceReader(sentence, languages) for sentence in whole.own_sentences]
    return combine(parts, text, statement)


def combine(parts: Sequence["SentenceReader"], text: str, statement: PairStatement) -> PairReading:
    tags = frozenset(tag for part in parts for tag in part.tags)
    words = tuple(word for part in parts for word in part.words)
    axes: dict[str, set[str]] = {}
    for part in parts:
        for axis, value in part.axes:
            axes.setdefault(axis, set()).add(value)
    relation = SLOT_OF_RELATION.get(statement.relation, statement.relation)
    slots = frozenset(slot for part in parts for slot in part.slots) | ({relation} & list_all_slots())
    tags |= {"over": {"over"}, "new": {"new"}}.get(statement.tense, set())
    domains = load_domains()
    members = {*slots, *(word.key.casefold() for word in words), *(one for word in words for one in word.slots)}
    kin = frozenset(one for part in parts for one in part.kin)
    if statement.subject not in {"", SPEAKER}:
        kin |= {statement.subject} & KIN
    return PairReading(
        folded=fold_text(text).strip(" ."),
        kin=kin,
        names=frozenset(word.key for word in words if word.is_name),
        opening_name=parts[0].opening_name if parts else "",
        is_of_user=any(part.is_of_user for part in parts),
        owned=tuple(word for part in parts for word in part.owned),
        words=words,
        slots=slots,
        axes={axis: frozenset(values) for axis, values in axes.items()},
        contexts=frozenset(context for part in parts for context in part.contexts),
        values=find_values(text),
        polarity=sum(part.turns for part in parts) % 2 == 0,
        has_feeling=bool(tags & {"good", "bad"}),
        tags=tags,
        domains=frozenset().union(*(domains.get(member, frozenset()) for member in members)),
        relation=relation,
        replaces=fold_text(statement.replaces),
        verbs=frozenset(part.verb for part in parts if part.verb),
    )


class SentenceReader:
    """Reads one sentence word by word, each under the longest phrase that covers it."""

    def __init__(self, sentence: Sentence, languages: tuple[str, ...]) -> None:
        self.sentence = sentence
        self.languages = languages
        self.tags = {kind.removeprefix(MARK) for kind in sentence.spans_by_kind if kind.startswith(MARK)}
        self.tags |= {
            f"c {kind.removeprefix(CLAIM)}"
            for kind in ("change", "over", "plan", "temporary", "frame", "hedge")
            if sentence.has(CLAIM + kind)
        }
        self.spans = {
            kind: longest(sentence.spans(kind)) for kind in sentence.spans_by_kind if kind[:2] in {MARK, CLAIM}
        }
        self.contexts = {kind.removeprefix(CONTEXT) for kind in self.spans if kind.startswith(CONTEXT)}
        self.axes = self._find_axes()
        self.turns = self._count_turns()
        self.verb = self._find_verb()
        self.owned_places = self._find_owned()
        self.kin = self._find_kin()
        self.slots = {
            kind.removeprefix(SLOT).removeprefix(TOPIC) for kind in self.spans if kind.startswith((SLOT, TOPIC))
        }
        self.is_of_user = any(
            kind in self.spans
            for kind in (
                MARK + "user",
                MARK + "of you before",
                MARK + "of you behind",
                CLAIM + "i",
                CLAIM + "my",
                CLAIM + "self",
            )
        )
        self.words = tuple(self._read_words())
        self.owned = tuple(word for place, word in self.placed if place in self.owned_places)
        self.opening_name = self._find_opening_name()

    def _find_axes(self) -> list[tuple[str, str]]:
        """Axes and their values; "never married" is one value and holds no other."""
        found = [
            (span, kind.removeprefix(AXIS).split(" ", 1))
            for kind in self.spans
            if kind.startswith(AXIS)
            for span in self.spans[kind]
        ]
        whole = longest([span for span, _ in found])
        return [(axis, value) for span, (axis, value) in found if span in whole]

    def _count_turns(self) -> int:
        """How often what is said is turned round: by denials, which count once, by dislike, by phrases that deny."""
        wholes = [
            span
            for kind in self.spans
            if kind.startswith((SAME, AXIS)) or kind == MARK + "bad"
            for span in self.spans[kind]
        ]
        denials = [
            one for one in self.spans.get(MARK + "not", ()) if not any(is_within(one, whole) for whole in wholes)
        ]
        turned = [kind for kind in self.spans if kind.startswith(SAME) and kind.endswith(TURNED)]
        return bool(denials) + (MARK + "bad" in self.spans) + bool(turned)

    def _find_verb(self) -> str:
        """What the person does: the first word behind them that is more than a copula."""
        users = self.spans.get(MARK + "user", ()) or self.spans.get(CLAIM + "i", ())
        copulas = {at for at, _ in (*self.spans.get(MARK + "copula", ()), *self.spans.get(MARK + "not", ()))}
        for _, end in users:
            place = next((at for at in range(end, len(self.sentence.words)) if at not in copulas), None)
            if place is None or (place > end and not self.sentence.has(MARK + "not")):
                return ""
            if any(start <= place < stop for start, stop in self.spans.get(MARK + "chance", ())):
                return ""
            return strip_mark(form_stems(self.sentence.words[place], self.languages)[0])
        return ""

    def _find_owned(self) -> frozenset[int]:
        places: set[int] = set()
        size = len(self.sentence.words)
        for _, end in self.spans.get(MARK + "of you before", ()):
            places |= set(range(end, min(size, end + REACH)))
        for start, _ in self.spans.get(MARK + "of you behind", ()):
            places |= set(range(max(0, start - REACH), start))
        stops = {at for kind in (CLAIM + "link", MARK + "link") for at, _ in self.spans.get(kind, ())}
        first = min((at for at in stops if places and at > min(places)), default=size)
        return frozenset(place for place in places if place < first)

    def _find_kin(self) -> frozenset[str]:
        nouns = [
            (span, kind.removeprefix(NOUN)) for kind in self.spans if kind.startswith(NOUN) for span in self.spans[kind]
        ]
        return frozenset(noun for (start, _), noun in nouns if noun in KIN and start in self.owned_places)

    def _find_opening_name(self) -> str:
        raw = WORD.findall(self.sentence.raw)
        if not raw or not raw[0][:1].isupper() or self.spans.get(MARK + "user") or 0 in self.owned_places:
            return ""
        word = self.sentence.words[0]
        if self.is_of_user and fold_text(word) not in load_given_names():
            return ""
        is_known = find_english_name(form_stems(word, self.languages)) is not None or self._covers(0)
        return "" if is_known or any(word in load_stop_words(code) for code in self.languages) else strip_accents(word)

    def _covers(self, place: int) -> bool:
        return any(
            start <= place < end for kind, spans in self.spans.items() if kind.startswith(MARK) for start, end in spans
        )

    def _read_words(self) -> Iterator[PairWord]:
        self.placed: list[tuple[int, PairWord]] = []
        silent = self._find_silent()
        same = self._find_same()
        slots = self._find_slots()
        chances = {at for start, end in self.spans.get(MARK + "chance", ()) for at in range(start, end)}
        done: set[str] = set()
        for place, word in enumerate(self.sentence.words):
            key = same.get(place, "")
            known, is_marker = slots.get(place, (frozenset(), False))
            if (place in silent and not key) or (not key and not known and self._is_grammar(word)):
                continue
            if key and key in done:
                continue
            done.add(key)
            stems = form_stems(word, self.languages)
            is_name = self._is_name(place)
            key = key or (strip_accents(word) if is_name else find_english_name(stems) or strip_mark(stems[0]))
            found = PairWord(key, frozenset(stems), is_name, known, is_marker, place in chances)
            self.placed.append((place, found))
            yield found

    def _is_grammar(self, word: str) -> bool:
        bare = strip_accents(word)
        return (
            any(bare in load_stop_words(code) for code in (*self.languages, "he"))
            or word[:1].isdigit()
            or find_weekday(fold_text(word)) is not None
            or bare in load_values(AMOUNT)
            or len(bare) == 1
            or find_month_term(word, self.languages) is not None
        )

    def _find_silent(self) -> frozenset[int]:
        """Places of words that are no content: they are read into side, time, owner and context."""
        kinds = (
            "user",
            "of you before",
            "of you behind",
            "past",
            "plan",
            "still",
            "not",
            "good",
            "bad",
            "light",
            "only",
            "second",
        )
        found = {at for kind in kinds for start, end in self.spans.get(MARK + kind, ()) for at in range(start, end)}
        found |= {
            at
            for kind, spans in self.spans.items()
            if kind.startswith(CONTEXT)
            for start, end in spans
            for at in range(start, end)
        }
        return frozenset(found)

    def _find_same(self) -> dict[int, str]:
        """The meaning of the places of each phrase that has one; the longer phrase decides."""
        found: dict[int, str] = {}
        phrases = [
            (end - start, start, end, kind)
            for kind, spans in self.spans.items()
            if kind.startswith(SAME)
            for start, end in spans
        ]
        for _, start, end, kind in sorted(phrases):
            for at in range(start, end):
                found[at] = kind.removeprefix(SAME).removesuffix(TURNED)
        return found

    def _find_slots(self) -> dict[int, tuple[frozenset[str], bool]]:
        found: dict[int, tuple[frozenset[str], bool]] = {}
        for kind, spans in self.spans.items():
            if not kind.startswith((SLOT, TOPIC)):
                continue
            slot, is_marker = kind.removeprefix(SLOT).removeprefix(TOPIC), kind.startswith(SLOT)
            for start, end in spans:
                for at in range(start, end):
                    known, was = found.get(at, (frozenset(), False))
                    found[at] = known | {slot}, was or is_marker
        return found

    def _is_name(self, place: int) -> bool:
        if place not in self.sentence.capitals:
            return False
        word = self.sentence.words[place]
        if word in load_given_names():
            return True
        if any(capitalises_nouns(code) for code in self.languages):
            return find_english_name(form_stems(word, self.languages)) is None
        return True


def is_within(one: Span, whole: Span) -> bool:
    return whole[0] <= one[0] and one[1] <= whole[1]


def longest(spans: Sequence[Span]) -> list[Span]:
    """Spans that do not lie within another: "not allowed" is one word."""
    return [
        one for one in spans if not any(other != one and other[0] <= one[0] and one[1] <= other[1] for other in spans)
    ]


@lru_cache(maxsize=65_536)
def form_stems(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    plain = word.casefold()
    if is_hebrew(fold_text(plain)):
        return list_hebrew_readings(fold_text(plain))
    return tuple(dict.fromkeys(stem for code in languages for stem in stem_word(plain, code)))


def strip_mark(stem: str) -> str:
    return re.sub(r"^[a-z]{2}:", "", stem)
