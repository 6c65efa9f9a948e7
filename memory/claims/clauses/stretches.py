"""The stretch of a sentence that tells of the person, where other words of it ask, order or speak for somebody else.

"Typing this from the new kitchen in Oswestry, where do I find the stopcock": words that set a sentence aside are looked
for in each of its clauses, and the rest is believed where it is likely by itself.
"""

from dataclasses import replace
from typing import Final

from memory.claims.clauses.cutting import ClauseTokens, Place, cut_clauses
from memory.claims.clauses.general import NOT_WORTH, POSSESSIVES, SPEAKS, has_first_person
from memory.claims.clauses.grouping import is_tag
from memory.claims.judgement.judging import SentenceJudgement
from memory.claims.judgement.telling import Passage, rate_telling
from memory.claims.lexicon import MARK
from memory.guard import find_order
from memory.guard.annotation import Sentence

# A clause at either end that is rated below this is no part of what is told.
CLAUSE_LEAST: Final = 0.2
# What a stretch must reach by itself, and the turn around it: that mostly asks for something, and is rated for it.
STRETCH_LEAST: Final = (0.55, 0.25)
# What it must reach where a word of it sets a sentence aside: "I used to live in Cairo" is rated .66, and is over.
SET_ASIDE_LEAST: Final = 0.87
LEAST_WORDS: Final = 3
MOST_CLAUSES: Final = 8
STRANGERS: Final = ("stranger", MARK + "noun neighbor")
VOICES: Final = ("someone says", "asked", "wish", "if i", "suppose")
SET_ASIDE: Final = ("would", "request", "text work", *(MARK + kind for kind in ("plan", "temporary", "machine")))


def find_told_stretch(sentence: Sentence, tokens: ClauseTokens, *, is_masked: bool) -> Place | None:
    """The places between which words likely tell of the person's life; None where none are likely enough."""
    best: Place | None = None
    for clauses in list_runs(sentence, tokens):
        run = trim_run(sentence, clauses, is_masked=is_masked)
        if run is None or (best is not None and run[1] - run[0] <= best[1] - best[0]):
            continue
        if goes_on_about_strangers(sentence, run):
            continue
        least = SET_ASIDE_LEAST if slice_sentence(sentence, run).has(*NOT_WORTH) else STRETCH_LEAST[0]
        if rate_stretch(sentence, run, is_masked=is_masked) >= least:
            best = run
    return best


def goes_on_about_strangers(sentence: Sentence, run: Place) -> bool:
    """ "The neighbour upstairs is splitting up, he keeps the dog": nothing of the person stands in the second half."""
    before, part = slice_sentence(sentence, (0, run[0])), slice_sentence(sentence, run)
    is_own = part.has(*SPEAKS, *POSSESSIVES) or has_first_person(part, 0, len(part.words))
    return before.has(*STRANGERS) and not is_own


def judge_beside_question(sentence: Sentence, judged: SentenceJudgement) -> SentenceJudgement:
    """What stands before a question, by itself: "we live in Passau with three dogs, any ideas for rainy days?"."""
    *told, last = [(segment[0][0], segment[-1][1]) for segment in cut_clauses(sentence).segments] or [(0, 0)]
    if not told or is_tag(sentence, *last):
        return judged
    rate = rate_stretch(sentence, (0, told[-1][1]), is_masked=False)
    return replace(judged, alone=max(judged.alone, rate), among=max(judged.among, rate))


def list_runs(sentence: Sentence, tokens: ClauseTokens) -> list[list[Place]]:
    """Clauses that stand together and hold no word that sets them aside."""
    clauses = [(segment[0][0], segment[-1][1]) for segment in tokens.segments][:MOST_CLAUSES]
    if sentence.is_question:
        last = clauses.pop()
        if is_tag(sentence, *last):
            return []
    has_order = find_order(sentence.raw) is not None
    runs: list[list[Place]] = [[]]
    for clause in clauses:
        part = slice_sentence(sentence, clause)
        if part.has(*VOICES):
            # What follows "if I" and "he says" may still be supposed, or said by him.
            break
        if part.has(*SET_ASIDE) or has_question_word(sentence, clause) or (has_order and find_order(part.raw)):
            runs.append([])
        else:
            runs[-1].append(clause)
    return [run for run in runs if run]


def has_question_word(sentence: Sentence, clause: Place) -> bool:
    return sentence.has_at(clause[0], MARK + "asks")


def trim_run(sentence: Sentence, clauses: list[Place], *, is_masked: bool) -> Place | None:
    """A run of clauses without those at its ends that tell nothing."""
    told = [clause for clause in clauses if rate_stretch(sentence, clause, is_masked=is_masked) >= CLAUSE_LEAST]
    if not told or told[-1][1] - told[0][0] < LEAST_WORDS:
        return None
    return told[0][0], told[-1][1]


def rate_stretch(sentence: Sentence, stretch: Place, *, is_masked: bool) -> float:
    return rate_telling(Passage((slice_sentence(sentence, stretch),), is_masked))


def slice_sentence(sentence: Sentence, stretch: Place) -> Sentence:
    """The words of a stretch as a sentence of its own."""
    start, end = stretch
    kinds = {
        kind: moved
        for kind, spans in sentence.spans_by_kind.items()
        if (moved := [(at - start, after - start) for at, after in spans if start <= at and after <= end])
    }
    words = sentence.words[start:end]
    capitals = frozenset(at - start for at in sentence.capitals if start <= at < end)
    breaks = frozenset(at - start for at in sentence.breaks if start < at < end)
    return replace(sentence, raw=" ".join(words), words=words, capitals=capitals, breaks=breaks, spans_by_kind=kinds)
