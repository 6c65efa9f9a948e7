"""A language model with an OpenAI-compatible API that returns JSON, validated against a schema."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import structlog
from django.db import DatabaseError, InterfaceError, transaction
from django.utils import timezone
from pydantic import BaseModel, ValidationError

from memory.conf import LanguageModelConf
from memory.inference.prompts import Prompt
from memory.inference.remote import JsonService, prepare_text
from memory.models import ModelCall
from memory.platform import metrics
from memory.platform.breakers import get_breaker
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, DeadlineExceeded, RequestRejected, Unavailable

logger = structlog.get_logger(__name__)

LLM = "llm"
# A server that streams for ever, or a model that repeats itself, must not fill the memory of a worker.
MAX_REPLY_BYTES = 256 * 1024
MAX_ANSWER_CHARS = 8 * 1024
# Of an answer far off the mark the first few faults say as much as all of them.
MAX_LISTED_ERRORS = 5
MILLION = 1_000_000

AnswerSchema = TypeVar("AnswerSchema", bound=BaseModel)


@dataclass(slots=True)
class ModelUsage:
    """One request as it is accounted for."""

    purpose: str
    model: str
    outcome: str = "ok"
    prompt_tokens: int = 0
    answer_tokens: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerTool:
    """A tool whose arguments are the answer: a server that takes tools holds its model to the form."""

    name: str
    description: str

    def offer(self, form: type[BaseModel]) -> dict[str, Any]:
        """The part of a request that forces the tool."""
        described = {"name": self.name, "description": self.description, "parameters": form.model_json_schema()}
        return {
            "tools": [{"type": "function", "function": described}],
            "tool_choice": {"type": "function", "function": {"name": self.name}},
        }


RecordUsage = Callable[[ModelUsage], None]


class LanguageModel(Protocol):
    """Answers that match a schema. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str

    def answer(
        self,
        prompt: Prompt,
        form: type[AnswerSchema],
        *,
        purpose: str,
        deadline: Deadline,
        account: RecordUsage | None = None,
        breaker: str = LLM,
        tool: AnswerTool | None = None,
    ) -> AnswerSchema:
        """``account`` is told of each request, where the caller writes the accounts itself.

        ``breaker`` is another where somebody waits: what is late for them is in time for the background. With ``tool``
        the answer is asked for as its arguments; the prompt says the form all the same, for servers without tools.
        """

    def price(self, call: ModelUsage) -> Decimal:
        """What a call cost at the configured prices."""

    def close(self) -> None:
        """Let go of connections."""


