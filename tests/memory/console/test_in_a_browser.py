"""The console in a real browser: wide and narrow, light and dark, with keys, and with hostile text on the page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from books.jobs import NewUpload
from memory.access.scope import user_scope
from memory.console.memories import PAGE
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Operator
from memory.store.admission import NewMemory
from memory.tiers import Status, Tier
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import PASSWORD
from tests.memory.console.hostile_texts import PAYLOADS
from tests.memory.console.test_books import read_now
from tests.memory.console.test_hostile_text import name_fact, write_everywhere

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NOTES = [
    "The reading lamp is repaired on Thursdays at the shop in Allenby Street",
    "אלמה אלרגית לאגוזי קשיו ויש לה תמיד אפיפן בתיק",
    "The lamp " + "https://example.org/" + "x" * 300,
]

# Somebody as quick as can be: presses what has the focus the moment the page tells what it did.
PRESS_WHEN_TOLD = """
    new MutationObserver((changes, watch) => {
        watch.disconnect();
        window.pressed = document.activeElement.textContent.trim();
        document.activeElement.click();
    }).observe(document.getElementById("news"), { childList: true });
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]

# Playwright's loop runs in the test's own thread, where Django would refuse to ask the database: rows are made
# before a browser is opened and read after it is closed.


@dataclass
class Visit:
    """A page, and everything about it that should not have happened."""

    page: Page
    base: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self.refuse)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.add_init_script(
            "document.addEventListener('securitypolicyviolation',"
            " event => console.error('csp: ' + event.violatedDirective))"
        )

    def hear(self, said: ConsoleMessage) -> None:
        if said.type in {"error", "warning"}:
            self.complaints.append(said.text)

    def refuse(self, dialog: Dialog) -> None:
        self.complaints.append("a dialog opened")
        dialog.dismiss()

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_load_state("load")
        wider = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, f"{self.page.url} is {wider} pixels wider than the screen"
        assert not self.complaints

    def follow(self, selector: str) -> None:
        """Click on what leads to another page, and wait for that page."""
        with self.page.expect_navigation():
            self.page.locator(selector).first.click()
        self.settle()

    def sign_in(self) -> None:
        self.open("/console/login")
        self.page.fill("#id_username", "olga")
        self.page.fill("#id_password", PASSWORD)
        self.follow("button.main")


@pytest.fixture
def notes(user: EndUser, operator: Operator, index_now: Callable[[EndUser], None]) -> None:
    for text in NOTES:
        MemoryFacade().store(user, NewMemory(text, tier=Tier.HISTORY, tags=["home"]), now=timezone.now())
    index_now(user)


@pytest.fixture
def visit(live_server: LiveServer) -> Callable[..., Visit]:
    def visiting(browser: Browser, **options: object) -> Visit:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(15_000)
        visit = Visit(context.new_page(), live_server.url)
        visit.watch()
        return visit

    return visiting


