"""One way to ask a language model by a prompt of the catalogue: an answer that fits its form, or None.

None where no model is configured, the prompt is switched off, the person's calls of the day are used up, or the model
did not answer as asked; the caller then does what the catalogue says it does without.
"""

from collections.abc import Mapping
from datetime import timedelta

import structlog
from django.utils import timezone
from redis import Redis

from memory.conf import memory_conf
from memory.inference import language_model
from memory.inference.conf import prompt_conf
from memory.inference.llm import LLM, AnswerSchema, AnswerTool, LanguageModel, RecordUsage
from memory.inference.prompts import PromptValue, render_prompt
from memory.platform import redis as shared
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable

logger = structlog.get_logger(__name__)

PROMPT_CALLS = "prompt_calls"
# Of a day's counter, whatever the time zone of who looks.
KEPT = timedelta(days=2)


def find_prompt_model(prompt: str) -> LanguageModel | None:
    """The language model, unless there is none or this prompt is switched off."""
    return None if prompt in prompt_conf().off else language_model()


def ask_prompt(
    prompt: str,
    data: Mapping[str, PromptValue],
    form: type[AnswerSchema],
    *,
    user_id: int | None,
    deadline: Deadline | None = None,
    account: RecordUsage | None = None,
    breaker: str = LLM,
    tool: AnswerTool | None = None,
) -> AnswerSchema | None:
    """``user_id`` is whose budget pays; None for what is about nobody. Never in a transaction: it takes seconds."""
    if find_prompt_model(prompt) is None or (user_id is not None and not take_call(user_id)):
        return None
    try:
        return answer_prompt(
            prompt,
            data,
            form,
            deadline=deadline or Deadline(memory_conf().llm.timeout_s),
            account=account,
            breaker=breaker,
            tool=tool,
        )
    except Unavailable as error:
        logger.info("prompt not answered", prompt=prompt, reason=error.reason)
        return None


def answer_prompt(
    prompt: str,
    data: Mapping[str, PromptValue],
    form: type[AnswerSchema],
    *,
    deadline: Deadline,
    account: RecordUsage | None = None,
    breaker: str = LLM,
    tool: AnswerTool | None = None,
) -> AnswerSchema:
    """The same for a caller that says what went wrong. Raises Unavailable, and counts no call of the day."""
    model = find_prompt_model(prompt)
    if model is None:
        raise Unavailable(LLM, "none is configured")
    asked = render_prompt(prompt, data)
    return model.answer(asked, form, purpose=prompt, deadline=deadline, account=account, breaker=breaker, tool=tool)


def take_call(user_id: int, budget: str = PROMPT_CALLS, most: int | None = None) -> bool:
    """True while the person has calls of a budget left today. Without Redis nobody counts, and nobody is asked."""
    key = shared.build_key(budget, str(user_id), f"{timezone.now():%Y-%m-%d}")

    def take(client: Redis) -> int:
        pipe = client.pipeline()
        pipe.incr(key)
        pipe.expire(key, KEPT)
        return int(pipe.execute()[0])

    allowed = prompt_conf().calls_a_day if most is None else most
    return allowed > 0 and shared.call_or_default(take, allowed + 1) <= allowed
