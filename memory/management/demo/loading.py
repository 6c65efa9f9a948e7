"""Makes the demo organisation, its key, its operator and its one user's memories."""

import json
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.access.keys import KEY_PATTERN, SCOPES, authenticate, digest_key, issue_key
from memory.access.scope import user_scope
from memory.access.users import find_user, get_or_create_user
from memory.facade import MemoryFacade
from memory.measuring.cases import NewCase
from memory.models import ApiKey, EndUser, Membership, MemoryItem, Operator, Organization
from memory.models.people import OperatorRole
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from memory.transfer.chats.importing import ChatFile, import_chats
from outcomes.exchanges.storing import NewExchange

SLUG = "demo"
USER_ID = "demo"
OPERATOR = "demo"

EXAMPLE_QUERY = "What finally fixed ERR_4521 in the nightly export?"
EXAMPLE_QUERIES = (
    EXAMPLE_QUERY,
    "Where and when do we meet the whale watching boat?",
    "Which hydration works for my sourdough?",
    "כמה סלק צריך לקובה של סבתא מרים?",
)

_DATA = Path(__file__).parent


def prepare_demo(previous: Mapping[str, str] | None = None) -> dict[str, str]:
    """Creates what the demo needs and returns the key, the operator and the password to show.

    ``previous`` is what an earlier run returned. Its key and password are kept as long as they can be; the password
    comes back empty when somebody has changed it since.
    """
    previous = previous or {}
    now = timezone.now()
    with transaction.atomic():
        organization, made = Organization.objects.get_or_create(slug=SLUG, defaults={"name": "Demo", "created_at": now})
        # Only with the organisation: a demo user who was erased is not brought back by the next start.
        user = get_or_create_user(organization, USER_ID) if made else find_user(organization, USER_ID)
    if user is not None:
        load_demo(user, now)
    return {
        "api_key": _issue_demo_key(organization, previous.get("api_key", ""), now),
        "console_user": OPERATOR,
        "console_password": _set_password(organization, previous.get("console_password", "")),
    }


def load_demo(user: EndUser, now: datetime) -> None:
    """Loads the exchanges, the conversation, the memory bank and the outcomes; existing rows are left as they are."""
    facade = MemoryFacade(actor="demo")
    store_exchanges(user, facade, now)
    chats = ChatFile(_DATA / "conversation.jsonl", "jsonl")
    import_chats(user, chats, tier=Tier.HISTORY, now=now)
    facade.store_many(user, list(_read_bank(now)), now=now)
    # They are recorded in the order of the file, so their number says where an interrupted start goes on.
    recorded = sum(facade.get_stats(user).outcomes.values())
    for entry in list(_read_lines("outcomes.jsonl"))[recorded:]:
        about = _find_items(user, entry["about"])
        if about:
            facade.record_outcome(
                user, Outcome(entry["outcome"]), now=now, key_takeaway=entry.get("takeaway", ""), related=about
            )


def ask_questions(user: EndUser) -> None:
    """Ask what a client would have asked, say how it went, and save what should have been found first.

    Replay and the measuring have something to show by it. Called when the memories have vectors, as a turn keeps what
    it was handed. It takes 1.6 s, one of them for what the first context of a process loads.
    """
    facade = MemoryFacade(actor="demo")
    # Each leaves one outcome behind those of the conversation, so their number says here too where to go on, and a
    # saved question that was deleted does not come back.
    asked = sum(facade.get_stats(user).outcomes.values()) - sum(1 for _ in _read_lines("outcomes.jsonl"))
    for entry in list(_read_lines("questions.jsonl"))[max(0, asked) :]:
        helped = _find_items(user, entry["helped"])
        if helped:
            # A turn from before its memories were stored could expect none of them.
            now = timezone.now()
            thread = entry.get("thread", "")
            turn = facade.compose_context(user, entry["question"], now=now, thread_id=thread)
            if thread:
                # Of those that were answered badly, so that a conversation leads to what its answer was made of.
                said = NewExchange(thread, entry["question"], entry["answer"], turn_id=turn.turn_id, occurred_at=now)
                facade.store_exchange(user, said, now=now)
            outcome = Outcome(entry["outcome"])
            facade.record_outcome(user, outcome, now=now, turn_id=turn.turn_id, related=helped)
            if entry.get("saved"):
                expected = [UUID(item_id) for item_id in helped]
                # As of the turn: its exchange holds the question word for word and is no answer to it.
                new = NewCase(entry["question"], expected, thread_id=thread, turn_id=turn.turn_id, asked_at=now)
                facade.save_case(user, new, now=now)


def store_exchanges(user: EndUser, facade: MemoryFacade, now: datetime) -> None:
    """What teaches facts, among them two that later ones supersede. The worker reads them, so that no start waits.

    The imported months are not read: what they tell of work and journeys is 100 statements, and took 31 s.
    """
    with user_scope(user):
        # All or none, and only at the first start: an exchange has no origin by which a deleted one would be known.
        if MemoryItem.objects.for_user(user).exists():
            return
        for entry in _read_lines("exchanges.jsonl"):
            said_at = now - timedelta(days=entry["days_ago"])
            said = NewExchange(entry["thread"], entry["user"], entry["assistant"], occurred_at=said_at)
            facade.store_exchange(user, said, now=now)


def _read_bank(now: datetime) -> Iterator[NewMemory]:
    for number, entry in enumerate(_read_lines("bank.jsonl")):
        yield NewMemory(
            text=entry["text"],
            tier=Tier.MEMORY_BANK,
            tags=entry["tags"],
            importance=entry["importance"],
            confidence=entry["confidence"],
            always_inject=entry["always_inject"],
            occurred_at=now,
            source={"type": "demo"},
            # What the user deleted or a former start stored is not stored again.
            origin=f"demo-bank-{number}",
        )


def _find_items(user: EndUser, about: list[list[str]]) -> list[str]:
    """Ids of the imported turns, each given by its thread and some of its words."""
    with user_scope(user):
        mine = MemoryItem.objects.for_user(user).active()
        found = (mine.filter(thread_id=thread, text__contains=words).first() for thread, words in about)
        return [str(item.pk) for item in found if item is not None]


def _read_lines(name: str) -> Iterator[dict[str, Any]]:
    for line in (_DATA / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _issue_demo_key(organization: Organization, previous_key: str, now: datetime) -> str:
    principal = authenticate(previous_key, now=now) if previous_key else None
    if principal is not None and principal.organization_id == organization.pk:
        return previous_key
    # A key from before the database was emptied works again; one that was revoked or has expired does not.
    is_free = (
        KEY_PATTERN.fullmatch(previous_key) and not ApiKey.objects.filter(digest=digest_key(previous_key)).exists()
    )
    return issue_key(organization, "demo", SCOPES, now=now, key=previous_key if is_free else None)[1]


def _set_password(organization: Organization, previous_password: str) -> str:
    operator = Operator.objects.filter(username=OPERATOR).first()
    if operator is not None and previous_password:
        return previous_password if operator.check_password(previous_password) else ""
    # The earlier password is unknown and could not be shown, so it is replaced.
    operator = operator or Operator(username=OPERATOR, is_staff=True)
    password = previous_password or secrets.token_urlsafe(12)
    operator.set_password(password)
    operator.save()
    owner = {"role": OperatorRole.OWNER.value}
    Membership.objects.get_or_create(operator=operator, organization=organization, defaults=owner)
    return password
