"""What is known of a person that an answer to this question needs, each line with its time.

First the standing constraints that the question touches, then what it asks for, or that first where it asks for a fact
alone; then what is always told and, in a new thread, who the person is. Nothing else: a line that says nothing to the
matter costs tokens and attention.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from memory.access.scope import user_scope
from memory.claims.claim import SPEAKER
from memory.claims.constraints import CONSTRAINT, STYLE, find_constraint
from memory.claims.questions import AskedFor, find_people
from memory.claims.relations import ABOUT, is_single_valued
from memory.context.blocks import KnownLine, describe_source, fold_words, holds_words
from memory.context.bystanders import is_of_bystander
from memory.context.known_rows import BASICS, MOST_NEAR, NEAR, KnownItem, KnownRows, read_known_rows
from memory.context.matters import Apartness
from memory.facts.confidence import LEAST_USED
from memory.facts.evidence import compute_confidence
from memory.facts.keys import fold_key
from memory.facts.pairs import read_statement
from memory.inference.base import QuestionVector
from memory.language.folding import fold_text
from memory.language.periods import mentions_time
from memory.language.text import format_date
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from memory.platform.tracing import trace_calls

# As ruled: an answer that has to heed more than this heeds none.
MOST_CONSTRAINTS: Final = 8
MOST_IN_SLOT: Final = 5
MOST_BASICS: Final = 3
# Bank items that are read here until the worker has: one takes 16 ms, so the 320 that fit were 5 s of a context.
MOST_READ_HERE: Final = 40
# Of each of them: who it is about and what it says of them is said first.
SLOT_CHARS: Final = 1_000
# Cosine from which a fact is told of a relation that says little: "I have" is said of dogs, cars and doubts.
FAIR: Final = 0.45
WEAK: Final = frozenset({"has", "owns", "is", "goes_by", "nickname", "surname", "routine", "likes", "dislikes"})
# For so long after a change what was so before is told beside it: people ask about the old until they have the new.
RECENT_CHANGE: Final = timedelta(days=7)
# Apart from the moment it was said: what holds since an earlier day was told later.
SAME_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A fact, or a bank item that no fact stands behind, as it is chosen."""

    line: KnownLine
    topics: frozenset[str]
    first_seen: datetime
    last_seen: datetime
    relation: str = ""
    subject: str = SPEAKER
    cosine: float = 0.0
    importance: float = 0.0
    is_pinned: bool = False
    is_over: bool = False
    # That somebody does not live or work somewhere: told behind where they do, and no limit of anything.
    is_denied: bool = False
    # Of a friend or of distant kin: told where the question touches it, and never beside another matter.
    is_apart: bool = False
    # Read whatever is asked, so that what is told in every turn may be chosen from it.
    is_always_read: bool = False
    # Since when another holds in its place, and since when another most likely does.
    changed_at: datetime | None = None
    doubted_at: datetime | None = None


@trace_calls("context.facts")
def find_known_lines(
    user: EndUser,
    asked: AskedFor,
    vector: QuestionVector | None,
    doubted: Mapping[uuid.UUID, datetime],
    *,
    now: datetime,
    is_cold: bool,
    apart: Apartness = Apartness.NONE,
) -> list[KnownLine]:
    """The lines of the known context, best first. ``vector`` is the question's, where the search had one, ``doubted``
    the facts of which something said later most likely took the place, ``apart`` how surely the turn breaks nothing.

    External text is never told without a search, whatever its row says.
    """
    with user_scope(user):
        rows = read_known_rows(user, asked, vector, now=now, is_cold=is_cold)
    statements = [doubt_statement(one, doubted) for one in describe_rows(rows, now)]
    return choose_lines(statements, asked, now=now, is_cold=is_cold, apart=apart)


def describe_rows(rows: KnownRows, now: datetime) -> Iterator[KnownStatement]:
    items = {item.id: item for item in rows.items}
    behind: set[uuid.UUID] = set()
    for fact in rows.facts:
        item = items.get(fact.bank_item_id) if fact.bank_item_id else None
        if item is not None and item.review:
            continue
        if fact.state == FactState.SUPERSEDED or compute_confidence(fact, now) >= LEAST_USED:
            told = describe_fact(fact, item, rows.cosines.get(fact.pk, 0.0))
            if later := rows.changes.get(fact.statement, ""):
                told = replace(told, line=replace(told.line, later=later))
            newer = rows.doubts.get(fact.pk)
            yield told if newer is None or told.is_over else contradict_statement(told, newer)
            behind |= {item.id} if item is not None and fact.state == FactState.ACTIVE else set()
    for at, item in enumerate(one for one in rows.items if one.id not in behind and not one.review):
        yield describe_item(item, reads_slot=at < MOST_READ_HERE)


