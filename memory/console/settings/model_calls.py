"""What the language model was asked: how often, by whom, and what it cost, day by day."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django.db.models import Avg, Count, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.conf import memory_conf
from memory.inference import language_model
from memory.inference.catalogue import CATALOGUE
from memory.models import ModelCall
from memory.web.pages import OperatorRequest, operator_page
from memory.web.viewing import can_see_everybody

PERIODS: Final = (7, 30, 90)
ANSWERED: Final = ("ok", "repaired")


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Calls of a purpose or of a day. ``label`` names it; ``prompt`` where it has a page."""

    label: str | date
    calls: int
    answered: int
    tokens: int
    ms: float
    cost: Decimal
    prompt: str = ""
    last_at: datetime | None = None


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    # Counted over everybody.
    if not can_see_everybody(request.user):
        raise Http404("not for this operator")
    now = timezone.now()
    chosen = request.GET.get("days", "")
    days = int(chosen) if chosen in {str(period) for period in PERIODS} else PERIODS[1]
    rows = ModelCall.objects.filter(at__gt=now - timedelta(days=days))
    purposes = sum_calls_by(rows, "purpose")
    model, conf = language_model(), memory_conf().llm
    context = {
        "now": now,
        "days": days,
        "periods": PERIODS,
        "purposes": sorted(purposes, key=lambda one: (-one.cost, -one.calls)),
        "by_day": sum_calls_by(rows.annotate(day=TruncDate("at")), "day"),
        "total": sum((one.cost for one in purposes), Decimal(0)),
        "calls": sum(one.calls for one in purposes),
        "tokens": sum(one.tokens for one in purposes),
        "model": model.model if model else "",
        "has_prices": bool(conf.prompt_price or conf.answer_price),
        "kept_days": memory_conf().limits.log_days,
    }
    return render(request, "console/settings/model_calls.html", context)


def sum_calls_by(rows: "QuerySet[ModelCall, Any]", field: str) -> list[CallTotals]:
    """The latest first where the field is a day."""
    counted = rows.values(field).annotate(
        calls=Count("pk"),
        answered=Count("pk", filter=Q(outcome__in=ANSWERED)),
        tokens=Sum("prompt_tokens") + Sum("answer_tokens"),
        mean_ms=Avg("ms"),
        spent=Sum("cost"),
        last=Max("at"),
    )
    return [
        CallTotals(
            row[field],
            row["calls"],
            row["answered"],
            row["tokens"],
            row["mean_ms"],
            row["spent"],
            row[field] if row[field] in CATALOGUE else "",
            row["last"],
        )
        for row in counted.order_by(f"-{field}")
    ]
