"""The halves of a joined vector, weighed by what is asked."""

import math

import numpy as np
import pytest
from django.utils import timezone

from config.embedding_models import JOINED, MULTILINGUAL_E5, find_model
from memory.conf import EmbeddingConf, memory_conf
from memory.inference.base import Vector
from memory.retrieval.emphasis import OF_QUESTION, OF_REMARK, OF_UNREAD, Emphasis, choose_emphasis
from memory.retrieval.query import understand_query


def describe(name: str) -> EmbeddingConf:
    found = memory_conf().embedding_of(name)
    assert found is not None
    return found


def draw(number: int, near: Vector | None = None) -> Vector:
    """Both halves of a vector, at random or about as near to another as texts are."""
    halves = np.random.default_rng(number).normal(size=(2, 384)).astype(np.float32)
    if near is not None:
        halves = near * np.array([[40.0], [15.0 + number]], np.float32) + halves
    return halves / np.linalg.norm(halves, axis=1, keepdims=True)


def join(halves: Vector) -> Vector:
    share = find_model(JOINED).second_share
    return np.concatenate([halves[0] * (1 - share) ** 0.5, halves[1] * share**0.5]).astype(np.float32)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Where did my sister find her passport?", OF_QUESTION),
        ("I still count the stairs when the lift is out of order", OF_REMARK),
        ("Wo hat meine Schwester ihren Pass gefunden?", OF_UNREAD),
        ("Ich zähle immer noch die Stufen, wenn der Aufzug nicht fährt", OF_UNREAD),
        ("איפה הדרכון של אחותי?", OF_UNREAD),
    ],
)
def test_the_second_half_counts_as_far_as_it_reads_what_is_said(text: str, share: float) -> None:
    query = understand_query(text, (), timezone.now())

    assert choose_emphasis(query, describe(JOINED)).share == share
    assert choose_emphasis(query, describe(MULTILINGUAL_E5)).share is None


@pytest.mark.parametrize("share", [0.0, 0.15, 0.2, 0.8, 1.0])
def test_a_weighed_question_mixes_both_cosines(share: float) -> None:
    emphasis = Emphasis(describe(JOINED), share)
    asked = draw(1)
    told, other = draw(2, asked), draw(3, asked)
    weighed = emphasis.weigh(join(asked))

    assert np.linalg.norm(weighed) == pytest.approx(1, abs=1e-5)
    rows = (asked, told, other)
    mixed = [float((1 - share) * (asked[0] @ row[0]) + share * (asked[1] @ row[1])) for row in rows]
    read = [emphasis.read_distance(float(np.linalg.norm(weighed - join(row)))) for row in rows]
    assert len(set(read)) == 3
    assert sorted(range(3), key=lambda place: -mixed[place]) == sorted(range(3), key=lambda place: read[place])


def test_the_stored_mixture_is_read_as_any_other_distance() -> None:
    conf = describe(JOINED)
    stored = Emphasis(conf, conf.second_share)
    vector = join(draw(4))

    assert np.allclose(stored.weigh(vector), vector, atol=1e-6)
    for distance in (0.1, 0.5, 0.8, 1.2):
        assert stored.read_distance(distance) == pytest.approx(conf.calibrate_distance(distance, asked=True))


def test_either_model_alone_is_read_as_that_model() -> None:
    conf, e5 = describe(JOINED), describe(MULTILINGUAL_E5)
    # The first half's cosine stands in the product with its stored share.
    for cosine in (0.8, 0.85, 0.9):
        held = math.sqrt(2 - 2 * cosine * (1 - conf.second_share) ** 0.5)
        assert Emphasis(conf, 0.0).read_distance(held) == pytest.approx(
            e5.calibrate_distance(math.sqrt(2 - 2 * cosine), asked=True), abs=0.02
        )
    for cosine in (0.2, 0.5, 0.8):
        held = math.sqrt(2 - 2 * cosine * conf.second_share**0.5)
        assert Emphasis(conf, 1.0).read_distance(held) == pytest.approx(math.sqrt(2 - 2 * cosine))
