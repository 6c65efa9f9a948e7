"""Requests to remember: whatever their grammar, what follows is the statement."""

from memory.claims.clauses import find_heads
from memory.claims.lexicon import MARK
from memory.guard.annotation import Sentence

# Words behind the request that say something; with fewer the next sentence is meant.
LEAST_TOLD = 2
# Words that may stand before the request: "please", "und", a name.
FURTHEST = 2


def find_request(sentence: Sentence) -> tuple[int, bool] | None:
    """Where what is to be remembered begins, and whether the sentence is a standing order, or None."""
    head = find_heads(sentence, 0, len(sentence.words))
    if sentence.is_question:
        return (
            (find_heads(sentence, asks[0][1], len(sentence.words)), False)
            if (asks := near_head(sentence, "remember ask", head))
            else None
        )
    if found := near_head(sentence, "remember", head):
        _, after = max(found, key=lambda span: span[1])
        return find_heads(sentence, after, len(sentence.words)), False
    if found := near_head(sentence, "standing", head):
        if any(at < max(found)[1] + 1 for at, _ in sentence.spans(MARK + "i")):
            return None
        return found[0][0], True
    return None


def near_head(sentence: Sentence, kind: str, head: int) -> list[tuple[int, int]]:
    spans = sentence.spans(MARK + kind)
    speakers = [at for at, _ in sentence.spans(MARK + "i")]
    return [
        (at, after)
        for at, after in spans
        if (at in {0, head} or at <= FURTHEST) and not any(speaker < at for speaker in speakers)
    ]
