"""What is near to a remark: what stands by itself before small talk, and no question."""

from collections.abc import Callable
from uuid import uuid4

import numpy as np
import pytest
from django.utils import timezone

from config.embedding_models import JOINED, JOINED_THREE, MINILM
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.models import EndUser
from memory.platform.faults import Unavailable
from memory.retrieval.crowding import measure_crowding
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.query import understand_query
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Tier

memory = MemoryFacade("key:test")
REMARK = "I could not sleep again last night, the house was so loud."


@pytest.mark.parametrize("name", [MINILM, JOINED, JOINED_THREE])
def test_a_vector_among_others_is_more_crowded_than_one_alone(name: str) -> None:
    conf = memory_conf().embedding_of(name)
    assert conf is not None
    drawn = np.random.default_rng(1).normal(size=(9, conf.dimensions)).astype(np.float32)
    drawn[1:8] += 3 * drawn[0]
    rows = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    ids = [uuid4() for _ in rows]

    emphasis = choose_emphasis(understand_query(REMARK, (), timezone.now()), conf)
    found = measure_crowding(dict(zip(ids, rows, strict=True)), emphasis)

    assert min(found, key=found.__getitem__) == ids[8]
    assert measure_crowding(dict(zip(ids[:5], rows[:5], strict=True)), emphasis) == {}


@pytest.mark.django_db
@pytest.mark.usefixtures("services")
def test_a_remark_calls_to_mind_what_was_told_and_not_what_was_asked(
    user: EndUser, index_now: Callable[[EndUser], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = [f"Good morning, did you sleep well on {day}?" for day in ("Monday", "Tuesday", "Sunday", "Friday")]
    talk += ["Could you sleep in that loud house with all the noise of the night around it and the trains?"]
    told = "The neighbours put up a drum kit right behind our bedroom wall."
    turns = [NewMemory(text, tier=Tier.HISTORY, thread_id="talk", speaker="Ann") for text in [*talk, told]]
    memory.store_many(user, turns, now=timezone.now())
    index_now(user)

    found = memory.search(user, SearchRequest(REMARK, limit=5), now=timezone.now())
    assert found.hits[0].item.text == told
    assert "crowding" in found.debug.stage_timings_ms
    asked = memory.search(user, SearchRequest("Why was the house loud?", limit=5), now=timezone.now())
    assert "crowding" not in asked.debug.stage_timings_ms

    def away(*_: object) -> None:
        raise Unavailable("vector", "away")

    monkeypatch.setattr(vector_index(), "fetch_vectors", away)
    without = memory.search(user, SearchRequest(REMARK, limit=5), now=timezone.now())
    assert without.debug.fallbacks_used == ["crowding_skipped"]
    assert without.hits
