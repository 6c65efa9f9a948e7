"""A turn of a conversation: the context it begins with, and the exchange that is stored when it ends."""

import time
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from memory.access.users import find_user, get_or_create_user, stand_in_for_stranger
from memory.context.compose import ClientLimits, Context
from memory.facade import MemoryFacade
from memory.facade.commands import CommandResult
from memory.gateway.conf import chat_conf
from memory.gateway.dialects import AskedTurn, clean_text
from memory.gateway.identity import TurnIdentity
from memory.gateway.orders import carry_out_orders, word_orders
from memory.gateway.patience import read_in_time, store_in_time
from memory.gateway.review import remove_thinking
from memory.guard.redaction.texts import JsonRedaction
from memory.inference.prompts import render_prompt
from memory.language.text import BLANK
from memory.models import EndUser
from memory.platform import metrics
from memory.platform.faults import DeadlineExceeded
from memory.store.admission import WriteRefused
from memory.tiers import MAX_QUERY_CHARS
from memory.tools.turns import find_last_turn
from memory.web.redaction import describe_finding
from outcomes.exchanges.storing import MESSAGE_LIMIT, NewExchange

logger = structlog.get_logger(__name__)

LOW: Final = "low"
SYSTEM_PROMPT: Final = "system_prompt"
# Seconds between attempts to store what a database that was away has not got yet; nobody waits for it any more.
STORE_AGAIN_AFTER_S: Final = (0.5, 2.0, 8.0, 30.0)
GAP: Final = " […] "
# What is stored together was said one after the other.
STEP: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What the memory lays into the request. Empty where there was nothing, or where the memory failed."""

    stable: str = ""
    turn: str = ""
    turn_id: UUID | None = None
    confidence: str = LOW
    memories: list[dict[str, Any]] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)
    tokens: int = 0
    ms: float = 0.0


@dataclass(slots=True)
class ChatTurn:
    """One request for an answer, from whose it is to what was stored of it."""

    identity: TurnIdentity
    asked: AskedTurn
    context: TurnContext = field(default_factory=TurnContext)
    orders: list[CommandResult] = field(default_factory=list)
    searches: int = 0
    exchange_id: UUID | None = None
    not_stored: str | None = None

    @property
    def thread_id(self) -> str:
        return self.identity.thread_id

    @property
    def facade(self) -> MemoryFacade:
        return MemoryFacade(actor=self.identity.caller.principal.actor)

    def find_user(self) -> EndUser:
        who = self.identity.caller
        organization = who.principal.organization_id
        return find_user(organization, who.external_id) or stand_in_for_stranger(organization, who.external_id)

    @property
    def known_user(self) -> EndUser | None:
        """None for somebody of whom nothing was ever stored."""
        who = self.identity.caller
        return find_user(who.principal.organization_id, who.external_id)

    def claim_search(self) -> bool:
        """True for the first search of the turn."""
        self.searches += 1
        return self.searches == 1

    def gather_context(self) -> None:
        """Fails open: without the memory the request is passed on as it came."""
        if self.identity.mode == "off":
            return
        started = time.perf_counter()
        # Before the context, which then knows what was ordered; the results of a tool belong to a turn begun before.
        if self.identity.mode == "full" and not self.asked.goes_on:
            self.orders = carry_out_orders(self.facade, self.identity, self.asked)
        try:
            self.context = read_in_time(lambda: compose_turn(self))
        except Exception as error:  # noqa: BLE001 -- whatever failed in the memory, the model can answer
            logger.warning("gateway context skipped", reason=type(error).__name__)
            metrics.count("fallbacks", "gateway")
            self.context = TurnContext(fallbacks=["context_skipped"])
        told = "\n\n".join(part for part in (self.context.turn, word_orders(self.orders)) if part)
        self.context = replace(self.context, turn=told, ms=round((time.perf_counter() - started) * 1000, 1))

    def store(self, text: str, *, interrupted: bool) -> None:
        """Keep the exchange; what keeps it from being kept is named in ``not_stored``. Never raises."""
        said = clean_text(remove_thinking(text), MESSAGE_LIMIT)
        if self.identity.mode != "full":
            self.not_stored = f"memory mode is {self.identity.mode}"
        elif BLANK.fullmatch(said):
            self.not_stored = "nothing was answered"
        else:
            self._store(said, interrupted=interrupted)

    def _store(self, said: str, *, interrupted: bool) -> None:
        new = NewExchange(
            thread_id=self.thread_id,
            user_message=clean_text(self.asked.question, MESSAGE_LIMIT),
            assistant_message=said,
            turn_id=self.context.turn_id,
            interrupted=interrupted,
            speaker=self.asked.speaker,
        )
        try:
            self.exchange_id = store_in_time(lambda: store_patiently(self, new))
        except WriteRefused as error:
            self.not_stored = f"{error.field}: {error.rule}"
        except DeadlineExceeded:
            self.not_stored = "the memory is slow; it is stored when it answers"
        except Exception as error:
            logger.error("exchange of the gateway lost", exc_info=error)
            self.not_stored = "the memory does not answer"


def compose_turn(turn: ChatTurn) -> TurnContext:
    asked, now, user = turn.asked, timezone.now(), turn.find_user()
    context = turn.facade.compose_context(
        user,
        shorten_question(asked.question),
        now=now,
        thread_id=turn.thread_id,
        recent_messages=asked.recent,
        room=ClientLimits(model=asked.model, opening=asked.opening),
        # The results of a client's tools belong to the turn that its question began.
        remember=not asked.goes_on,
        # The detector hears how it went; a tool for it would cost each answer another request.
        asks_outcome=False,
    )
    turn_id = find_last_turn(user, turn.thread_id, now=now) if asked.goes_on else context.turn_id
    return describe_context(context, turn_id, asked.model)


def describe_context(context: Context, turn_id: UUID | None, model: str) -> TurnContext:
    debug = context.meta["debug"]
    return TurnContext(
        stable=render_system_text(context.stable.text, model),
        turn=context.turn.text,
        turn_id=turn_id,
        confidence=str(debug.get("retrieval_confidence") or LOW),
        memories=context.meta["retrieval"]["search_position_map"]["by_position"],
        fallbacks=list(debug.get("fallbacks_used") or ()),
        tokens=context.tokens,
    )


def render_system_text(memory: str, model: str) -> str:
    """What stands in the system message in every turn: the memory's part, in the operator's frame if any.

    The same for the same memory, as providers keep what a prompt begins with.
    """
    return render_prompt(SYSTEM_PROMPT, {"memory": memory, "model": model or chat_conf().model}).system


def shorten_question(text: str) -> str:
    """What the search reads of a long message: its beginning and its end, where the question usually stands."""
    if len(text) > MAX_QUERY_CHARS:
        half = (MAX_QUERY_CHARS - len(GAP)) // 2
        text = text[:half] + GAP + text[-half:]
    return clean_text(text, MAX_QUERY_CHARS)


def store_patiently(turn: ChatTurn, new: NewExchange) -> UUID:
    """The id of the stored exchange. Raises WriteRefused, and the database's error when it stays away."""
    for pause_s in STORE_AGAIN_AFTER_S:
        try:
            return store_exchange(turn, new)
        except (OperationalError, InterfaceError) as error:
            logger.warning("exchange of the gateway not stored yet", reason=type(error).__name__)
            time.sleep(pause_s)
    return store_exchange(turn, new)


