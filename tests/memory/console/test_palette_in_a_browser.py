"""The palette by keys alone: opened anywhere, typed into, walked through, left."""

from collections.abc import Callable

import pytest

from tests.memory.console.axe import EVERY_RULE, find_hindrances
from tests.memory.console.test_in_a_browser import CHROMIUM, NOTES, Visit, focused_element, notes, open_browser, visit

__all__ = ["notes", "visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]


def test_the_palette_leads_everywhere_by_keys(notes: None, visit: Callable[..., Visit], place: str) -> None:
    for browser in open_browser():
        there = visit(browser)
        page, keys = there.page, there.page.keyboard
        there.sign_in()
        # From within a field too; what was typed is followed though Enter comes before the answer.
        page.focus("#ask")
        keys.press("Control+k")
        page.wait_for_selector("#palette-query:focus")
        with page.expect_navigation():
            keys.type("timel")
            keys.press("Enter")
        assert page.url.endswith(f"{place}/timeline")
        keys.press("Control+k")
        keys.type("lamp rep")
        page.wait_for_selector(f"#palette-found a:has-text('{NOTES[0]}')")
        assert "2 found" not in page.inner_text("#palette [role=status]")
        assert find_hindrances(page, EVERY_RULE) == []
        keys.press("ArrowDown")
        keys.press("ArrowDown")
        assert "Search for “lamp rep”" in focused_element(page)
        keys.press("ArrowUp")
        assert NOTES[0] in focused_element(page)
        # Letters go on in the field, and no key acts on the page behind.
        keys.press("a")
        assert page.input_value("#palette-query") == "lamp repa"
        page.wait_for_selector("[data-query='lamp repa']", state="attached")
        keys.press("ArrowDown")
        with page.expect_navigation():
            keys.press("Enter")
        page.wait_for_selector(".user-text.full")
        keys.press("Control+k")
        keys.press("Escape")
        page.wait_for_selector("#palette", state="hidden")
        page.click("[data-palette]")
        page.wait_for_selector("#palette-found a:has-text('Memory bank')")
        # htmx notes each question that a later one replaces.
        there.complaints = [said for said in there.complaints if not said.startswith("htmx:")]
        there.settle()
