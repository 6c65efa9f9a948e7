"""The page of a personality in a real browser: both sides follow each other, faults lead to their place."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Dialog, expect

from memory.models import EndUser, Operator, Organization
from personality import templates
from personality.validation import check_template
from tests.memory.console.conftest import member_of
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def operator(organization: Organization) -> Operator:
    return member_of(organization, "olga")


def note_and_stay(asked: list[str], dialog: Dialog) -> None:
    asked.append(dialog.type)
    dialog.dismiss()


def test_both_sides_follow_each_other(user: EndUser, operator: Operator, visit: Callable[..., Visit]) -> None:
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        yaml = page.locator("#id_content")
        there.sign_in()
        there.open(f"/console/{user.organization.slug}/{user.external_id}/personality?template=teacher")
        assert page.is_hidden("[data-unsaved]")

        # From the fields into the YAML, comments and all.
        page.fill("#id_identity_name", "Zoë")
        expect(yaml).to_have_value(re.compile("name: Zoë"))
        page.wait_for_selector("#preview pre:has-text('You are Zoë, a patient teacher.')")
        assert page.is_visible("[data-unsaved]")
        assert page.input_value("#id_content").startswith("# Patient and thorough")
        page.select_option("#id_communication_tone", "direct")
        page.uncheck("#id_communication_use_humor")
        expect(yaml).to_have_value(re.compile("use_humor: false"))
        assert "tone: direct" in page.input_value("#id_content")

        # From the YAML into the fields, while the caret stays where it is.
        text = page.input_value("#id_content")
        page.fill("#id_content", text.replace("role: patient teacher", "role: night nurse"))
        expect(page.locator("#id_identity_role")).to_have_value("night nurse")
        assert page.evaluate("document.activeElement.id") == "id_content"
        page.fill("#id_name", "Night shift")
        there.follow("text=Save and use")
        page.wait_for_selector("text=night_shift is saved and in use from the next answer on.")
        there.settle()
    current = templates.find_current(user)
    values = check_template(current.content).values
    assert current.id == "night_shift"
    assert (values["identity.name"], values["identity.role"]) == ("Zoë", "night nurse")
    assert (values["communication.tone"], values["communication.use_humor"]) == ("direct", False)


def test_a_fault_leads_to_its_place_and_unsaved_changes_are_not_left_by_accident(
    user: EndUser, operator: Operator, visit: Callable[..., Visit]
) -> None:
    asked: list[str] = []
    for browser in open_browser():
        there = visit(browser)
        page = there.page
        yaml = page.locator("#id_content")
        there.sign_in()
        there.open(f"/console/{user.organization.slug}/{user.external_id}/personality?template=teacher")
        text = page.input_value("#id_content")
        page.fill("#id_content", text.replace("role: patient teacher", "role: [night"))
        page.wait_for_selector("#preview .banner.bad a")
        expect(page.locator("#news")).to_contain_text("1 fault")
        assert page.input_value("#id_identity_role") == "patient teacher"
        page.click("#preview .banner.bad a")
        assert page.evaluate("document.activeElement.id") == "id_content"
        page.fill("#id_content", text.replace("role: patient teacher", "role: nurse"))
        page.wait_for_selector("#preview pre:has-text('a nurse')")

        # Leaving asks first, also by another form.
        page.remove_listener("dialog", there.refuse)
        page.on("dialog", partial(note_and_stay, asked))
        page.locator("li.client button").first.click()
        expect(yaml).to_have_value(re.compile("role: nurse"))
        assert asked == ["beforeunload"]
        page.fill("#id_name", "Night shift")
        there.follow("text=Save and use")
        page.wait_for_selector("text=night_shift is saved and in use from the next answer on.")
        assert asked == ["beforeunload"]
        there.settle()
