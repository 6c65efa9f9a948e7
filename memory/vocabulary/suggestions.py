"""What fitted no topic: counted over an organisation's people, decided once, and never a message.

By rules only words that the languages' lists of meanings know are suggested, so that no name of one person becomes a
word of the organisation.
"""

from collections import Counter
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Count

from memory.access.scope import user_scope
from memory.access.users import iterate_users
from memory.language.exchanges import take_question
from memory.models import EndUser, MemoryItem, MessageLabel, TermSuggestion
from memory.store.admission import WriteRefused
from memory.vocabulary.editions import NewTerm, TermChanges, add_term, change_term, read_vocabulary
from memory.vocabulary.terms import TermKind

PENDING: Final = "pending"
APPROVED: Final = "approved"
REJECTED: Final = "rejected"
MAPPED: Final = "mapped"
# Shown beside a suggestion, and of how many people they are looked for.
EXAMPLES: Final = 3
MOST_ASKED: Final = 20


class AlreadyDecided(Exception):
    """A suggestion is decided once."""


def list_suggestions(
    organization_id: int, *, min_frequency: int, limit: int, state: str = PENDING
) -> list[TermSuggestion]:
    """The most frequent first."""
    rows = TermSuggestion.objects.filter(organization_id=organization_id, state=state, messages__gte=min_frequency)
    return list(rows.order_by("-messages", "name")[:limit])


def count_suggestions(organization_id: int, *, now: datetime) -> int:
    """Count anew what was suggested, person by person, each in their own scope. Returns how many words."""
    counted: Counter[str] = Counter()
    for user in iterate_users(organization_id):
        with user_scope(user):
            found = MessageLabel.objects.filter(user=user).exclude(suggested_topic="").values_list("suggested_topic")
            counted.update(dict(found.annotate(count=Count("pk"))))
    own = TermSuggestion.objects.filter(organization_id=organization_id)
    # What nobody's messages suggest any more is gone with them; a decision stays, so that it is not asked again.
    own.filter(state=PENDING).exclude(name__in=counted).delete()
    own.exclude(name__in=counted).update(messages=0)
    for name, messages in counted.items():
        TermSuggestion.objects.update_or_create(
            organization_id=organization_id,
            name=name,
            defaults={"messages": messages, "last_at": now},
            create_defaults={"messages": messages, "first_at": now, "last_at": now},
        )
    return len(counted)


def read_examples(row: TermSuggestion, limit: int = EXAMPLES) -> list[str]:
    """Texts that suggested it, of a few people, each read in their own scope."""
    found: list[str] = []
    people = EndUser.objects.filter(organization_id=row.organization_id).order_by("-pk")[:MOST_ASKED]
    for user in people:
        with user_scope(user):
            labels = MessageLabel.objects.filter(user=user, suggested_topic=row.name).values("item_id")
            items = MemoryItem.objects.for_user(user).filter(pk__in=labels[:limit])
            found += [take_question(text) for text in items.values_list("text", flat=True)]
        if len(found) >= limit:
            break
    return found[:limit]


def approve_suggestion(row: TermSuggestion, *, now: datetime, actor: str) -> str:
    """The word becomes a topic of its own. Returns the topic's name."""
    name = name_topic(row.name)
    with transaction.atomic():
        lock_pending(row)
        if read_vocabulary(row.organization_id).find_term(TermKind.TOPIC, name):
            raise WriteRefused("name", "is a topic already; map the suggestion to it instead")
        add_term(row.organization_id, NewTerm(TermKind.TOPIC, name, aliases=[row.name]), now=now, actor=actor)
        decide(row, APPROVED, name, now, actor)
    return name


def map_suggestion(row: TermSuggestion, topic: str, *, now: datetime, actor: str) -> None:
    """The word becomes an alias of a topic there is."""
    with transaction.atomic():
        lock_pending(row)
        term = read_vocabulary(row.organization_id).find_term(TermKind.TOPIC, topic)
        if term is None or topic not in read_vocabulary(row.organization_id).list_names(TermKind.TOPIC):
            raise WriteRefused("topic", "must be a topic that is in use")
        aliases = [*term.aliases.get("", ()), row.name]
        change_term(row.organization_id, TermKind.TOPIC, topic, TermChanges(aliases=aliases), now=now, actor=actor)
        decide(row, MAPPED, topic, now, actor)


def reject_suggestion(row: TermSuggestion, *, now: datetime, actor: str) -> None:
    with transaction.atomic():
        lock_pending(row)
        decide(row, REJECTED, "", now, actor)


def lock_pending(row: TermSuggestion) -> None:
    locked = TermSuggestion.objects.select_for_update().filter(pk=row.pk).first()
    if locked is None or locked.state != PENDING:
        raise AlreadyDecided(f"this suggestion is {locked.state if locked else 'gone'}")


def decide(row: TermSuggestion, state: str, term: str, now: datetime, actor: str) -> None:
    row.state, row.term, row.actor, row.decided_at = state, term, actor[:100], now
    row.save(update_fields=["state", "term", "actor", "decided_at"])


def name_topic(word: str) -> str:
    name = "".join(char if char.isascii() and char.isalnum() else "_" for char in word.casefold()).strip("_")
    return name if name[:1].isalpha() else f"topic_{name}"
