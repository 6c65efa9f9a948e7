"""The late interaction signal: similarity token by token, if the embedding server offers token vectors."""

from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

# Of the relevance, which is of the same evidence: its share falls to a fifth where tokens are compared. Of that meaning
# is given back, as words are met by tokens and `words_in_context` already. All of it where the question names no
# speaker of the store: questions to three strangers' months have an MRR of .627 instead of .608, to talks with an
# assistant .613 instead of .598. A name is met by tokens better than by meaning: with all of it LoCoMo has .679, with
# less .696.
REPLACED, MEANING, MEANING_BESIDE_NAMES = 1.6, 1.0, 0.4


def score_late(query: Query, pool: Pool) -> list[float]:
    """How much nearer a turn is than the others, token by token; takes the place of most of the relevance."""
    share = MEANING_BESIDE_NAMES if query.named else MEANING
    return [
        0.0 if one.token_score is None else one.token_score + share * one.meaning - REPLACED * one.relevance
        for one in pool
    ]


def score_meaning(query: Query, pool: Pool) -> list[float]:
    """How far the nearness of what stands in no thread stands out, once more: notes repeat the words of a question
    about something else."""
    return [0.0 if query.is_remark or one.memory.thread_id else one.meaning for one in pool]


# Left out, each of three scenario sets loses .009 of MRR; other sets have turns alone.
MEANING_ALONE = RankingSignal("meaning", 0.5, score_meaning)
# Statements have no tokens: among those that differ in one word, nearness of tokens is what the wrong one has.
LATE = RankingSignal("late", 0.5, score_late)
