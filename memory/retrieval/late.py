"""Late interaction: compares a question and a turn token by token, if the embedding server offers token vectors.

For each token of the question the most similar token of the turn counts (MaxSim). A single vector averages over the
whole turn; this finds the one word that the question is about.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.indexes.tokens import read_tokens
from memory.inference import embedder, token_embedder
from memory.inference.base import EncodedQuery, TokenEmbedder
from memory.inference.tokens import count_row_bytes
from memory.language.hebrew import HEBREW
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.retrieval.emphasis import is_read_by
from memory.retrieval.pool import Pool, standardise
from memory.retrieval.query import Query
from memory.retrieval.results import VECTOR, SearchDebug, SearchRequest

STAGE = "late"
# The script that models of English alone are given English words for.
SIGNAL = "memory.retrieval.signals.late.LATE"
# To ask the embedding server whether it has token vectors at all.
PROBE_S = 0.2
# Turns to compare; a single one stands out from nothing.
FEWEST = 2
# Products in one multiplication. Larger ones the library spreads over threads, which then wait for each other: 68 ms
# where this takes 2.
MOST_PRODUCTS = 400_000
# Of nearness, by which a match in the turn before must be better: "yes, every Sunday" is about what was asked there.
# The turn before gives .007 of R@10 and .005 of MRR; the turn after gave nothing.
MARGIN = 0.07
# Of so many texts what length gives is half believed.
FEW_LENGTHS = 50
# Of nearness: a token of the question that is equally near to every text tells none apart.
LEAST_SPREAD = 1e-3
# Of how far the best text for a token of the question stands out, in standard deviations.
LEAST_STANDING = 0.05


def is_wanted(query: Query, request: SearchRequest) -> bool:
    """Whether the answer may depend on it."""
    boosts = memory_conf().ranking.boosts if request.boosts is None else request.boosts
    return SIGNAL in boosts and VECTOR in request.stages and not query.is_remark and is_readable(query.text)


def is_readable(text: str) -> bool:
    """Whether it is in a language whose words the model knows as wholes."""
    # Pieces of words are near to other pieces whatever they mean: with MiniLM, on ten questions each to fourteen turns,
    # MRR fell from .47 to .39 in German, from .56 to .42 in French and from .43 to .40 in Spanish.
    return is_read_by(memory_conf().embedding.languages, text)


def encode_question(
    query: Query, request: SearchRequest, debug: SearchDebug, deadline: Deadline
) -> EncodedQuery | None:
    """The question's vector and those of its tokens; None where nobody offers them."""
    model = token_embedder()
    if model is None or not is_wanted(query, request) or not is_offered(model, deadline):
        return None
    time_left = deadline.slice(memory_conf().deadlines.late_s)
    text = choose_embedded_text(query, memory_conf().embedding)
    encoded = debug.attempt(STAGE, lambda: model.encode_query(text, time_left), None)
    if encoded is not None:
        embedder().remember_query(text, encoded.vector)
    return encoded


def choose_embedded_text(query: Query, conf: EmbeddingConf) -> str:
    return query.text_to_embed(is_glossed=not conf.reads(HEBREW))


def is_offered(model: TokenEmbedder, deadline: Deadline) -> bool:
    try:
        return not deadline.is_expired and model.is_offered(deadline.slice(PROBE_S))
    except Unavailable:
        # Then the embedder is away, and the stage that embeds says so.
        return False


def read_signs(
    user: EndUser, pool: Pool, encoded: EncodedQuery | None, debug: SearchDebug, deadline: Deadline
) -> dict[UUID, bytes]:
    """The token vectors of the turns in the pool, in the user's scope; empty when there is nothing to compare."""
    turns = [candidate.memory.id for candidate in pool if candidate.memory.thread_id]
    if encoded is None or not len(encoded.tokens) or len(turns) < FEWEST:
        return {}
    conf = memory_conf()
    left = deadline.slice(conf.deadlines.late_s)
    return debug.attempt(STAGE, lambda: read_tokens(user.pk, conf.embedding.model, turns, left), {})


def compare_tokens(pool: Pool, signs: Mapping[UUID, bytes], encoded: EncodedQuery) -> None:
    """Set how near each candidate that has tokens is to the question's, in standard deviations."""
    width = count_row_bytes(memory_conf().embedding.token_width)
    # Tokens of another model's width may be left from before a change of the model.
    turns = [one for one in pool if (packed := signs.get(one.memory.id)) and len(packed) % width == 0]
    if len(turns) < FEWEST:
        return
    places = {one.memory.id: place for place, one in enumerate(turns)}
    before = [places.get(one.memory.previous_id) if one.memory.previous_id else None for one in turns]
    values = score_token_matches(encoded.tokens, [signs[one.memory.id] for one in turns], before)
    for candidate, value in zip(turns, values, strict=True):
        candidate.token_score = value


def score_token_matches(
    tokens: NDArray[np.float32], signs: Sequence[bytes], before: Sequence[int | None]
) -> list[float]:
    """For each text, how much nearer than usual its nearest tokens are to those of the question.

    A token of the question may also be met in the turn before, of which ``before`` tells the place: "yes, every
    Sunday" is about what was asked there. A match in the text itself is preferred by a margin.
    """
    dimensions = tokens.shape[1]
    width = count_row_bytes(dimensions)
    packed = np.frombuffer(b"".join(signs), np.uint8).reshape(-1, width)
    bits = np.unpackbits(packed, axis=1, count=dimensions).astype(np.float32)
    # A sum over signs is twice the sum over the bits that are set, less the sum over all.
    rows = max(1, MOST_PRODUCTS // tokens.size)
    sums = np.concatenate([tokens @ bits[first : first + rows].T for first in range(0, len(bits), rows)], axis=1)
    nearness = (2 * sums - tokens.sum(axis=1, keepdims=True)) / np.sqrt(dimensions)
    lengths = np.array([len(one) // width for one in signs])
    nearest = np.maximum.reduceat(nearness, np.r_[0, lengths.cumsum()[:-1]], axis=1)
    nearest = nearest - expect_by_length(nearest, lengths)
    padded = np.pad(nearest, ((0, 0), (0, 1)), constant_values=-np.inf)
    met = np.maximum(nearest, padded[:, [-1 if place is None else place for place in before]] - MARGIN)
    # However near such tokens are to one another everywhere.
    spread = nearest.std(axis=1, keepdims=True) + LEAST_SPREAD
    standing = (met - nearest.mean(axis=1, keepdims=True)) / spread
    return standardise((weigh_tokens(standing) @ standing).tolist())


def weigh_tokens(standing: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much each token of the question counts: one that some text meets far better than the others tells more."""
    weights: NDArray[np.float32] = np.square(np.maximum(standing.max(axis=1), LEAST_STANDING))
    weights /= weights.sum()
    return weights


def expect_by_length(nearest: NDArray[np.float32], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """How near the nearest token of a text of each length is by its length alone: the best of many is nearer.

    A line through the candidates' logarithms of length, for each token of the question. Without it the replies of an
    assistant, ten times as long as what they reply to, came first in .73 of the questions.
    """
    logs = np.log(lengths).astype(np.float32)
    centred = logs - logs.mean()
    spread = float(centred @ centred)
    if spread <= LEAST_SPREAD:
        return np.zeros_like(nearest)
    # Among few texts the longest may well be the one that answers.
    certainty = len(lengths) / (len(lengths) + FEW_LENGTHS)
    return np.outer(np.float32(certainty) * (nearest @ centred) / spread, centred)
