"""A filter, compiled for the database, selects what reading it in Python row by row selects."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.facade import MemoryFacade
from memory.mem0.filters import FilterReader, build_row_conditions, list_persons
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.web.problems import Problem
from tests.factories import LONG_AGO, MemoryItemFactory

DAYS = [LONG_AGO + timedelta(days=number) for number in range(3)]
ROWS: list[dict[str, Any]] = [
    {"metadata": {"n": 1, "town": "Bern", "open": True}, "thread_id": "r-1", "tags": ["work"], "occurred_at": DAYS[0]},
    {"metadata": {"n": 2.5, "town": "basel", "open": False}, "agent_id": "guide", "tags": [], "occurred_at": DAYS[1]},
    {"metadata": {"n": "2", "town": None, "list": ["Bern", 1]}, "thread_id": "mem0-2026-03-01", "occurred_at": DAYS[2]},
    {"metadata": {"town": {"name": "Bern"}, "n": -1}, "agent_id": "cook", "thread_id": "r-2", "tags": ["home", "work"]},
    {"metadata": {}, "thread_id": "", "tags": ["home"], "occurred_at": DAYS[1]},
]
for number, row in enumerate(ROWS):
    row |= {"text": f"Note {number} {'ABC'[number % 3]}"}
    row.setdefault("occurred_at", DAYS[0])
    row.setdefault("thread_id", "")
    row.setdefault("agent_id", "")
    row.setdefault("tags", [])

SCALARS = st.sampled_from(["Bern", "basel", "er", 1, 2.5, -1, "2", True, False, "nothing"])
ORDERED = st.sampled_from([0, 1, 2.5, "2", "Bern", "basel"])
METADATA = st.sampled_from(["n", "town", "open", "list", "missing"])
MOMENTS = st.sampled_from([day.isoformat() for day in DAYS] + ["2026-03-01", "2026-03-02"])


def pair_with(names: list[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(lambda name, value: {name: value}, st.sampled_from(names), values)


def one_of_operators(field: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    value = st.one_of(
        SCALARS,
        st.none(),
        st.just("*"),
        pair_with(["eq", "ne"], SCALARS),
        pair_with(["in", "nin"], st.lists(SCALARS, min_size=1, max_size=3)),
        pair_with(["gt", "gte", "lt", "lte"], ORDERED),
        pair_with(["contains", "icontains"], st.sampled_from(["er", "ER", "Bern"])),
    )
    return st.builds(lambda name, one: {name: one}, field, value)


LEAVES = st.one_of(
    one_of_operators(METADATA),
    st.builds(lambda one: {"metadata": one}, one_of_operators(METADATA)),
    st.just({"metadata": {"town": {"name": "Bern"}}}),
    st.builds(lambda one: {"run_id": one}, st.sampled_from(["r-1", "r-2", "*", None, ["r-1", "r-2"], {"ne": "r-1"}])),
    st.builds(lambda one: {"agent_id": one}, st.sampled_from(["guide", "*", None, {"in": ["cook", "guide"]}])),
    st.builds(lambda one: {"categories": one}, st.sampled_from(["work", "*", {"in": ["home", "x"]}, {"ne": "work"}])),
    st.builds(lambda one: {"keywords": one}, st.sampled_from([{"contains": "A"}, {"icontains": "note 1"}])),
    st.builds(lambda one: {"user_id": one}, st.sampled_from(["ann", "*", {"ne": "ann"}, ["ann"]])),
    st.builds(lambda one: {"created_at": one}, pair_with(["gt", "gte", "lt", "lte", "eq", "ne"], MOMENTS)),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: pair_with(["AND", "OR", "NOT", "$and"], st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)


def holds(tree: dict[str, Any], row: dict[str, Any]) -> bool:
    return all(holds_entry(name, value, row) for name, value in tree.items())


def holds_entry(name: str, value: Any, row: dict[str, Any]) -> bool:
    match name.lstrip("$").upper():
        case "AND":
            return all(holds(part, row) for part in value)
        case "OR":
            return any(holds(part, row) for part in value)
        case "NOT":
            return not any(holds(part, row) for part in value)
        case _:
            return holds_field(name, value, row)


def holds_field(name: str, value: Any, row: dict[str, Any]) -> bool:
    if name == "metadata":
        return all(compare_field(row["metadata"].get(field), inner) for field, inner in value.items())
    if name == "user_id":
        asked = value["ne"] if isinstance(value, dict) else value
        return not isinstance(value, dict) if asked in ("ann", "*") or asked == ["ann"] else False
    if name == "created_at":
        [(operator, asked)] = value.items()
        return compare_moment(row["occurred_at"], operator, asked)
    if name == "categories":
        return compare_list(row["tags"], value)
    if name == "keywords":
        [(operator, part)] = value.items()
        return part in row["text"] if operator == "contains" else part.lower() in row["text"].lower()
    if name == "run_id":
        run = row["thread_id"]
        return compare_field(None if not run or run.startswith("mem0-") else run, value)
    if name == "agent_id":
        return compare_field(row["agent_id"] or None, value)
    return compare_field(row["metadata"].get(name), value)


def compare_list(tags: list[str], asked: Any) -> bool:
    if asked == "*":
        return bool(tags)
    if isinstance(asked, dict):
        [(operator, value)] = asked.items()
        return value not in tags if operator == "ne" else bool(set(value) & set(tags))
    return asked in tags


def compare_moment(at: datetime, operator: str, asked: str) -> bool:
    if len(asked) == 10:
        start = datetime.fromisoformat(asked).replace(tzinfo=UTC)
        end = start + timedelta(days=1)
        inside = start <= at < end
        return {"eq": inside, "ne": not inside, "gt": at >= end, "gte": at >= start, "lt": at < start, "lte": at < end}[
            operator
        ]
    moment = datetime.fromisoformat(asked)
    order = {"eq": at == moment, "ne": at != moment, "gt": at > moment, "gte": at >= moment, "lt": at < moment}
    return order.get(operator, at <= moment)


def is_same(one: Any, other: Any) -> bool:
    """As JSON has it: true is no number, and 1 is 1.0."""
    return (type(one) is type(other) and one == other) or (
        is_number(one) and is_number(other) and one == other
    )  # fmt: skip


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def compare_field(value: Any, asked: Any) -> bool:
    if isinstance(asked, dict):
        [(operator, inner)] = asked.items()
        if operator == "name":
            return value == asked
        return compare_operator(value, operator, inner)
    if asked == "*":
        return value is not None
    if asked is None:
        return value is None
    return any(is_same(value, one) for one in (asked if isinstance(asked, list) else [asked]))


def compare_operator(value: Any, operator: str, asked: Any) -> bool:
    if operator in {"ne", "nin"}:
        return not compare_operator(value, "eq" if operator == "ne" else "in", asked)
    if operator == "eq":
        return compare_field(value, asked)
    if operator == "in":
        return any(is_same(value, one) for one in asked)
    if operator in {"contains", "icontains"}:
        text = value if isinstance(value, str) else ""
        within = asked in text if operator == "contains" else asked.lower() in text.lower()
        return within or (
            operator == "contains" and isinstance(value, list) and any(is_same(one, asked) for one in value)
        )
    if isinstance(asked, str) != isinstance(value, str) or not (isinstance(value, str) or is_number(value)):
        return False
    left, right = (value.encode(), asked.encode()) if isinstance(value, str) else (value, asked)
    return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[operator]


@pytest.mark.django_db
@given(trees=st.lists(TREES, min_size=4, max_size=4))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_filter_selects_what_it_says(trees: list[dict[str, Any]], user: EndUser) -> None:
    memory = MemoryFacade()
    if not memory.list_page(user, RowConditions(), start=0, limit=1)[0]:
        for row in ROWS:
            MemoryItemFactory.create(user=user, **row)
    for tree in trees:
        rows = build_row_conditions([FilterReader("ann").read(tree, "filters")])
        found, count = memory.list_page(user, rows, start=0, limit=20)
        assert sorted(item.text for item in found) == [row["text"] for row in ROWS if holds(tree, row)], tree
        assert count == len(found)


@settings(max_examples=40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["AND", "NOT", "user_id", "metadata", "created_at", "in", "gte", "x"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_filter_or_is_refused_by_name(given_filter: Any) -> None:
    assert isinstance(json.dumps(list(list_persons(given_filter))), str)
    with suppress(Problem):
        FilterReader("ann").read(given_filter, "filters")
