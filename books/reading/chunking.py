"""Cuts a document into the passages that are stored, embedded and cited."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from books.reading.document import BlockKind, DocumentBlock, DocumentChunk, ReadDocument
from memory.language.sentences import ENDS, split_sentences
from memory.language.text import estimate_tokens

# In pieces as an embedder counts them. The shorter of the two models in use reads 256; with what stands before a
# passage, and the estimate's error, this much is read whole.
TARGET = 150
LONGEST = 190
OVERLAP = 30
# Of a table with more rows than that, or as much text in fewer, a passage holds more of them: it is found by its words,
# and each vector costs the same 35 ms of a core, whatever it is of. Ninety rows of ten thousand cells were 20,000
# passages, on which a worker was for eighteen minutes.
MANY_ROWS = 3_000
MUCH_OF_ROWS = 1_000_000
TARGET_OF_ROWS = 600
# A heading and a line below it are no passage of their own: they go on into the next section.
FEWEST = 16
# Letters of one piece: of Latin words, and of scripts that the models know less well.
LATIN_PIECE = 4.6
OTHER_PIECE = 2.2
# Enough of a sentence without end to know how many letters its pieces have.
SAMPLE = 4_000
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
ITEM_MARKS = ("- ", "* ", "• ", "· ", "▪ ")
SECTION_SEPARATOR = " > "
LONGEST_SECTION = 240
# Where a sentence without end is cut, the last of these that fits: clauses, then words.
CLAUSE_END = re.compile(r"(?<=[,;:–—،、，；])\s*")


def cut_into_chunks(document: ReadDocument) -> Iterator[DocumentChunk]:
    """The passages of a document in order: whole sentences, rows and lines of code, all of its text.

    A passage begins with the last sentences of the one before it, unless a section or a page begins or it is of rows.
    """
    rows = [len(block.text) for block in document.blocks if block.kind is BlockKind.ROW]
    is_large = len(rows) > MANY_ROWS or sum(rows) > MUCH_OF_ROWS
    cutter = ChunkCutter(TARGET_OF_ROWS if is_large else TARGET)
    for block in document.blocks:
        yield from cutter.take(block)
    yield from cutter.finish()


@dataclass(frozen=True, slots=True)
class TextUnit:
    """What is not cut: a sentence, a row, a line of code."""

    text: str
    kind: BlockKind
    page: int | None
    size: float
    # Starts a new line: the first of a block, every row and every line of code.
    begins_line: bool


@dataclass(slots=True)
class ChunkCutter:
    """Gathers units until a passage is full. Between passages only what is carried over stays."""

    row_target: int = TARGET
    _section: tuple[str, ...] = ()
    _carried: list[TextUnit] = field(default_factory=list)
    _units: list[TextUnit] = field(default_factory=list)
    _size: float = 0.0
    _position: int = 0

    def take(self, block: DocumentBlock) -> Iterator[DocumentChunk]:
        if block.section != self._section:
            if self._size >= FEWEST:
                yield from self._cut(overlaps=False)
            self._section = block.section
            self._carried = []
        if self._units and block.page != self._units[-1].page and self._stands_alone():
            # Cited by its page, a passage ends with it; what goes on over a page is one block.
            yield from self._cut(overlaps=False)
        for unit in list_units(block):
            target = self.row_target if unit.kind is BlockKind.ROW else TARGET
            if self._units and self._size + unit.size > target and (self._size >= FEWEST or unit.size > target):
                yield from self._cut(overlaps=unit.kind is BlockKind.TEXT)
            self._units.append(unit)
            self._size += unit.size

    def _stands_alone(self) -> bool:
        """Whether it is more than the line of a title page."""
        return self._size >= FEWEST or self._units[-1].text.endswith(ENDS)

    def finish(self) -> Iterator[DocumentChunk]:
        yield from self._cut(overlaps=False)

    def _cut(self, *, overlaps: bool) -> Iterator[DocumentChunk]:
        if not self._units:
            return
        units = self._carried + self._units
        text = join_units(units)
        yield DocumentChunk(
            position=self._position,
            text=text,
            section=SECTION_SEPARATOR.join(self._section)[:LONGEST_SECTION],
            page=self._units[0].page,
            last_page=self._units[-1].page,
            tokens=estimate_tokens(text),
            has_code=any(unit.kind is BlockKind.CODE for unit in units),
            rows=len(units) if all(unit.kind is BlockKind.ROW for unit in units) else 0,
        )
        self._position += 1
        self._carried = choose_overlap(self._units) if overlaps else []
        self._units = []
        self._size = sum(unit.size for unit in self._carried)


def choose_overlap(units: list[TextUnit]) -> list[TextUnit]:
    """The last sentences that fit; none of a passage that is one sentence, as it would be repeated whole."""
    kept: list[TextUnit] = []
    left = float(OVERLAP)
    for unit in reversed(units[1:]):
        left -= unit.size
        if left < 0 or unit.kind is not BlockKind.TEXT:
            break
        kept.insert(0, unit)
    return kept


def join_units(units: list[TextUnit]) -> str:
    parts = [units[0].text]
    for unit in units[1:]:
        parts += ["\n" if unit.begins_line else " ", unit.text]
    return "".join(parts)


def list_units(block: DocumentBlock) -> Iterator[TextUnit]:
    if block.kind is BlockKind.ROW:
        pieces = split_row(block)
    elif block.kind is BlockKind.CODE:
        pieces = [piece for line in block.text.split("\n") for piece in split_long(line)]
    else:
        pieces = [piece for sentence in split_sentences(block.text) for piece in split_long(sentence)]
    for number, piece in enumerate(pieces):
        begins = number == 0 or block.kind is not BlockKind.TEXT or piece.startswith(ITEM_MARKS)
        yield TextUnit(piece, block.kind, block.page, estimate_pieces(piece), begins)


def split_row(block: DocumentBlock) -> list[str]:
    """A row as it is, or one too long for a passage in parts, each beginning with what the row is about."""
    if estimate_pieces(block.text) <= LONGEST:
        return [block.text]
    first, *others = block.cells or (block.text,)
    if estimate_pieces(first) > LONGEST / 3:
        return [piece for cell in (first, *others) for piece in split_long(cell)]
    opening = size = estimate_pieces(first)
    parts, current = list[str](), [first]
    for piece in (piece for cell in others for piece in split_long(cell, LONGEST - opening)):
        # A mark between two is a piece. Estimating the whole part at each cell took six seconds of 100,000 cells.
        added = estimate_pieces(piece) + 1
        if len(current) > 1 and size + added > LONGEST:
            parts.append("; ".join(current))
            current, size = [first], opening
        current.append(piece)
        size += added
    return [*parts, "; ".join(current)]


def split_long(text: str, longest: float = LONGEST) -> list[str]:
    """A sentence in parts that fit, cut after clauses, else between words, else anywhere."""
    if len(text) < LATIN_PIECE * 2 * longest and estimate_pieces(text) <= longest:
        return [text]
    sample = text[:SAMPLE]
    letters = int(longest * max(OTHER_PIECE, 0.9 * len(sample) / estimate_pieces(sample)))
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + letters)
        if end < len(text):
            end = find_cut(text, start, end)
        parts.append(text[start:end].strip())
        start = end
    return [part for part in parts if part]


def find_cut(text: str, start: int, end: int) -> int:
    half = start + (end - start) // 2
    clauses = [found.end() for found in CLAUSE_END.finditer(text, half, end)]
    if clauses:
        return clauses[-1]
    space = max(text.rfind(" ", half, end), text.rfind("\n", half, end))
    return space + 1 if space > 0 else end


def estimate_pieces(text: str) -> float:
    """How many pieces an embedder makes of a text, roughly: by words and marks, or by letters if that is more."""
    other = 0 if text.isascii() else len(NOT_ASCII.findall(text))
    by_letters = (len(text) - other) / LATIN_PIECE + other / OTHER_PIECE
    return max(estimate_tokens(text), by_letters)
