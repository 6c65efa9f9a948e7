"""Facts in a real browser: pairs decided by keys, the focus, and everything without JavaScript."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.console.facts import PAGE
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, FactReview, Operator
from memory.models.facts import FactState
from tests.memory.console.conftest import PASSWORD
from tests.memory.console.test_fact_reviews import list_states, open_pair
from tests.memory.console.test_facts import insert_facts
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, focused_element, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def pairs(user: EndUser, operator: Operator) -> list[FactReview]:
    """The first of them stands above the second."""
    second = open_pair(user)
    return [open_pair(user, "I sing in a choir on Mondays.", "My bank is called Halden."), second]


def test_pairs_are_decided_by_keys_and_only_the_one_in_focus(
    pairs: list[FactReview], visit: Callable[..., Visit], place: str
) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/facts/reviews")
        assert page.inner_text(".nav .waiting") == "2"
        # The first has the focus from the start.
        page.keyboard.press("1")
        page.wait_for_selector("#news:has-text('The newer one is current')", state="attached")
        assert focused_element(page) == "Open the fact"
        assert page.inner_text(".nav .waiting") == "1"
        assert page.inner_text("#open-pairs") == "1 pair"
        assert page.inner_text("#kinds [aria-current] .figures") == "1"
        page.keyboard.press("4")
        assert page.locator("article.pair").count() == 1
        page.keyboard.press("j")
        page.keyboard.press("3")
        page.wait_for_selector(".moved >> nth=1")
        page.wait_for_selector("#to-review", state="hidden")
        there.settle()
    assert list_states(pairs[0]) == (FactState.ACTIVE, FactState.SUPERSEDED)
    assert list_states(pairs[1]) == (FactState.ACTIVE, FactState.ACTIVE)


def test_the_focus_stays_at_the_place_and_enter_never_forgets(
    user: EndUser, operator: Operator, visit: Callable[..., Visit], place: str
) -> None:
    insert_facts(user, PAGE + 2)
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/facts")
        page.focus("#pager a")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Habit number 41 of mine.")
        links = "[...document.querySelectorAll('.rows a.row-link')].indexOf(document.activeElement)"
        assert page.evaluate(links) == PAGE
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.click("text=Forget")
        page.wait_for_selector(".confirm a:focus:text('Cancel')")
        page.keyboard.press("Enter")
        page.wait_for_selector(".actions :focus:text('Forget')")
        there.follow("text=Correct")
        page.fill("#id_statement", "My password is the name of my dog")
        page.click("text=Save")
        page.wait_for_selector(".errorlist")
        # The browser itself notes every answer of 422.
        there.complaints = [said for said in there.complaints if "422" not in said]
        there.settle()
    with user_scope(user):
        assert Fact.objects.active().count() == PAGE + 2


def test_a_key_takes_back_what_was_decided_last_wherever_the_focus_is(
    pairs: list[FactReview], visit: Callable[..., Visit], place: str
) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/facts/reviews")
        for key, moved in (("4", 1), ("j", 1), ("1", 2)):
            page.keyboard.press(key)
            page.wait_for_selector(f".moved >> nth={moved - 1}")
        # Both are decided: the first press takes back the second, and the next, on the page that leads to, the first.
        for waiting in ("1", "2"):
            with page.expect_navigation():
                page.keyboard.press("u")
            there.settle()
            assert "Taken back: it waits again." in page.inner_text("main")
            assert page.inner_text(".nav .waiting") == waiting
        # Nothing is left to take back.
        page.keyboard.press("u")
        assert page.locator("article.pair").count() == 2
    for pair in pairs:
        assert list_states(pair) == (FactState.ACTIVE, FactState.ACTIVE)


def test_facts_work_without_javascript(
    pairs: list[FactReview], user: EndUser, visit: Callable[..., Visit], place: str
) -> None:
    stated = MemoryFacade().state_fact(user, "I play the cello.", now=timezone.now()).fact
    assert stated is not None
    for browser in open_browser():
        there = visit(browser, java_script_enabled=False)
        page = there.page
        page.goto(f"{there.base}/console/login")
        page.fill("#id_username", "olga")
        page.fill("#id_password", PASSWORD)
        page.click("button.main")
        page.click(".nav >> text=Facts")
        page.fill("#id_q", "cello")
        page.click("button:has-text('Apply')")
        page.click("text=I play the cello.")
        for button, said in (("Confirm", "was confirmed"), ("Reject", "was rejected"), ("Undo", "is current again")):
            page.click(f".actions >> text={button}")
            page.wait_for_selector(f".banner >> text={said}")
        page.click("text=Forget")
        page.click("text=Forget for good")
        page.wait_for_selector("text=The fact was forgotten.")
        page.click(".nav >> text=Review")
        page.click("button:has-text('Keep both') >> nth=0")
        page.wait_for_selector("text=Both stay current.")
    with user_scope(user):
        assert Fact.objects.get(pk=stated.pk).state == FactState.FORGOTTEN
