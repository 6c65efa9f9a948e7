"""What a turn asks to be remembered in words that no list of requests holds.

"Stick it in your head: Rosie can't have kiwi" and "kannst du ablegen, dass ..." share no word; what they share is an
order or a hint to whoever listens, around something that is nobody's task. How likely a turn asks so is told by
logistic regression over the features of `telling`, trained outside the product (`tests/training/requests/train.py`).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import LONGEST, find_language, word_statement
from memory.claims.clauses.cutting import cut_clauses
from memory.claims.judgement.telling import Passage, TellingWeights, extract_telling_features
from memory.claims.relations import REQUEST
from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.features import Features

WEIGHTS: Final = Path(__file__).parent / "asking.npz"
# Of 122 silent turns of five authors none is rated above .3, of the requests of one that it never saw all but one.
ASKED_LEAST: Final = 0.33
# A lone question asks for something else as often.
QUESTION_LEAST: Final = 0.6
# Share of a sentence that its claims must hold, or the sentence itself is what is remembered.
COVERED: Final = 0.6


@cache
def load_asking_weights() -> TellingWeights:
    return TellingWeights.load(WEIGHTS)


def list_asking_features(sentences: Sequence[Sentence]) -> Features:
    return extract_telling_features(Passage(tuple(sentences)))


def rate_asking(sentences: Sequence[Sentence]) -> float:
    """How likely the sentences ask for something, from 0 to 1."""
    return load_asking_weights().predict(list_asking_features(sentences)) if sentences else 0.0


def mark_asked(claims: Sequence[Claim], whole: AnnotatedText, told: Sequence[tuple[Sentence, int]]) -> list[Claim]:
    """The claims of a turn that likely asks to be remembered; what no claim holds of it is one of its own.

    ``told`` are the sentences that are the person's own, each with its place.
    """
    if not told or len(whole.text) > LONGEST or any(claim.is_request for claim in claims):
        return list(claims)
    stated = [one for one in told if not one[0].is_question]
    if rate_asking(whole.own_sentences) < (ASKED_LEAST if stated else QUESTION_LEAST):
        return list(claims)
    asked: list[Claim] = []
    left: list[tuple[str, int, int]] = []
    for sentence, place in stated or told:
        end = place + len(sentence.raw)
        statement = word_statement(sentence, cut_clauses(sentence), 0, len(sentence.words))
        within = [claim for claim in claims if place <= claim.span[0] < end and not claim.is_remark]
        if sum(len(one) for one in {claim.statement for claim in within}) >= COVERED * len(statement):
            asked += [replace(claim, is_request=True) for claim in within]
        else:
            left.append((statement, place, end))
    if left:
        statement, span = " ".join(one[0] for one in left), (left[0][1], left[-1][2])
        language = find_language(whole)
        asked.append(Claim(SPEAKER, REQUEST, statement.rstrip("."), statement, span, lang=language, is_request=True))
    return asked
