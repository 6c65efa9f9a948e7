"""Trains what turns the vector of a question toward the messages that answer it.

    python manage.py shell -c "from tests.training.adapter.train import main; main()"

learns a matrix by which the right one of an author's messages stands out among all of theirs, from the questions in
`tests/training/messages`, and keeps its strongest directions. Says how many of the questions of the two authors that
nothing is learned from have their answer among ten, without it and with it. With another embedder, train it again.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from config.embedding_models import E5_ADAPTER
from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.inference import embedder
from memory.inference.adapter import ADAPTERS, QuestionAdapter, load_adapter
from memory.inference.base import Vector
from memory.platform.deadline import Deadline
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.query import understand_query
from tests.training.messages import HELD_OUT, list_authors, read_messages, read_questions

Numbers = NDArray[np.float64]
PATIENCE_S = 120
BATCH = 64
# Of four authors left out .78 and .49 of the questions have their answer among ten, those in the message's language and
# those in another; with .03 and 60 .79 and .51, and the articles of the polyglot set lose nearly twice as much; with a
# penalty of .3 .78 and .38.
PENALTY, SHARPNESS = 0.1, 100.0
STEPS, PACE = 150, 2e-3
# Of 384 directions: 64 and 128 find as much.
RANK = 32
# Messages of a question, the nearest first, by which the cosines of a turned one are read as the model's own.
NEAREST = 30
QUANTILES = np.linspace(0.02, 0.998, 80)


@dataclass(frozen=True)
class AskedMessages:
    """An author's questions and messages: the model's part of their vectors, of unit length, and all else they share.

    ``share`` is the part's in each question's cosine, ``holds`` marks the answers.
    """

    questions: Numbers
    messages: Numbers
    share: Numbers
    rest: Numbers
    holds: NDArray[np.bool_]
    is_foreign: NDArray[np.bool_]


def embed_author(author: str) -> AskedMessages:
    conf, width = memory_conf().embedding, measure_width()
    messages, questions = read_messages(author), read_questions(author)
    rows = np.array([vector for batch in cut_batches([one.text for one in messages]) for vector in embed(batch)], float)
    asked = np.array([embed_unturned(one.text, conf) for one in questions], float)
    holds = np.array([[place == one.place for place in range(len(messages))] for one in questions])
    foreign = np.array([one.lang != messages[one.place].lang for one in questions])
    own, part = unit(asked[:, :width]), unit(rows[:, :width])
    share = np.linalg.norm(asked[:, :width], axis=1, keepdims=True) * np.linalg.norm(rows[0, :width])
    return AskedMessages(own, part, share, asked[:, width:] @ rows[:, width:].T, holds, foreign)


def embed_unturned(text: str, conf: EmbeddingConf) -> Vector:
    """A question as a search would ask it without the adapter."""
    emphasis = choose_emphasis(understand_query(text, (), timezone.now()), conf)
    return replace(emphasis, adapter=None).weigh(embedder().embed_query(text, Deadline(PATIENCE_S)))


def measure_width() -> int:
    conf = memory_conf().embedding
    return conf.following[0].start if conf.following else conf.dimensions


def cut_batches(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]


def embed(texts: Sequence[str]) -> list[Any]:
    return embedder().embed_passages(texts, Deadline(PATIENCE_S))


def unit(rows: Numbers) -> Numbers:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def turn(questions: Numbers, reads: NDArray[Any], turns: NDArray[Any]) -> Numbers:
    return unit(questions + questions @ reads.T @ turns)


def fit(authors: Sequence[AskedMessages]) -> Numbers:
    """By steps of Adam: the loss is the softmax of the answer among all messages of its author, and the penalty."""
    width = authors[0].questions.shape[1]
    matrix, mean, square = np.zeros((3, width, width))
    count = sum(len(one.questions) for one in authors)
    for step in range(1, STEPS + 1):
        slope = sum(measure_slope(matrix, one) for one in authors) / count + 2 * PENALTY * matrix
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        matrix = matrix - PACE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    return matrix


def measure_slope(matrix: Numbers, one: AskedMessages) -> Numbers:
    turned = one.questions + one.questions @ matrix.T
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    turned /= length
    likely = SHARPNESS * (one.share * (turned @ one.messages.T) + one.rest)
    likely = np.exp(likely - likely.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    right = likely * one.holds
    pull = SHARPNESS * ((one.share * (likely - right / right.sum(axis=1, keepdims=True))) @ one.messages)
    return np.asarray(((pull - turned * (pull * turned).sum(axis=1, keepdims=True)) / length).T @ one.questions)


def shrink(matrix: Numbers, authors: Sequence[AskedMessages]) -> QuestionAdapter:
    left, strengths, right = np.linalg.svd(matrix)
    reads, turns = right[:RANK], (left[:, :RANK] * strengths[:RANK]).T
    before, after = [], []
    for one in authors:
        turned = turn(one.questions, reads, turns)
        before.append(np.sort(one.questions @ one.messages.T)[:, -NEAREST:].ravel())
        after.append(np.sort(turned @ one.messages.T)[:, -NEAREST:].ravel())
    turned_quantiles, model_quantiles = (np.quantile(np.concatenate(found), QUANTILES) for found in (after, before))
    slope, offset = np.polyfit(turned_quantiles, model_quantiles, 1)
    return QuestionAdapter(reads.astype(np.float32), turns.astype(np.float32), round(slope, 3), round(offset, 3))


def describe_found(one: AskedMessages, adapter: QuestionAdapter | None) -> str:
    asked, slope = one.questions, 1.0
    if adapter is not None:
        asked, slope = turn(asked, adapter.reads, adapter.turns), adapter.slope
    scores = one.share * slope * (asked @ one.messages.T) + one.rest
    places = (scores > np.where(one.holds, scores, -9.0).max(axis=1, keepdims=True)).sum(axis=1)
    shares = [f"{np.mean(places[kind] < most):.3f}" for kind in (~one.is_foreign, one.is_foreign) for most in (1, 10)]
    return "first {}, among ten {}; in another language {}, {}".format(*shares)


def main() -> None:
    authors = {name: embed_author(name) for name in list_authors()}
    learned = [one for name, one in authors.items() if name not in HELD_OUT]
    adapter = shrink(fit(learned), learned)
    for name in sorted(HELD_OUT):
        for what, used in (("without", None), ("with", adapter)):
            sys.stdout.write(f"{name} {what}: {describe_found(authors[name], used)}\n")
    ADAPTERS.mkdir(exist_ok=True)
    path = ADAPTERS / f"{E5_ADAPTER}.npz"
    # Its signature takes the names of arrays for options.
    save: Any = np.savez_compressed
    arrays = {"reads": adapter.reads.astype(np.float16), "turns": adapter.turns.astype(np.float16)}
    save(path, **arrays, slope=adapter.slope, offset=adapter.offset)
    load_adapter.cache_clear()
    asked = sum(len(one.questions) for one in learned)
    sys.stdout.write(f"learned from {asked:,} questions: {path.name}, {path.stat().st_size:,} bytes, ")
    sys.stdout.write(f"cosines x {adapter.slope} + {adapter.offset}\n")
