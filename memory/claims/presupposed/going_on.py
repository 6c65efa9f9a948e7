"""What the next sentence says of whom a question named: "for my mum? She's 78", "לאבא שלי? בן 74"."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import write_sentence
from memory.claims.presupposed.people import find_leading_age, find_name_behind, name_being
from memory.claims.presupposed.phrases import OwnNoun, SpokenSentence
from memory.claims.relations import ABOUT

AGE: Final = "age"
# Characters of a sentence that is told of somebody with who they are.
LONGEST: Final = 160


def tell_next(before: SpokenSentence, noun: OwnNoun, sentence: SpokenSentence, place: int) -> Iterator[Claim]:
    """``noun`` is the last of the sentence before that is somebody's own."""
    age = find_leading_age(sentence)
    is_theirs = sentence.says(0, "he", "she") and sentence.says(1, "be 3", "have 3")
    # "She is angry today" is soon over.
    is_theirs = is_theirs and not any(one.has("passing", "time") for one in sentence.tokens)
    if not (age or is_theirs) or len(sentence.raw) > LONGEST:
        return
    subject = name_being(before, noun).casefold()
    named = find_name_behind(before, noun.end)
    who = before.cut(noun.start, named[1] if named else noun.end)
    said = write_sentence(f"{who}: {sentence.raw.strip(' .!?')}")
    told = Claim(subject, ABOUT, "", said, (place, place + len(sentence.raw)), lang=sentence.language, is_sure=True)
    yield replace(told, relation=AGE, object=age) if age else told


def drop_misread(found: list[Claim], presupposed: tuple[Claim, ...]) -> list[Claim]:
    """The claims without an age of somebody else that was read as the person's."""
    ages = {one.object for one in presupposed if one.relation == AGE}
    return [one for one in found if not ((one.subject, one.relation) == (SPEAKER, AGE) and one.object in ages)]
