"""Messages as chat APIs have them. Of each its text is read, and what else stands in it is passed over."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

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
