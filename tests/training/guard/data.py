"""The writes that the guard is trained on and measured with.

`examples/<language>.txt` hold writes made for the training, by class. The sets lie in `tests/memory/guard/writes` and
are named for what they are: `train_*` are trained on, so what they measure is that nothing was forgotten; of `tuned_*`
no text is trained on, but settings were chosen with them; from `unseen_*` nothing was ever made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.guard.classifier import CLASSES, HARMFUL, KEEP, TRIVIAL

EXAMPLES = Path(__file__).parent / "examples"
WRITES = Path(__file__).parents[2] / "memory" / "guard" / "writes"
MOST_WORDS_OF_FRAGMENT = 4


@dataclass(frozen=True, slots=True)
class LabelledWrite:
    kind: str
    language: str
    text: str

    @property
    def label(self) -> str:
        """The class of a kind of write; the kinds that belong in the bank are one class."""
        return self.kind if self.kind in {*HARMFUL, *TRIVIAL} else KEEP


def read_examples() -> list[LabelledWrite]:
    return [example for path in sorted(EXAMPLES.glob("*.txt")) for example in parse_examples(path)]


def parse_examples(path: Path) -> Iterator[LabelledWrite]:
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.strip("[]") in CLASSES:
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            yield LabelledWrite(kind, path.stem, line.replace("\\n", "\n"))


def read_writes(pattern: str) -> list[LabelledWrite]:
    """The writes of the sets of that name: ``kind | language | text``."""
    lines = [line for path in sorted(WRITES.glob(f"{pattern}.txt")) for line in path.read_text("utf-8").splitlines()]
    rows = [line.split(" | ", 2) for line in lines if line and not line.startswith("#")]
    return [LabelledWrite(kind, language, text.replace("\\n", "\n")) for kind, language, text in rows]


def read_training_data() -> list[LabelledWrite]:
    examples = read_examples() + read_writes("train_*")
    return examples + cut_fragments(examples)


def cut_fragments(examples: Sequence[LabelledWrite]) -> list[LabelledWrite]:
    """One to four words of each write to keep, so that little said is no ground for suspicion."""
    found = []
    for number, example in enumerate(one for one in examples if one.label == KEEP):
        words, size = example.text.split(), 1 + number % MOST_WORDS_OF_FRAGMENT
        start = number % max(1, len(words) - size + 1)
        found.append(LabelledWrite(KEEP, example.language, " ".join(words[start : start + size])))
    return found
