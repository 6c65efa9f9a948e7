"""What a parse adds to what the frames read of a turn."""

from collections.abc import Iterator, Mapping, Sequence

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.dependencies import read_dependencies
from memory.claims.frames.pipelines import parse_text
from memory.claims.frames.triples import DropReason, HotTriple
from memory.claims.frames.words import HotWords
from memory.claims.taxonomy import DETAILS


def find_parsed(
    text: str,
    clauses: Sequence[HotClause],
    reasons: Sequence[DropReason | None],
    words: HotWords,
    pipelines: Mapping[str, str],
    taken: Sequence[tuple[str, str, str]],
) -> Iterator[HotTriple]:
    """Of clauses that tell, in slots that the frames read nothing in; ``taken`` is what they kept, denied or ended."""
    parse = parse_text(text, words.language, pipelines) if words.language in pipelines else None
    if parse is None:
        return
    # What the frames read of a value stands: a small pipeline errs more often than they do.
    slots, values = {key[:2] for key in taken}, {key[2] for key in taken}
    added: set[str] = set()
    for triple in read_dependencies(parse, words):
        is_detail = triple.relation in DETAILS and triple.subject not in added
        if triple.key[:2] in slots or triple.object in values or is_detail:
            continue
        if is_plainly_told(triple, clauses, reasons):
            added.add(triple.object)
            yield triple


def is_plainly_told(triple: HotTriple, clauses: Sequence[HotClause], reasons: Sequence[DropReason | None]) -> bool:
    place = triple.span[0]
    for clause, reason in zip(clauses, reasons, strict=True):
        if clause.tokens[0].start <= place < clause.tokens[-1].end:
            return reason is None
    return False
