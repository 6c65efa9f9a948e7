"""A reading that was wrong: what it had replaced holds again, and the sentence may stay though its reading does not."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.claims.claim import SPEAKER
from memory.claims.constraints import name_category
from memory.claims.relations import ABOUT
from memory.facts.changes import find_twin, merge_facts, record_fact_event, restore_fact, supersede_fact
from memory.facts.keys import OPEN_RELATIONS
from memory.models import Fact, FactEvent
from memory.models.facts import FactState

# That the words of a fact stay, without the relation that was read into them.
REREAD: Final = "reread"
REPLACED_REJECTED: Final = "what replaced it was rejected"
# What was read into a sentence, and what is left of a sentence of which nothing is.
READING: Final = ("subject", "subject_key", "relation", "object", "object_key", "polarity", "tense", "category")
PLAIN: Final[dict[str, Any]] = {
    "subject": SPEAKER,
    "subject_key": SPEAKER,
    "relation": ABOUT,
    "object": "",
    "object_key": "",
    "polarity": True,
    "tense": "present",
}


def give_place_back(fact: Fact, *, now: datetime, actor: str, going: Collection[UUID] = ()) -> list[Fact]:
    """What a fact that never held had replaced holds again, or until what took that fact's own place.

    Facts that are ``going`` too take no place. Returns those that are current again. What a person corrected is not
    among them: that was wrong all the same.
    """
    replaced = Fact.objects.for_user(fact.user_id).filter(superseded_by=fact.pk, state=FactState.SUPERSEDED)
    later = find_later(fact, going)
    restored = []
    for earlier in replaced.exclude(pk__in=going).order_by("first_seen", "pk"):
        if later is None:
            restore_fact(earlier, now=now, actor=actor, reason=REPLACED_REJECTED)
            restored.append(earlier)
        else:
            earlier.superseded_by = later.pk
            earlier.valid_to = max(later.valid_from or later.first_seen, earlier.valid_from or earlier.first_seen)
            earlier.save(update_fields=["superseded_by", "valid_to"])
    return [earlier for earlier in restored if earlier.state == FactState.ACTIVE]


def find_later(fact: Fact, going: Collection[UUID]) -> Fact | None:
    """The fact that took the place of one, followed past those that are going as well."""
    later, seen = fact, {fact.pk}
    while later.superseded_by is not None and later.superseded_by not in seen:
        seen.add(later.superseded_by)
        found = Fact.objects.for_user(fact.user_id).filter(pk=later.superseded_by).first()
        if found is None or found.pk not in going:
            return found
        later = found
    return None


def take_place_again(fact: Fact, *, now: datetime, actor: str) -> list[Fact]:
    """The reverse, once it is taken back that the fact never held. Returns what has ended again.

    Only what is as it was then: what somebody confirmed or corrected since stays.
    """
    events = FactEvent.objects.filter(
        user_id=fact.user_id, kind="restored", reason=REPLACED_REJECTED, before__by=str(fact.pk)
    )
    ended = []
    for event in events:
        last = FactEvent.objects.filter(user_id=fact.user_id, fact_id=event.fact_id).order_by("-pk").first()
        earlier = Fact.objects.for_user(fact.user_id).active().filter(pk=event.fact_id).first()
        if earlier is not None and last == event:
            supersede_fact(earlier, fact, now=now, actor=actor)
            ended.append(earlier)
    return ended


def drop_reading(fact: Fact, *, now: datetime, actor: str) -> None:
    """Keep the sentence as a plain statement. Where another fact is that already, they are one."""
    before = {name: getattr(fact, name) for name in READING}
    set_reading(fact, PLAIN | {"category": name_category(fact.statement, ABOUT, "", "present")}, now)
    after = {name: getattr(fact, name) for name in READING}
    record_fact_event(fact, REREAD, now=now, actor=actor, before=before, after=after)
    if (twin := find_twin(fact)) is not None:
        merge_facts(twin, fact, now=now, actor=actor)


def take_reading_back(fact: Fact, before: dict[str, Any], *, now: datetime, actor: str) -> None:
    """Give a fact its first reading back, unless another fact says that by now."""
    plain = {name: getattr(fact, name) for name in READING}
    for name in READING:
        setattr(fact, name, before[name])
    if find_twin(fact) is not None:
        fact.refresh_from_db()
        return
    set_reading(fact, before, now)
    after = {name: before[name] for name in READING}
    record_fact_event(fact, REREAD, now=now, actor=actor, reason="taken back", before=plain, after=after)


def set_reading(fact: Fact, reading: dict[str, Any], now: datetime) -> None:
    for name in READING:
        setattr(fact, name, reading[name])
    fact.updated_at = now
    fact.revision += 1
    fact.save(update_fields=[*READING, "updated_at", "revision"])


def was_read_so(fact: Fact, relation: str) -> bool:
    """Whether this reading of its sentence was said to be wrong: the same turn is not read so again."""
    if fact.relation not in OPEN_RELATIONS:
        return False
    events = FactEvent.objects.filter(user_id=fact.user_id, fact=fact, kind=REREAD, before__relation=relation)
    return events.exists()
