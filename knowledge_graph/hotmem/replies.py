"""What a turn tells as a reply to the assistant's question, read as an exchange's is: "How old is Theo?" "nine."."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.claims import Claim, reader
from memory.claims.frames import HotReading, HotTriple
from memory.claims.relations import ABOUT
from memory.claims.replies.confirming import begins_polar
from memory.claims.replies.replying import add_reply
from memory.facts.profile.rules import LONGEST, is_of_strangers, is_taken, word_statement

TELLS: Final = "FACT_STATEMENT"


@dataclass(frozen=True, slots=True)
class RepliedReading:
    """A turn as it was read, and beside it what it tells as a reply, each claim with the words it is kept in.

    ``waiting`` are replies that may end anything: they are held against all that is known when the exchange is read.
    """

    reading: HotReading
    replies: Sequence[Claim] = ()
    waiting: Sequence[Claim] = ()

    @property
    def tells(self) -> bool:
        return bool(self.reading.triples or self.reading.retracted or self.replies or self.waiting)


def read_reply(
    reading: HotReading, text: str, previous: Sequence[str], asked: str, lead: str, *, lang: str | None
) -> RepliedReading:
    """The reading without what it took for the person's and was said of somebody else in answer. ``lang`` is the
    language that the client named."""
    if not asked:
        return RepliedReading(reading)
    known = {make_claim(one, reading.lang): one for one in reading.triples}
    turn = reader.read_turn(text, previous, asked)
    found = add_reply(list(known), turn, asked, lead or "".join(previous[-1:]), previous, reader.read_claims)
    told = [one for one in found if one not in known]
    kept = tuple(triple for claim, triple in known.items() if claim in found)
    if not told:
        return RepliedReading(replace(reading, triples=kept))
    taken = [replace(one, statement=word_statement(one)) for one in told if is_kept(one)]
    ended = [one for one in taken if is_over(one) and one.object]
    begun = [one for one in taken if not is_over(one) and not may_end_anything(one, text)]
    waiting = [one for one in taken if one not in ended and one not in begun]
    back = [HotTriple(one.subject, one.relation, one.object, one.span, is_over=True) for one in ended]
    # A word alone is of the language it was asked in.
    language = lang or told[0].lang or reading.lang
    intent = TELLS if reading.intent == "REACTION" and taken else reading.intent
    whole = replace(reading, lang=language, intent=intent, triples=kept, retracted=(*reading.retracted, *back))
    return RepliedReading(whole, begun, waiting)


def make_claim(triple: HotTriple, lang: str) -> Claim:
    return Claim(*triple.key, "", triple.span, lang=lang)


def is_kept(claim: Claim) -> bool:
    statement = word_statement(claim)
    is_own = not claim.hedged and not is_of_strangers(claim)
    return is_own and 0 < len(statement) <= LONGEST and is_taken(claim, statement)


def is_over(claim: Claim) -> bool:
    return claim.tense == "over" or not claim.polarity


def may_end_anything(claim: Claim, text: str) -> bool:
    """ "Is she still at the vet?" "no": of no slot, it ends what only its meaning finds."""
    return claim.relation == ABOUT and begins_polar(text)
