"""What the assistant is told of itself, in the order in which it matters to it."""

import re
from collections.abc import Iterator
from typing import Final

from personality.schema import (
    BACKGROUND,
    EXPERTISE,
    FIELDS,
    INSTRUCTIONS,
    NAME,
    ROLE,
    TRAITS,
    FieldKind,
    FieldValues,
    PromptPlace,
)

# Told whatever the template says: without it "what is my name?" is answered with the assistant's.
PRONOUNS: Final = (
    'The user is a different person from you. When they say "my name", "my preferences" or "what I said", they mean '
    "their own, which the memory of them (memory_bank) holds, never yours."
)
# What is told where neither the person's template nor the default one can be read.
BUILT_IN: Final = f"You are Commonplace, an assistant with a long-term memory of the user.\n{PRONOUNS}"
TAKES_ARTICLE: Final = re.compile(r"(?!(?:an?|the|your|my|our)\b)[a-z]", re.IGNORECASE)
VOWEL: Final = re.compile(r"(?!u(?:ni|se))[aeiou]", re.IGNORECASE)


def render_prompt(values: FieldValues) -> str:
    """The prompt of a template's values."""
    return "\n".join(list_lines(values))


def list_lines(values: FieldValues) -> Iterator[str]:
    yield introduce(str(values[NAME]), str(values.get(ROLE, "")))
    if expertise := join_list(values, EXPERTISE):
        yield f"Expertise: {expertise}."
    if background := values.get(BACKGROUND):
        yield str(background)
    yield PRONOUNS
    # Before the style, not at the end: what somebody wrote themselves weighs most.
    if instructions := values.get(INSTRUCTIONS):
        yield str(instructions)
    if style := list_words(values, PromptPlace.STYLE):
        yield f"Style: {', '.join(style)}."
    if behavior := list_words(values, PromptPlace.BEHAVIOR):
        yield " ".join(behavior)
    if traits := join_list(values, TRAITS):
        yield f"Traits: {traits}."


def introduce(name: str, role: str) -> str:
    if not role:
        return f"You are {name}."
    # A role in another language or script takes no English article, one that has its own no second.
    article = ("an " if VOWEL.match(role) else "a ") if role.isascii() and TAKES_ARTICLE.match(role) else ""
    return f"You are {name}, {article}{role}".rstrip(".") + "."


def join_list(values: FieldValues, path: str) -> str:
    entries = values.get(path, ())
    return ", ".join(entry.rstrip(".") for entry in entries) if isinstance(entries, tuple) else ""


def list_words(values: FieldValues, line: PromptPlace) -> list[str]:
    said = []
    for one in FIELDS:
        value = values.get(one.path)
        if one.line != line or value is None:
            continue
        key = "true" if one.kind == FieldKind.FLAG and value is True else str(value)
        if key in one.words:
            said.append(one.words[key])
    return said
