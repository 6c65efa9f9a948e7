"""What a person writes into the bank becomes a fact, by whatever door and whatever its source says."""

from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts.changes import DUE
from memory.lifecycle import learning
from memory.models import EndUser, Fact
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("source", [{}, {"kind": "tool"}, {"type": "import"}])
@pytest.mark.parametrize("written_only", [True, False])
def test_a_written_item_is_due_and_read(
    user: EndUser, clock: Clock, source: dict[str, Any], *, written_only: bool
) -> None:
    memory.store(user, NewMemory("I live in Leeds.", Tier.MEMORY_BANK, tags=["identity"], source=source), now=clock())
    assert DUE.is_due(user, clock())
    assert learning.learn_bank_items(user, now=clock(), written_only=written_only) == 1
    with user_scope(user):
        assert [(fact.relation, fact.object) for fact in Fact.objects.for_user(user).active()] == [
            ("lives_in", "leeds")
        ]
