"""Messages as chat APIs have them. Of each its text is read, and what else stands in it is passed over."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from memory.web.fields import Name

ChatRole = Literal["user", "assistant", "system", "developer", "tool", "function"]
# What a message of an assistant may say in the place of words.
WORDLESS = ("tool_calls", "function_call", "audio")


def flatten_content(value: object) -> object:
    """The text of a message that clients send in parts, as chat APIs have it; what is no text is passed over."""
    if isinstance(value, list):
        if not all(isinstance(part, dict) for part in value):
            raise ValueError("must be a text, or a list of parts that are JSON objects")
        texts = [part.get("text") or part.get("refusal") for part in value]
        return "\n".join(text for text in texts if isinstance(text, str))
    return "" if value is None else value


# Each door adds how long it may be.
ChatContent = Annotated[
    str,
    Field(strict=True),
    BeforeValidator(flatten_content, json_schema_input_type=str | list[dict[str, JsonValue]] | None),
]


class ChatMessage(BaseModel):
    """Unknown fields are accepted: providers add some of their own."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def read_other_words(cls, given: object) -> object:
        """The words of a refusal for those of the answer, and no words where there are calls of tools instead."""
        if not isinstance(given, dict) or given.get("content"):
            return given
        if isinstance(refusal := given.get("refusal"), str):
            return {**given, "content": refusal}
        return {**given, "content": given.get("content")} if any(given.get(name) for name in WORDLESS) else given


class NamedMessage(ChatMessage):
    """A message that may tell who of several people said it."""

    role: str
    content: str
    name: Name | None = None


Message = TypeVar("Message", bound=NamedMessage)


@dataclass(slots=True)
class AnsweredQuestion(Generic[Message]):
    """What somebody said, and what was answered to it."""

    question: list[Message] = field(default_factory=list)
    answer: list[Message] = field(default_factory=list)

    @property
    def speaker(self) -> str:
        return (self.question[0].name or "") if self.question else ""


def group_turns(messages: Sequence[Message]) -> Iterator[AnsweredQuestion[Message]]:
    """Each question with its answers. Of two people who speak one after the other each has a turn."""
    turn = AnsweredQuestion[Message]()
    for message in messages:
        is_answer = message.role == "assistant"
        if not is_answer and (turn.answer or (turn.question and turn.speaker != (message.name or ""))):
            yield turn
            turn = AnsweredQuestion[Message]()
        (turn.answer if is_answer else turn.question).append(message)
    yield turn


def join_contents(messages: Sequence[NamedMessage]) -> str:
    return "\n\n".join(message.content for message in messages)
