"""How the installation does: its parts now, the last hour stage by stage, and the last two weeks as charts."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console import charts, component_health
from memory.console.explanations import STAGES
from memory.models import DriftReport
from memory.operations import prometheus
from memory.operations.prometheus import StageLatency
from memory.platform import metrics
from memory.platform.faults import Unavailable
from memory.platform.metrics import Series, Sums
from memory.tiers import Tier
from memory.web.labels import TIER_NAMES
from memory.web.pages import OperatorRequest, operator_page, render_page
from memory.web.viewing import can_see_everybody

DAYS = 14


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    """Numbers of everybody together, so for operators who may see everybody."""
    if not can_see_everybody(request.user):
        raise Http404("not for this operator")
    return render_page(
        request, "console/system_health/page.html", "console/system_health/_health.html", build_context()
    )


def build_context() -> dict[str, Any]:
    now = timezone.now()
    try:
        metrics.flush_counts()
        hour, is_counting = metrics.read_last_hour(now), True
    except Unavailable:
        # The days below come from Postgres and are shown all the same.
        hour, is_counting = {}, False
    days = prometheus.read_days(now.date(), DAYS)
    return {
        "now": now,
        "conditions": component_health.list_component_health(),
        "breakers": component_health.list_breaker_health(),
        "report": DriftReport.objects.filter(mode="full", end_user=None).order_by("-started_at").first(),
        "is_counting": is_counting,
        "stages": [
            (STAGES.get(one.stage, one.stage), one) for one in sort_by_stage(prometheus.summarise_latencies(hour))
        ],
        "hour": summarise_sums(hour),
        "latency": draw_latency_charts(days),
        "hits": draw_hits_charts(days),
        "days": [(day, summarise_sums(sums)) for day, sums in reversed(days.items()) if sums],
        "tiers": [(f"tier-{tier.value}", TIER_NAMES[tier]) for tier in Tier],
    }


def sort_by_stage(found: list[StageLatency]) -> list[StageLatency]:
    """As a search goes through them, the whole last."""
    places = {name: position for position, name in enumerate(STAGES)}
    return sorted(found, key=lambda one: places.get(one.stage, len(places)))


def summarise_sums(sums: Sums) -> dict[str, Any]:
    whole = find_total_latency(sums)
    return {
        "searches": sum_metric(sums, "searches"),
        "p50": whole.p50 if whole else None,
        "p95": whole.p95 if whole else None,
        "hits": sum_metric(sums, "hits"),
        "writes": sum_metric(sums, "writes"),
        "fallbacks": sum_metric(sums, "fallbacks"),
        "missing": [
            (STAGES.get(series.label, series.label), int(amount))
            for series, amount in sums.items()
            if series.metric == "fallbacks"
        ],
    }


def sum_metric(sums: Sums, metric: str) -> int:
    return int(sum(amount for series, amount in sums.items() if series.metric == metric))


def find_total_latency(sums: Sums) -> StageLatency | None:
    return next((one for one in prometheus.summarise_latencies(sums) if one.stage == "total"), None)


def draw_latency_charts(days: Mapping[date, Sums]) -> list[charts.Chart]:
    found = [find_total_latency(sums) for sums in days.values()]
    curves = {
        "median": ("curve-p50", [one.p50 if one else None for one in found]),
        "95th percentile": ("curve-p95", [one.p95 if one else None for one in found]),
    }
    return [charts.draw_lines(list(days), curves, "ms", sheet) for sheet in charts.CHART_SIZES]


def draw_hits_charts(days: Mapping[date, Sums]) -> list[charts.Chart]:
    parts = {
        TIER_NAMES[tier]: (f"tier-{tier.value}", [sums.get(Series("hits", tier.value), 0.0) for sums in days.values()])
        for tier in Tier
    }
    return [charts.stack_bars(list(days), parts, sheet) for sheet in charts.CHART_SIZES]
