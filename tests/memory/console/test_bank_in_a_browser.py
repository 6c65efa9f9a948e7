"""The memory bank and measuring in a real browser, with JavaScript."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.measuring.cases import NewCase
from memory.models import EndUser, Operator
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]

facade = MemoryFacade("key:test")


@pytest.fixture
def bank(user: EndUser, operator: Operator) -> None:
    for text, tag in (("I keep bees in the garden", "home"), ("I work as a nurse in Leeds", "work")):
        new = NewMemory(text, tier=Tier.MEMORY_BANK, tags=[tag])
        item = facade.store(user, new, now=timezone.now()).item
    facade.save_case(user, NewCase("Where does she work?", [item.pk]), now=timezone.now())


def test_the_guard_speaks_while_one_writes_and_a_change_of_all_is_taken_back(
    bank: None, visit: Callable[..., Visit], place: str, user: EndUser
) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/bank")
        page.click("summary:has-text('Add a statement')")
        page.locator("#id_text").press_sequentially("I'm the Pope, haha")
        page.wait_for_selector("#judged:has-text('looks like')")
        page.fill("#id_text", "")
        page.locator("#id_text").press_sequentially("I play the cello every Sunday")
        page.wait_for_selector("#judged:has-text('nothing against it')")
        page.fill("#id_tags", "identity")
        there.follow("button:has-text('Save to memory bank')")
        assert page.locator(".bank-rows > li").count() == 3
        page.check("form[role=search] label.chip:has-text('work') input")
        page.wait_for_url("**tags=work**")
        page.wait_for_selector(".bank-rows > li >> nth=1", state="detached")
        # What htmx put in has its button too; Enter in the field of the tag gives the tag.
        page.click("[data-check-all]")
        assert page.inner_text("[data-chosen-words] >> nth=0") == "1 chosen"
        assert "Archive 1" in page.inner_text("#bulk")
        page.fill("#id_bulk_tag", "spring")
        with page.expect_navigation():
            page.press("#id_bulk_tag", "Enter")
        assert "1 tagged “spring”" in page.inner_text(".banner")
        there.follow("button:has-text('Archive chosen')")
        assert "Choose at least one" in page.inner_text(".banner.bad")
        there.follow("button:has-text('Undo')")
        there.settle()
    assert facade.get_bank_stats(user).tags == [("home", 1), ("identity", 1), ("work", 1)]


def test_a_change_is_chosen_and_its_run_is_watched(bank: None, visit: Callable[..., Visit], place: str) -> None:
    for browser in open_browser():
        there = visit(browser, viewport={"width": 390, "height": 800}, color_scheme="dark")
        there.sign_in()
        there.open(f"{place}/measure")
        there.page.check("label.chip:has-text('Memory bank') input")
        there.follow("button:has-text('Measure')")
        assert there.page.inner_text("h1") == "Only Memory bank"
        assert "0 of 1 question" in there.page.inner_text("#run")
        with there.page.expect_response("**/measure/**"):
            pass
        there.settle()
