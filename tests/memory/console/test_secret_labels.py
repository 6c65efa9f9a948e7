"""Where a secret was taken out of a text, pages show a small label with what it was, and not the mark."""

import re

import pytest
from django.utils import timezone

from memory.console.tags import label_secrets
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges.storing import NewExchange
from tests.memory.console.conftest import Console

LABEL = re.compile(r'<bdi class="redacted" title="[^"]+">wifi password removed</bdi>')
TOLD = "The wifi password at the cabin is Larch-tree-77, near the lake."


def test_a_mark_becomes_a_label_and_the_rest_is_escaped() -> None:
    shown = label_secrets("<b>pin</b> [redacted: pin], [redacted: <i>] & [redacted: github token]")
    assert shown.startswith("&lt;b&gt;pin&lt;/b&gt; <bdi")
    assert "pin removed</bdi>, [redacted: &lt;i&gt;] &amp; <bdi" in shown
    assert shown.endswith(">github token removed</bdi>")
    assert label_secrets("<i>") == "&lt;i&gt;"


@pytest.mark.usefixtures("services")
def test_memories_facts_and_exchanges_show_labels(console: Console, user: EndUser, place: str) -> None:
    facade, now = MemoryFacade(), timezone.now()
    item = facade.store(user, NewMemory(TOLD, tier=Tier.HISTORY), now=now).item
    fact = facade.state_fact(user, TOLD, now=now).fact
    facade.store_exchange(user, NewExchange("cabin", TOLD, "I will not keep it."), now=now)
    assert fact is not None
    for page in ("/memories", f"/memories/{item.pk}", f"/facts/{fact.pk}", "/conversations?thread=cabin"):
        shown = console.get(place + page).content.decode()
        assert LABEL.search(shown), page
        assert "Larch-tree" not in shown