def store_exchange(turn: ChatTurn, new: NewExchange) -> UUID:
    principal, spoken = turn.identity.caller.principal, [*list_unanswered(turn), new]
    if principal.refuses_secrets:
        for one in spoken:
            refuse_secrets(one)
    now = timezone.now()
    with transaction.atomic():
        # A first exchange that is refused leaves no user behind.
        user = get_or_create_user(principal.organization_id, turn.identity.caller.external_id)
        for place, one in enumerate(spoken[:-1]):
            # A client that asks anew sends them again.
            if not turn.facade.has_exchange(user, one):
                turn.facade.store_exchange(user, one, now=now + place * STEP)
        return turn.facade.store_exchange(user, new, now=now + len(spoken) * STEP).exchange_id


def list_unanswered(turn: ChatTurn) -> list[NewExchange]:
    """What others said before the question, each as an exchange without an answer."""
    return [
        NewExchange(turn.thread_id, text, "", speaker=one.speaker, interrupted=True)
        for one in turn.asked.heard
        if not BLANK.fullmatch(text := clean_text(one.text, MESSAGE_LIMIT))
    ]


def refuse_secrets(new: NewExchange) -> None:
    """The person has their answer; of a key that refuses secrets, nothing of such a turn is kept."""
    redaction = JsonRedaction()
    redaction.redact(
        {"name": new.speaker, "user_message": new.user_message, "assistant_message": new.assistant_message}
    )
    for path, kinds in redaction.found.items():
        raise WriteRefused(*describe_finding(path, kinds))
