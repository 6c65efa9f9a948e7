"""Writes notes and questions as people write them, the same ones for the same seed.

Templates and vocabularies per language stand in `vocabulary/`. Values are drawn by rank as in natural text, so a few
names and words are everywhere and most are rare; numbers, dates and references make nearly every note unique, and a
note that was written before is drawn again.
"""

import random
import re
import tomllib
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, Generic, TypeVar

VOCABULARY = Path(__file__).parent / "vocabulary"

# Calendar words are as likely as one another; every other list is ordered by how common its entries are.
_EVENLY_DRAWN = frozenset({"month", "weekday"})
_WORD_EXPONENT = 0.9
_SENTENCE_EXPONENT = 0.4
_OLDEST_DAY = 720
_SLOT = re.compile(r"\{([a-z]+)(\d?)\}")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SyntheticNote:
    text: str
    topic: str
    language: str
    days_ago: int


class Drawer(Generic[T]):
    """Draws entries with weight 1 / rank ** exponent."""

    def __init__(self, entries: Sequence[T], exponent: float) -> None:
        self.entries = entries
        self.bounds = list(accumulate(1 / rank**exponent for rank in range(1, len(entries) + 1)))

    def draw(self, rng: random.Random) -> T:
        return self.entries[bisect(self.bounds, rng.random() * self.bounds[-1])]


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """Literal texts around slots: `literals` has one entry more than `slots`."""

    literals: tuple[str, ...]
    slots: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, text: str) -> "SentenceTemplate":
        pieces = _SLOT.split(text)
        return cls(tuple(pieces[::3]), tuple(zip(pieces[1::3], pieces[2::3], strict=True)))


@dataclass(frozen=True, slots=True)
class SyntheticTopic:
    name: str
    events: Drawer[SentenceTemplate]
    details: Drawer[SentenceTemplate]
    questions: Drawer[SentenceTemplate]


@dataclass(frozen=True, slots=True)
class SyntheticLanguage:
    code: str
    words: Mapping[str, Drawer[str]]
    topics: Drawer[SyntheticTopic]


def _draw_reference(rng: random.Random) -> str:
    letters = "".join(rng.choices("ABCDEFGHKLMPRSTVX", k=3))
    return f"{letters}-{rng.randint(100, 9999)}"


# Values that no list could hold.
_COUNTED: dict[str, Callable[[random.Random], str]] = {
    "hour": lambda rng: f"{rng.randint(7, 21)}:{rng.choice(('00', '15', '30', '45'))}",
    "day": lambda rng: str(rng.randint(1, 28)),
    "year": lambda rng: str(rng.randint(2024, 2031)),
    "age": lambda rng: str(rng.randint(3, 90)),
    "number": lambda rng: str(rng.randint(2, 180)),
    "amount": lambda rng: str(rng.randint(4, 1900) * 5),
    "letter": lambda rng: rng.choice("ABCDEF"),
    "ticket": _draw_reference,
    "version": lambda rng: f"{rng.randint(1, 9)}.{rng.randint(0, 24)}.{rng.randint(0, 11)}",
}


@cache
def load_languages() -> Drawer[SyntheticLanguage]:
    """Read the vocabularies once; a language is drawn by the share that its file states."""
    read = sorted((path.stem, tomllib.loads(path.read_text("utf-8"))) for path in VOCABULARY.glob("*.toml"))
    drawer = Drawer([_build_language(code, content) for code, content in read], 0)
    drawer.bounds = list(accumulate(float(content["share"]) for _, content in read))
    return drawer


def _build_language(code: str, content: Mapping[str, Any]) -> SyntheticLanguage:
    words = {
        slot: Drawer(tuple(entries), 0 if slot in _EVENLY_DRAWN else _WORD_EXPONENT)
        for slot, entries in content["slots"].items()
    }
    topics = [
        SyntheticTopic(
            name,
            _parse_templates(part["events"]),
            _parse_templates(part["details"]),
            _parse_templates(part["questions"]),
        )
        for name, part in content["topics"].items()
    ]
    return SyntheticLanguage(code, words, Drawer(topics, _SENTENCE_EXPONENT))


def _parse_templates(texts: Sequence[str]) -> Drawer[SentenceTemplate]:
    return Drawer([SentenceTemplate.parse(text) for text in texts], _SENTENCE_EXPONENT)


class NoteWriter:
    """An endless source of notes and questions."""

    def __init__(self, seed: int) -> None:
        # A generator each, so the questions of a seed are the same however many notes were written before them.
        self._notes = random.Random(f"notes {seed}")  # noqa: S311  (text, not secrets)
        self._questions = random.Random(f"questions {seed}")  # noqa: S311
        self._written: set[bytes] = set()

    def notes(self, count: int) -> Iterator[SyntheticNote]:
        return islice(self._distinct(self._note), count)

    def draw_questions(self, count: int) -> list[str]:
        return [note.text for note in islice(self._distinct(self._draw_question), count)]

    def _distinct(self, write: Callable[[], SyntheticNote]) -> Iterator[SyntheticNote]:
        while True:
            note = write()
            # A digest in place of the text: a million notes would not fit beside the rest.
            mark = blake2b(note.text.encode(), digest_size=8).digest()
            if mark not in self._written:
                self._written.add(mark)
                yield note

    def _note(self) -> SyntheticNote:
        rng = self._notes
        language = load_languages().draw(rng)
        topic = language.topics.draw(rng)
        drawn: dict[tuple[str, str], str] = {}
        event = _fill_template(topic.events.draw(rng), language, drawn, rng)
        detail = _fill_template(topic.details.draw(rng), language, drawn, rng)
        text = _finish_sentence(event, ".") + " " + _finish_sentence(detail, "")
        return SyntheticNote(text, topic.name, language.code, int(rng.random() ** 2 * _OLDEST_DAY))

    def _draw_question(self) -> SyntheticNote:
        rng = self._questions
        language = load_languages().draw(rng)
        topic = language.topics.draw(rng)
        return SyntheticNote(
            _finish_sentence(_fill_template(topic.questions.draw(rng), language, {}, rng), ""),
            topic.name,
            language.code,
            0,
        )


def _fill_template(
    template: SentenceTemplate, language: SyntheticLanguage, drawn: dict[tuple[str, str], str], rng: random.Random
) -> str:
    """Put words into the slots; a slot named again, in this sentence or the next of the note, keeps its word."""
    pieces = [template.literals[0]]
    for slot, literal in zip(template.slots, template.literals[1:], strict=True):
        if slot not in drawn:
            drawn[slot] = _draw_word(slot, language, drawn, rng)
        pieces += drawn[slot], literal
    return "".join(pieces)


def _draw_word(
    slot: tuple[str, str], language: SyntheticLanguage, drawn: Mapping[tuple[str, str], str], rng: random.Random
) -> str:
    name, which = slot
    if name in _COUNTED:
        return _COUNTED[name](rng)
    word = language.words[name].draw(rng)
    # A second person or place of one sentence is another one.
    while which and word == drawn.get((name, "")):
        word = language.words[name].draw(rng)
    return word


def _finish_sentence(text: str, end: str) -> str:
    return text[0].upper() + text[1:] + end
