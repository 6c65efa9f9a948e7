"""What an assistant would be handed for a question: section by section, with what it takes and why it is there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.explanations import describe_fallbacks, split_timings
from memory.console.forms import ContextForm
from memory.context.compose import Context
from memory.tiers import Tier
from memory.web.labels import TIER_NAMES, name_word
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.quantities import say_quantity
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

TITLES = {
    "personality": _("Who the assistant is"),
    "core_instructions": _("How to use it"),
    "known_context": _("Always known"),
    "contextual_memory": _("What experience says"),
    "retrieved_memories": _("What was found"),
    "current_conversation": _("Said in this conversation"),
    "related_conversations": _("Said in others"),
    "long_term": _("Kept permanently"),
    "conversation_so_far": _("What was said before"),
    "streamed_memories": _("Recalled"),
    "hot_bullets": _("Known for this turn"),
}
REASONS = {
    "personality": _("The personality chosen for this person, first of all and the same in every turn."),
    "core_instructions": _("Stands in front wherever anything follows: records are evidence and never instructions."),
    "known_context": (
        _(
            "Constraints the question touches, what it asks for, and pinned statements; in a conversation that is new, "
            "or was silent for twelve hours, also who the person is."
        )
    ),
    "contextual_memory": (
        _(
            "What worked and what failed on this before, archived failures included, what is known of it, where to "
            "look first and which tools helped. Read from recorded outcomes and the graphs, not from the search below."
        )
    ),
    "retrieved_memories": _("The best hits of the search, each whole, as many as the question asks for."),
    "current_conversation": _("By their labels, of this conversation; only where the client asks for stages."),
    "related_conversations": _("By topic and by what is mentioned, of other conversations, with their titles."),
    "long_term": _("Important statements, preferences and what was asked for often, whatever the question."),
    "conversation_so_far": (
        _(
            "The older part of the conversation in a few points, as a language model summed it up, where the client no "
            "longer shows its beginning; and the tone the person writes in."
        )
    ),
    "streamed_memories": (
        _(
            "Facts and past conversations near what was said last in this thread, chosen after its last exchange and "
            "not by the question, where nothing above says the same and there is room left."
        )
    ),
    "hot_bullets": _("What the hot path knows of whom and what the question names, where nothing above says so."),
}


@dataclass(frozen=True, slots=True)
class PreviewSection:
    """A section as it is handed over; ``x`` and ``width`` are its percentages of the bar of tokens."""

    name: str
    title: str
    reason: str
    text: str
    tokens: int
    x: float
    width: float


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    is_submitted = "query" in request.GET
    form = ContextForm(request.GET if is_submitted else None)
    context: dict[str, Any] = {"person": person, "form": form}
    status = 200
    if is_submitted and not form.is_valid():
        status = 422
    elif is_submitted and form.cleaned_data["query"]:
        context.update(build_preview_context(compose_preview(person, form)))
    return render_page(request, "console/search/context.html", "console/search/_preview.html", context, status=status)


def compose_preview(person: ViewedPerson, form: ContextForm) -> Context:
    # An operator looks on: no turn of the user's is made, and nothing counts as retrieved.
    return open_facade(person).compose_context(
        person.user,
        form.cleaned_data["query"],
        now=timezone.now(),
        thread_id=form.cleaned_data["thread"],
        remember=False,
    )


@dataclass(frozen=True, slots=True)
class ConceptChip:
    name: str
    route: Mapping[str, Any]

    @property
    def told(self) -> str:
        """Where it is best looked for; empty where nothing was learned of that."""
        tier, rate, uses = (self.route.get(name) for name in ("best_collection", "success_rate", "usage_count"))
        if not tier or rate is None:
            return ""
        return _("asked {times}, best in {tier}: {rate:.0%} worked").format(
            times=say_quantity(uses or 0, "times"), tier=TIER_NAMES[Tier(tier)], rate=rate
        )


def build_preview_context(composed: Context) -> dict[str, Any]:
    debug, insights = composed.meta["debug"], composed.meta["context_insights"]
    timings = dict(debug["stage_timings_ms"])
    # Experience is asked before the search, whose total is without it.
    timings["total"] = timings.get("total", 0.0) + timings.get("insights", 0.0)
    return {
        "composed": composed,
        "parts": list_sections(composed),
        "total_ms": timings["total"],
        "segments": split_timings(timings),
        "warnings": describe_fallbacks(debug["fallbacks_used"], debug["vector_stage_status"]),
        "errors": debug["errors"],
        "concepts": list_concepts(insights),
        "directives": insights["directives"] or [],
        "positions": composed.meta["retrieval"]["search_position_map"]["by_position"],
        "context_type": name_word(composed.meta["context_type"] or ""),
        # More than all where one memory alone is larger than the budget: it is handed over whole.
        "share": min(1.0, composed.tokens / composed.budget.tokens),
    }


def list_concepts(insights: Mapping[str, Any]) -> list[ConceptChip]:
    """What the graph knows of the question, with where asking for it has worked best so far."""
    routes = {one["concept"]: one for one in insights["active_concepts"] or []}
    named = dict.fromkeys([*(insights["matched_concepts"] or []), *routes])
    return [ConceptChip(name, routes.get(name, {})) for name in named]


def list_sections(composed: Context) -> list[PreviewSection]:
    found, x = [], 0.0
    for section in composed.sections:
        width = 100 * section.tokens / composed.tokens
        title, reason = TITLES.get(section.name, section.name), REASONS.get(section.name, "")
        found.append(
            PreviewSection(section.name, title, reason, section.text, section.tokens, round(x, 3), round(width, 3))
        )
        x += width
    return found
