"""Contextual prefixes: a sentence or two by the language model, embedded in front of a memory and never shown.

Fails open: without a model, or when the answer is late or dubious, the memory is indexed without one. The prefix is
treated as data: it only affects the vector of the text it was made from.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field
from redis import Redis

from memory.conf import memory_conf, secret_key
from memory.guard import find_order, find_secret
from memory.inference import prompts
from memory.inference.llm import LanguageModel, ModelUsage, store_usage
from memory.platform import metrics
from memory.platform import redis as shared
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable

PURPOSE = "contextual_prefix"
MAX_CHARS = 400
MAX_SENTENCES = 3
# Requests to the model at the same time, of one worker.
MAX_PARALLEL = 4
# Time limit of a batch; memories that were not reached by then get no prefix.
MAX_BATCH_S = 60.0
CACHE_TTL_S = 30 * 24 * 3600
# Lists, headings, markup and links are signs of a model that answers the note instead of describing it.
NOT_PLAIN = re.compile(r"[\n\r\t`*#<>{}\[\]|]|https?://|^\s*[-•]")
SENTENCE_END = re.compile(r"[.!?。！？׃]+(?:\s|$)")


@dataclass(frozen=True, slots=True)
class PrefixSubject:
    """What a context is written for. ``about`` is what is known of the note: tier, date, speaker, title, tags."""

    user_id: int
    about: str
    before: str
    note: str


class PrefixAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    context: str = Field(min_length=1, max_length=MAX_CHARS)


def write_prefixes(model: LanguageModel | None, subjects: Sequence[PrefixSubject]) -> list[str]:
    """A context for each subject, or "" if there is none. Failures of the model or Redis never raise."""
    if model is None or not subjects:
        return [""] * len(subjects)
    keys = [build_cache_key(model.model, subject) for subject in subjects]
    found = read_cache(subjects, keys)
    missing = [place for place, context in enumerate(found) if context is None]
    metrics.count("prefixes", "cache", len(subjects) - len(missing))
    written = generate_prefixes([subjects[place] for place in missing], model)
    for place, context in zip(missing, written, strict=True):
        found[place] = context
        metrics.count("prefixes", "model" if context else "none")
    write_cache({(subjects[place].user_id, keys[place]): found[place] or "" for place in missing if found[place]})
    return [context or "" for context in found]


def generate_prefixes(subjects: Sequence[PrefixSubject], model: LanguageModel) -> list[str]:
    calls: list[ModelUsage] = []
    together = Deadline(MAX_BATCH_S)

    def one(subject: PrefixSubject) -> str:
        data = {"about": subject.about, "before": subject.before, "note": subject.note}
        deadline = together.slice(memory_conf().llm.prefix_timeout_s)
        try:
            answer = model.answer(
                prompts.render_prompt(PURPOSE, data),
                PrefixAnswer,
                purpose=PURPOSE,
                deadline=deadline,
                account=calls.append,
            )
        except Unavailable:
            return ""
        return validate_prefix(answer.context)

    if not subjects:
        return []
    with ThreadPoolExecutor(max_workers=MAX_PARALLEL, thread_name_prefix="prefix") as pool:
        texts = list(pool.map(one, subjects))
    # In this thread only: each other thread would open its own database connection.
    store_usage(model, calls)
    return texts


def validate_prefix(text: str) -> str:
    """The context if it is acceptable, otherwise "": a few plain sentences without secrets or instructions."""
    text = " ".join(text.split(" ")).strip()
    sentences = len(SENTENCE_END.findall(text if SENTENCE_END.search(text[-2:]) else f"{text}."))
    is_fit = text and len(text) <= MAX_CHARS and text.isprintable() and sentences <= MAX_SENTENCES
    # Never shown, but searched: a secret or an order that the model repeats would be what a memory is found by.
    if not is_fit or NOT_PLAIN.search(text) or find_secret(text) or find_order(text):
        return ""
    return text


def build_cache_key(model: str, subject: PrefixSubject) -> str:
    content = json.dumps([model, prompts.prompt_version(PURPOSE), subject.about, subject.before, subject.note])
    # Keyed, so that whoever reads Redis cannot tell whether a known text is among the memories.
    return hmac.new(secret_key(), content.encode(), hashlib.sha256).hexdigest()


def build_user_cache_key(user_id: int) -> str:
    """One Redis key per user, so that erasing the user deletes all of it."""
    return shared.build_key("contexts", str(user_id))


def read_cache(subjects: Sequence[PrefixSubject], keys: Sequence[str]) -> list[str | None]:
    def look(client: Redis) -> list[bytes | None]:
        pipe = client.pipeline(transaction=False)
        for subject, name in zip(subjects, keys, strict=True):
            pipe.hget(build_user_cache_key(subject.user_id), name)
        return list(pipe.execute())

    nothing: list[bytes | None] = [None] * len(keys)
    found = shared.call_or_default(look, nothing)
    return [None if value is None else value.decode(errors="replace") for value in found]


def write_cache(contexts_by_key: dict[tuple[int, str], str]) -> None:
    if not contexts_by_key:
        return

    def put(client: Redis) -> None:
        pipe = client.pipeline(transaction=False)
        for (user_id, name), context in contexts_by_key.items():
            pipe.hset(build_user_cache_key(user_id), name, context)
            pipe.expire(build_user_cache_key(user_id), CACHE_TTL_S)
        pipe.execute()

    shared.call_or_default(put, None)


def delete_cache(user_id: int) -> None:
    """Delete the cached prefixes of a user. Raises Unavailable, because an erasure must not miss them."""
    shared.call_or_raise(lambda client: client.delete(build_user_cache_key(user_id)), shared.BACKGROUND_TIMEOUT_S)
