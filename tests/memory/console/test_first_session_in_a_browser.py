"""Somebody who has never seen the console finds out why an answer was wrong, corrects it, undoes that, and measures it.

Each press of a button or a link is counted, and each field that is typed into: at six seconds each thirty take three
minutes. docs/console.md names the path and the counts.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.measuring.runs import perform_run
from memory.models import EndUser, Operator
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.web.labels import draw_arrow
from outcomes.exchanges.storing import NewExchange
from tests.memory.console.conftest import PASSWORD
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]

QUESTION = "Who is my dentist?"
WRONG = "My dentist is Dr. Brandt in Hill Street."
RIGHT = "Dr. Okafor in Mill Road looks after my teeth."
# With and without JavaScript, where two links ask whether the measuring has ended.
PRESSES = {True: 16, False: 18}
MOST_PRESSES = 30
# The name and the password; nothing else is typed.
TYPED = 2

memory = MemoryFacade("key:test")


@pytest.fixture
def wrong_answer(user: EndUser, operator: Operator, index_now: Callable[[EndUser], None]) -> None:
    for days, text in ((3, RIGHT), (1, WRONG)):
        memory.store(user, NewMemory(text, tier=Tier.HISTORY), now=timezone.now() - timedelta(days=days))
    index_now(user)
    turn_id = memory.compose_context(user, QUESTION, now=timezone.now(), thread_id="teeth").turn_id
    new = NewExchange("teeth", QUESTION, "Dr. Brandt in Hill Street.", turn_id=turn_id)
    memory.store_exchange(user, new, now=timezone.now())


@dataclass
class FirstSession:
    """What a person presses; without ``scripts`` by a browser that runs none."""

    there: Visit
    scripts: bool
    presses: int = 0
    typed: int = 0

    def press(self, selector: str) -> None:
        self.presses += 1
        with self.there.page.expect_navigation():
            self.there.page.locator(selector).first.click()
        if self.scripts:
            self.there.settle()

    def type_into(self, selector: str, words: str) -> None:
        self.typed += 1
        self.there.page.fill(selector, words)

    def tick(self, selector: str) -> None:
        self.presses += 1
        self.there.page.locator(selector).first.check()

    def sign_in(self) -> None:
        page = self.there.page
        page.goto(f"{self.there.base}/console/login")
        self.type_into("#id_username", "olga")
        self.type_into("#id_password", PASSWORD)
        self.press("button.main")

    def measure(self, user: EndUser) -> str:
        """Measure without a change, and read what the page says of it."""
        self.press(".nav a[href$='/measure']")
        self.press(".measure-form button.main")
        in_background(lambda: perform_runs(user))
        page = self.there.page
        if not self.scripts:
            self.press("noscript a, #run a.button")
        page.wait_for_selector("table.measured")
        return page.inner_text("#run")

    def open_wrong_memory(self) -> None:
        self.press(".nav a[href$='/replay']")
        self.press(f"a.row-link:has-text('{QUESTION}')")
        self.press(f"#rankings a.row-link:has-text('{WRONG}')")


def in_background(work: Callable[[], None]) -> None:
    """As a worker does it: Playwright's loop runs in the test's own thread, where Django refuses the database."""

    def work_and_close() -> None:
        try:
            work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(work_and_close).result(timeout=60)


def perform_runs(user: EndUser) -> None:
    for run in memory.list_measurings(user):
        perform_run(user, run.pk, clock=timezone.now)


@pytest.mark.parametrize("scripts", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_why_an_answer_was_wrong_is_found_corrected_undone_and_measured(
    user: EndUser, wrong_answer: None, visit: Callable[..., Visit], *, scripts: bool
) -> None:
    for browser in open_browser():
        session = FirstSession(visit(browser, java_script_enabled=scripts), scripts)
        page = session.there.page
        session.sign_in()
        session.press(".nav a[href$='/conversations']")
        session.press("a.row-link[href*='thread=teeth']")
        session.press("a[href*='/replay?turn=']")
        assert WRONG in page.locator("#rankings li").first.inner_text()
        session.tick(f"#rankings li:has-text('{RIGHT}') input[name=expected]")
        session.press("#rankings button[type=submit]")
        assert "place 2" in session.measure(user)
        session.open_wrong_memory()
        session.press("form[action$='/archive'] button")
        session.press(".banner form.undo button")
        session.press("form[action$='/archive'] button")
        assert f"place 2 {draw_arrow()} 1" in session.measure(user)
    assert (session.presses, session.typed) == (PRESSES[scripts], TYPED)
    assert session.presses + session.typed <= MOST_PRESSES