def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def test_search_works_wide_and_narrow_light_and_dark(notes: None, visit: Callable[..., Visit], place: str) -> None:
    for browser in open_browser():
        for width, scheme in ((1280, "light"), (390, "dark")):
            there = visit(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
            visit_every_page(there, place)
            there.page.context.close()


def test_a_context_is_read_wide_and_narrow_and_leads_to_the_search(
    notes: None, visit: Callable[..., Visit], place: str
) -> None:
    for browser in open_browser():
        for width, scheme in ((1280, "dark"), (390, "light")):
            there = visit(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
            there.sign_in()
            there.open(f"{place}/context")
            there.page.fill("#id_query", "Who repairs the reading lamp?")
            there.page.click("button.main")
            there.page.wait_for_selector(".verbatim")
            there.settle()
            assert NOTES[0] in there.page.locator("#found").inner_text()
            there.follow("text=Search for it")
            assert there.page.input_value("#id_query") == "Who repairs the reading lamp?"
            there.page.context.close()


def visit_every_page(there: Visit, place: str) -> None:
    page = there.page
    there.sign_in()
    assert page.url.endswith(place)
    page.keyboard.press("/")
    page.keyboard.type("who repairs the reading lamp")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    there.settle()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.wait_for_selector(".hit :focus")

    # A narrower search replaces the results and the address, not the page.
    page.evaluate("window.same = true")
    page.check("input[value=history]")
    page.wait_for_url("**tiers=history**")
    assert page.evaluate("window.same") is True
    page.locator(".hit .why summary").first.click()
    page.wait_for_selector(".hit .why .explanation:has-text('nearest in meaning')")
    # What a number means is a cell of the table, and stood there in the box of a note.
    assert page.locator(".hit .why td.meaning").first.evaluate("cell => getComputedStyle(cell).boxShadow") == "none"
    there.settle()

    there.follow(".hit-link")
    page.wait_for_selector(".user-text.full")
    for path in ("/memories", "/memories?tag=home", ""):
        there.open(place + path)
    there.open("/console/people")


def test_keys_dialogs_and_the_theme(notes: None, visit: Callable[..., Visit], place: str) -> None:
    for browser in open_browser():
        there = visit(browser, color_scheme="light")
        page = there.page
        there.sign_in()
        page.keyboard.press("?")
        page.wait_for_selector("#shortcuts", state="visible")
        page.keyboard.press("Escape")
        page.wait_for_selector("#shortcuts", state="hidden")

        # A word that is explained, by keyboard alone.
        page.focus(".words .term >> nth=0")
        page.keyboard.press("Enter")
        page.wait_for_selector(".words .meaning >> nth=0", state="visible")
        page.keyboard.press("Escape")
        page.wait_for_selector(".words .meaning >> nth=0", state="hidden")

        page.click(".rail .themes button[value=dark]")
        page.wait_for_selector("html[data-theme=dark]")
        page.reload()
        assert 'data-theme="dark"' in page.evaluate("fetch(location.href).then(answer => answer.text())")
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
        there.settle()


def test_a_memory_is_archived_in_place(notes: None, visit: Callable[..., Visit], place: str, user: EndUser) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/memories?q=Allenby")
        there.follow(".row-link")
        page.click("text=Delete")
        # A second Enter must not delete for good.
        page.wait_for_selector(".confirm a:focus:text('Cancel')")
        page.click("text=Cancel")
        page.wait_for_selector("text=Edit")
        there.follow("button:has-text('Archive')")
        page.wait_for_selector("text=The memory was archived.")
        there.follow("text=Edit")
        page.fill("#id_text", " ")
        page.click("text=Save")
        page.wait_for_selector(".errorlist")
        # The browser itself notes every answer of 422.
        there.complaints = [said for said in there.complaints if "422" not in said]
        there.settle()
    with user_scope(user):
        assert MemoryItem.objects.filter(status=Status.ARCHIVED, text=NOTES[0]).exists()


def test_what_is_swapped_in_is_told_and_the_focus_stays_at_the_place(
    notes: None, visit: Callable[..., Visit], place: str, user: EndUser
) -> None:
    MemoryItemFactory.create_batch(PAGE + 1, user=user)
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/search")
        page.fill("#id_query", "who repairs the reading lamp")
        page.keyboard.press("Enter")
        hear_news(page, " memories")
        page.evaluate(PRESS_WHEN_TOLD)
        page.locator(".hit button").first.click()
        hear_news(page, "The memory was restored.")
        assert page.evaluate("pressed") == "Undo"
        assert focused_element(page) == "Open"

        there.open(f"{place}/memories")
        page.focus("#pager a")
        page.keyboard.press("Enter")
        page.wait_for_selector(f".rows > li:nth-child({PAGE + 1}) a.row-link:focus")

        there.follow(".row-link")
        there.follow("text=Edit")
        page.fill("#id_text", "words that nobody saved yet")
        with page.expect_event("dialog"):
            page.click("text=Memories >> nth=0", no_wait_after=True)
        assert there.complaints == ["a dialog opened"]
        assert page.input_value("#id_text") == "words that nobody saved yet"


def hear_news(page: Page, words: str) -> None:
    """What a screen reader is told comes last: the focus is where it will be."""
    page.wait_for_selector(f"#news:has-text('{words}')", state="attached")


def focused_element(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent")).strip()


def test_everything_works_without_javascript(notes: None, visit: Callable[..., Visit], place: str) -> None:
    for browser in open_browser():
        there = visit(browser, java_script_enabled=False)
        page = there.page
        page.goto(f"{there.base}/console/login")
        page.fill("#id_username", "olga")
        page.fill("#id_password", PASSWORD)
        page.click("button.main")
        page.fill("#ask", "reading lamp")
        page.press("#ask", "Enter")
        page.click(".hit-link >> nth=0")
        page.wait_for_selector(".user-text.full")
        page.click("button:has-text('Archive')")
        page.wait_for_selector("text=The memory was archived.")
        page.click(".rail .themes button[value=dark]")
        page.wait_for_selector("html[data-theme=dark]")
        page.click(".rail button:text('Sign out')")
        page.wait_for_url("**/console/login")


def test_hostile_text_runs_nothing_and_asks_for_nothing(
    user: EndUser, operator: Operator, visit: Callable[..., Visit], place: str
) -> None:
    items = [write_everywhere(user, payload) for payload in PAYLOADS]
    for browser in open_browser():
        there = visit(browser)
        there.sign_in()
        for path in [
            "",
            "/memories",
            "/memories?status=archived",
            "/search?query=lamp&limit=50",
            "/facts",
            "/facts/reviews",
        ]:
            there.open(place + path)
        for item in items[::4]:
            there.open(f"{place}/memories/{item.pk}")
            there.open(f"{place}/memories/{item.pk}/edit")
            there.open(f"{place}/facts/{name_fact(item)}")
        # The last page has loaded what it names; a turn of its loop later it has run what it would run.
        there.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        assert not there.complaints
        assert not [url for url in there.requests if "stolen" in url or "evil" in url]


def test_what_waits_is_confirmed_in_its_row(
    user: EndUser, operator: Operator, place: str, visit: Callable[..., Visit]
) -> None:
    """The whole row is a link; the buttons lie above it."""
    MemoryItemFactory.create(user=user, banked=True, text="It's raining.", warnings=["passing state"], review=True)
    for browser in open_browser():
        there = visit(browser, viewport={"width": 390, "height": 800})
        there.sign_in()
        there.open(f"{place}/memories?status=review")
        there.page.get_by_role("button", name="Confirm").click()
        there.page.wait_for_selector("main :text('Nothing to review')")
        there.settle()
    with user_scope(user):
        assert MemoryItem.objects.get().review is False


@pytest.mark.parametrize("width", [1280, 390])
def test_a_button_of_a_row_is_reached_by_the_mouse(
    user: EndUser, operator: Operator, place: str, visit: Callable[..., Visit], width: int
) -> None:
    read_now(user, NewUpload(b"Lamps burn all night.\n" * 40, "lamps.txt", "The book of lamps"))
    for browser in open_browser():
        there = visit(browser, viewport={"width": width, "height": 800})
        there.sign_in()
        there.open(f"{place}/books")
        there.follow("a:has-text('Remove')")
        assert there.page.url.endswith("/remove")
