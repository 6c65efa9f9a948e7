"""How the installation does: its parts now, the last hour stage by stage, and the last two weeks as charts."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console import charts, condition
from memory.console.explaining import STAGES
from memory.console.names import TIER_NAMES
from memory.console.pages import OperatorRequest, answer, operator_page
from memory.console.places import sees_everybody
from memory.operations import prometheus
from memory.operations.prometheus import Latency
from memory.platform import metrics
from memory.platform.faults import Unavailable
from memory.platform.metrics import Series, Sums
from memory.tiers import Tier

DAYS = 14


@require_safe
@operator_page
def vitals(request: OperatorRequest) -> HttpResponse:
    """Numbers of everybody together, so for operators who may see everybody."""
    if not sees_everybody(request.user):
        raise Http404("not for this operator")
    return answer(request, "console/vitals/page.html", "console/vitals/_vitals.html", context())


def context() -> dict[str, Any]:
    now = timezone.now()
    try:
        metrics.carry()
        hour, is_counting = metrics.last_hour(now), True
    except Unavailable:
        hour, is_counting = {}, False
    days = prometheus.days(now.date(), DAYS)
    return {
        "conditions": condition.conditions(),
        "is_counting": is_counting,
        "stages": [(STAGES.get(one.stage, one.stage), one) for one in in_order(prometheus.latencies(hour))],
        "hour": facts(hour),
        "latency": latency_charts(days),
        "hits": hits_charts(days),
        "days": [(day, facts(sums)) for day, sums in reversed(days.items()) if sums],
        "tiers": [(f"tier-{tier.value}", TIER_NAMES[tier]) for tier in Tier],
    }


def in_order(found: list[Latency]) -> list[Latency]:
    """As a search goes through them, the whole last."""
    places = {name: place for place, name in enumerate(STAGES)}
    return sorted(found, key=lambda one: places.get(one.stage, len(places)))


def facts(sums: Sums) -> dict[str, Any]:
    whole = whole_search(sums)
    return {
        "searches": total(sums, "searches"),
        "p50": whole.p50 if whole else None,
        "p95": whole.p95 if whole else None,
        "hits": total(sums, "hits"),
        "writes": total(sums, "writes"),
        "fallbacks": total(sums, "fallbacks"),
        "missing": [
            (STAGES.get(series.label, series.label), int(amount))
            for series, amount in sums.items()
            if series.metric == "fallbacks"
        ],
    }


def total(sums: Sums, metric: str) -> int:
    return int(sum(amount for series, amount in sums.items() if series.metric == metric))


def whole_search(sums: Sums) -> Latency | None:
    return next((one for one in prometheus.latencies(sums) if one.stage == "total"), None)


def latency_charts(days: Mapping[date, Sums]) -> list[charts.Chart]:
    found = [whole_search(sums) for sums in days.values()]
    curves = {
        "median": ("curve-p50", [one.p50 if one else None for one in found]),
        "95th percentile": ("curve-p95", [one.p95 if one else None for one in found]),
    }
    return [charts.drawn(list(days), curves, "ms", sheet) for sheet in charts.SHEETS]


def hits_charts(days: Mapping[date, Sums]) -> list[charts.Chart]:
    parts = {
        TIER_NAMES[tier]: (f"tier-{tier.value}", [sums.get(Series("hits", tier.value), 0.0) for sums in days.values()])
        for tier in Tier
    }
    return [charts.stacked(list(days), parts, sheet) for sheet in charts.SHEETS]
