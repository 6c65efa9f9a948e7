"""The way of a request: whose turn it is, the context, the language model's answer, the exchange.

A request works in a slot of the process while it asks the memory, and waits for its body and for the language model
without one: a place among the streams is all that it has then.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from memory.access.keys import Principal
from memory.gateway.conf import chat_conf
from memory.gateway.deciding import search_before_answer
from memory.gateway.dialects import Body, Dialect, GatewayAnswer
from memory.gateway.errors import JSON, GatewayError, UpstreamRefusal, to_gateway_error, too_many_streams
from memory.gateway.identity import identify_turn, remember_thread, require_scope
from memory.gateway.orders import list_orders
from memory.gateway.refinement import run_searches
from memory.gateway.review import review_answer
from memory.gateway.sse import encode_event, iterate_events
from memory.gateway.turns import ChatTurn
from memory.gateway.upstream import EVENT_STREAM, Upstream, UpstreamAnswer, require_upstream
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.platform.per_process import PerProcess
from memory.platform.slots import leave_slot, work_in_slot
from memory.web.auth import admit_principal, authenticate_request
from memory.web.bodies import read_json_object

logger = structlog.get_logger(__name__)

# The first request, one with what our tool found, and one more for a model that calls it again all the same.
MOST_ROUNDS = 3
# What a server without tools answers to them: the request is sent again without ours.
NO_TOOLS = frozenset({400, 422, 501})


@PerProcess
def stream_places() -> BoundedSemaphore:
    return BoundedSemaphore(chat_conf().streams)


@PerProcess
def models_without_tools() -> set[str]:
    """Models that answered only after our tool was taken out of the request."""
    return set()


def serve_turn(request: HttpRequest, dialect: Dialect) -> HttpResponseBase:
    """The answer of the language model, remembered. Raises GatewayError and UpstreamRefusal."""
    principal = admit_principal(request, authenticate_request)
    require_scope(principal)
    upstream = require_upstream()
    if not stream_places().acquire(blocking=False):
        metrics.count("chat_turns", "busy")
        raise too_many_streams()
    run = GatewayRun(dialect, upstream)
    try:
        return run.begin(request, principal)
    except BaseException:
        run.close()
        raise


@dataclass(slots=True)
class GatewayRun:
    """One request under way. ``close`` may come at any time, and comes always."""

    dialect: Dialect
    upstream: Upstream
    deadline: Deadline = field(default_factory=lambda: Deadline(chat_conf().timeout_s))
    body: Body = field(default_factory=dict)
    turn: ChatTurn | None = None
    answer: GatewayAnswer | None = None
    opened: UpstreamAnswer | None = None
    begun_at: float = field(default_factory=time.perf_counter)
    waits_ms: dict[str, float] = field(default_factory=dict)
    is_over: bool = False
    is_closed: bool = False

    def begin(self, request: HttpRequest, principal: Principal) -> HttpResponseBase:
        # Clients send as slowly as they like, and a valid key is all that this costs them.
        leave_slot()
        body = read_body(request)
        asked = self.dialect.read_turn(body)
        self.turn = turn = ChatTurn(identify_turn(request, principal, asked), asked)
        with work_in_slot():
            turn.gather_context()
        self.body = self.prepare(body, turn)
        self.open_first()
        headers = {"X-Commonplace-Confidence": turn.context.confidence}
        headers |= {"X-Commonplace-Turn": str(turn.context.turn_id)} if turn.context.turn_id else {}
        if not asked.streams:
            return self.answer_whole(headers)
        headers |= {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        return StreamingHttpResponse(AnswerStream(self), content_type=EVENT_STREAM, headers=headers)

    def prepare(self, body: Body, turn: ChatTurn) -> Body:
        """What is sent: the client's body with the default model and the context, and our tool where it has a place."""
        conf, context = chat_conf(), turn.context
        model = turn.asked.model or conf.model
        if not model:
            raise GatewayError(400, "model: is required, as no CHAT_MODEL is set here", param="model")
        needed = context.confidence != "high"
        may_search = conf.offers_search and turn.identity.mode != "off"
        can_search = may_search and model not in models_without_tools()
        found = search_before_answer(turn) if may_search and needed and not can_search else ""
        of_turn = "\n\n".join(part for part in (context.turn, found) if part)
        prepared = self.dialect.add_context({**body, "model": model}, context.stable, of_turn)
        offered = self.dialect.offer_search(prepared, is_needed=needed) if can_search else None
        self.answer = self.dialect.begin_answer(offers_search=offered is not None)
        return offered or prepared

    def open_first(self) -> None:
        try:
            self.open()
        except UpstreamRefusal as refusal:
            without = self.dialect.withdraw_search(self.body)
            if without is None or refusal.status not in NO_TOOLS:
                metrics.count("chat_turns", "refused")
                raise
            self.body = without
            self.answer = self.dialect.begin_answer(offers_search=False)
            self.open()
            # Whatever else was wrong with the request would have been refused again.
            models_without_tools().add(str(self.body["model"]))

    def open(self) -> None:
        self.opened = self.upstream.open("POST", self.dialect.path, self.body, self.deadline)

    # --- whole ---------------------------------------------------------------------------------------------------
    def answer_whole(self, headers: dict[str, str]) -> HttpResponse:
        _, answer = self.parts()
        for _ in range(MOST_ROUNDS):
            answer.read_reply(self.take_opened().read_json())
            if not self.search_further():
                break
        meta = self.end(is_complete=True)
        self.close()
        content = json.dumps(answer.build_reply(meta))
        return HttpResponse(content, content_type=JSON, headers=headers)

    # --- in events -----------------------------------------------------------------------------------------------
    def stream(self) -> Iterator[bytes]:
        _, answer = self.parts()
        try:
            for _ in range(MOST_ROUNDS):
                for part in self.stream_round():
                    self.waits_ms.setdefault("first_event", self.measure_ms())
                    yield part
                if not self.search_further():
                    break
        except (GatewayError, UpstreamRefusal) as error:
            # The status was sent long ago; clients raise what they find in the stream.
            self.end(is_complete=False, result="failed")
            yield encode_event(error.as_json())
            return
        yield from answer.finish(self.end(is_complete=answer.is_complete))

    def stream_round(self) -> Iterator[bytes]:
        _, answer = self.parts()
        opened = self.take_opened()
        if not opened.is_stream:
            raise GatewayError(502, "The language model's server was asked for a stream and sent none.")
        is_ended = False
        for event in iterate_events(opened.iterate_bytes()):
            yield from answer.read_event(event)
            is_ended = is_ended or event.is_end
        if not (is_ended or answer.is_complete or answer.searches):
            raise GatewayError(502, "The language model's server broke off its answer.", code="upstream_broke_off")

    # --- both ----------------------------------------------------------------------------------------------------
    def parts(self) -> tuple[ChatTurn, GatewayAnswer]:
        assert self.turn is not None  # noqa: S101 -- tells the type checker
        assert self.answer is not None  # noqa: S101
        return self.turn, self.answer

    def take_opened(self) -> UpstreamAnswer:
        assert self.opened is not None  # noqa: S101
        return self.opened

    def measure_ms(self) -> float:
        return round((time.perf_counter() - self.begun_at) * 1000, 3)

    def search_further(self) -> bool:
        """Whether the model searched, and goes on with what was found."""
        turn, answer = self.parts()
        if not answer.searches or turn.searches >= MOST_ROUNDS - 1:
            return False
        self.take_opened().close()
        metrics.count("chat_searches")
        with work_in_slot():
            results = run_searches(turn, answer.searches)
        self.body = answer.build_next(self.body, results)
        self.open()
        return True

    def end(self, *, is_complete: bool, result: str = "answered") -> Body:
        """Store what was said and describe the turn; nothing of one that goes on with the client's tools."""
        turn, answer = self.parts()
        self.is_over = True
        if answer.is_handed_over and is_complete:
            turn.not_stored, result = "the turn goes on with tools of the client", "handed_over"
        else:
            with work_in_slot():
                turn.store(answer.text, interrupted=not is_complete)
        if answer.kept_as:
            remember_thread(turn.identity.caller.principal, answer.kept_as, turn.thread_id)
        metrics.count("chat_turns", result)
        metrics.record_stages("chat_stage", {**self.waits_ms, "context": turn.context.ms, "total": self.measure_ms()})
        return describe_turn(turn, answer)

    def close(self) -> None:
        """The end, however it came: a client that went away leaves what it was told, as interrupted."""
        if self.is_closed:
            return
        self.is_closed = True
        try:
            if self.opened is not None:
                self.opened.close()
            if self.turn is not None and self.answer is not None and self.opened is not None and not self.is_over:
                self.end(is_complete=False, result="interrupted")
        finally:
            stream_places().release()


