"""Search as an assistant would see it, with the reasons for every place."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.explanations import ExplainRow, describe_fallbacks, explain_hit, list_explain_rows, split_timings
from memory.console.forms import SearchForm
from memory.console.scope_choices import list_scope_choices, read_scope_choice
from memory.retrieval.results import SearchHit, SearchRequest, SearchResult
from memory.scoring import wilson_lower_bound
from memory.tiers import Tier
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.viewing import ViewedPerson

ROW: Final = '<tr><td class="name">{}</td><td class="figure">{}</td><td class="meaning">{}</td></tr>'


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """A hit with its reasons in words."""

    hit: SearchHit
    explanation: str
    # The rows of the table of its numbers.
    rows: SafeString
    # The final score on a bar that the best hit, or 1, fills.
    level: float
    wilson: float


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    is_submitted = "query" in request.GET
    form = SearchForm(request.GET if is_submitted else None)
    scopes = list_scope_choices(open_facade(person).list_scopes(person.user))
    context: dict[str, Any] = {"person": person, "form": form, "now": timezone.now(), "tiers": list(Tier)}
    context["scopes"] = scopes
    status = 200
    if is_submitted and not form.is_valid():
        status = 422
    elif is_submitted and form.cleaned_data["query"]:
        result = run_search(person, form)
        context.update(build_result_context(result, form.cleaned_data["sort_by"]))
    return render_page(request, "console/search/page.html", "console/search/_found.html", context, status=status)


def run_search(person: ViewedPerson, form: SearchForm) -> SearchResult:
    fields = form.cleaned_data
    request = SearchRequest(
        query=fields["query"],
        tiers=frozenset(Tier(tier) for tier in fields["tiers"]) or None,
        limit=fields["limit"],
        sort_by=fields["sort_by"],
        scope=read_scope_choice(fields["scope"]) if fields["scope"] else None,
    )
    # An operator looks on: no turn of the user's is made, and nothing counts as retrieved.
    return open_facade(person).search(person.user, request, now=timezone.now(), remember=False)


def build_result_context(result: SearchResult, sort_by: str) -> dict[str, Any]:
    debug = result.debug
    best = max((hit.final_score for hit in result.hits), default=1.0)
    return {
        "result": result,
        "hits": [explain_result(hit, sort_by, best) for hit in result.hits],
        "total_ms": debug.stage_timings_ms.get("total", 0.0),
        "segments": split_timings(debug.stage_timings_ms),
        "warnings": describe_fallbacks(debug.fallbacks_used, debug.vector_stage_status),
        "errors": debug.errors,
        "confidence": debug.retrieval_confidence,
    }


def explain_result(hit: SearchHit, sort_by: str, best: float) -> ExplainedHit:
    item = hit.item
    return ExplainedHit(
        hit=hit,
        explanation=explain_hit(hit.explain, hit.position, hit.final_score, sort_by),
        rows=write_rows(list_explain_rows(hit.explain, hit.final_score)),
        level=hit.final_score / max(1.0, best),
        wilson=wilson_lower_bound(item.worked, item.failed, item.partial),
    )


def write_rows(rows: Iterable[ExplainRow]) -> SafeString:
    # Not by the template: ten hits have three hundred rows, of which it wrote each in four times the time.
    return format_html_join("", ROW, ((row.name, row.value, row.meaning) for row in rows))
