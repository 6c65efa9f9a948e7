"""Row 35 can fail: each figure of an upgrade that is worse than promised breaks it."""

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest
from django.db.migrations.loader import MigrationLoader

from memory.proving.upgrades import (
    ANSWERED_WITHIN_S,
    EARLIER,
    LOCKED_AT_MOST_S,
    LockWatch,
    UpgradeFigures,
    UpgradeTraffic,
    count_behind,
    judge_upgrade,
)

STAGE: Any = SimpleNamespace(
    manage=lambda *_words: (
        "[X]  memory.0001_tables\n[ ]  memory.0027_a\n[ ]  memory.0028_b\n[X]  outcomes.0001_tables\n"
    )
)
WHOLE = UpgradeFigures(5, 20_000, 12.0, [], 0, 0, 0)


def find_traffic(**changes: Any) -> UpgradeTraffic:
    return UpgradeTraffic(STAGE, "ann", **{"statuses": [200, 201], "acknowledged": ["a"], "slowest_s": 1.0, **changes})


def find_locks(**changes: Any) -> LockWatch:
    return LockWatch(STAGE, **{"longest_s": 0.5, "looks": 100, **changes})


def test_an_upgrade_that_loses_nothing_and_holds_nobody_up_is_kept() -> None:
    assert judge_upgrade(WHOLE, find_traffic(), find_locks()).is_kept


@pytest.mark.parametrize(
    "fault", [{"differing": ["fact"]}, {"lost": 1}, {"left": 1}, {"unforced": 1}, {"behind": 0}], ids=str
)
def test_what_is_lost_or_left_breaks_it(fault: dict[str, Any]) -> None:
    assert not judge_upgrade(dataclasses.replace(WHOLE, **fault), find_traffic(), find_locks()).is_kept


@pytest.mark.parametrize(
    "fault",
    [{"statuses": [200, 503]}, {"statuses": [200, 0]}, {"acknowledged": []}, {"slowest_s": ANSWERED_WITHIN_S + 1}],
)
def test_a_request_that_fails_or_waits_breaks_it(fault: dict[str, Any]) -> None:
    assert not judge_upgrade(WHOLE, find_traffic(**fault), find_locks()).is_kept


@pytest.mark.parametrize("fault", [{"longest_s": LOCKED_AT_MOST_S + 0.1}, {"looks": 0}])
def test_a_long_lock_and_a_watch_that_did_not_look_break_it(fault: dict[str, Any]) -> None:
    assert not judge_upgrade(WHOLE, find_traffic(), find_locks(**fault)).is_kept


def test_what_is_left_to_do_is_counted() -> None:
    assert count_behind(STAGE) == 2


def test_the_earlier_state_is_one_that_there_was_and_that_is_past() -> None:
    known = MigrationLoader(None)
    for app, name in EARLIER:
        assert (app, name) in known.disk_migrations
        assert (app, name) not in known.graph.leaf_nodes(app)
