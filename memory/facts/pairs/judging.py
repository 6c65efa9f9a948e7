"""Holds two statements against each other."""

from memory.claims import is_single_valued
from memory.facts.pairs.statement import PairStatement, PairVerdict
from memory.language.folding import fold_text


def judge_pair(
    a: PairStatement, b: PairStatement, cosine: float | None = None, *, is_ordered: bool = False
) -> PairVerdict:
    """``is_ordered``: the same person said ``b`` later; a contradiction then means that it replaces or ends ``a``.

    ``cosine`` is that of their embeddings, None where there is none.
    """
    if fold_text(a.statement) == fold_text(b.statement):
        return "merge"
    if a.subject == b.subject and a.relation and a.relation == b.relation:
        if a.object == b.object:
            return "merge" if a.polarity == b.polarity and a.tense == b.tense else "contradiction"
        return "contradiction" if is_single_valued(a.relation) else "keep_both"
    return "unrelated" if cosine is not None and cosine < 0.3 else "unsure"
