"""Reads YAML that anybody may have written: no tags, no aliases, no second document, and a place for every fault.

The events of the parser are made into a tree of our own; nothing is ever constructed from a tag.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import yaml

MAX_BYTES: Final = 256 * 1024
# The schema has three levels and some thirty values; these leave room for comments on paper, not for bombs.
MAX_DEPTH: Final = 20
MAX_NODES: Final = 2_000
# What YAML itself forbids, lone surrogates among them. The parser would refuse them without a place.
UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
SCALAR, MAPPING, SEQUENCE = "scalar", "mapping", "sequence"
TEXT_TAG: Final = "tag:yaml.org,2002:str"
RESOLVER: Final = yaml.resolver.Resolver()
# In C where it was built: 256 KiB take 10 ms instead of two seconds.
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """``field`` is a path such as ``identity.name``; lines and columns count from 1."""

    field: str
    message: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        what = f"{self.field}: {self.message}" if self.field else self.message
        return f"line {self.line}, column {self.column}: {what}"


class TemplateRefused(Exception):
    """A template that cannot be used, with everything that is wrong with it."""

    def __init__(self, faults: Sequence[TemplateFault]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = tuple(faults)


@dataclass(slots=True)
class YamlNode:
    """A value and where it stands: characters ``start`` to ``end`` of the text, the line and column it begins at."""

    kind: str
    start: int
    line: int
    column: int
    end: int = 0
    value: str = ""
    # Of a scalar: written without quotes. Of the others: in brackets.
    is_plain: bool = False
    is_flow: bool = False
    pairs: "list[tuple[YamlNode, YamlNode]]" = field(default_factory=list)
    entries: "list[YamlNode]" = field(default_factory=list)

    @property
    def is_null(self) -> bool:
        return self.kind == SCALAR and self.is_plain and self.value in {"", "~", "null", "Null", "NULL"}

    @property
    def is_text(self) -> bool:
        """Whether every reader of YAML takes it for a text, and none for a number, a date or a truth value."""
        if not self.is_plain:
            return self.kind == SCALAR
        tag = RESOLVER.resolve(yaml.ScalarNode, self.value, (True, False))  # type: ignore[no-untyped-call]
        return bool(tag == TEXT_TAG)

    def fault(self, path: str, message: str) -> TemplateFault:
        return TemplateFault(path, message, self.line, self.column)

    def find(self, key: str) -> "YamlNode | None":
        return next((value for name, value in self.pairs if name.value == key), None)


def decode_template(raw: bytes) -> str:
    """The text of a file. Raises TemplateRefused."""
    if len(raw) > MAX_BYTES:
        raise refuse(f"has more than {MAX_BYTES:,} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        raise refuse("is not valid UTF-8", *locate(before, len(before))) from error


def normalize_template(text: str) -> str:
    """As templates are kept: without a byte order mark, with line feeds alone."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_tree(text: str) -> YamlNode:
    """The mapping of a normalized template. Raises TemplateRefused, and nothing else, whatever the text."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise refuse(f"has more than {MAX_BYTES:,} bytes")
    if found := UNPRINTABLE.search(text):
        raise refuse(f"the character U+{ord(found[0]):04X} is not allowed", *locate(text, found.start()))
    try:
        root = build_tree(yaml.parse(text, Loader=LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise refuse(f"is not YAML: {error.problem or error.context}", *place) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise refuse("is not YAML") from error
    if root is None or root.is_null:
        raise refuse("holds no template")
    if root.kind != MAPPING:
        raise TemplateRefused([root.fault("", "must be a mapping with the sections identity and communication")])
    return root


def refuse(message: str, line: int = 1, column: int = 1) -> TemplateRefused:
    return TemplateRefused([TemplateFault("", message, line, column)])


def locate(text: str, at: int) -> tuple[int, int]:
    """The line and column of a character."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def build_tree(events: Iterator[yaml.Event]) -> YamlNode | None:
    """The node of the one document, as far as no event has to be refused."""
    documents, count = 0, 0
    root: YamlNode | None = None
    builder = TreeBuilder()
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise refuse("has a second document", *find_place(event))
        if isinstance(event, yaml.NodeEvent):
            count += 1
            refuse_reference(event)
            if count > MAX_NODES:
                raise refuse(f"has more than {MAX_NODES:,} values", *find_place(event))
        closed = builder.take(event)
        root = root or closed
    return root


def find_place(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def refuse_reference(event: yaml.NodeEvent) -> None:
    if event.anchor is not None:
        raise refuse("anchors and aliases are not allowed: write the value out", *find_place(event))
    tag = getattr(event, "tag", None)
    if tag is not None:
        raise refuse(f"tags such as {str(tag)[:40]} are not allowed", *find_place(event))


class TreeBuilder:
    """Nodes from events, without recursion: a stack of what is open."""

    def __init__(self) -> None:
        self.open: list[YamlNode] = []
        # Of each open mapping, the key that waits for its value.
        self.keys: list[YamlNode | None] = []

    def take(self, event: yaml.Event) -> YamlNode | None:
        """The outermost node once it is complete."""
        if isinstance(event, yaml.ScalarEvent):
            node = make_node(SCALAR, event)
            node.value, node.is_plain = event.value, event.style is None or event.style == ""
            # Written as an escape.
            if found := UNPRINTABLE.search(event.value):
                raise refuse(f"the character U+{ord(found[0]):04X} is not allowed", *find_place(event))
            return self.close(node, event)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            node = make_node(MAPPING if isinstance(event, yaml.MappingStartEvent) else SEQUENCE, event)
            node.is_flow = bool(event.flow_style)
            if len(self.open) >= MAX_DEPTH:
                raise refuse(f"is nested deeper than {MAX_DEPTH} levels", *find_place(event))
            self.open.append(node)
            self.keys.append(None)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self.keys.pop()
            return self.close(self.open.pop(), event)
        return None

    def close(self, node: YamlNode, event: yaml.Event) -> YamlNode | None:
        node.end = event.end_mark.index if event.end_mark else node.start
        if not self.open:
            return node
        parent = self.open[-1]
        if parent.kind == SEQUENCE:
            parent.entries.append(node)
        elif (key := self.keys[-1]) is None:
            self.keys[-1] = check_key(parent, node)
        else:
            parent.pairs.append((key, node))
            self.keys[-1] = None
        return None


def make_node(kind: str, event: yaml.Event) -> YamlNode:
    line, column = find_place(event)
    return YamlNode(kind, event.start_mark.index if event.start_mark else 0, line, column)


def check_key(parent: YamlNode, key: YamlNode) -> YamlNode:
    if key.kind != SCALAR:
        raise TemplateRefused([key.fault("", "a key must be a word")])
    if key.is_plain and key.value == "<<":
        raise TemplateRefused([key.fault("", "merges are not allowed: write the values out")])
    if any(key.value == name.value for name, _ in parent.pairs):
        raise TemplateRefused([key.fault(key.value[:80], "is given more than once")])
    return key
