"""What a language model is asked: each prompt with its wording, its caller, what happens without, and its last calls.

Calls are counted over everybody, and the folder of wordings is the installation's: for operators who may see all of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Avg, Count, Max, Q, Sum
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.conf import memory_conf
from memory.inference import language_model
from memory.inference.catalogue import CATALOGUE, PromptEntry
from memory.inference.conf import prompt_conf
from memory.inference.prompts import PromptSource, find_source
from memory.models import ModelCall
from memory.web.pages import OperatorRequest, operator_page
from memory.web.viewing import can_see_everybody
from memory.web.wordings import translate as _

CALLS = 50
ANSWERED = ("ok", "repaired")
OUTCOMES = {
    "ok": ("good", _("answered")),
    "repaired": ("watch", _("answered at the second attempt")),
    "invalid": ("bad", _("not of the form")),
    "late": ("bad", _("too late")),
    "rejected": ("bad", _("refused")),
    "unavailable": ("bad", _("did not answer")),
}


@dataclass(frozen=True, slots=True)
class PromptUse:
    """The calls of a prompt that are still kept."""

    calls: int = 0
    answered: int = 0
    tokens: int = 0
    ms: float = 0.0
    cost: Decimal = Decimal(0)
    last_at: object = None


@dataclass(frozen=True, slots=True)
class CatalogueLine:
    entry: PromptEntry
    source: PromptSource
    is_off: bool
    use: PromptUse


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    require_overview(request)
    uses = count_uses()
    conf, model = prompt_conf(), language_model()
    context = {
        "now": timezone.now(),
        "lines": [describe_prompt(entry, uses) for entry in CATALOGUE.values()],
        "model": model.model if model else "",
        "folder": conf.folder,
        "days": memory_conf().limits.log_days,
        "cost": sum((use.cost for use in uses.values()), Decimal(0)),
        # A misspelt name would leave a prompt on that somebody believes to be off.
        "unknown": sorted(conf.off - set(CATALOGUE)),
    }
    return render(request, "console/prompts/page.html", context)


@require_safe
@operator_page
def detail(request: OperatorRequest, name: str) -> HttpResponse:
    require_overview(request)
    entry = CATALOGUE.get(name)
    if entry is None:
        raise Http404("no such prompt")
    calls = ModelCall.objects.filter(purpose=name).order_by("-at", "-pk")[:CALLS]
    context = {
        "now": timezone.now(),
        "line": describe_prompt(entry, count_uses()),
        "calls": [(call, *OUTCOMES.get(call.outcome, ("watch", call.outcome))) for call in calls],
        "folder": prompt_conf().folder,
        "days": memory_conf().limits.log_days,
    }
    return render(request, "console/prompts/prompt.html", context)


def require_overview(request: OperatorRequest) -> None:
    if not can_see_everybody(request.user):
        raise Http404("not for this operator")


def describe_prompt(entry: PromptEntry, uses: Mapping[str, PromptUse]) -> CatalogueLine:
    is_off = entry.name in prompt_conf().off
    return CatalogueLine(entry, find_source(entry.name), is_off, uses.get(entry.name, PromptUse()))


def count_uses() -> dict[str, PromptUse]:
    rows = ModelCall.objects.filter(purpose__in=list(CATALOGUE)).values("purpose")
    counted = rows.annotate(
        calls=Count("pk"),
        answered=Count("pk", filter=Q(outcome__in=ANSWERED)),
        tokens=Sum("prompt_tokens") + Sum("answer_tokens"),
        mean_ms=Avg("ms"),
        spent=Sum("cost"),
        last=Max("at"),
    )
    return {
        row["purpose"]: PromptUse(
            row["calls"], row["answered"], row["tokens"], row["mean_ms"], row["spent"], row["last"]
        )
        for row in counted
    }
