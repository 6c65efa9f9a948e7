"""What waits of one kind: a card for each, decided by a key, all at once, and taken back."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods, require_safe

from memory.console.acting import open_facade
from memory.console.inbox.decided import TOGETHER, find_undo, list_decided_lines, say_decided
from memory.console.inbox.wordings import DECISIONS, WORDINGS
from memory.console.text_diff import DiffRun, diff_texts
from memory.inbox.matters import Matter
from memory.models import Fact, MemoryItem
from memory.models.inbox import MatterDecision, MatterKind
from memory.store.admission import WriteRefused
from memory.web.notices import tell_with_undo
from memory.web.pages import OperatorRequest, person_page, wants_fragment
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _
from outcomes.exchanges.judged import JudgedTurn
from outcomes.models import OutcomeEvent

PAGE = 20
# Of a verdict without a question whose memories are erased.
NOTHING_LEFT = _("What it was about is erased.")
SETTLED = _("This was settled before; nothing changed.")
TAKEN = _("Taken back: it waits again.")


@dataclass(frozen=True, slots=True)
class MatterSide:
    """A statement with the page it has; of a pair the words that the other lacks are marked."""

    runs: Sequence[DiffRun]
    address: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MatterCard:
    """``judged`` is the turn that failed; ``refused`` why what was given as the ``reason`` was not taken."""

    matter: Matter
    sides: tuple[MatterSide, ...]
    judged: JudgedTurn | None = None
    reason: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class RefusedReason:
    """Why the reason that was given for a failure was not taken."""

    matter_id: str
    reason: str
    rule: str


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson, kind: str = "") -> HttpResponse:
    memory, now = open_facade(person), timezone.now()
    counts = memory.count_waiting(person.user, now=now)
    chosen = read_kind(kind) if kind else next((one for one, waiting in counts.items() if waiting), None)
    if chosen is None or chosen not in DECISIONS:
        return redirect("console:suspects" if chosen is MatterKind.SUSPECTED else "console:reviews", *person.path)
    if not kind:
        return redirect("console:inbox", *person.path, chosen.value)
    return render_matters(request, person, chosen)


def render_matters(
    request: OperatorRequest, person: ViewedPerson, chosen: MatterKind, refused: RefusedReason | None = None
) -> HttpResponse:
    memory, now = open_facade(person), timezone.now()
    counts = memory.count_waiting(person.user, now=now)
    found = memory.list_waiting(person.user, chosen, now=now, limit=PAGE)
    context: dict[str, Any] = {
        "person": person,
        "now": now,
        "kind": chosen.value,
        "wording": WORDINGS[chosen],
        "cards": build_cards(person, found, refused),
        "decisions": DECISIONS[chosen],
        "waiting_counts": counts,
        "waiting": counts[chosen],
        "decided": list_decided_lines(person, chosen, DECISIONS[chosen]),
    }
    if refused is not None and wants_fragment(request):
        context["card"] = next((one for one in context["cards"] if one.refused), None)
        if context["card"] is None:
            return tell_refusal(request, person, chosen.value, WriteRefused("reason", refused.rule))
        return render(request, "console/reviews/_matter.html", context, status=422)
    return render(request, "console/reviews/matters.html", context, status=200 if refused is None else 422)


def build_cards(person: ViewedPerson, found: Sequence[Matter], refused: RefusedReason | None) -> list[MatterCard]:
    failed = {matter.id: matter.row for matter in found if isinstance(matter.row, OutcomeEvent)}
    turns = open_facade(person).find_judged_turns(person.user, list(failed.values())) if failed else {}
    cards = [
        replace(build_card(person, matter), judged=turns.get(failed[matter.id].pk) if matter.id in failed else None)
        for matter in found
    ]
    if refused is None:
        return cards
    said = capfirst(word_refusal(refused.rule))
    return [
        replace(card, reason=refused.reason, refused=said) if card.matter.id == refused.matter_id else card
        for card in cards
    ]


def read_kind(kind: str) -> MatterKind:
    if kind not in set(MatterKind):
        raise Http404("no such kind")
    return MatterKind(kind)


def build_card(person: ViewedPerson, matter: Matter) -> MatterCard:
    row = matter.row
    if len(matter.items) > 1:
        first, second = matter.items
        runs = diff_texts(second.text, first.text)
        sides = (
            build_item_side(person, first, [run for run in runs if run.kind != "removed"]),
            build_item_side(person, second, [run for run in runs if run.kind != "added"]),
        )
        return MatterCard(matter, sides)
    if isinstance(row, Fact):
        return MatterCard(matter, (build_side(row.statement, find_reverse(person, "fact", row.pk), row.last_seen),))
    if isinstance(row, OutcomeEvent) and not matter.items:
        thread = reverse("console:conversations", args=person.path)
        return MatterCard(matter, (build_side(row.query or NOTHING_LEFT, thread, row.at),))
    items = matter.items or ((row,) if isinstance(row, MemoryItem) else ())
    return MatterCard(matter, tuple(build_item_side(person, item, [DiffRun("same", item.text)]) for item in items))


def build_side(text: str, address: str, at: datetime) -> MatterSide:
    return MatterSide([DiffRun("same", text)], address, at)


def build_item_side(person: ViewedPerson, item: MemoryItem, runs: Sequence[DiffRun]) -> MatterSide:
    return MatterSide(runs, find_reverse(person, "item", item.pk), item.occurred_at)


def find_reverse(person: ViewedPerson, name: str, row_id: uuid.UUID) -> str:
    return reverse(f"console:{name}", args=[*person.path, row_id])


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def decide(request: OperatorRequest, person: ViewedPerson, kind: str, matter_id: str) -> HttpResponse:
    chosen, decision = read_kind(kind), request.POST.get("decision", "")
    if request.method != "POST":
        return redirect("console:inbox", *person.path, kind)
    if decision not in set(MatterDecision):
        raise Http404("no such decision")
    reason = request.POST.get("reason", "")[:2_000]
    try:
        row = open_facade(person).decide_matter(
            person.user,
            chosen,
            matter_id,
            MatterDecision(decision),
            now=timezone.now(),
            reason=reason,
        )
    except WriteRefused as refusal:
        if refusal.field == "reason":
            return render_matters(request, person, chosen, RefusedReason(matter_id, reason, refusal.rule))
        return tell_refusal(request, person, kind, refusal)
    if row is None:
        return tell(request, person, kind, SETTLED)
    said = say_decided(DECISIONS.get(chosen, ()), decision)
    if not wants_fragment(request):
        return tell(request, person, kind, said)
    return render(request, "console/reviews/_settled.html", {"person": person, "row": row, "said": said, "kind": kind})


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def decide_kind(request: OperatorRequest, person: ViewedPerson, kind: str) -> HttpResponse:
    chosen, decision = read_kind(kind), request.POST.get("decision", "")
    if request.method != "POST":
        return redirect("console:inbox", *person.path, kind)
    if decision not in set(MatterDecision):
        raise Http404("no such decision")
    try:
        rows = open_facade(person).decide_all(person.user, chosen, MatterDecision(decision), now=timezone.now())
    except WriteRefused as refusal:
        return tell_refusal(request, person, kind, refusal)
    if rows:
        tell_with_undo(
            request, _("{rows} decided.").format(rows=len(rows)), find_undo(person, rows[0]), **{TOGETHER: "yes"}
        )
    return redirect("console:inbox", *person.path, kind)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def undo(request: OperatorRequest, person: ViewedPerson, decided_id: uuid.UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("console:inbox", *person.path)
    memory, now, row = open_facade(person), timezone.now(), None
    try:
        if TOGETHER in request.POST:
            row, *more = memory.undo_decided_together(person.user, decided_id, now=now) or (None,)
        else:
            row, more = memory.undo_decision(person.user, decided_id, now=now), []
    except WriteRefused as refusal:
        messages.error(request, _("Not taken back: {rule}.").format(rule=word_refusal(refusal.rule)))
        return redirect("console:inbox", *person.path)
    if row is None:
        raise Http404("no such decision")
    said = _("Taken back: {number} wait again.").format(number=1 + len(more)) if more else TAKEN
    return tell(request, person, row.kind, said)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def look_for_duplicates(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    kind = MatterKind.DUPLICATES.value
    if request.method != "POST":
        return redirect("console:inbox", *person.path, kind)
    found = open_facade(person).look_for_duplicates(person.user, now=timezone.now())
    return tell(request, person, kind, _("{found} new.").format(found=found) if found else _("Nothing new was found."))


def tell_refusal(request: OperatorRequest, person: ViewedPerson, kind: str, refusal: WriteRefused) -> HttpResponse:
    said = _("Nothing was changed: {rule}.").format(rule=word_refusal(refusal.rule))
    return tell(request, person, kind, said, is_error=True)


def tell(
    request: OperatorRequest, person: ViewedPerson, kind: str, said: str, *, is_error: bool = False
) -> HttpResponse:
    """Back to the list, with what became of it."""
    if wants_fragment(request):
        context = {"person": person, "said": said, "is_error": is_error, "kind": kind}
        return render(request, "console/reviews/_settled.html", context)
    (messages.error if is_error else messages.success)(request, said)
    return redirect("console:inbox", *person.path, kind)
