"""Every page for everybody: nothing sticks out on a phone, every control has a name, every text can be read."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from knowledge_graph import tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import DailyMetrics, DriftReport, EndUser, Fact, FactReview, Operator, ReindexRun
from memory.models.facts import ReviewKind
from memory.store.admission import NewMemory
from memory.tiers import Indexing, Outcome, Tier, Trust
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.factories import MemoryItemFactory
from tests.memory.console import test_access
from tests.memory.console.axe import COLOURS, EVERY_RULE, find_hindrances, load_with_each_page
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]

CHECKS = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
WIDTHS = (1280, 390)
# Each differs from the one before in one thing, which is what changing a look costs: 30 ms for a width, 11 for colours.
LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (1280, "dark"), (390, "dark"), (390, "light")]
WHILE_ASKING = """() => Object.fromEntries([...document.querySelectorAll("[hx-trigger^=every]")].map(part => {
    part.classList.add("htmx-request");
    return [part.id, getComputedStyle(part).opacity];
}))"""
LONG = "x" * 3000
HEBREW = "אלמה אלרגית לאגוזי קשיו ויש לה תמיד אפיפן בתיק. " * 60
PAGES = [
    *("", "/search", "/search?query=lamp", "/search?query=%D7%90%D7%9C%D7%9E%D7%94", "/context", "/context?query=lamp"),
    *("/recall", "/recall?query=lamp", "/recall?query=lamp&bias=planning&most=1", "/recall?calls=x"),
    *("/memories", "/memories?status=archived", "/memories?status=failed", "/memories?tier=nowhere"),
    *("/memories?status=review", "/memories/{suspect}"),
    *("/conversations", "/conversations?thread=kitchen", "/conversations?thread=nothing"),
    "/conversations?thread=" + "z" * 180,
    *("/hot", "/hot?thread=kitchen"),
    *("/graph", "/graph?name=docker", "/graph?start=docker&end=berlin", "/graph?time=session"),
    *(
        "/memories/{long}",
        "/memories/{hebrew}",
        "/memories/{failed}",
        "/memories/{failed}/edit",
        "/memories/{long}/pin",
    ),
    *("/memories/{long}/delete", "/memories/{foreign}/vouch", "/memories/{foreign}"),
    *("/record", "/facts", "/facts?state=all", "/facts?state=superseded", "/facts?q=zebra", "/facts?as_of=nonsense"),
    *(
        "/facts/reviews",
        "/facts/reviews/suspected",
        "/inbox/duplicates",
        "/inbox/redactions",
        "/facts/{current}",
        "/facts/{superseded}",
        "/facts/{wide}",
        "/facts/{rejected}",
    ),
    *("/facts/{current}/correct", "/facts/{wide}/forget", "/memories/{told}"),
    *("/personality", "/personality?template=teacher", "/replay", "/replay?query=lamp&skip=vector"),
]
# Some answers of the console are files.
MEMBERS_PAGES = [page for page in test_access.PAGES if not page.endswith((".yaml", ".jsonl"))]
OF_ALL = [
    *("/console/people", "/console/people?q=nobody", "/console/health", "/console/operations", "/console/nothing"),
    *("/console/settings", "/console/keys", "/console/members", "/console/configuration", "/console/model-calls"),
    *("/console/mcp", "/console/data", "/console/data?q=an", "/console/acme/ann/erase", "/console/glossary"),
]

OF_MANY_WORDS = [
    *("", "/search?query=lamp", "/facts", "/inbox/duplicates", "/timeline", "/graph", "/bank", "/connect"),
    *("/measure", "/transfer", "/personality"),
]


@pytest.fixture
def pages(user: EndUser, other_user: EndUser, operator: Operator, place: str) -> list[str]:
    """The addresses of pages with something on each, and of those of somebody of whom nothing is known."""
    memory, now = MemoryFacade(), timezone.now()
    wide = NewMemory(
        LONG,
        tier=Tier.HISTORY,
        speaker="w" * 150,
        tags=["y" * 60],
        thread_id="z" * 180,
        metadata={"k" * 60: LONG, "a": {"b": 1}},
    )
    items = {
        "long": memory.store(user, wide, now=now).item,
        "hebrew": memory.store(user, NewMemory(HEBREW, tier=Tier.PATTERNS, tags=["תגית"]), now=now).item,
        "failed": MemoryItemFactory.create(user=user, indexing=Indexing.FAILED, index_error=LONG[:300]),
        "suspect": MemoryItemFactory.create(
            user=user, banked=True, text="w" * 200, warnings=["rule override", "passing state"], review=True
        ),
        "foreign": MemoryItemFactory.create(user=user, text="<b>lamp</b>", trust=Trust.EXTERNAL, parents=[]),
    }
    memory.revise(user, items["long"].pk, {"text": f"{LONG} and more"}, now=now)
    memory.record_outcome(user, Outcome.FAILED, now=now, related=[str(items["hebrew"].pk)])
    memory.archive(user, MemoryItemFactory.create(user=user, text="an old lamp").pk, now=now)
    for text in ("My sister Dana lives in Berlin", "The user runs Docker and Redis in Haifa"):
        memory.store(user, NewMemory(text, tier=Tier.MEMORY_BANK, tags=["context"], always_inject=True), now=now)
    talk(user)
    tasks.learn_everything(user, now=now)
    run_an_installation()
    known = keep_facts(user)
    empty = f"/console/{other_user.organization.slug}/{other_user.external_id}"
    ids = {name: item.pk for name, item in items.items()} | known | {"id": items["long"].pk}
    return [
        *dict.fromkeys(place + page.format(**ids) for page in [*PAGES, *MEMBERS_PAGES]),
        *(empty + page for page in ("", "/search?query=lamp", "/context?query=lamp")),
        *(empty + page for page in ("/memories", "/conversations", "/graph", "/facts", "/facts/reviews")),
        *OF_ALL,
    ]


def keep_facts(user: EndUser) -> dict[str, uuid.UUID]:
    """Facts of every state, one as wide as can be, and a pair that waits for a decision; their ids by name."""
    memory, now = MemoryFacade("key:app"), timezone.now()
    told = memory.store_exchange(user, NewExchange("moving", "I live in Leeds.", "I see."), now=now)
    profiling.profile_due_exchanges(user, now=now)
    for statement in ("I live in York.", "אני אלרגית לבוטנים", "My cat Mimi is 12 years old."):
        memory.state_fact(user, statement, now=now)
    rejected = memory.state_fact(user, "I play the cello.", now=now).fact
    assert rejected is not None
    memory.reject_fact(user, rejected.pk, now=now)
    with user_scope(user):
        current, old = (Fact.objects.get(user=user, object_key=key) for key in ("york", "leeds"))
        wide = Fact.objects.get(user=user, subject_key="mimi")
        Fact.objects.filter(pk=wide.pk).update(statement=LONG[:1000], subject="w" * 200, object="v" * 200)
        FactReview.objects.create(user=user, fact=wide, other=current, kind=ReviewKind.UNSURE)
    assert told.memory_id is not None
    ids = {"superseded": old.pk, "current": current.pk, "wide": wide.pk, "rejected": rejected.pk}
    return ids | {"told": told.memory_id}


def talk(user: EndUser) -> None:
    memory, now = MemoryFacade(), timezone.now()
    tools = [{"name": "t" * 100, "ok": False, "ms": 91_234.0, "error": "out of time"}]
    for question in ("docker: permission denied on the volume", "מי מתקן את המנורה?", "w" * 400):
        reported = memory.store_exchange(user, NewExchange("kitchen", question, LONG[:900], tools=tools), now=now)
        memory.record_outcome(user, Outcome.WORKED, now=now, exchange_id=reported.exchange_id)


def run_an_installation() -> None:
    now = timezone.now()
    counts = {"searches|high|": 7e3, "hits|history|": 2e4, "stage|total|5": 7e3, "fallbacks|embed|": 12}
    DailyMetrics.objects.create(day=now.date(), counts=counts)
    name = "memories_v1_0123456789abcdef"
    ReindexRun.objects.create(collection=name, state="paused", rows_total=90_000, rows_done=4_000, error=LONG[:300])
    for fields in ({"quarantine": ["a"], "found": {"foreign": 1}}, {"problem": LONG[:300]}, {"finished_at": now}):
        DriftReport.objects.create(mode="full", **fields)


def is_narrow(page: Page) -> bool:
    return page.viewport_size is not None and page.viewport_size["width"] == WIDTHS[-1]


def widen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})


def look_at(page: Page, path: str) -> list[str]:
    """What is wrong with a page, wide and narrow, light and dark: loaded once, the look is the browser's alone.

    Begins with the look that the page before was left in.
    """
    complaints = []
    left_in = None
    for width, scheme in reversed(LOOKS) if is_narrow(page) else LOOKS:
        if is_narrow(page) is not (width == WIDTHS[-1]):
            widen(page, width)
        if scheme != left_in:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            left_in = scheme
        found = page.evaluate(CHECKS)
        if width == WIDTHS[0]:
            found += find_hindrances(page, EVERY_RULE if scheme == "light" else COLOURS)
        complaints += [f"{path}, {width}, {scheme}: {said}" for said in found]
    return complaints


def look_in_other_languages(there: Visit, paths: list[str]) -> list[str]:
    """From right to left, and in the language of the longest words, for the pages that hold the most of them."""
    complaints = []
    for language in ("he", "de"):
        there.page.context.add_cookies([{"name": "commonplace_language", "value": language, "url": there.base}])
        for path in paths:
            there.page.goto(there.base + path)
            for width in reversed(WIDTHS) if is_narrow(there.page) else WIDTHS:
                widen(there.page, width)
                complaints += [f"{path} in {language}, {width}: {said}" for said in there.page.evaluate(CHECKS)]
    return complaints


def test_every_page_can_be_read_and_used(user: EndUser, pages: list[str], visit: Callable[..., Visit]) -> None:
    complaints = []
    _link, token = MemoryFacade().make_personal_link(user, timedelta(days=1), now=timezone.now())
    in_many_words = [*(pages[0] + path for path in OF_MANY_WORDS), f"/me/{token}", "/me/memories", "/me/everything"]
    for browser in open_browser():
        there = visit(browser)
        load_with_each_page(there.page)
        widen(there.page, WIDTHS[0])
        there.open("/console/login")
        complaints += look_at(there.page, "/console/login")
        there.sign_in()
        for path in pages:
            came = there.page.goto(there.base + path)
            assert came is not None
            if came.status >= 500:
                complaints.append(f"{path}: answered {came.status}")
            there.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
            complaints += look_at(there.page, path)
        complaints += look_in_other_languages(there, in_many_words)
    assert complaints == []


def test_what_refreshes_itself_does_not_fade_meanwhile(
    user: EndUser, operator: Operator, place: str, visit: Callable[..., Visit]
) -> None:
    MemoryItemFactory.create(user=user, indexing=Indexing.PENDING)
    for browser in open_browser():
        there = visit(browser)
        there.open("/console/login")
        there.sign_in()
        there.page.goto(there.base + place)
        assert there.page.evaluate(WHILE_ASKING) == {"indexing": "1", "health": "1"}
