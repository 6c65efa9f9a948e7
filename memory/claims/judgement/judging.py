"""Which claims of a turn are believed, by how likely its words tell what lasts about the person.

The thresholds were set on the messages of the twelve authors that train the weights, each left out once: .78 of what
tells yields a claim and .14 of what tells nothing, where .75 and .20 did before those were learned from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.judgement.asking import ASKED_LEAST, rate_asking
from memory.claims.judgement.telling import MOST_WORDS, Passage, join_passages, rate_telling
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT
from memory.claims.slots.nouns import CAPITAL_NOUNS, find_known_noun
from memory.claims.taxonomy import ANIMALS, KIN, PERSONS
from memory.guard.annotation import Sentence
from memory.guard.lexicon import WORD
from memory.language.stems import DEFAULT_LANGUAGE

# "J'ai la dalle": having says as little by itself as what names no relation.
HAS: Final = "has"
# Words before a colon that are rated below this ask for work on what stands behind it, or say whose words those are.
HEAD_MOST: Final = 0.2
OWN_OF_HEAD: Final = ("me", MARK + "i", MARK + "my", MARK + "self", MARK + "remember")
# Words up to which a sentence says too little to be doubted by much: "no tengo coche".
MOST_WORDS_OF_BRIEF: Final = 4
# What a sentence must reach by itself and among those around it: for a claim that names its relation or a change, for
# one that names neither, and where no clause claims anything. A question beside it says less than the sentence itself.
# Of the last .7 finds .02 to .03 less and lets .02 less of what is silent through, .45 finds .02 more for .02; of the
# first .25 keeps silent .007 more, and loses what the weights rate low and rules know: "Erste Woche als Koch rum".
NAMED_LEAST: Final = (0.14, 0.08)
ABOUT_LEAST: Final = (0.6, 0.25)
UNREAD_LEAST: Final = (0.55, 0.4)
# From here on the words of a list set nothing aside but what is planned, passes or is past, and the bank takes what
# sounds slight. .65 finds .003 more, and "I'm not eating meat today" with it.
SURE_LEAST: Final = (0.76, 0.4)


@dataclass(frozen=True, slots=True)
class SentenceJudgement:
    """How likely a sentence tells something of the person, by itself and among those around it."""

    alone: float
    among: float
    is_brief: bool = False

    def believes(self, claim: Claim) -> bool:
        if claim.is_sure or names_somebody(claim):
            # "Hoy lo pusimos a dormir a Firulais" is no sentence about the person, and tells what they had; "my boss
            # Tom is off sick" passes, and who Tom is stays.
            return True
        is_named = names_relation(claim) or claim.tense != "present" or bool(claim.replaces)
        if self.is_brief:
            return is_named or self.reaches(NAMED_LEAST)
        return self.reaches(NAMED_LEAST if is_named else ABOUT_LEAST)

    @property
    def is_sure(self) -> bool:
        return self.reaches(SURE_LEAST)

    @property
    def is_telling(self) -> bool:
        return self.reaches(UNREAD_LEAST)

    def reaches(self, least: tuple[float, float]) -> bool:
        return self.alone >= least[0] and self.among >= least[1]


def names_relation(claim: Claim) -> bool:
    """ "I have a dog" names one as "my dog" does, "I have a minute" none."""
    if claim.relation == HAS:
        noun = find_known_noun(claim.object.split(), claim.lang or DEFAULT_LANGUAGE)
        return noun is not None and noun[1] in KIN | ANIMALS
    return claim.relation != ABOUT


def names_somebody(claim: Claim) -> bool:
    """Whether it tells what somebody close or an animal is called, by a word that is written as a name."""
    first = claim.object.partition(" ")[0]
    is_written = any(word[0].isupper() and word.casefold() == first for word in WORD.findall(claim.statement))
    return claim.relation in PERSONS | ANIMALS and claim.lang not in CAPITAL_NOUNS and is_written


def judge_sentences(passages: Sequence[Passage]) -> list[SentenceJudgement]:
    """One for each sentence of a turn, which is looked at whole where it is short."""
    alone = [rate_telling(one) for one in passages]
    among = rate_among(passages) if len(passages) > 1 else alone
    brief = [count_words(one) <= MOST_WORDS_OF_BRIEF for one in passages]
    return [SentenceJudgement(*rates) for rates in zip(alone, among, brief, strict=True)]


def rate_among(passages: Sequence[Passage]) -> list[float]:
    if sum(map(count_words, passages)) <= MOST_WORDS:
        return [rate_telling(join_passages(passages))] * len(passages)
    return [rate_telling(join_passages(passages[max(0, at - 1) : at + 2])) for at in range(len(passages))]


def count_words(passage: Passage) -> int:
    return sum(len(sentence.words) for sentence in passage.sentences)


def is_in_earnest(claim: Claim, *, is_laughed_at: bool) -> bool:
    """Whether a claim of who laughs is none the less meant: a change, or what is plainly told of oneself.

    Of the sentence that is laughed at itself only with a name or a figure: "I live in my inbox haha" is the joke.
    """
    names_one = any(word[0].isdigit() or (word[0].isupper() and len(word) > 1) for word in claim.statement.split()[1:])
    return claim.tense != "present" or (claim.is_sure and (names_one or not is_laughed_at))


def introduces_words(sentence: Sentence) -> bool:
    """ "Put into the past tense: I live in Rome": what stands behind the colon, and further on, is not the person's."""
    head = cut_head(sentence)
    if head is None:
        return False
    is_ordered = head.has(MARK + "scene order") or not head.has(MARK + "self")
    if head.has(MARK + "story", MARK + "frame") and not head.has(MARK + "remember") and is_ordered:
        # "Chapter four: I wake in a cell", "in my novel the narrator says: ...", "schreib mir eine Geschichte: ...".
        return True
    is_foreign = not head.has(*OWN_OF_HEAD) and rate_telling(Passage((head,))) < HEAD_MOST
    return is_foreign and rate_asking((sentence,)) < ASKED_LEAST


def cut_head(sentence: Sentence) -> Sentence | None:
    """The words before a colon."""
    colon = next((at for at, word in enumerate(sentence.words) if word == ":"), 0)
    if not 0 < colon < len(sentence.words) - 1:
        return None
    kinds = {kind: [span for span in spans if span[1] <= colon] for kind, spans in sentence.spans_by_kind.items()}
    known = {kind: spans for kind, spans in kinds.items() if spans}
    words = sentence.words[:colon]
    return replace(sentence, raw=" ".join(words), words=words, spans_by_kind=known)
