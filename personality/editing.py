"""Changes single values in the YAML itself: everything else, comments above all, stays as it was written."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from memory.guard.redaction.texts import RedactedText, find_secrets, redact_secrets
from personality.reading import MAPPING, SCALAR, SEQUENCE, TemplateRefused, YamlNode, read_tree
from personality.schema import FIELD_AT, FieldKind, TemplateField
from personality.validation import FLAGS

# Words that need no quotes whatever stands around them.
SAFE_WORD: Final = re.compile(r"[^\W\d_][\w ]{0,78}\w", re.UNICODE)
RESERVED: Final = frozenset({*FLAGS, "null", "y", "n"})
INDENT: Final = "  "

Redact = Callable[[str], RedactedText]
# None and an empty text take a value away.
FieldEntry = str | bool | None


def set_field(text: str, path: str, value: FieldEntry) -> str:
    """The template with another value in one field; None or an empty text takes the field's value away.

    Raises TemplateRefused for a text that is no template.
    """
    one, root = FIELD_AT[path], read_tree(text)
    holder = root.find(one.section) if one.section else root
    node = holder.find(one.key) if holder is not None else None
    is_empty = value is None or value == ""
    if node is not None:
        if node.kind == SCALAR and node.end > node.start:
            return replace_span(text, node, "null" if is_empty else render_value(one, value))
        return text if node.is_null and is_empty else replace_span(text, node, " " + render_value(one, value))
    if is_empty:
        return text
    return insert_field(text, root, holder, one, value)


def insert_field(text: str, root: YamlNode, holder: YamlNode | None, one: TemplateField, value: FieldEntry) -> str:
    """A field that is not there: as the last of its section, or with a new section at the end."""
    if holder is None:
        return append_line(text, root, f"{one.section}:\n{INDENT}{one.key}: {render_value(one, value)}")
    line = f"{one.key}: {render_value(one, value)}"
    if holder.is_null:
        return f"{text[: holder.start]}\n{INDENT}{line}{text[holder.end :]}"
    if holder.kind != MAPPING:
        return text
    if holder.is_flow:
        return f"{text[: holder.start + 1]}{line}{', ' if holder.pairs else ''}{text[holder.start + 1 :]}"
    if holder is root:
        return append_line(text, root, render_block(one, str(value)) if is_long(value) else line)
    # Before the first field, whose column is the indent of all.
    return f"{text[: holder.start]}{line}\n{' ' * (holder.column - 1)}{text[holder.start :]}"


def append_line(text: str, root: YamlNode, lines: str) -> str:
    if root.is_flow:
        name, _, rest = lines.partition(":")
        inner = rest.strip().replace(f"\n{INDENT}", " ")
        given = f"{name}: {{{inner}}}" if "\n" in lines else lines
        return f"{text[: root.start + 1]}{given}, {text[root.start + 1 :]}"
    body = text.rstrip("\n")
    # What ends a document would cut off what follows it.
    body = body.removesuffix("\n...")
    return f"{body}\n\n{lines}\n"


def is_long(value: FieldEntry) -> bool:
    return isinstance(value, str) and "\n" in value.strip()


def render_block(one: TemplateField, value: str) -> str:
    """A text of several lines as one writes it in YAML by hand."""
    lines = [line.rstrip() for line in value.strip().split("\n")]
    if any(line[:1].isspace() for line in lines[:1]):
        return f"{one.key}: {quote(value)}"
    return "\n".join([f"{one.key}: |", *(INDENT + line if line else "" for line in lines)])


def render_value(one: TemplateField, value: FieldEntry) -> str:
    if one.kind == FieldKind.FLAG:
        return "true" if value else "false"
    text = str(value)
    if SAFE_WORD.fullmatch(text) and text.lower() not in RESERVED:
        return text
    return quote(text)


def quote(text: str) -> str:
    """In double quotes, which YAML reads as JSON does."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")


def replace_span(text: str, node: YamlNode, written: str) -> str:
    """A block of lines ends with its line feed, which what follows needs."""
    was = text[node.start : node.end]
    ending = was[len(was.rstrip("\n")) :] if was.startswith(("|", ">")) else ""
    return f"{text[: node.start]}{written}{ending or ''}{text[node.end :]}"


def redact_template(text: str, redact: Redact = redact_secrets) -> RedactedText:
    """Without secrets, and YAML still: a mark in brackets, written in place, could be read as a list.

    Raises TemplateRefused for a text that is no template.
    """
    kinds: list[str] = []

    def note(found: RedactedText) -> str:
        kinds.extend(found.kinds)
        return found.text

    # From the end, so that the places before stay where they are.
    for node in reversed(list(list_scalars(read_tree(text)))):
        clean = note(redact(node.value))
        if clean != node.value:
            text = replace_span(text, node, quote(clean))
    # What only what stands beside it tells: a secret in a comment, or named by the key before it.
    for span in reversed(find_secrets(text)):
        kinds.append(span.kind)
        text = cover_span(text, span.start, span.end, f"[redacted: {span.kind}]")
    return RedactedText(text, tuple(dict.fromkeys(kinds)))


def redact_stored_template(text: str, redact: Redact = redact_secrets) -> str:
    """The same of what was stored; what is no template is redacted as any text."""
    try:
        return redact_template(text, redact).text
    except TemplateRefused:
        return redact(text).text


def cover_span(text: str, start: int, end: int, mark: str) -> str:
    """The mark in the place of the characters; of a value, in the place of all of it."""
    within = [node for node in list_scalars(read_tree(text)) if node.start < end and start < node.end]
    for node in reversed(within):
        text = replace_span(text, node, quote(mark))
    return text if within else text[:start] + mark + text[end:]


def list_scalars(node: YamlNode) -> Iterator[YamlNode]:
    """All values and keys, in the order in which they stand."""
    if node.kind == SCALAR:
        if node.end > node.start:
            yield node
    elif node.kind == SEQUENCE:
        for entry in node.entries:
            yield from list_scalars(entry)
    else:
        for key, value in node.pairs:
            yield from list_scalars(key)
            yield from list_scalars(value)