class ChatModel:
    """Uses ``/chat/completions``. An invalid answer is sent back once, with its validation errors."""

    def __init__(self, conf: LanguageModelConf) -> None:
        self.model = conf.model
        self._conf = conf
        self._takes_tools = True
        self._remote = JsonService(LLM, conf.url.rstrip("/"), conf.api_key, MAX_REPLY_BYTES)

    def answer(
        self,
        prompt: Prompt,
        form: type[AnswerSchema],
        *,
        purpose: str,
        deadline: Deadline,
        account: RecordUsage | None = None,
        breaker: str = LLM,
        tool: AnswerTool | None = None,
    ) -> AnswerSchema:
        keep = account or self._keep
        offered = tool.offer(form) if tool else {}
        messages = [
            build_message("system", prompt.system),
            build_message("user", prepare_text(prompt.user, self._conf.max_chars)),
        ]
        budget = deadline.slice(self._conf.timeout_s)
        first = ModelUsage(purpose, self.model)
        said = self._read_answer(messages, offered, first, budget, keep, breaker)
        try:
            found = form.model_validate_json(said)
        except ValidationError as error:
            first.outcome = "invalid"
            keep(first)
            # Once, with the faults named; the deadline is one for both attempts.
            messages += [build_message("assistant", said), build_message("user", build_correction(error))]
        else:
            keep(first)
            return found
        second = ModelUsage(purpose, self.model, outcome="repaired")
        said = self._read_answer(messages, offered, second, budget, keep, breaker)
        try:
            found = form.model_validate_json(said)
        except ValidationError as error:
            second.outcome = "invalid"
            raise BadReply(LLM, f"the answer does not fit: {list_validation_errors(error)}") from None
        finally:
            keep(second)
        return found

    def price(self, call: ModelUsage) -> Decimal:
        input_cost = Decimal(str(self._conf.prompt_price)) * call.prompt_tokens
        output_cost = Decimal(str(self._conf.answer_price)) * call.answer_tokens
        return (input_cost + output_cost) / MILLION

    def close(self) -> None:
        self._remote.close()

    def _read_answer(
        self,
        messages: list[dict[str, str]],
        offered: dict[str, Any],
        call: ModelUsage,
        deadline: Deadline,
        keep: RecordUsage,
        breaker: str,
    ) -> str:
        """The text of the answer; where there is none the call is accounted for here."""
        started = time.perf_counter()
        try:
            deadline.require(LLM)
            return get_breaker(breaker).call(lambda: self._ask(messages, offered, call, deadline))
        except Unavailable as error:
            call.outcome = classify_outcome(error)
            raise
        finally:
            call.ms = round((time.perf_counter() - started) * 1000, 2)
            if call.outcome not in {"ok", "repaired"}:
                keep(call)

    def _ask(
        self, messages: list[dict[str, str]], offered: dict[str, Any], call: ModelUsage, deadline: Deadline
    ) -> str:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": self._conf.max_tokens,
        }
        if offered and self._takes_tools:
            try:
                return self._complete({**body, **offered}, call, deadline)
            except RequestRejected:
                # A server without tools refuses a request that names one, and is asked for plain JSON from then on.
                self._takes_tools = False
        if self._conf.json_mode:
            body["response_format"] = {"type": "json_object"}
        return self._complete(body, call, deadline)

    def _complete(self, body: dict[str, Any], call: ModelUsage, deadline: Deadline) -> str:
        reply = self._remote.exchange("POST", "/chat/completions", body, deadline)
        usage = reply.get("usage") if isinstance(reply, dict) else None
        if isinstance(usage, dict):
            call.prompt_tokens = parse_token_count(usage.get("prompt_tokens"))
            call.answer_tokens = parse_token_count(usage.get("completion_tokens"))
        return extract_content(reply)

    def _keep(self, call: ModelUsage) -> None:
        store_usage(self, [call])


def build_message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def extract_content(reply: object) -> str:
    """The text of an answer, or the arguments of the tool that was called instead."""
    try:
        message = reply["choices"][0]["message"]  # type: ignore[index]
        calls = message.get("tool_calls")
        content = calls[0]["function"]["arguments"] if calls else message["content"]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise BadReply(LLM, "the reply has not the form of /chat/completions") from error
    if not isinstance(content, str) or len(content) > MAX_ANSWER_CHARS:
        raise BadReply(LLM, "the answer is no text, or longer than any that was asked for")
    return prepare_text(content, MAX_ANSWER_CHARS)


def parse_token_count(number: object) -> int:
    is_count = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31
    return int(number) if is_count else 0  # type: ignore[call-overload]


def classify_outcome(error: Unavailable) -> str:
    if isinstance(error, RequestRejected):
        return "rejected"
    if isinstance(error, BadReply):
        return "invalid"
    return "late" if isinstance(error, DeadlineExceeded) or "in time" in error.reason else "unavailable"


def build_correction(error: ValidationError) -> str:
    errors = list_validation_errors(error)
    return f"That does not fit: {errors}. Answer again with JSON of the form asked for, and nothing else."


def list_validation_errors(error: ValidationError) -> str:
    """The validation errors of an answer, without quoting it."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[:MAX_LISTED_ERRORS]
    return json.dumps([{"at": ".".join(map(str, one["loc"]))[:80], "fault": one["type"]} for one in found])


def store_usage(model: LanguageModel, calls: list[ModelUsage]) -> None:
    """Store the usage records. A failure to store them is logged and does not fail the call."""
    for call in calls:
        metrics.count("model_calls", call.outcome)
    now = timezone.now()
    try:
        with transaction.atomic():
            ModelCall.objects.bulk_create(
                ModelCall(
                    purpose=call.purpose,
                    model=call.model[:200],
                    outcome=call.outcome,
                    prompt_tokens=call.prompt_tokens,
                    answer_tokens=call.answer_tokens,
                    ms=call.ms,
                    cost=model.price(call),
                    at=now,
                )
                for call in calls
            )
    except (DatabaseError, InterfaceError) as error:
        logger.warning("model calls not written", calls=len(calls), reason=type(error).__name__)
