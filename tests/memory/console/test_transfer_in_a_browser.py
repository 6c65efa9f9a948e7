"""The import of a file in a real browser, wide and light with JavaScript, narrow and dark without."""

from collections.abc import Callable

import pytest

from memory.models import EndUser, Membership, Operator
from memory.models.people import OperatorRole
from memory.models.transfers import TransferKind
from memory.portability import chats, jobs, tasks
from tests.memory.console.test_in_a_browser import CHROMIUM, Visit, open_browser, visit
from tests.memory.console.test_transfer import CHATS, list_texts

__all__ = ["visit"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no Chromium at {CHROMIUM}"),
    pytest.mark.django_db(transaction=True),
]
NARROW = {"width": 390, "height": 800}


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False, "viewport": NARROW, "color_scheme": "dark"}])
def test_a_file_is_chosen_seen_discarded_and_chosen_again(
    operator: Operator, visit: Callable[..., Visit], place: str, user: EndUser, options: dict[str, object]
) -> None:
    Membership.objects.filter(operator=operator).update(role=OperatorRole.OWNER)
    for browser in open_browser():
        there = visit(browser, **options)
        page = there.page
        there.sign_in()
        there.open(f"{place}/transfer")
        for press in ("Discard", "Import"):
            page.set_input_files("#id_file", {"name": "boat.json", "mimeType": "text/plain", "buffer": CHATS})
            there.follow("button:has-text('Check the file')")
            assert "3 in 2 conversations" in page.inner_text("dl.facts")
            page.focus(f"button:has-text('{press}')")
            with page.expect_navigation():
                page.keyboard.press("Enter")
            there.settle()
        assert "Waits for the worker" in page.inner_text("#job h2 >> nth=0")
    assert list_texts(user) == set()
    (job_id,) = jobs.list_open_imports(user, TransferKind.CHATS)
    tasks.import_person(user.pk)
    job = jobs.find_transfer(user, job_id)
    assert job is not None
    assert len(list_texts(user)) == 3
    for browser in open_browser():
        there = visit(browser, **options)
        there.sign_in()
        there.open(f"{place}/transfer/{job_id}")
        there.follow("a:has-text('Undo this import')")
        assert "4 memories are removed for good, 1 of them made" in there.page.inner_text("form.confirm")
        there.follow("button:has-text('Undo the import')")
        assert "What it added is being removed" in there.page.inner_text("#job h2 >> nth=0")
    assert chats.preview_undo(user, job, now=job.created_at).removed == 4