def describe_fact(fact: Fact, item: KnownItem | None, cosine: float) -> KnownStatement:
    """A fact as a context tells it: in the words of its bank item if it has one that holds."""
    is_over = fact.state != FactState.ACTIVE
    is_apart = is_of_bystander(fact)
    line = KnownLine(
        item.text if item is not None and not is_over else fact.statement,
        describe_time(fact),
        fact.pk,
        item.id if item is not None else None,
        describe_source(item) if item is not None else "",
        is_over=is_over,
    )
    return KnownStatement(
        line,
        find_limits(fact, line.statement, is_apart=is_apart),
        fact.first_seen,
        fact.last_seen,
        fact.relation,
        fact.subject_key,
        cosine,
        item.importance if item is not None else fact.base_confidence,
        item is not None and item.always_inject and not is_over,
        is_over,
        is_denied(fact),
        is_apart,
        not is_over and ((fact.category == CONSTRAINT and not is_apart) or (item is not None and item.always_inject)),
        fact.valid_to if is_over else None,
    )


def is_denied(fact: Fact) -> bool:
    return not fact.polarity and is_single_valued(fact.relation)


def find_limits(fact: Fact, statement: str, *, is_apart: bool) -> frozenset[str]:
    if fact.state != FactState.ACTIVE or is_denied(fact):
        return frozenset()
    # A remark of somebody else's, as "What does he take? metformin", is none of the person's limits.
    is_apart = is_apart or (fact.relation == ABOUT and fact.subject_key != SPEAKER)
    return find_constraint(statement, fact.relation, fact.tense, fact.object, is_apart=is_apart)


def describe_item(item: KnownItem, *, reads_slot: bool) -> KnownStatement:
    line = KnownLine(item.text, f"told on {format_date(item.occurred_at)}", None, item.id, describe_source(item))
    relation, subject = read_slot(item.text) if reads_slot else (ABOUT, SPEAKER)
    if relation not in BASICS and "identity" in item.tags:  # Until it is read its tag says who the person is.
        relation, subject = BASICS[0], SPEAKER
    return KnownStatement(
        line,
        find_constraint(item.text),
        item.occurred_at,
        item.occurred_at,
        relation,
        subject,
        importance=item.importance,
        is_pinned=item.always_inject,
        is_always_read=True,
    )


@lru_cache(maxsize=2048)
def read_slot(text: str) -> tuple[str, str]:
    """Relation and subject of a statement that is no fact yet."""
    read = read_statement(text[:SLOT_CHARS])
    return read.relation, fold_key(read.subject or SPEAKER)


def describe_time(fact: Fact) -> str:
    """Since when or until when it holds, else when the person last said so."""
    if fact.state != FactState.ACTIVE:
        return f"until about {format_date(fact.valid_to)}" if fact.valid_to else "no longer so"
    if fact.valid_to:
        # An end that was told stands at the midnight behind its day.
        return f"told on {format_date(fact.last_seen)}, until {format_date(fact.valid_to - timedelta(seconds=1))}"
    if fact.valid_from and abs(fact.first_seen - fact.valid_from) > SAME_DAY:
        # A year that was told alone begins with its first moment.
        is_year = (fact.valid_from.month, fact.valid_from.day, fact.valid_from.hour) == (1, 1, 0)
        return f"since {fact.valid_from.year}" if is_year else f"since {fact.valid_from:%B %Y}"
    # Of a change whose time was told in other words the day on which it was told says nothing.
    if fact.valid_from and fact.tense == "new" and not mentions_time(fold_text(fact.statement)):
        return f"since {format_date(fact.valid_from)}"
    return f"told on {format_date(fact.last_seen)}"


def contradict_statement(one: KnownStatement, newer: Fact) -> KnownStatement:
    """A constraint stands until a person has decided: only its time is told otherwise."""
    return replace(one, line=replace(word_doubt(one.line, newer.first_seen), later=newer.statement))


