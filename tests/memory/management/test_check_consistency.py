"""`manage.py check_consistency`: what it prints and how it ends."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.indexes import vector_index
from memory.models import DriftReport, EndUser, VectorCollection
from memory.platform.deadline import Deadline
from tests.memory.indexing.index_contents import read_index, store_memories

pytestmark = [pytest.mark.usefixtures("services"), pytest.mark.django_db]
IndexNow = Callable[[EndUser], None]


@pytest.fixture
def ann(user: EndUser, index_now: IndexNow) -> EndUser:
    store_memories(user, 6)
    index_now(user)
    return user


def run_check(*words: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("check_consistency", *words, stdout=out, stderr=err)
    except CommandError as fault:
        return out.getvalue(), f"{err.getvalue()}{fault}"
    return out.getvalue(), err.getvalue()


def test_agreement_is_said(ann: EndUser) -> None:
    for words in ([], ["--mode=sample"], ["--mode=counts"], ["--user=ann"]):
        said, _ = run_check(*words)
        assert "1 users, 6 rows, 6 points compared" in said
        assert "index and rows agree" in said


def test_differences_are_counted_and_mended_unless_told_not_to(ann: EndUser) -> None:
    vector_index().delete(ann.pk, list(read_index(ann))[:2], Deadline(5))
    assert "2 rows without a point, 0 repaired" in run_check("--no-repair")[0]
    assert "2 rows without a point, 2 repaired" in run_check()[0]
    assert "index and rows agree" in run_check()[0]


def test_an_alarm_is_no_success(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    report = DriftReport(quarantine=[{"item": "1-2-3", "owner": 4, "found_under": 5}], found={"foreign": 1})
    monkeypatch.setattr("memory.indexing.drift.start_report", lambda *args, **named: report)
    monkeypatch.setattr("memory.indexing.drift.continue_report", lambda *args, **named: True)
    _, complaint = run_check()
    assert "item 1-2-3 of user 4 was found under user 5" in complaint
    assert "points of one user were found under another" in complaint


def test_an_index_that_cannot_be_compared_is_no_success(ann: EndUser) -> None:
    VectorCollection.objects.update(dimensions=2)
    vector_index().registry.invalidate()
    assert "run manage.py reindex" in run_check()[1]


def test_an_unknown_user_is_refused(ann: EndUser) -> None:
    assert "acme has no user 'nobody'" in run_check("--user=nobody")[1]