class AnswerStream:
    """The body of a streamed answer. An object and no generator: one that was never begun would not be closed."""

    def __init__(self, run: GatewayRun) -> None:
        self._run = run
        self._parts = run.stream()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._parts)

    def close(self) -> None:
        self._parts.close()  # type: ignore[attr-defined]
        self._run.close()


def describe_turn(turn: ChatTurn, answer: GatewayAnswer) -> Body:
    """What the client is told of the memory's part, beside the answer."""
    review = review_answer(turn.asked.question, answer.text)
    context = turn.context
    return {
        "turn_id": str(context.turn_id) if context.turn_id else None,
        "user_id": turn.identity.caller.external_id,
        "thread_id": turn.thread_id,
        "exchange_id": str(turn.exchange_id) if turn.exchange_id else None,
        "not_stored": turn.not_stored,
        "confidence": context.confidence,
        "memories": context.memories,
        "context_tokens": context.tokens,
        "context_ms": context.ms,
        "fallbacks": context.fallbacks,
        "searches": turn.searches,
        "orders": list_orders(turn.orders),
        "valid": not review.reason,
        "invalid_reason": review.reason or None,
        "disclaimers": list(review.disclaimers),
    }


def read_body(request: HttpRequest) -> Body:
    limit = chat_conf().max_body_bytes
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if not length.isdecimal():
        raise GatewayError(411, "Send a Content-Length: chunked bodies are not read.")
    if int(length) > limit:
        raise GatewayError(413, f"The body must be at most {limit:,} bytes (CHAT_BODY_MB), not {int(length):,}.")
    return read_json_object(request.read(int(length)))


def guard_answer(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The view, with every failure in the shape that these clients read."""

    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 -- every failure is an error in JSON
            return to_gateway_error(error).response()

    return answer
