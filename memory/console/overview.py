"""A person's front page: how much is remembered, whether it can be found, how it has served."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models.functions import Left
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_htmx.http import HTMX_STOP_POLLING

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.console import component_health
from memory.console.acting import open_facade
from memory.console.fact_lines import build_fact_lines
from memory.facade import Stats
from memory.indexing.queue import IndexCounts
from memory.models import ApiKey, MemoryItem
from memory.models.facts import FactState
from memory.store.listing import ItemFilter
from memory.tiers import POLICIES, Outcome, Status, Tier, TierPolicy
from memory.web.labels import OUTCOME_NAMES, TIER_NAMES
from memory.web.pages import OperatorRequest, person_page, wants_fragment
from memory.web.quantities import say_number, say_quantity
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _
from outcomes.models import OutcomeEvent

RECENT = 8
OUTCOMES = 6
FACTS = 6
EXCERPT = 200
# Share of the bank's capacity from which it is said: what is over is archived, weakest first.
NEARLY_FULL = 0.9


@dataclass(frozen=True, slots=True)
class TierCount:
    tier: Tier
    name: str
    active: int
    dormant: int
    archived: int
    note: str


@dataclass(frozen=True, slots=True)
class BarShare:
    """A part of a stacked bar; ``x`` and ``width`` in percent."""

    css: str
    name: str
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class RecentOutcome:
    """An outcome as a line; ``address`` leads to what it was said of, and is empty where that is not known."""

    event: OutcomeEvent
    said_of: str
    name: str
    scored: int
    noted: int
    address: str


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    now = timezone.now()
    memory = open_facade(person)
    # One transaction: each of these alone would open and close its own.
    with user_scope(person.user):
        stats = memory.get_stats(person.user)
        read = {
            "outcomes": list_recent_outcomes(person),
            # A book that was handed in today has more passages than the person said sentences.
            "recent": memory.list_items(person.user, ItemFilter(has_passages=False), limit=RECENT),
            "waiting_counts": memory.count_waiting(person.user, now=timezone.now()),
            **build_facts_context(person),
        }
    tiers = count_tiers(stats)
    context: dict[str, Any] = {
        "person": person,
        "now": now,
        "tiers": tiers,
        "total": sum(tier.active for tier in tiers),
        "tier_shares": split_bar([(f"tier-{tier.tier}", tier.name, tier.active) for tier in tiers]),
        "outcome_shares": split_outcomes(stats),
        "exchanges": stats.exchanges,
        "keys": ApiKey.objects.filter(organization=person.organization).order_by("revoked_at", "name", "pk"),
        "conditions": component_health.list_component_health(),
        **read,
        **build_indexing_context(stats.indexing),
    }
    return render(request, "console/overview/page.html", context)


def build_facts_context(person: ViewedPerson) -> dict[str, Any]:
    """The facts mentioned last, how many there are, and the pairs that wait for a person."""
    now = timezone.now()
    summary = open_facade(person).summarize_facts(person.user, now=now, limit=FACTS)
    return {
        "fact_lines": build_fact_lines(summary.latest, {}, now),
        "facts_current": summary.counts.get(FactState.ACTIVE, 0),
        "facts_superseded": summary.counts.get(FactState.SUPERSEDED, 0),
        "open_reviews": summary.open_reviews,
    }


def count_tiers(stats: Stats) -> list[TierCount]:
    return [
        TierCount(
            tier,
            TIER_NAMES[tier],
            stats.tiers[tier].get(Status.ACTIVE, 0),
            stats.tiers[tier].get(Status.DORMANT, 0),
            stats.tiers[tier].get(Status.ARCHIVED, 0),
            describe_capacity(POLICIES[tier], stats.tiers[tier].get(Status.ACTIVE, 0)),
        )
        for tier in Tier
    ]


def describe_capacity(policy: TierPolicy, active: int) -> str:
    """What becomes of a tier's memories, and of the bank how full it is."""
    if policy.tier is not Tier.MEMORY_BANK:
        return describe_lifetime(policy)
    capacity = memory_conf().limits.bank_capacity
    return (
        _("nearly full, at most {capacity}").format(capacity=say_number(capacity))
        if active >= NEARLY_FULL * capacity
        else _("at most {capacity}").format(capacity=say_number(capacity))
    )


