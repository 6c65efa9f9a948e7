"""Whether a name and a longer one are of one person: by evidence, unless somebody said so."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import CharField, Func, Q, Value

from knowledge_graph.extraction.entities import PERSON, THING
from knowledge_graph.models import Edge, Entity, NameDecision
from memory.access.scope import user_scope
from memory.models import EndUser

NAMES_READ = 2_000


class SplitPart(Func):
    """One word of a name, counted from 1, or from the end by numbers below nought."""

    function = "split_part"
    output_field = CharField()

    def __init__(self, name: str, number: int) -> None:
        super().__init__(name, Value(" "), Value(number))


@dataclass(frozen=True, slots=True)
class NamePair:
    """``first`` is a part of ``second``, ``others`` counts further full names with that part, ``shared``
    is what both are named together with, ``said`` what somebody decided, None: nothing.
    """

    first: Entity
    second: Entity
    others: int
    shared: tuple[str, ...]
    said: bool | None

    @property
    def is_same(self) -> bool:
        """One person if somebody said so; else if no other full name has the part and both have company in common."""
        return self.said if self.said is not None else not self.others and bool(self.shared)


def find_name_pairs(user: EndUser, keys: Collection[str]) -> list[NamePair]:
    """Pairs of a name and a fuller one of which one is among these keys. In the user's scope."""
    by_key = load_names(user, {word for key in keys for word in key.split(" ")})
    fuller: dict[str, list[str]] = {}
    for key in by_key:
        parts = key.split(" ")
        # Somebody is called by the first or the last of their names, and a thing by none.
        if len(parts) > 1 and by_key[key].kind == PERSON:
            for part in {parts[0], parts[-1]} & by_key.keys():
                fuller.setdefault(part, []).append(key)
    pairs = [(part, key) for part, found in fuller.items() for key in found if {part, key} & set(keys)]
    company = load_company(user, {key for pair in pairs for key in pair})
    said = {(row.first, row.second): row.is_same for row in NameDecision.objects.filter(user=user)}
    return [
        NamePair(
            by_key[part],
            by_key[key],
            # One that a person set apart is no rival.
            sum(said.get((part, other)) is not False for other in fuller[part]) - 1 if len(fuller[part]) > 1 else 0,
            tuple(sorted(company.get(part, set()) & company.get(key, set()))),
            said.get((part, key)),
        )
        for part, key in sorted(pairs)
    ]


def load_names(user: EndUser, words: Collection[str]) -> dict[str, Entity]:
    """The names that are one of these words, and the full names of people that begin or end with one, by key."""
    if not words:
        return {}
    rows = Entity.objects.filter(user=user).order_by("-mentions", "key")
    short = rows.filter(key__in=words, kind__in=[PERSON, THING])
    # By equal words, of which Postgres makes one table, and from an index of full names alone. A pattern for each of
    # 120 words, held against each of 50,000 names, took 37-74 ms.
    full = rows.filter(kind=PERSON, key__contains=" ").annotate(
        first_word=SplitPart("key", 1), last_word=SplitPart("key", -1)
    )
    found = full.filter(Q(first_word__in=words) | Q(last_word__in=words))
    return {row.key: row for row in [*short[:NAMES_READ], *found[:NAMES_READ]]}


def load_company(user: EndUser, keys: Collection[str]) -> dict[str, set[str]]:
    """What each of these is named together with."""
    found: dict[str, set[str]] = {}
    edges = Edge.objects.filter(Q(source__in=keys) | Q(target__in=keys), user=user)
    for source, target in edges.values_list("source", "target")[:NAMES_READ]:
        found.setdefault(source, set()).add(target)
        found.setdefault(target, set()).add(source)
    return found


def find_full_names(user: EndUser, keys: Collection[str]) -> Mapping[str, str]:
    """From a short name to the only full one that is the same person. In the user's scope."""
    same: dict[str, list[str]] = {}
    for pair in find_name_pairs(user, keys):
        if pair.is_same:
            same.setdefault(pair.first.key, []).append(pair.second.key)
    return {first: found[0] for first, found in same.items() if len(found) == 1}


def decide_names(user: EndUser, first: str, second: str, *, is_same: bool | None, now: datetime, actor: str) -> bool:
    """Keep what a person says of two names, or forget it where ``is_same`` is None. False: they are no such names."""
    with user_scope(user):
        if not any((one.first.key, one.second.key) == (first, second) for one in find_name_pairs(user, [first])):
            return False
        if is_same is None:
            NameDecision.objects.filter(user=user, first=first, second=second).delete()
            return True
        told = {"is_same": is_same, "actor": actor[:100], "decided_at": now}
        NameDecision.objects.update_or_create(user=user, first=first, second=second, defaults=told)
        if is_same:
            # One short name is one person: the earlier answer of another full name gives way.
            rivals = NameDecision.objects.filter(user=user, first=first, is_same=True).exclude(second=second)
            rivals.update(is_same=False, decided_at=now)
        return True
