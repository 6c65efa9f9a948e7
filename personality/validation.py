"""Holds a template against the schema: what it says, what makes it unusable, what is warned of and left out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from memory.language.text import BLANK, SMUGGLED
from personality.reading import MAPPING, SCALAR, SEQUENCE, TemplateFault, TemplateRefused, YamlNode, read_tree
from personality.schema import (
    EXPECTED_SECTIONS,
    FIELD_AT,
    FIELDS,
    MOST_LISTED,
    NAME,
    REQUIRED_SECTIONS,
    SECTIONS,
    FieldKind,
    FieldValue,
    FieldValues,
    TemplateField,
)

FLAGS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
MOST_WARNINGS: Final = 20


@dataclass(slots=True)
class CheckedTemplate:
    """A usable template. ``warnings`` are of what is left out; ``nodes`` say where each field's value stands."""

    text: str
    root: YamlNode
    values: FieldValues = field(default_factory=dict)
    warnings: list[TemplateFault] = field(default_factory=list)
    nodes: dict[str, YamlNode] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.values[NAME])


def check_template(text: str) -> CheckedTemplate:
    """What a normalized template says. Raises TemplateRefused with everything that is wrong."""
    checked = CheckedTemplate(text, read_tree(text))
    faults = list(find_missing_sections(checked.root))
    collect_nodes(checked)
    for one in FIELDS:
        node = checked.nodes.get(one.path)
        if node is not None and not node.is_null:
            faults += read_field(checked, one, node)
    if not checked.values.get(NAME) and not faults:
        section = checked.root.find("identity")
        at = checked.nodes.get(NAME) or section or checked.root
        faults.append(at.fault(NAME, "is required"))
    if faults:
        raise TemplateRefused(faults[:MOST_WARNINGS])
    checked.warnings.sort(key=lambda fault: (fault.line, fault.column))
    del checked.warnings[MOST_WARNINGS:]
    return checked


def find_missing_sections(root: YamlNode) -> Iterator[TemplateFault]:
    for name in REQUIRED_SECTIONS:
        section = root.find(name)
        if section is None:
            yield root.fault(name, "this section is required")
        elif section.kind != MAPPING and not section.is_null:
            yield section.fault(name, "must be a mapping of fields")


def collect_nodes(checked: CheckedTemplate) -> None:
    """Where the fields stand; what is no field, and a section that says nothing, is warned of."""
    root = checked.root
    for key, node in root.pairs:
        if key.value in SECTIONS:
            collect_section(checked, key.value, node)
        elif key.value in FIELD_AT:
            checked.nodes[key.value] = node
        else:
            checked.warnings.append(key.fault(key.value[:80], "is no field of a personality and is not used"))
    for name in EXPECTED_SECTIONS:
        if root.find(name) is None:
            checked.warnings.append(root.fault(name, "this section is missing: nothing is said of it"))


def collect_section(checked: CheckedTemplate, name: str, section: YamlNode) -> None:
    if section.is_null:
        checked.warnings.append(section.fault(name, "this section is empty: nothing is said of it"))
    elif section.kind != MAPPING and name not in REQUIRED_SECTIONS:
        checked.warnings.append(section.fault(name, "must be a mapping of fields; it is not used"))
    for key, node in section.pairs:
        path = f"{name}.{key.value}"
        if path in FIELD_AT:
            checked.nodes[path] = node
        else:
            checked.warnings.append(key.fault(path[:80], "is no field of a personality and is not used"))


def read_field(checked: CheckedTemplate, one: TemplateField, node: YamlNode) -> list[TemplateFault]:
    """Keep the value of a field, or warn of it. Returns faults: a text that is too long cannot be told in part."""
    value: FieldValue | None = None
    if one.kind == FieldKind.LIST:
        value = tuple(read_entries(checked, one, node))
    elif node.kind != SCALAR:
        checked.warnings.append(node.fault(one.path, "must be a single value; it is not used"))
    elif one.path == NAME and not node.is_text:
        return [node.fault(NAME, "must be a text: put it in quotes")]
    elif one.kind == FieldKind.TEXT:
        value = read_text(one, node)
        if len(value) > one.longest:
            return [node.fault(one.path, f"must have at most {one.longest:,} characters, not {len(value):,}")]
    elif one.kind == FieldKind.FLAG:
        value = FLAGS.get(node.value.lower()) if node.is_plain else None
        if value is None:
            checked.warnings.append(node.fault(one.path, "must be true or false; it is not used"))
    elif node.value in one.choices:
        value = node.value
    else:
        allowed = ", ".join(one.choices)
        checked.warnings.append(node.fault(one.path, f"must be one of: {allowed}; it is not used"))
    if value is not None and value != "" and value != ():
        checked.values[one.path] = value
    return []


def read_text(one: TemplateField, node: YamlNode) -> str:
    """Only instructions and the background keep their lines."""
    text = SMUGGLED.sub("", node.value).strip()
    if BLANK.fullmatch(text):
        return ""
    return text if one.longest >= FIELD_AT["identity.background"].longest else " ".join(text.split())


def read_entries(checked: CheckedTemplate, one: TemplateField, node: YamlNode) -> Iterator[str]:
    entries = node.entries if node.kind == SEQUENCE else [node]
    for entry in entries[:MOST_LISTED]:
        text = " ".join(SMUGGLED.sub("", entry.value).split()) if entry.kind == SCALAR and not entry.is_null else ""
        if not text:
            checked.warnings.append(entry.fault(one.path, "must be a text; this entry is not used"))
        elif len(text) > one.longest:
            rule = f"an entry has at most {one.longest:,} characters; this one is not used"
            checked.warnings.append(entry.fault(one.path, rule))
        else:
            yield text
    if len(entries) > MOST_LISTED:
        rule = f"has more than {MOST_LISTED} entries; those from here are not used"
        checked.warnings.append(entries[MOST_LISTED].fault(one.path, rule))