def describe_lifetime(policy: TierPolicy) -> str:
    if policy.ttl is None:
        return _("learns from outcomes") if policy.scored else _("passages of documents")
    hours = int(policy.ttl.total_seconds() // 3600)
    keeps = memory_conf().promotion.keeps_expired
    time = say_quantity(hours // 24, "days") if hours > 48 else say_quantity(hours, "hours")
    return (_("{time}, then dormant") if keeps else _("{time}, then archived")).format(time=time)


def split_bar(counted: list[tuple[str, str, int]]) -> list[BarShare]:
    total = sum(count for _css, _name, count in counted)
    found, x = [], 0.0
    for css, name, count in counted:
        width = 100 * count / total if total else 0.0
        found.append(BarShare(css, name, count, round(x, 3), round(width, 3)))
        x += width
    return found


def split_outcomes(stats: Stats) -> list[BarShare]:
    return split_bar([(f"outcome-{kind}", name, stats.outcomes.get(kind, 0)) for kind, name in OUTCOME_NAMES.items()])


def list_recent_outcomes(person: ViewedPerson) -> list[RecentOutcome]:
    """The latest, each with the question it was about, else with what the first memory says."""
    events = open_facade(person).list_recent_outcomes(person.user, OUTCOMES)
    # One query for all texts, not one for each line.
    unasked = [memory for event in events if not event.query and (memory := find_first_memory(event))]
    texts = {}
    if unasked:
        with user_scope(person.user):
            rows = MemoryItem.objects.for_user(person.user).filter(pk__in=unasked)
            # Cut in the database: a memory may be 32,768 characters, and the line shows 160.
            texts = dict(rows.values_list("pk", Left("text", EXCERPT)))
    return [describe_outcome(person, event, texts) for event in events]


def describe_outcome(person: ViewedPerson, event: OutcomeEvent, texts: Mapping[uuid.UUID | None, str]) -> RecentOutcome:
    return RecentOutcome(
        event,
        event.query or texts.get(find_first_memory(event), _("A memory that is gone")),
        OUTCOME_NAMES[Outcome(event.outcome)],
        len(event.scored_ids),
        len(event.learned_ids),
        link_to_subject(person, event),
    )


def link_to_subject(person: ViewedPerson, event: OutcomeEvent) -> str:
    """The exchange it was said of, else the first memory."""
    if event.exchange_id and event.thread_id:
        query = urlencode({"thread": event.thread_id, "exchange": event.exchange_id})
        return f"{reverse('console:conversations', args=person.path)}?{query}#exchange-{event.exchange_id}"
    memory = find_first_memory(event)
    return reverse("console:item", args=[*person.path, memory]) if memory else ""


def find_first_memory(event: OutcomeEvent) -> uuid.UUID | None:
    return next(iter([*event.scored_ids, *event.learned_ids]), None)


def build_indexing_context(counts: IndexCounts) -> dict[str, Any]:
    total = counts.pending + counts.ready + counts.failed
    return {
        "indexing": counts,
        "indexed_share": counts.ready / total if total else 1.0,
        "vector_backend": memory_conf().vector.backend,
    }


@require_safe
@person_page
def indexing_panel(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """The indexing panel, asked for again and again until nothing waits."""
    if not wants_fragment(request):
        return redirect("console:overview", *person.path)
    counts = open_facade(person).count_indexing(person.user)
    status = 200 if counts.pending else HTMX_STOP_POLLING
    context = {"person": person, **build_indexing_context(counts)}
    return render(request, "console/overview/_indexing.html", context, status=status)


@require_safe
@person_page
def health_panel(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """The health panel, so that a page left open notices."""
    if not wants_fragment(request):
        return redirect("console:overview", *person.path)
    return render(
        request,
        "console/overview/_health.html",
        {"person": person, "conditions": component_health.list_component_health()},
    )
