"""Facts as pages show them: by subject, with what took the place of what."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import Count, F, Func, IntegerField, Max, Q, TextField, Value
from django.db.models.functions import Cast

from memory.access.scope import user_scope
from memory.claims.claim import SPEAKER
from memory.facts.queries import FactFilter, list_facts, select_facts
from memory.facts.reviews import count_open_reviews
from memory.facts.subjects import KIND_ORDER, SubjectKind, classify_subject
from memory.models import EndUser, Fact
from memory.models.facts import FactQuerySet, FactState

# Of a chain as pages show it: what replaced what, forwards and back.
LONGEST_CHAIN = 50


@dataclass(frozen=True, slots=True)
class FactSubject:
    """Somebody or something that facts speak of. ``count`` is of those that fit a filter."""

    key: str
    name: str
    kind: SubjectKind
    count: int
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class SubjectFacts:
    """Facts of one subject on a page. ``skipped`` stood on the pages before."""

    subject: FactSubject
    facts: Sequence[Fact]
    skipped: int


@dataclass(frozen=True, slots=True)
class FactSummary:
    """How many there are by state, the current ones mentioned last, and how many pairs wait for a person."""

    counts: Mapping[FactState, int]
    latest: Sequence[Fact]
    open_reviews: int


def list_subjects(user: EndUser, facts: FactQuerySet) -> list[FactSubject]:
    """The person first, then people, animals, things; of a kind the latest mentioned first. In the user's scope."""
    rows = facts.order_by().values("subject_key").annotate(
        count=Count("pk"), latest=Max("last_seen"), name=Max("subject"), told=Max("statement")
    )  # fmt: skip
    found = list(rows)
    relations = find_relations_to(user, [row["subject_key"] for row in found])
    subjects = [
        FactSubject(
            row["subject_key"],
            row["name"],
            classify_subject(row["subject_key"], row["told"], relations.get(row["subject_key"], frozenset())),
            row["count"],
            row["latest"],
        )
        for row in found
    ]
    return sorted(subjects, key=lambda one: (KIND_ORDER.index(one.kind), -one.last_seen.timestamp(), one.key))


def find_relations_to(user: EndUser, keys: Collection[str]) -> dict[str, frozenset[str]]:
    """How subjects stand to the person, by what is told of the person: their dog is called Bruno."""
    told = Fact.objects.for_user(user).filter(subject_key=SPEAKER, object_key__in=keys)
    found: dict[str, frozenset[str]] = {}
    for key, relation in told.values_list("object_key", "relation").distinct():
        found[key] = found.get(key, frozenset()) | {relation}
    return found


def list_facts_by_subject(
    user: EndUser, wanted: FactFilter, *, now: datetime, start: int, limit: int
) -> tuple[list[SubjectFacts], int]:
    """The facts from a place on, by subject, and how many there are on all pages."""
    with user_scope(user):
        facts = select_facts(user, wanted, now)
        shown, place = [], 0
        for subject in list_subjects(user, facts):
            if place < start + limit and place + subject.count > start:
                shown.append((subject, max(0, start - place)))
            place += subject.count
        by_key: dict[str, list[Fact]] = {subject.key: [] for subject, _ in shown}
        first = shown[0][1] if shown else 0
        for fact in order_by_subject(facts, list(by_key))[first : first + limit]:
            by_key[fact.subject_key].append(fact)
    return [SubjectFacts(subject, by_key[subject.key], skipped) for subject, skipped in shown], place


def order_by_subject(facts: FactQuerySet, keys: Sequence[str]) -> FactQuerySet:
    """Those of some subjects, in the order of the subjects; of one, the latest mentioned first."""
    place = Func(
        Value(list(keys), output_field=ArrayField(TextField())),
        Cast(F("subject_key"), TextField()),
        function="array_position",
        output_field=IntegerField(),
    )
    return facts.filter(subject_key__in=keys).annotate(place=place).order_by("place", "-last_seen", "pk")


def summarize_facts(user: EndUser, *, now: datetime, limit: int) -> FactSummary:
    """Counts and the latest facts of a user, read in one scope as every page asks for them."""
    with user_scope(user):
        rows = Fact.objects.for_user(user).order_by().values_list("state").annotate(number=Count("pk"))
        counts = {FactState(state): number for state, number in rows}
        latest = list_facts(user, FactFilter(state=FactState.ACTIVE), now=now, after=None, limit=limit)
        return FactSummary(counts, latest, count_open_reviews(user))


def find_successors(user: EndUser, facts: Sequence[Fact]) -> dict[UUID, Fact]:
    """What took the place of facts, or what they were merged into, by the fact it replaced."""
    following = {fact.pk: fact.superseded_by or fact.merged_into for fact in facts}
    wanted = {after for after in following.values() if after}
    if not wanted:
        return {}
    with user_scope(user):
        rows = Fact.objects.for_user(user).exclude(state=FactState.FORGOTTEN).filter(pk__in=wanted).defer("vector")
        known = {fact.pk: fact for fact in rows}
    return {before: known[after] for before, after in following.items() if after in known}


def trace_fact(user: EndUser, fact: Fact) -> list[Fact]:
    """What led to a fact and what became of it, the earliest first, itself among them."""
    known = {fact.pk: fact}
    reached = [fact]
    with user_scope(user):
        while reached and len(known) < LONGEST_CHAIN:
            after = {one.superseded_by or one.merged_into for one in reached} - {None}
            before = [one.pk for one in reached]
            rows = Fact.objects.for_user(user).exclude(state=FactState.FORGOTTEN).exclude(pk__in=list(known))
            rows = rows.filter(Q(pk__in=after) | Q(superseded_by__in=before) | Q(merged_into__in=before))
            reached = list(rows.defer("vector").order_by("first_seen", "pk")[: LONGEST_CHAIN - len(known)])
            known |= {one.pk: one for one in reached}
    return sorted(known.values(), key=lambda one: (one.first_seen, one.created_at, str(one.pk)))