def doubt_statement(one: KnownStatement, doubted: Mapping[uuid.UUID, datetime]) -> KnownStatement:
    """With when it was last known to hold, where something said later most likely took its place."""
    at = doubted.get(one.line.fact_id) if one.line.fact_id is not None and not one.is_over else None
    return one if at is None else replace(one, doubted_at=at)


def choose_lines(
    statements: Sequence[KnownStatement],
    asked: AskedFor,
    *,
    now: datetime,
    is_cold: bool,
    apart: Apartness = Apartness.NONE,
) -> list[KnownLine]:
    """The lines that belong beside a question, each once: what was asked for, limits, what always stands."""
    lasting = choose_lasting(statements)
    constraints = choose_constraints(statements, asked, lasting)
    needed = [one for one in constraints if not is_idle(one.topics, asked, apart)]
    relevant = choose_relevant(statements, asked, now)
    chosen = [
        *(relevant if asked.is_plain else ()),
        *needed,
        *relevant,
        *(replace(one, line=replace(one.line, is_standing=True)) for one in statements if one.is_pinned),
        # "Soy alérgica" is read as a trade now and then.
        *(choose_basics([one for one in statements if not is_idle(one.topics, asked, apart)]) if is_cold else ()),
    ]
    best: dict[str, KnownLine] = {}
    for one in chosen:
        first = best.setdefault(one.line.key, one.line)
        if one.line.is_standing and not first.is_standing:
            best[one.line.key] = one.line
    told = [lasting.get(key, line) for key, line in best.items()]
    told = [
        mark_changed(line) if fold_words(line.later) in best and not line.is_over else line
        for line in drop_contained(told)
    ]
    idle = [replace(line, is_idle=True) for key, line in lasting.items() if key not in best]
    return [*told, *idle]


def drop_contained(lines: Sequence[KnownLine]) -> list[KnownLine]:
    """Without those of which another says all and more: "I'm Livio" beside "I'm Livio, a lighting technician"."""
    said = {line.key for line in lines if not line.is_over}
    return [
        line
        for line in lines
        if line.is_standing or line.is_over or not any(holds_words(one, line.key) for one in said)
    ]


def mark_changed(line: KnownLine) -> KnownLine:
    """Of "my daughter Lotte has coeliac disease" that Lotte has none, where that is told by a line of its own."""
    return replace(line, later="", time=f"{line.time}, changed since") if line.later else line


def is_idle(topics: Collection[str], asked: AskedFor, apart: Apartness) -> bool:
    """Whether a constraint is none of this turn's matter, as of "where do I live?" whatever the person may not eat. The
    style of the answers is of every one's."""
    if STYLE in topics or not topics:
        return False
    is_apart = asked.is_plain or apart != Apartness.NONE
    return apart == Apartness.FAR or (is_apart and asked.topics.isdisjoint(topics))


def choose_lasting(statements: Sequence[KnownStatement]) -> dict[str, KnownLine]:
    """What every turn tells whatever it asks, by key: what is pinned, and the constraints where they are few, else the
    style of the answers. In an order that a later one only adds to.
    """
    own = [one for one in statements if one.is_always_read]
    constraints = [one for one in own if one.topics]
    if len({one.line.key for one in constraints}) > MOST_CONSTRAINTS:
        constraints = [one for one in constraints if STYLE in one.topics][:MOST_CONSTRAINTS]
    told = sorted(
        [*constraints, *(one for one in own if one.is_pinned)], key=lambda one: (one.first_seen, one.line.key)
    )
    first: dict[str, KnownLine] = {}
    for one in told:
        first.setdefault(one.line.key, replace(one.line, is_standing=True, lasting_place=len(first)))
    return first


def choose_constraints(
    statements: Sequence[KnownStatement], asked: AskedFor, lasting: Collection[str]
) -> list[KnownStatement]:
    """The constraints that the question touches, the style of answers always; all of them where they are few.

    ``lasting`` are the keys of what every turn tells.

    A question that only asks how things are ("who is my dentist?") is limited by nothing that it does not touch.
    """
    standing = [one for one in statements if one.topics]
    standing.sort(
        key=lambda one: (rank_limit(one), -len(one.topics & asked.topics), -one.importance, -one.last_seen.timestamp())
    )
    touched = [one for one in standing if STYLE in one.topics or one.topics & asked.topics]
    # No list of words knows every question that could break one, so up to eight are told whatever is asked.
    is_few = len({one.line.key for one in standing if not one.is_apart}) <= MOST_CONSTRAINTS
    is_told = is_few or asked.is_request
    passed = [one for one in standing if one not in touched and not one.is_apart]
    others = [one for one in passed if is_told or one.line.key in lasting]
    unique = list({one.line.key: one for one in reversed([*touched, *others])}.values())[::-1]
    room = MOST_CONSTRAINTS - sum(one.line.key in lasting for one in unique)
    passing = {one.line.key for one in [one for one in unique if one.line.key not in lasting][: max(0, room)]}
    chosen = [one for one in unique if one.line.key in lasting or one.line.key in passing]
    return [replace(one, line=replace(one.line, is_standing=True)) for one in chosen]


