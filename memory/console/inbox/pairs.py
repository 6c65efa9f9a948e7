"""Pairs of facts that wait for a person: side by side, with what differs, what speaks for each, and four decisions."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from memory.console.acting import open_facade
from memory.console.fact_history import EvidenceLine, describe_evidence
from memory.console.fact_lines import DECISION_NAMES, REVIEW_NAMES, FactLine, build_fact_line
from memory.console.inbox.decided import find_undo, list_decided_lines
from memory.console.inbox.wordings import DecisionWording
from memory.console.text_diff import DiffRun, diff_texts
from memory.models import Fact, FactReview
from memory.models.facts import ReviewDecision, ReviewKind
from memory.models.inbox import MatterDecision, MatterKind
from memory.store.admission import WriteRefused
from memory.web.notices import tell
from memory.web.page_cursors import parse_moment, read_page_cursor, write_page_cursor
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

PAGE = 20
EVIDENCE = 3
SETTLED = _("This pair was settled before; nothing changed.")
# In the order of their keys, 1 to 4.
DECISIONS = tuple(
    DecisionWording(decision, name, meaning, DECISION_NAMES[ReviewDecision(decision)])
    for decision, name, meaning in (
        (MatterDecision.SUPERSEDE, _("Keep the newer"), _("The earlier one was true until then")),
        (MatterDecision.MERGE, _("Merge"), _("They say the same: one fact with the evidence of both")),
        (MatterDecision.KEEP_BOTH, _("Keep both"), _("They can be true side by side")),
        (MatterDecision.REJECT, _("Reject the newer"), _("It was never true")),
    )
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
    open_reviews = memory.count_open_reviews(person.user)
    context = {
        "person": person,
        "now": now,
        "pairs": describe_pairs(person, shown, now),
        "decisions": DECISIONS,
        "open_reviews": open_reviews,
        "waiting": open_reviews,
        "decided": list_decided_lines(person, MatterKind.CONTRADICTIONS, DECISIONS),
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
    memory = open_facade(person)
    try:
        row = memory.decide_matter(
            person.user, MatterKind.CONTRADICTIONS, str(review_id), MatterDecision(given), now=now
        )
    except WriteRefused:
        row = None
    # Decided above, unless on a page left open somebody else did: then it stays as that one left it.
    review = memory.decide_review(person.user, review_id, ReviewDecision(given), now=now)
    if review is None:
        raise Http404("no such pair")
    said = DECISION_NAMES[ReviewDecision(review.decision)] if row else SETTLED
    if not wants_fragment(request):
        tell(request, said, find_undo(person, row) if row else "")
        return redirect("console:reviews", *person.path)
    context = build_decided_context(person, review, said) | {"row": row}
    return render(request, "console/reviews/_decided.html", context)


def build_decided_context(person: ViewedPerson, review: FactReview, said: str) -> dict[str, Any]:
    return {
        "person": person,
        "review": review,
        "said": said,
        "open_reviews": open_facade(person).count_open_reviews(person.user),
        "kind": MatterKind.CONTRADICTIONS.value,
        "waiting_counts": open_facade(person).count_waiting(person.user, now=timezone.now()),
    }
