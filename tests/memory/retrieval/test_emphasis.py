"""The parts of a joined vector, weighed by what is asked."""

import math

import numpy as np
import pytest
from django.utils import timezone

from config.embedding_models import JOINED, JOINED_THREE, MULTILINGUAL_E5
from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.inference.base import Vector
from memory.inference.emphasis import Emphasis
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.query import understand_query

PARTS = {JOINED: (384, 384), JOINED_THREE: (384, 384, 128)}
# Of the models behind the first.
MIXTURES: dict[str, list[tuple[float, ...]]] = {
    JOINED: [(0.0,), (0.15,), (0.2,), (0.8,), (1.0,)],
    JOINED_THREE: [(0.0, 0.0), (0.1, 0.05), (0.15, 0.05), (0.4, 0.4), (0.0, 1.0)],
}
CASES = [(name, shares) for name, mixtures in MIXTURES.items() for shares in mixtures]


def describe(name: str) -> EmbeddingConf:
    found = memory_conf().embedding_of(name)
    assert found is not None
    return found


def list_stored(name: str) -> list[float]:
    behind = [part.stored for part in describe(name).following]
    return [1 - sum(behind), *behind]


def draw(name: str, number: int, near: list[Vector] | None = None) -> list[Vector]:
    """The parts of a vector, at random or about as near to another as texts are."""
    random = np.random.default_rng(number)
    parts = [random.normal(size=width).astype(np.float32) for width in PARTS[name]]
    if near is not None:
        pulls = (40.0, 15.0 + number, 9.0 - number)
        parts = [pull * other + part for pull, other, part in zip(pulls, near, parts, strict=False)]
    return [part / np.linalg.norm(part) for part in parts]


def join(name: str, parts: list[Vector]) -> Vector:
    return np.concatenate([part * share**0.5 for part, share in zip(parts, list_stored(name), strict=True)])


@pytest.mark.parametrize(
    ("text", "of_two", "of_three"),
    [
        ("Where did my sister find her passport?", (0.2,), (0.15, 0.05)),
        ("I still count the stairs when the lift is out of order", (0.8,), (0.4, 0.4)),
        ("Wo hat meine Schwester ihren Pass gefunden?", (0.0,), (0.0, 0.05)),
        ("Ich zähle immer noch die Stufen, wenn der Aufzug nicht fährt", (0.0,), (0.0, 0.4)),
        ("איפה הדרכון של אחותי?", (0.0,), (0.0, 0.0)),
    ],
)
def test_a_model_counts_as_far_as_it_reads_what_is_said(
    text: str, of_two: tuple[float, ...], of_three: tuple[float, ...]
) -> None:
    query = understand_query(text, (), timezone.now())

    assert choose_emphasis(query, describe(JOINED)).shares == of_two
    assert choose_emphasis(query, describe(JOINED_THREE)).shares == of_three
    assert choose_emphasis(query, describe(MULTILINGUAL_E5)).shares == ()


@pytest.mark.parametrize(("name", "shares"), CASES)
def test_a_weighed_question_mixes_all_cosines(name: str, shares: tuple[float, ...]) -> None:
    emphasis = Emphasis(describe(name), shares)
    asked = draw(name, 1)
    rows = (asked, draw(name, 2, asked), draw(name, 3, asked))
    weighed = emphasis.weigh(join(name, asked))

    assert np.linalg.norm(weighed) == pytest.approx(1, abs=1e-5)
    mixed = [
        sum(
            share * float(one @ other) for share, one, other in zip((1 - sum(shares), *shares), asked, row, strict=True)
        )
        for row in rows
    ]
    read = [emphasis.read_distance(float(np.linalg.norm(weighed - join(name, row)))) for row in rows]
    assert len(set(read)) == 3
    assert sorted(range(3), key=lambda place: -mixed[place]) == sorted(range(3), key=lambda place: read[place])
    # Two stored vectors are compared by the same mixture.
    compared = emphasis.compare_rows(np.stack([join(name, row) for row in rows]))
    assert np.argsort(-compared[0]).tolist() == sorted(range(3), key=lambda place: -mixed[place])


@pytest.mark.parametrize("name", [JOINED, JOINED_THREE])
def test_the_stored_mixture_is_read_as_any_other_distance(name: str) -> None:
    conf = describe(name)
    stored = Emphasis(conf, tuple(part.stored for part in conf.following))
    vector = join(name, draw(name, 4))

    assert np.allclose(stored.weigh(vector), vector, atol=1e-6)
    for distance in (0.1, 0.5, 0.8, 1.2):
        assert stored.read_distance(distance) == pytest.approx(conf.calibrate_distance(distance, asked=True))


@pytest.mark.parametrize("name", [JOINED, JOINED_THREE])
def test_each_model_alone_is_read_as_that_model(name: str) -> None:
    conf, e5 = describe(name), describe(MULTILINGUAL_E5)
    first, *behind = list_stored(name)
    # The first part's cosine stands in the product with its stored share.
    for cosine in (0.8, 0.85, 0.9):
        held = math.sqrt(2 - 2 * cosine * first**0.5)
        assert Emphasis(conf, (0.0,) * len(behind)).read_distance(held) == pytest.approx(
            e5.calibrate_distance(math.sqrt(2 - 2 * cosine), asked=True), abs=0.02
        )
    for place, stored in enumerate(behind):
        alone = Emphasis(conf, tuple(float(other == place) for other in range(len(behind))))
        for cosine in (0.2, 0.5, 0.8):
            held = math.sqrt(2 - 2 * cosine * stored**0.5)
            assert alone.read_distance(held) == pytest.approx(math.sqrt(2 - 2 * cosine))
