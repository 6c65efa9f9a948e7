"""Reads one sentence of a statement: whose, which slots, which words, and how often it is turned round."""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Final

from memory.claims.lexicon import MARK as CLAIM
from memory.claims.lexicon import NOUN
from memory.facts.pairs.lexicon import AXIS, CONTEXT, MARK, SAME, SLOT, SUBJECT, TOPIC, TURNED, WEAK_SLOT, list_slots
from memory.facts.pairs.values import find_weekday
from memory.facts.pairs.words import PairWord, form_stems, strip_mark
from memory.guard.annotation import Sentence, Span
from memory.guard.lexicon import WORD
from memory.language.concepts import find_english_name
from memory.language.folding import fold_text, strip_accents
from memory.language.loader import collect_entries, list_codes, read_entries
from memory.language.names import capitalises_nouns, find_names, load_given_names
from memory.language.numbers import AMOUNT, load_values
from memory.language.periods import find_month_term
from memory.language.stems import DEFAULT_LANGUAGE
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
ROLES: Final = frozenset({"boss", "dentist", "doctor", "therapist", "vet", "hairdresser", "landlord", "babysitter"})
# A fiancée who becomes a wife is the same person.
PARTNERS: Final = dict.fromkeys(("wife", "husband", "girlfriend", "boyfriend", "fiance"), "partner")
# Words that the owner's word may stand apart from what is owned: "the user's younger brother".
REACH: Final = 3
# Kinds of words that are no content.
SILENT: Final = (
    *("user", "of you before", "of you behind", "past", "plan", "still", "not", "good", "bad", "light", "only"),
    *("second", "instead", "renamed", "copula", "title", "unit"),
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
        if not self._has_past():
            self.tags.discard("past")
        self.contexts = {kind.removeprefix(CONTEXT) for kind in self.spans if kind.startswith(CONTEXT)}
        self.axes = self._find_axes()
        self.turns = self._count_turns()
        self.verb = self._find_verb()
        self.owned_places = self._find_owned()
        self.kin = self._find_kin()
        self.owners = self._cover(MARK + "user", MARK + "of you before", MARK + "of you behind", CLAIM + "i")
        self.idioms = self._cover(MARK + "idiom")
        self.slots = self._list_slots(SLOT, SUBJECT, TOPIC)
        self.weak_slots = self._list_slots(WEAK_SLOT)
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

    def _list_slots(self, *marks: str) -> frozenset[str]:
        return frozenset(
            kind.split(" ")[-1]
            for kind, spans in self.spans.items()
            if kind.startswith(marks) and any(start not in self.idioms for start, _ in spans)
        )

    def _cover(self, *kinds: str) -> frozenset[int]:
        return frozenset(at for kind in kinds for start, end in self.spans.get(kind, ()) for at in range(start, end))

    @cached_property
    def replaced_words(self) -> frozenset[str]:
        """The words behind "instead of", "statt", which name what is replaced."""
        size = len(self.sentence.words)
        ends = [end for _, end in self.spans.get(MARK + "instead", ())]
        return frozenset(
            word.key for place, word in self.placed for end in ends if end <= place < min(size, end + REACH)
        )

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
        # "n'a jamais été marié": what the phrase has of a denial takes the rest of it along.
        denials = [
            one
            for one in self.spans.get(MARK + "not", ())
            if not any(start - 2 < one[1] and one[0] < end + 2 for start, end in wholes if self._denies(start, end))
            and not any(is_within(one, whole) for whole in wholes)
        ]
        turned = [kind for kind in self.spans if kind.startswith(SAME) and kind.endswith(TURNED)]
        return bool(denials) + (MARK + "bad" in self.spans) + bool(turned)

    def _has_past(self) -> bool:
        """Whether it tells of the past by more than its form: "was painted by", "was born"."""
        passives = self.spans.get(MARK + "passive", ())
        pasts = self.spans.get(MARK + "past", ())
        return any(not any(start < one[1] and one[0] < end for start, end in passives) for one in pasts)

    def _denies(self, start: int, end: int) -> bool:
        return any(is_within(one, (start, end)) for one in self.spans.get(MARK + "not", ()))

    def _find_verb(self) -> str:
        """What the person does: the first word behind them that is more than a copula."""
        user = self.spans.get(MARK + "user", ())
        users = user or self.spans.get(CLAIM + "i", ())
        copulas = self._cover(MARK + "copula", MARK + "not")
        copulas |= {
            at for start, end in self.spans.get(MARK + "past", ()) if end - start > 1 for at in range(start, end)
        }
        for _, end in users:
            place = next((at for at in range(end, len(self.sentence.words)) if at not in copulas), None)
            if place is None or place in self._cover(MARK + "chance", MARK + "vague"):
                return ""
            word = self.sentence.words[place]
            if (
                place == end
                and self.languages[0] == DEFAULT_LANGUAGE
                and user
                and word.isascii()
                and not word.endswith("s")
            ):
                # A past form tells of what happened once.
                return ""
            is_verb = place == end or not (self._is_grammar(word) or self._is_figure(word))
            return strip_mark(form_stems(word, self.languages)[0]) if is_verb else ""
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
        self.has_beings = bool(nouns)
        self.people = frozenset(PARTNERS.get(noun, noun) for _, noun in nouns)
        self.roles = frozenset(noun for (start, _), noun in nouns if noun in ROLES and start in self.owned_places)
        owned = (noun for (start, _), noun in nouns if noun in KIN and start in self.owned_places)
        return frozenset(PARTNERS.get(noun, noun) for noun in owned)

    def _find_opening_name(self) -> str:
        raw = WORD.findall(self.sentence.raw)
        if not raw or not raw[0][:1].isupper() or 0 in self.owned_places | self.owners:
            return ""
        word = self.sentence.words[0]
        if fold_text(word) in load_given_names():
            return strip_accents(word)
        is_known = find_english_name(form_stems(word, self.languages)) is not None or self._covers(0)
        return "" if self.is_of_user or is_known or self._is_grammar(word) else strip_accents(word)

    def _covers(self, place: int) -> bool:
        return any(start <= place < end for spans in self.spans.values() for start, end in spans)

    def _read_words(self) -> Iterator[PairWord]:
        self.placed: list[tuple[int, PairWord]] = []
        silent = self._find_silent()
        same = self._find_same()
        slots = self._find_slots()
        chances = self._cover(MARK + "chance")
        done: set[str] = set()
        for place, word in enumerate(self.sentence.words):
            key = same.get(place, "")
            known, is_marker = slots.get(place, (frozenset(), False))
            is_name = self._is_name(place)
            if not key and (self._is_figure(word) or (not is_name and (place in silent or self._is_grammar(word)))):
                continue
            if key and key in done:
                continue
            done.add(key)
            stems = form_stems(word, self.languages)
            key = key or (strip_accents(word) if is_name else find_english_name(stems) or strip_mark(stems[0]))
            found = PairWord(key, frozenset(stems), is_name, known, is_marker, place in chances)
            self.placed.append((place, found))
            yield found

    def _is_grammar(self, word: str) -> bool:
        bare = strip_accents(word)
        return bare in load_clitics() or any(bare in load_stop_words(code) for code in (*self.languages, "he"))

    def _is_figure(self, word: str) -> bool:
        """Whether it is read as a value, or a single letter."""
        bare = strip_accents(word)
        return (
            word[:1].isdigit()
            or len(bare) == 1
            or find_weekday(bare) is not None
            or bare in load_values(AMOUNT)
            or find_month_term(word, self.languages) is not None
        )

    def _find_silent(self) -> frozenset[int]:
        """Places of words that are no content: they are read into side, time, owner and context."""
        kinds = [MARK + kind for kind in SILENT] + [kind for kind in self.spans if kind.startswith(CONTEXT)]
        return self._cover(*kinds) | self._cover(CLAIM + "change", CLAIM + "over")

    def _find_same(self) -> dict[int, str]:
        """The meaning of the places of each phrase that has one; the longer phrase decides."""
        found: dict[int, str] = {}
        kinds = [(kind, kind.removeprefix(SAME).removesuffix(TURNED)) for kind in self.spans if kind.startswith(SAME)]
        axes = list_slots("synonymous")
        kinds += [(kind, kind) for kind in self.spans if kind.startswith(AXIS) and kind.split(" ")[1] in axes]
        phrases = [(end - start, start, end, key) for kind, key in kinds for start, end in self.spans[kind]]
        for _, start, end, key in sorted(phrases):
            for at in range(start, end):
                found[at] = key
        return found

    def _find_slots(self) -> dict[int, tuple[frozenset[str], bool]]:
        found: dict[int, tuple[frozenset[str], bool]] = {}
        for kind, spans in self.spans.items():
            if not kind.startswith((SLOT, WEAK_SLOT, SUBJECT, TOPIC)):
                continue
            slot, is_marker = kind.split(" ")[-1], not kind.startswith(TOPIC)
            for start, end in spans:
                for at in range(start, end):
                    known, was = found.get(at, (frozenset(), False))
                    found[at] = known | {slot}, was or is_marker
        return found

    def _is_name(self, place: int) -> bool:
        if place not in self.sentence.capitals or place in self.owners:
            return False
        word = self.sentence.words[place]
        if word in load_given_names() or place in self.behind_titles:
            return True
        if any(capitalises_nouns(code) for code in self.languages):
            return fold_text(word) in self.names_among_nouns
        return True

    @cached_property
    def ranks(self) -> frozenset[int]:
        ranks = load_ranks()
        return frozenset(ranks[word] for word in map(strip_accents, self.sentence.words) if word in ranks)

    @cached_property
    def leading(self) -> tuple[str, ...]:
        """What stands before the person: "with clients the user ...", "morgens trinkt die Nutzerin"."""
        users = self.spans.get(MARK + "user", ())
        if not users or MARK + "of you before" in self.spans or MARK + "of you behind" in self.spans:
            return ()
        return self.sentence.words[: min(users)[0]]

    @cached_property
    def behind_titles(self) -> frozenset[int]:
        return frozenset(end for _, end in self.spans.get(MARK + "title", ()))

    @cached_property
    def names_among_nouns(self) -> frozenset[str]:
        return frozenset(find_names(self.sentence.raw))


@cache
def load_ranks() -> dict[str, int]:
    """Words for ranks, a language's in their order."""
    return {
        strip_accents(word): number + 1
        for code in list_codes()
        for number, word in enumerate(read_entries(code, SUBJECT, "ordinal"))
    }


@cache
def load_clitics() -> frozenset[str]:
    return frozenset(collect_entries("language", "clitics"))


def is_within(one: Span, whole: Span) -> bool:
    return whole[0] <= one[0] and one[1] <= whole[1]


def longest(spans: Sequence[Span]) -> list[Span]:
    """Spans that do not lie within another: "not allowed" is one word."""
    return [
        one for one in spans if not any(other != one and other[0] <= one[0] and one[1] <= other[1] for other in spans)
    ]
