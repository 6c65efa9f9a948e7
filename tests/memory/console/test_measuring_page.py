"""Measuring in the console: saving a question, naming a change, reading what came of it; without JavaScript."""

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.measuring import asking, everybody, runs
from memory.measuring.cases import NewCase
from memory.measuring.runs import perform_run
from memory.measuring.tasks import measure_everybody
from memory.models import AuditEvent, EndUser, Organization
from memory.platform import redis
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.web.labels import draw_arrow
from tests.memory.console.conftest import Console

facade = MemoryFacade("key:test")
QUESTION = "Where is the key of the shed?"


@pytest.fixture
def key(user: EndUser, index_now: Callable[[EndUser], None]) -> uuid.UUID:
    now = timezone.now() - timedelta(days=1)
    stored = facade.store(user, NewMemory("The key of the shed hangs behind the clock", tier=Tier.HISTORY), now=now)
    index_now(user)
    return stored.item.pk


def test_a_question_is_saved_by_choosing_among_what_is_found(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    assert "No question yet" in console.get(f"{place}/measure").content.decode()
    assert str(key) in console.get(f"{place}/measure?{urlencode({'ask': QUESTION})}").content.decode()
    nothing = console.post(f"{place}/measure/questions", {"question": QUESTION})
    assert nothing.status_code == 422
    assert "should be found" in nothing.content.decode()
    saved = console.post(f"{place}/measure/questions", {"question": QUESTION, "expected": [str(key)]}, follow=True)
    assert "1 question" in saved.content.decode()
    [case] = facade.read_questions(user).questions
    assert (case.question, case.expected) == (QUESTION, (key,))
    console.post(f"{place}/measure/questions/{case.case_id}/delete")
    assert facade.read_questions(user).questions == []


def test_a_change_is_measured_and_told_question_by_question(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    wrong = console.post(f"{place}/measure/start", {"limit": "4"})
    assert wrong.status_code == 422
    started = console.post(f"{place}/measure/start", {"tiers": ["books"], "limit": "5"})
    assert started.status_code == 302
    [run] = facade.list_measurings(user)
    waiting = console.part(started.headers["Location"]).content.decode()
    assert "Waits for a worker" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    perform_run(user, run.pk, clock=timezone.now)
    told = console.get(started.headers["Location"]).content.decode()
    assert "Only Books; 5 found" in told
    assert f"place 1 {draw_arrow()} not found" in told
    assert QUESTION in told
    assert "every 2s" not in told
    assert "0.000 to 0.000" in told
    console.cookies["commonplace_language"] = "he"
    hebrew = console.get(started.headers["Location"]).content.decode()
    assert "0.000 עד 0.000" in hebrew
    assert "\N{LEFT-TO-RIGHT MARK}-1.000" in hebrew
    del console.cookies["commonplace_language"]
    both = console.get(f"{place}/measure/{run.pk}/0").content.decode()
    assert "expected" in both
    assert "Nothing is found" in both
    assert console.get(f"{place}/measure/{run.pk}/1").status_code == 404
    listed = console.get(f"{place}/measure").content.decode()
    assert f"measure/{run.pk}" in listed
    assert QUESTION in console.get(f"{place}/measure/questions.jsonl").content.decode()


def test_two_settings_of_which_neither_is_in_force_are_compared(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    page = console.get(f"{place}/measure").content.decode()
    assert 'name="base-tiers"' in page
    assert page.count('id="id_limit"') == page.count('id="id_base-limit"') == 1
    same = console.post(f"{place}/measure/start", {"limit": "5", "base-limit": "5"})
    assert (same.status_code, "Both settings are the same" in same.content.decode()) == (422, True)
    wrong = console.post(f"{place}/measure/start", {"limit": "5", "base-skip": ["vector", "lexical"]})
    assert wrong.status_code == 422
    assert facade.list_measurings(user) == []
    for given, change, base, told in (
        ({"limit": "5", "base-tiers": ["books"]}, "5 found", "Only Books", f"not found {draw_arrow()} 1"),
        ({"base-tiers": ["books"]}, "As configured", "Only Books", f"not found {draw_arrow()} 1"),
    ):
        started = console.post(f"{place}/measure/start", given)
        perform_run(user, facade.list_measurings(user)[0].pk, clock=timezone.now)
        page = console.get(started.headers["Location"]).content.decode()
        assert f"<h1>{change}</h1>" in page
        assert f"Compared with: {base}." in page
        assert told in page


def test_what_a_run_is_compared_with_is_told_when_it_is_known(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    """A page that was opened while the run went on told of the second, too, that it was the first."""
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    for told in ("This is the first run, so there is nothing to compare it with yet.", "Compared with: the run of "):
        address = console.post(f"{place}/measure/start", {}).headers["Location"]
        assert "Compared with" not in console.get(address).content.decode()
        perform_run(user, facade.list_measurings(user)[0].pk, clock=timezone.now)
        part = console.part(address).content.decode()
        assert f'<p id="compared" hx-swap-oob="true">{told}' in part
        page = console.get(address).content.decode()
        assert f'<p id="compared">{told}' in page
        assert ("Difference" in page) == ("Last time" in page) == told.startswith("Compared")
        assert (draw_arrow() in page) == told.startswith("Compared")
    assert console.get(f"{place}/measure").content.decode().count("first run</span>") == 1


def test_the_chart_joins_plain_runs_alone_and_names_them_by_day_and_time(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    for change in ({}, {"skip": "lexical"}, {}):
        console.post(f"{place}/measure/start", change)
        perform_run(user, facade.list_measurings(user)[0].pk, clock=timezone.now)
    page = console.get(f"{place}/measure").content.decode()
    wide = page.split('<svg class="chart')[1].split("</svg>")[0]
    times = re.findall(r'<text class="date"[^>]*>([^<]*)</text>', wide)
    assert len(times) == 2
    assert all(re.fullmatch(r"\d\d \w{3}, \d\d:\d\d", one) for one in times)


def test_nobody_else_measures_or_reads_a_run(
    console: Console, outsider: Console, user: EndUser, other_user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    console.post(f"{place}/measure/start", {"tiers": ["books"]})
    [run] = facade.list_measurings(user)
    assert outsider.get(f"{place}/measure/{run.pk}").status_code == 404
    assert outsider.post(f"{place}/measure/start", {"tiers": ["books"]}).status_code == 404
    theirs = f"/console/{other_user.organization.slug}/{other_user.external_id}"
    assert console.get(f"{theirs}/measure/{run.pk}").status_code == 404


@pytest.fixture
def keys(
    user: EndUser, other_user: EndUser, foreign_user: EndUser, index_now: Callable[[EndUser], None]
) -> dict[str, uuid.UUID]:
    """A question of Ann's, of Ben's of the same organisation, and of the Ann of another one."""
    found, now = {}, timezone.now() - timedelta(days=1)
    for owner, place in ((user, "clock"), (other_user, "door"), (foreign_user, "safe")):
        text = f"The key of the shed hangs behind the {place}"
        stored = facade.store(owner, NewMemory(text, tier=Tier.HISTORY), now=now).item.pk
        facade.save_case(owner, NewCase(f"{QUESTION} The {place}?", [stored]), now=now)
        index_now(owner)
        found[place] = stored
    return found


def test_everybody_of_the_organisation_is_measured_and_nobody_else(
    console: Console,
    outsider: Console,
    organization: Organization,
    user: EndUser,
    other_user: EndUser,
    foreign_user: EndUser,
    place: str,
    keys: dict[str, uuid.UUID],
) -> None:
    assert 'value="everybody"' in console.get(f"{place}/measure").content.decode()
    started = console.post(f"{place}/measure/start", {"tiers": ["books"], "whose": "everybody"})
    address = started.headers["Location"]
    batch_id = address.rpartition("/")[2]
    waiting = console.part(address).content.decode()
    assert "Waits for a worker" in waiting
    assert "0 of 2 people" in waiting
    second = console.post(f"{place}/measure/start", {"tiers": ["books"], "whose": "everybody"})
    assert (second.status_code, "another one goes on" in second.content.decode()) == (422, True)
    assert measure_everybody(organization.pk, batch_id) == 0
    told = console.get(address).content.decode()
    assert "Only Books" in told
    assert "2 questions of 2 people" in told
    assert "every 2s" not in told
    for owner in (user, other_user):
        [run] = facade.list_measurings(owner)
        assert str(run.batch_id) == batch_id
        path = f"/console/{organization.slug}/{owner.external_id}/measure/{run.pk}"
        assert f'href="{path}"' in told
        assert "not found" in console.get(path).content.decode()
    assert facade.list_measurings(foreign_user) == []
    listed = console.get(f"{place}/measure").content.decode()
    assert f'href="{address}"' in listed
    assert "Runs over everybody" in listed
    assert outsider.get(address).status_code == 404
    # Not by way of their own organisation either.
    theirs = f"/console/{foreign_user.organization.slug}/{foreign_user.external_id}"
    assert outsider.get(f"{theirs}/measure/everybody/{batch_id}").status_code == 404
    assert batch_id not in outsider.get(f"{theirs}/measure").content.decode()
    assert outsider.post(f"{place}/measure/start", {"whose": "everybody"}).status_code == 404


def test_the_figures_of_everybody_are_those_of_the_command_and_the_audit_names_nobody(
    console: Console, organization: Organization, user: EndUser, place: str, keys: dict[str, uuid.UUID]
) -> None:
    batch_id = console.post(f"{place}/measure/start", {"limit": "3", "whose": "everybody"}).headers["Location"][-36:]
    measure_everybody(organization.pk, batch_id)
    batch = facade.find_measuring_of_everybody(organization, uuid.UUID(batch_id))
    assert batch is not None
    out = StringIO()
    call_command("measure", org=organization.slug, set=["limit=3"], json=True, stdout=out)
    figures = json.loads(out.getvalue())
    assert figures == {name: batch.figures[name] for name in figures}
    assert (figures["people"], figures["questions"], batch.figures["missed"]) == (2, 2, {})
    kept = json.dumps([event.details for event in AuditEvent.objects.filter(subject=batch_id)])
    assert not [word for word in (user.external_id, "shed", *map(str, keys.values())) if word in kept]


def test_a_run_over_everybody_goes_on_where_a_task_ended_and_one_that_fails_holds_up_nobody(
    console: Console,
    organization: Organization,
    user: EndUser,
    place: str,
    keys: dict[str, uuid.UUID],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail_for_one(owner: EndUser, *given: Any) -> object:
        if owner == user:
            raise RuntimeError("the index is away")
        return read(owner, *given)

    address = console.post(f"{place}/measure/start", {"limit": "3", "whose": "everybody"}).headers["Location"]
    batch_id = uuid.UUID(address[-36:])
    read = asking.compare_questions
    monkeypatch.setattr(runs, "compare_questions", fail_for_one)
    monkeypatch.setattr(everybody, "BATCH_S", -1.0)
    rest = everybody.perform_batch(organization, batch_id, clock=timezone.now)
    assert rest is not None
    assert "1 of 2 people" in console.part(address).content.decode()
    while rest is not None:
        rest = everybody.perform_batch(organization, batch_id, clock=timezone.now, after=rest[0], done=rest[1])
    told = console.get(address).content.decode()
    assert "1 question of 1 person" in told
    assert "Of 1 person the run did not end" in told
    assert "failed" in told


def test_a_run_over_everybody_whose_worker_is_gone_is_told_as_lost_and_another_may_begin(
    console: Console, place: str, keys: dict[str, uuid.UUID]
) -> None:
    address = console.post(f"{place}/measure/start", {"whose": "everybody"}).headers["Location"]
    redis.call_or_raise(lambda client: client.delete(everybody.name_progress(uuid.UUID(address[-36:]))))
    assert "not heard of" in console.get(address).content.decode()
    assert ">lost<" in console.get(f"{place}/measure").content.decode()
    assert console.post(f"{place}/measure/start", {"whose": "everybody"}).status_code == 302


def test_the_questions_of_everybody_are_taken_out_with_whose_they_are(
    console: Console, outsider: Console, place: str, keys: dict[str, uuid.UUID], user: EndUser, other_user: EndUser
) -> None:
    answer = console.get(f"{place}/measure/everybody/questions.jsonl")
    rows = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert [(row["user"], row["expected_ids"]) for row in rows] == [
        (user.external_id, [str(keys["clock"])]),
        (other_user.external_id, [str(keys["door"])]),
    ]
    assert outsider.get(f"{place}/measure/everybody/questions.jsonl").status_code == 404


def test_who_has_no_question_is_passed_over_and_nobody_with_one_is_said(
    console: Console, organization: Organization, user: EndUser, other_user: EndUser, place: str
) -> None:
    address = console.post(f"{place}/measure/start", {"whose": "everybody"}).headers["Location"]
    measure_everybody(organization.pk, address[-36:])
    assert "Nobody had a question" in console.get(address).content.decode()
    batch = facade.find_measuring_of_everybody(organization, uuid.UUID(address[-36:]))
    assert batch is not None
    assert batch.figures["missed"] == {"without": 2}
