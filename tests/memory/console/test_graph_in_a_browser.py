"""The graph in a real browser, wide and narrow, light and dark: nothing sticks out, nothing complains, nodes open."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from knowledge_graph import tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Operator
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from outcomes.models import ActionTaken
from tests.factories import MemoryItemFactory
from tests.knowledge_graph.conftest import record_turn
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]

KEPT = [
    "My sister Dana lives in Berlin and works at Siemens",
    "Tom Becker visited Berlin and prefers PostgreSQL on Linux",
    "The user runs Docker and Redis on a Raspberry Pi in Haifa",
    "My friend Pedro lives in Madrid and uses Docker with Kubernetes",
    "אחותי דנה גרה בברלין ועובדת עם דוקר",
    "Project Atlas uses Django, PostgreSQL and Celery",
]
ASKED = [
    ("docker permission denied on the volume", Outcome.WORKED),
    ("postgres query is slow on the raspberry pi", Outcome.WORKED),
    ("how do I deploy Atlas with kubernetes", Outcome.FAILED),
    ("celery worker keeps crashing with redis", Outcome.PARTIAL),
    ("where does Dana live", Outcome.WORKED),
]


@pytest.fixture
def graph(user: EndUser, operator: Operator, place: str) -> str:
    memory, now = MemoryFacade(), timezone.now()
    early = NewMemory("My uncle Otto lives in Vienna", tier=Tier.MEMORY_BANK, tags=["context"])
    memory.store(user, early, now=now - timedelta(days=9))
    for text in KEPT:
        memory.store(user, NewMemory(text, tier=Tier.MEMORY_BANK, tags=["context"]), now=now)
    item = MemoryItemFactory.create(user=user, tier=Tier.PATTERNS, text="Look at the log of the container first")
    for query, outcome in ASKED:
        turn_id = record_turn(user, query, [item])
        with user_scope(user):
            ActionTaken.objects.create(
                user=user, turn_id=turn_id, action="search_memory", tiers=["patterns"], query=query, at=now
            )
        memory.record_outcome(user, outcome, now=now, turn_id=turn_id)
    tasks.learn_everything(user, now=now)
    return f"{place}/graph"


def test_the_graph_wide_and_narrow_light_and_dark(graph: str, visit: Callable[..., Visit]) -> None:
    for browser in open_browser():
        for width, scheme in ((1280, "light"), (390, "dark")):
            there = visit(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
            there.sign_in()
            there.open(graph)
            drawn = there.page.locator("svg.graph:visible")
            assert drawn.count() == 1
            drawn.locator("a.node-purple").first.click()
            there.page.wait_for_url("**name=**")
            there.page.wait_for_selector("#detail-title")
            there.settle()
            # By keyboard: a neighbour opens on Enter, the slider moves a day with each arrow.
            there.page.locator("svg.graph:visible a.node:not([aria-current])").first.focus()
            there.page.keyboard.press("Enter")
            there.page.wait_for_url("**name=**")
            there.open(graph)
            there.page.locator("#id_back").focus()
            there.page.keyboard.press("ArrowLeft")
            there.page.wait_for_url("**back=1**")
            there.page.wait_for_selector("text=as of")
            there.settle()
            there.open(graph.replace("/graph", "/timeline"))
            there.page.locator("h2 a").first.click()
            there.page.wait_for_selector("#state-title")
            there.page.wait_for_selector("text=facts held then")
            there.settle()
            there.page.context.close()
