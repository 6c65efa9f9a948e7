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


@pytest.mark.parametrize(
    ("lost", "status", "says"),
    [
        # As signing in again in another window does.
        (
            "commonplace_csrf",
            "403",
            "You may not do that, or this page was open for too long. Reload it and try again.",
        ),
        ("commonplace_session", "401", "You have been signed out. Copy what you have written, and sign in again."),
    ],
)
def test_a_page_that_was_open_for_too_long_says_what_to_do_and_keeps_what_is_typed(
    owner: Operator, visit: Callable[..., Visit], place: str, lost: str, status: str, says: str
) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        there.sign_in()
        there.open(f"{place}/bank")
        page.context.clear_cookies(name=lost)
        page.fill("#add textarea", "Ann grows plums.")
        page.wait_for_selector(".toast")
        assert page.text_content(".toast") == says
        assert page.input_value("#add textarea") == "Ann grows plums."
        # The browser itself tells of the status.
        assert all(status in said for said in there.complaints)
