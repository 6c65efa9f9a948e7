"""Whether the words about a verb deny it, or say that it has ended."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from memory.claims.frames.clauses import VERBS
from memory.claims.frames.phrases import PhraseReader, measure_phrase
from memory.claims.frames.tokens import HotToken
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

REACH: Final = 4
# Languages that deny behind the verb.
BEHIND: Final = {"fr": 2, "de": 9}


def is_denied(tokens: Sequence[HotToken], verb: int, start: int, reader: PhraseReader) -> bool:
    """``start`` is where what is told begins; what is denied further behind is another value."""
    first = max(0, verb - REACH)
    denials = [at for at, token in enumerate(tokens[first : max(start, verb)], first) if token.has("not")]
    if denials and denials[-1] >= measure_correction(reader):
        return True
    if start < len(tokens) and tokens[start].has("not"):
        return True
    reach = BEHIND.get(reader.words.language, 0)
    for at in range(verb, min(len(tokens), verb + 1 + reach)):
        if tokens[at].is_mark:
            return False
        if tokens[at].has("not"):
            # "Till nicht Tim", "pacha pas filou": behind its value a denial is of another.
            return not (verb < start < at and denies_next_word(tokens, at))
    return False


def measure_correction(reader: PhraseReader) -> int:
    """How many words open a correction: the "no" of "no wait she moved to Mayo" denies no move."""
    size = measure_phrase(reader, 0, len(reader.tokens), reader.words.phrases["correct"])
    return size if size > 1 else 0


def denies_next_word(tokens: Sequence[HotToken], denial: int) -> bool:
    """Whether a denial is of a name or a time right behind it."""
    behind = tokens[denial + 1] if denial + 1 < len(tokens) else None
    return behind is not None and not behind.is_mark and (not behind.classes or behind.has("time"))


def is_ended(reader: PhraseReader) -> bool:
    """Whether a clause says that it is over, itself or in an aside that names nothing else: of "I live in Ulm, no
    longer in Graz" not Ulm is."""
    return says_ended(list_spoken(reader.tokens), reader.words.language)


def says_ended(tokens: Iterable[HotToken], language: str) -> bool:
    """Whether words say "no longer", "kein ... mehr", "ya no"."""
    plain = " ".join(["", *(token.plain for token in tokens), ""])
    for entry in read_entries(language, "frames", "ended phrase"):
        first, _, second = fold_letters(entry).partition(" * ")
        at = plain.find(f" {first} ")
        if at >= 0 and (not second or f" {second} " in plain[at + len(first) :]):
            return True
    return False


def list_spoken(tokens: Sequence[HotToken]) -> Iterator[HotToken]:
    """The words without those of asides behind a mark that name something of their own."""
    starts = [at + 1 for at, token in enumerate(tokens) if token.is_mark]
    for start, end in pairwise([0, *starts, len(tokens)]):
        stretch = tokens[start:end]
        is_other = any(token.is_capital or token.text.isdigit() for token in stretch)
        if not start or not is_other or any(token.has(*VERBS) for token in stretch):
            yield from (token for token in stretch if not token.is_mark)
