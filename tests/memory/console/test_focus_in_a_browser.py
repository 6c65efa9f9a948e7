"""After a refusal the focus stands at the first field that is wrong, in view, whatever the form."""

from collections.abc import Callable

import pytest

from memory.models import Membership, Operator
from memory.models.people import OperatorRole
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]

IN_VIEW = """
    () => {
        const place = document.activeElement.getBoundingClientRect();
        return place.top >= 0 && place.bottom <= innerHeight;
    }
"""


@pytest.fixture
def owner(operator: Operator) -> Operator:
    Membership.objects.filter(operator=operator).update(role=OperatorRole.OWNER)
    return operator


def test_the_first_field_that_is_wrong_has_the_focus(owner: Operator, visit: Callable[..., Visit], place: str) -> None:
    for browser in open_browser():
        there = visit(browser, viewport={"width": 1280, "height": 600})
        page = there.page
        there.sign_in()
        there.open("/console/keys")
        page.fill("#id_name", "Nightly")
        page.fill("#id_people", "ann, bad user!")
        with page.expect_navigation():
            page.click("button:has-text('Make the key')")
        page.wait_for_selector(".errorlist")
        assert page.evaluate("document.activeElement.id") == "id_people"
        assert page.evaluate(IN_VIEW)
        # The browser itself tells of the status.
        assert all("422" in said for said in there.complaints)
        there.complaints.clear()

        page.fill("#id_people", "ann")
        with page.expect_navigation():
            page.click("button:has-text('Make the key')")
        made = page.text_content(".banner pre")
        page.reload()
        assert made
        assert made not in page.content()
        assert page.locator("td:has-text('Nightly')").count() == 1

        there.open(f"{place}/personality")
        page.fill("[name=name]", "Teacher")
        with page.expect_navigation():
            page.click("button[name=save]")
        page.wait_for_selector("[role=alert] .errorlist")
        assert page.evaluate("document.activeElement !== document.body")
        assert page.evaluate(IN_VIEW)
        there.complaints.clear()


def test_a_page_that_was_open_for_too_long_says_what_to_do(
    owner: Operator, visit: Callable[..., Visit], place: str
) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/bank")
        # As signing in again in another window does.
        page.context.clear_cookies(name="commonplace_csrf")
        page.fill("#add textarea", "Ann grows plums.")
        page.wait_for_selector(".toast")
        assert page.text_content(".toast") == (
            "You may not do that, or this page was open for too long. Reload it and try again."
        )
        # The browser itself tells of the status.
        assert all("403" in said for said in there.complaints)


def test_what_is_typed_stays_where_the_session_has_ended(
    owner: Operator, visit: Callable[..., Visit], place: str
) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/bank")
        page.context.clear_cookies(name="commonplace_session")
        page.fill("#add textarea", "Ann grows plums.")
        page.wait_for_selector(".toast")
        assert page.text_content(".toast") == (
            "You have been signed out. Copy what you have written, and sign in again."
        )
        assert page.input_value("#add textarea") == "Ann grows plums."
        assert all("401" in said for said in there.complaints)