def rank_limit(one: KnownStatement) -> int:
    """What limits the person themselves before what limits somebody else, and what a relation names before a remark.

    Of a life in which everybody's medicines were asked for, her own intolerance was in five of ten contexts of a meal.
    """
    return (one.subject != SPEAKER) + (one.relation == ABOUT)


def choose_relevant(statements: Sequence[KnownStatement], asked: AskedFor, now: datetime) -> list[KnownStatement]:
    """What the question asks for by its relation and subject, then what lies near to it."""
    in_slot = [one for one in statements if is_asked(one, asked, now)]
    near = [one for one in statements if one.cosine >= NEAR and not one.is_over and one not in in_slot]
    in_slot.sort(key=lambda one: (one.is_denied, -score_slot(one, asked), -one.cosine, -one.last_seen.timestamp()))
    near.sort(key=lambda one: (-one.cosine, -one.last_seen.timestamp()))
    chosen = (*in_slot[:MOST_IN_SLOT], *near[:MOST_NEAR])
    told = [
        one if one.doubted_at is None else replace(one, line=word_doubt(one.line, one.doubted_at)) for one in chosen
    ]
    return sorted(told, key=lambda one: one.line.is_over and not asked.is_past)


def word_doubt(line: KnownLine, since: datetime) -> KnownLine:
    """As what has most likely ended, where something said later most likely took its place."""
    return replace(line, time=f"perhaps until {format_date(since)}", is_over=True)


def is_asked(one: KnownStatement, asked: AskedFor, now: datetime) -> bool:
    if one.is_over and not asked.is_past and (one.changed_at is None or now - one.changed_at > RECENT_CHANGE):
        return False
    if one.relation in WEAK and one.cosine < FAIR and one.subject == SPEAKER:
        return False
    return bool(one.relation) and one.relation in asked.relations and fits_subject(one, asked)


def fits_subject(one: KnownStatement, asked: AskedFor) -> bool:
    """Whether it is about somebody the question is about, or tells who they are."""
    if one.subject == SPEAKER:
        return SPEAKER in asked.subjects or one.relation in asked.subjects
    return one.subject in asked.subjects or bool(find_people(one.subject) & asked.subjects)


def score_slot(one: KnownStatement, asked: AskedFor) -> int:
    return 2 * (one.relation in asked.relations) + fits_subject(one, asked)


def choose_basics(statements: Sequence[KnownStatement]) -> list[KnownStatement]:
    """Who the person is, one line for each: name, work, home."""
    own = [one for one in statements if one.relation in BASICS and one.subject == SPEAKER]
    own = [one for one in own if not (one.is_over or one.is_denied)]
    own.sort(
        key=lambda one: (
            BASICS.index(one.relation), one.line.is_over, -one.importance, -one.last_seen.timestamp(),
        )
    )  # fmt: skip
    seen: dict[str, KnownStatement] = {}
    for one in own:
        # Of items that no fact stands behind yet the relation is not known: each may be another.
        seen.setdefault(one.relation if one.line.fact_id else one.line.key, one)
    return list(seen.values())[:MOST_BASICS]


def drop_told(lines: Sequence[KnownLine], texts: Iterable[str]) -> list[KnownLine]:
    """The lines that none of the texts quotes, and those that stand whatever is told, as what holds in the place of
    what is told to have ended does."""
    quoted = [fold_words(text) for text in texts]
    told = {line.key for line in lines if line.is_standing or not any(line.key in text for text in quoted)}
    current = {fold_words(line.later) for line in lines if line.is_over and line.key in told}
    told |= {line.key for line in lines if line.key in current}
    return [
        replace(line, later="") if line.is_over and fold_words(line.later) in told else line
        for line in lines
        if line.key in told
    ]
