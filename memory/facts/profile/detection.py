"""Finds profile facts in a user's message: by the language model if there is one, otherwise by rules.

Only the user's own message is read, never an answer. The model's proposals must match the schema, be confident enough,
use the user's words, and pass the bank's guard.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field, model_validator

from memory.conf import memory_conf
from memory.facts.profile import facts
from memory.facts.profile.facts import CONFIDENCE, Confidence, ProfileFact
from memory.facts.profile.rules import LONGEST, MOST_FACTS, READ, find_facts_by_rules
from memory.guard import explain_refusal, speech
from memory.guard.annotation import annotate_text
from memory.inference.asking import find_prompt_model, take_call
from memory.inference.conf import prompt_conf
from memory.inference.llm import LanguageModel
from memory.inference.prompts import render_prompt
from memory.language.query_cues import USER_WORDS
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.tiers import Trust

logger = structlog.get_logger(__name__)

PURPOSE: Final = "profile_update_detection"
PROFILE_CALLS: Final = "profile_calls"
# Letters at the beginning that two forms of a word share.
STEM = 4
# Share of a statement's longer words that the person must have used.
LEAST_SHARED = 0.5
WORD = re.compile(r"[^\W_]{3,}")


class ProposedFact(BaseModel):
    """One fact as the model returns it."""

    model_config = ConfigDict(extra="ignore")

    field: facts.ProfileField
    value: str = Field(min_length=3, max_length=LONGEST)
    reasoning: str = ""
    confidence: Confidence


class ProposedFacts(BaseModel):
    """The model's answer. A single fact and "null" are accepted as lists of one and none."""

    facts: list[ProposedFact] = Field(max_length=2 * MOST_FACTS)

    @model_validator(mode="before")
    @classmethod
    def as_list(cls, said: Any) -> Any:  # noqa: ANN401 - whatever JSON the model wrote
        if said is None or said == "null":
            return {"facts": []}
        if isinstance(said, list):
            return {"facts": said}
        if isinstance(said, dict) and "facts" not in said:
            return {"facts": [said] if said else []}
        return {"facts": said["facts"] or []} if isinstance(said, dict) else said


def detect_profile_facts(
    user_message: str,
    deadline: Deadline,
    previous: Sequence[str] = (),
    *,
    with_remarks: bool = False,
    asked: str = "",
    lead: str = "",
    user_id: int | None = None,
) -> list[ProfileFact]:
    """The profile facts in a message. Failures of the language model never raise.

    ``previous`` are the person's last turns, for what goes on about them; ``with_remarks``, ``asked`` and ``lead`` as
    `find_facts_by_rules`; ``user_id`` is whose calls of the day are counted, None for nobody's.
    """
    model = find_prompt_model(PURPOSE)
    if model is not None and not is_own_speech(user_message):
        return []
    if model is None or (user_id is not None and not may_ask_about(user_id)):
        return find_facts_by_rules(user_message, previous, with_remarks=with_remarks, asked=asked, lead=lead)
    try:
        found = find_facts_by_model(model, user_message, deadline)
    except Unavailable as error:
        logger.info("profile facts found by rules alone", reason=type(error).__name__)
        return find_facts_by_rules(user_message, previous, with_remarks=with_remarks, asked=asked, lead=lead)
    # What somebody asks to be remembered is remembered, whatever the model makes of it.
    return found or find_facts_by_rules(user_message, previous, requests_only=True)


def may_ask_about(user_id: int) -> bool:
    # Here, where the model is asked: an import and a second reading spend the same calls as an exchange.
    return take_call(user_id, PROFILE_CALLS, memory_conf().conversations.profiles_a_day)


def is_own_speech(message: str) -> bool:
    """Whether the message contains something the user seriously says themselves."""
    annotated = annotate_text(message[:READ])
    return bool(annotated.sentences) and not speech.is_exchange(annotated) and not speech.is_joke(annotated)


def find_facts_by_model(model: LanguageModel, message: str, deadline: Deadline) -> list[ProfileFact]:
    asked = render_prompt(PURPOSE, {"message": message[:READ]})
    finds = model.answer(asked, ProposedFacts, purpose=PURPOSE, deadline=deadline).facts
    found: dict[str, ProfileFact] = {}
    for find in finds:
        statement = " ".join(find.value.split())
        if not is_confident(find) or not is_grounded(statement, message) or explain_refusal(statement):
            continue
        found.setdefault(statement, ProfileFact(find.field, statement, find.confidence, Trust.ASSISTANT))
    return list(found.values())[:MOST_FACTS]


def is_confident(find: ProposedFact) -> bool:
    return CONFIDENCE[find.confidence] >= CONFIDENCE[prompt_conf().least_confidence]


def is_grounded(statement: str, message: str) -> bool:
    """Whether the statement uses the user's words; a hallucination uses others."""
    said = {word[:STEM] for word in WORD.findall(message.casefold())}
    words = [word for word in WORD.findall(statement.casefold()) if word not in USER_WORDS]
    statement_words = [word for word in words if len(word) >= STEM] or words
    return bool(statement_words) and sum(word[:STEM] in said for word in statement_words) >= LEAST_SHARED * len(
        statement_words
    )
