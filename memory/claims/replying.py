"""What the first sentence of a turn says as a reply to what the assistant asked just before."""

from collections.abc import Sequence

from memory.claims.answering import claim_answer, replace_answered
from memory.claims.claim import Claim
from memory.claims.confirming import claim_confirmed
from memory.claims.follow_ups import Read, claim_follow_up
from memory.claims.readings import SentenceReading, TurnReading


def add_reply(
    claims: Sequence[Claim], reading: TurnReading, asked: str, previous: Sequence[str], read: Read
) -> list[Claim]:
    """The claims of a turn with those of its reply, in place of what its first sentence was taken to tell.

    ``read`` reads a sentence's claims.
    """
    if not asked or not reading.sentences or not reading.sentences[0].is_open:
        return list(claims)
    first, behind = reading.sentences[0], "".join(one.sentence.raw for one in reading.sentences[1:2])
    return replace_answered(claims, claim_reply(first, asked, "".join(previous[-1:]), behind, read))


def claim_reply(first: SentenceReading, asked: str, before: str, behind: str, read: Read) -> list[Claim]:
    """By a value that the question names the relation of, by one that the turn before left open, or by yes and no."""
    sentence, place = first.sentence, first.place
    return (
        claim_answer(sentence, place, asked, before, behind)
        or claim_follow_up(sentence, place, asked, before, behind, read)
        or claim_confirmed(sentence, place, asked, before, read)
    )
