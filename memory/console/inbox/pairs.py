"""Pairs of facts that wait for a person: side by side, with what differs, what speaks for each, and four decisions."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from memory.console.acting import open_facade
from memory.console.fact_history import EvidenceLine, describe_evidence
from memory.console.fact_lines import DECISION_NAMES, REVIEW_NAMES, FactLine, build_fact_line
from memory.console.text_diff import DiffRun, diff_texts
from memory.models import Fact, FactReview
from memory.models.facts import FactState, ReviewDecision, ReviewKind
from memory.models.inbox import MatterKind
from memory.web.notices import tell
from memory.web.page_cursors import parse_moment, read_page_cursor, write_page_cursor
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

PAGE = 20
EVIDENCE = 3
SETTLED = _("This pair was settled before; nothing changed.")
# In the order of their keys, 1 to 4.
DECISIONS = (
    (ReviewDecision.SUPERSEDE, _("Keep the newer"), _("The earlier one was true until then")),
    (ReviewDecision.MERGE, _("Merge"), _("They say the same: one fact with the evidence of both")),
    (ReviewDecision.KEEP_BOTH, _("Keep both"), _("They can be true side by side")),
    (ReviewDecision.REJECT, _("Reject the newer"), _("It was never true")),
)


@dataclass(frozen=True, slots=True)
class ReviewSide:
    """One of a pair. ``runs`` are its words, those that the other lacks marked."""

    title: str
    line: FactLine
    runs: list[DiffRun]
    evidence: list[EvidenceLine]
    more_evidence: int


@dataclass(frozen=True, slots=True)
class ReviewPair:
    review: FactReview
    reason: str
    sides: tuple[ReviewSide, ReviewSide]


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    memory = open_facade(person)
    cursor = request.GET.get("cursor", "")
    found = memory.list_reviews(person.user, after=read_place(cursor), limit=PAGE + 1)
    shown, now = found[:PAGE], timezone.now()
    last = shown[-1] if len(found) > PAGE else None
    following = write_page_cursor(last.created_at.isoformat(), last.pk) if last else ""
    context = {
        "person": person,
        "now": now,
        "pairs": describe_pairs(person, shown, now),
        "decisions": DECISIONS,
        "open_reviews": memory.count_open_reviews(person.user),
        "kind": MatterKind.CONTRADICTIONS.value,
        "cursor": cursor,
        "next_page": urlencode({"cursor": following}) if following else "",
    }
    return render_page(request, "console/reviews/page.html", "console/reviews/_pairs.html", context)


def read_place(cursor: str) -> tuple[datetime, uuid.UUID] | None:
    key, review_id = read_page_cursor(cursor) or ("", None)
    moment = parse_moment(key)
    return (moment, review_id) if moment and review_id else None


def describe_pairs(person: ViewedPerson, reviews: Sequence[FactReview], now: datetime) -> list[ReviewPair]:
    facts = {fact.pk for review in reviews for fact in (review.fact, review.other)}
    rows = open_facade(person).list_evidence(person.user, facts)
    # One query for what all of it says, not one for each side.
    lines = describe_evidence(person, [row for one in rows.values() for row in one[:EVIDENCE]])
    by_fact: dict[uuid.UUID, list[EvidenceLine]] = {}
    for line in lines:
        by_fact.setdefault(line.row.fact_id, []).append(line)
    left = {fact_id: max(0, len(one) - EVIDENCE) for fact_id, one in rows.items()}

    def describe_side(title: str, fact: Fact, runs: list[DiffRun]) -> ReviewSide:
        evidence = by_fact.get(fact.pk, [])
        return ReviewSide(title, build_fact_line(fact, None, now), runs, evidence, left.get(fact.pk, 0))

    found = []
    for review in reviews:
        runs = diff_texts(review.other.statement, review.fact.statement)
        earlier = describe_side(_("Earlier"), review.other, [run for run in runs if run.kind != "added"])
        newer = describe_side(_("Newer"), review.fact, [run for run in runs if run.kind != "removed"])
        found.append(ReviewPair(review, REVIEW_NAMES[ReviewKind(review.kind)], (earlier, newer)))
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def decide(request: OperatorRequest, person: ViewedPerson, review_id: uuid.UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("console:reviews", *person.path)
    given = request.POST.get("decision", "")
    if given not in set(ReviewDecision):
        raise Http404("no such decision")
    now = timezone.now()
    review = open_facade(person).decide_review(person.user, review_id, ReviewDecision(given), now=now)
    if review is None:
        raise Http404("no such pair")
    # On a page left open, somebody may have decided it, or one of the two may have ended by another pair.
    said = DECISION_NAMES[ReviewDecision(review.decision)] if review.decided_at == now else SETTLED
    if not wants_fragment(request):
        ended = find_ended(review) if said != SETTLED else None
        tell(request, said, reverse("console:restore_fact", args=[*person.path, ended.pk]) if ended else "")
        return redirect("console:reviews", *person.path)
    return render(request, "console/reviews/_decided.html", build_decided_context(person, review, said))


def find_ended(review: FactReview) -> Fact | None:
    """The one of the two that does not hold any more."""
    return next((fact for fact in (review.fact, review.other) if fact.state != FactState.ACTIVE), None)


def build_decided_context(person: ViewedPerson, review: FactReview, said: str) -> dict[str, Any]:
    ended = find_ended(review)
    return {
        "person": person,
        "review": review,
        "said": said,
        "ended": ended,
        "can_return": said != SETTLED and ended is not None,
        "open_reviews": open_facade(person).count_open_reviews(person.user),
        "kind": MatterKind.CONTRADICTIONS.value,
        "waiting_counts": open_facade(person).count_waiting(person.user, now=timezone.now()),
    }
