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
from memory.console import condition
from memory.console.names import OUTCOME_NAMES, TIER_NAMES
from memory.console.pages import OperatorRequest, place_page, wants_part
from memory.console.places import Place
from memory.facade import Stats
from memory.indexing.queue import IndexCounts
from memory.models import ApiKey, MemoryItem
from memory.store.listing import ItemFilter, list_items
from memory.tiers import POLICIES, Outcome, Status, Tier, TierPolicy
from outcomes.models import OutcomeEvent

RECENT = 8
OUTCOMES = 6
EXCERPT = 200
NEARLY_FULL = 0.9
"""Share of the bank's capacity from which it is said: what is over is archived, weakest first."""


@dataclass(frozen=True, slots=True)
class TierCount:
    tier: Tier
    name: str
    active: int
    archived: int
    note: str


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a stacked bar; ``x`` and ``width`` in percent."""

    css: str
    name: str
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class ToldOutcome:
    """An outcome as a line; ``address`` leads to what it was said of, and is empty where that is not known."""

    event: OutcomeEvent
    said_of: str
    name: str
    scored: int
    noted: int
    address: str


@require_safe
@place_page
def overview(request: OperatorRequest, place: Place) -> HttpResponse:
    now = timezone.now()
    stats = place.facade.stats(place.user)
    tiers = tier_counts(stats)
    context: dict[str, Any] = {
        "place": place,
        "now": now,
        "tiers": tiers,
        "total": sum(tier.active for tier in tiers),
        "tier_shares": shares([(f"tier-{tier.tier}", tier.name, tier.active) for tier in tiers]),
        "outcome_shares": outcome_shares(stats),
        "exchanges": stats.exchanges,
        "outcomes": told_outcomes(place),
        "recent": list_items(place.user, ItemFilter(), limit=RECENT),
        "keys": ApiKey.objects.filter(organization=place.organization).order_by("revoked_at", "name", "pk"),
        "conditions": condition.conditions(),
        **indexing_context(stats.indexing),
    }
    return render(request, "console/overview/page.html", context)


def tier_counts(stats: Stats) -> list[TierCount]:
    return [
        TierCount(
            tier,
            TIER_NAMES[tier],
            stats.tiers[tier].get(Status.ACTIVE, 0),
            stats.tiers[tier].get(Status.ARCHIVED, 0),
            note(POLICIES[tier], stats.tiers[tier].get(Status.ACTIVE, 0)),
        )
        for tier in Tier
    ]


def note(policy: TierPolicy, active: int) -> str:
    """What becomes of a tier's memories, and of the bank how full it is."""
    if policy.tier is not Tier.MEMORY_BANK:
        return lifetime(policy)
    capacity = memory_conf().limits.bank_capacity
    return f"nearly full, at most {capacity:,}" if active >= NEARLY_FULL * capacity else f"at most {capacity:,}"


def lifetime(policy: TierPolicy) -> str:
    if policy.ttl is None:
        return "learns from outcomes" if policy.scored else "kept as written"
    hours = int(policy.ttl.total_seconds() // 3600)
    return f"kept {hours // 24} days" if hours > 48 else f"kept {hours} hours"


def shares(counted: list[tuple[str, str, int]]) -> list[Share]:
    total = sum(count for _, _, count in counted)
    found, x = [], 0.0
    for css, name, count in counted:
        width = 100 * count / total if total else 0.0
        found.append(Share(css, name, count, round(x, 3), round(width, 3)))
        x += width
    return found


def outcome_shares(stats: Stats) -> list[Share]:
    return shares([(f"outcome-{kind}", name, stats.outcomes.get(kind, 0)) for kind, name in OUTCOME_NAMES.items()])


def told_outcomes(place: Place) -> list[ToldOutcome]:
    """The latest, each with the question it was about, else with what the first memory says."""
    events = place.facade.recent_outcomes(place.user, OUTCOMES)
    unasked = [memory for event in events if not event.query and (memory := first_memory(event))]
    texts = {}
    if unasked:
        with user_scope(place.user):
            rows = MemoryItem.objects.for_user(place.user).filter(pk__in=unasked)
            texts = dict(rows.values_list("pk", Left("text", EXCERPT)))
    return [told(place, event, texts) for event in events]


def told(place: Place, event: OutcomeEvent, texts: Mapping[uuid.UUID | None, str]) -> ToldOutcome:
    return ToldOutcome(
        event,
        event.query or texts.get(first_memory(event), "A memory that is gone"),
        OUTCOME_NAMES[Outcome(event.outcome)],
        len(event.scored_ids),
        len(event.learned_ids),
        address(place, event),
    )


def address(place: Place, event: OutcomeEvent) -> str:
    """The exchange it was said of, else the first memory."""
    if event.exchange_id and event.thread_id:
        query = urlencode({"thread": event.thread_id})
        return f"{reverse('console:conversations', args=place.path)}?{query}#exchange-{event.exchange_id}"
    memory = first_memory(event)
    return reverse("console:item", args=[*place.path, memory]) if memory else ""


def first_memory(event: OutcomeEvent) -> uuid.UUID | None:
    return next(iter([*event.scored_ids, *event.learned_ids]), None)


def indexing_context(counts: IndexCounts) -> dict[str, Any]:
    total = counts.pending + counts.ready + counts.failed
    return {
        "indexing": counts,
        "indexed_share": counts.ready / total if total else 1.0,
        "vector_backend": memory_conf().vector.backend,
    }


@require_safe
@place_page
def indexing(request: OperatorRequest, place: Place) -> HttpResponse:
    """The indexing panel, asked for again and again until nothing waits."""
    if not wants_part(request):
        return redirect("console:overview", *place.path)
    counts = place.facade.index_status(place.user)
    status = 200 if counts.pending else HTMX_STOP_POLLING
    context = {"place": place, **indexing_context(counts)}
    return render(request, "console/overview/_indexing.html", context, status=status)


@require_safe
@place_page
def health(request: OperatorRequest, place: Place) -> HttpResponse:
    """The health panel, so that a page left open notices."""
    if not wants_part(request):
        return redirect("console:overview", *place.path)
    return render(request, "console/overview/_health.html", {"place": place, "conditions": condition.conditions()})
