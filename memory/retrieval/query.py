"""What a question asks for, read from its words alone. Pure: text and names in, a Query out."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.retrieval import cues
from memory.retrieval.cues import plain
from memory.text import SPACES
from memory.words import query_groups

GENERIC_SPEAKERS = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model"})
SHORTEST_NAME = 2


@dataclass(frozen=True, slots=True)
class Query:
    """``embedded`` is what the vector is made of, ``words`` what is looked for in full text."""

    text: str
    embedded: str = ""
    words: tuple[tuple[str, ...], ...] = ()
    named: frozenset[str] = frozenset()
    """Speakers of the user's store that the question names, case-folded."""
    asks_when: bool = False
    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()

    @property
    def has_date(self) -> bool:
        return bool(self.months or self.years)


def normalised(text: str) -> str:
    return SPACES.sub(" ", text).strip()


def understand(text: str, speakers: Collection[str], now: datetime) -> Query:
    """Read a question. ``speakers`` are the names that ever spoke in the user's store."""
    asked = normalised(text)
    bare = plain(asked)
    found = named_speakers(bare, speakers)
    return Query(
        text=asked,
        embedded=without_names(asked, found) or asked,
        words=tuple(query_groups(asked)),
        named=frozenset(name for name, _ in found),
        asks_when=cues.ASKS_WHEN.search(bare) is not None,
        months=cues.months_in(bare),
        years=cues.years_in(bare),
    )


def named_speakers(bare: str, speakers: Collection[str]) -> list[tuple[str, str]]:
    """The speakers a plain text names, each with the spelling it uses: the whole name or the first of its parts."""
    present = set(cues.WORD.findall(bare))
    found = []
    for speaker in speakers:
        name = plain(speaker)
        first = name.partition(" ")[0]
        if name in GENERIC_SPEAKERS or len(first) < SHORTEST_NAME or first not in present:
            continue
        whole = re.search(rf"\b{re.escape(name)}\b", bare)
        found.append((speaker.casefold(), name if whole else first))
    return found


def without_names(asked: str, found: Sequence[tuple[str, str]]) -> str:
    """The question without the speakers' names: every turn of theirs has the name in front, so it tells none apart."""
    for _, spelling in found:
        asked = re.sub(rf"\b{re.escape(spelling)}\b(?:['’]s)?", "", asked, flags=re.IGNORECASE)
    left = normalised(asked)
    return left if cues.WORD.search(left) else ""
