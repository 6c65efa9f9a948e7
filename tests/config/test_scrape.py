"""What Prometheus finds at the running product: every series that is promised, from all of its processes."""

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from memory.management.demo import EXAMPLE_QUERY, USER_ID
from memory.platform.metrics import METRICS
from memory.proving.installation import Stack
from tests.patience import eventually

pytestmark = pytest.mark.slow

Samples = dict[tuple[str, str], float]


def scrape(stack: Stack) -> Samples:
    """By name and label; buckets are left out."""
    text = httpx.get(f"{stack.api_url}/metrics", timeout=10).text
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith("_bucket")
    }


def all_hits(seen: Samples) -> float:
    return sum(value for (name, _), value in seen.items() if name == "commonplace_hits_total")


def test_a_scrape_shows_what_the_processes_did(stack: Stack) -> None:
    before = scrape(stack)
    headers = {"Authorization": f"Bearer {stack.api_key}"}
    with httpx.Client(base_url=f"{stack.api_url}/api/v1/users/{USER_ID}", headers=headers, timeout=20) as client:
        stored = client.post("/memories", json={"text": "The scrape was here"})
        assert stored.status_code == 201, stored.text
        shown = len(client.post("/search", json={"query": EXAMPLE_QUERY}).json()["results"])
    grown = [
        ("commonplace_writes_total", "working"),
        ("commonplace_indexed_total", ""),  # by the worker
        ("commonplace_stage_seconds_count", "total"),
        ("commonplace_stage_seconds_count", "vector"),
        ("commonplace_stage_seconds_count", "lexical"),
    ]
    assert eventually(lambda: all(scrape(stack).get(one, 0) > before.get(one, 0) for one in grown))
    after = scrape(stack)
    assert all_hits(after) - all_hits(before) >= shown
    for metric in METRICS.values():
        name = f"commonplace_{metric.name}_" + ("seconds_count" if metric.is_duration else "total")
        assert {label for found, label in after if found == name} >= set(metric.known or ()), name
    assert {label for name, label in after if name == "commonplace_queue_tasks"} == {"books", "fast", "slow"}
    assert after["commonplace_breaker_open", "embedder"] == 0
    assert after["commonplace_index_lag_seconds", ""] < 60
    assert ("commonplace_index_users", "") in after
    assert {value for (name, _), value in after.items() if name == "commonplace_source_up"} == {1}
