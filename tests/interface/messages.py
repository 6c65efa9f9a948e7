"""The messages of the interface: found in code and templates, kept in config/locale/, compiled as Django reads them.

``python -m tests.interface.messages`` brings every language up to date: new messages come in empty, what nothing shows
any more goes out, and the compiled file is written. It does what makemessages and compilemessages do, without gettext's
programs, and finds exactly what is asked for at run time, as templates are read by Django itself.
"""

import ast
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import polib
from django.template import Engine, engines
from django.template.base import FilterExpression, Node, Template
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.functional import Promise

ROOT: Final = Path(__file__).resolve().parents[2]
LOCALE: Final = ROOT / "config" / "locale"
CODE: Final = ("books", "config", "knowledge_graph", "memory", "outcomes", "personality")
SINGLE: Final = frozenset({"_", "gettext", "gettext_lazy", "gettext_noop"})
COUNTED: Final = frozenset({"ngettext", "ngettext_lazy"})
IN_CONTEXT: Final = frozenset({"pgettext", "pgettext_lazy"})


class Message(NamedTuple):
    """What gettext looks a translation up by."""

    text: str
    plural: str = ""
    context: str = ""


Found = dict[Message, list[str]]


def find_messages() -> Found:
    """Every message with the files it stands in, in the order of the files."""
    found: Found = {}
    for path, messages in (*read_templates(), *read_code(), *read_shipped_texts()):
        for message in messages:
            places = found.setdefault(message, [])
            if path not in places:
                places.append(path)
    return merge_plurals(found)


def merge_plurals(found: Found) -> Found:
    """One entry for a text that is counted in one place and told alone in another: gettext knows both by one key."""
    counted = {(message.text, message.context): message for message in found if message.plural}
    merged: Found = {}
    for message, places in found.items():
        kept = counted.get((message.text, message.context), message)
        merged.setdefault(kept, []).extend(place for place in places if place not in merged.get(kept, []))
    return merged


def read_templates() -> Iterator[tuple[str, list[Message]]]:
    for file in sorted((ROOT / "templates").rglob("*.html")):
        path = file.relative_to(ROOT).as_posix()
        template: Any = get_template(file.relative_to(ROOT / "templates").as_posix())
        yield path, list(walk_template(template.template, set()))


def walk_template(part: Any, seen: set[int]) -> Iterator[Message]:
    """Whatever a template is made of; a literal that is translated may stand in any argument of any tag."""
    if id(part) in seen or isinstance(part, (str, int, float, Engine)):
        return
    seen.add(id(part))
    if isinstance(part, BlockTranslateNode):
        yield read_block(part)
    if isinstance(part, TranslateNode):
        yield Message(escape_percent(str(part.filter_expression.var.literal)), context=read_context(part))
        return
    # What stands as _("...") in an argument of a tag is a lazy text from the moment the template is read.
    if isinstance(part, Promise):
        yield Message(str(part.__dict__["_args"][0]))
        return
    for inner in list_inner_parts(part):
        yield from walk_template(inner, seen)


def list_inner_parts(part: Any) -> list[Any]:
    if isinstance(part, dict):
        return list(part.values())
    if isinstance(part, (list, tuple)):
        return list(part)
    if isinstance(part, FilterExpression):
        return [part.var, part.filters]
    is_of_template = isinstance(part, (Node, Template)) or type(part).__module__.startswith("django.template")
    return list(vars(part).values()) if is_of_template and hasattr(part, "__dict__") else []


def read_block(node: BlockTranslateNode) -> Message:
    text = node.render_token_list(node.singular)[0]
    plural = node.render_token_list(node.plural)[0] if node.plural else ""
    return Message(text, plural, read_context(node))


def read_context(node: Any) -> str:
    return str(node.message_context.var) if node.message_context else ""


def escape_percent(text: str) -> str:
    # As Django does before it looks up what stands in a template.
    return text.replace("%", "%%")


def read_code() -> Iterator[tuple[str, list[Message]]]:
    for folder in CODE:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), list(read_calls(ast.parse(file.read_text())))


def read_calls(tree: ast.Module) -> Iterator[Message]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if node.func.id in SINGLE and texts:
            yield Message(texts[0])
        elif node.func.id in COUNTED:
            yield Message(texts[0], texts[1])
        elif node.func.id in IN_CONTEXT:
            yield Message(texts[1], context=texts[0])


def read_shipped_texts() -> Iterator[tuple[str, list[Message]]]:
    # Read when it is asked for: it needs the apps, which this file sets up where it is run.
    listing = import_module("tests.interface.shipped_texts")
    for path, texts in listing.list_shipped_texts():
        yield path, [Message(text) for text in texts]


def list_languages() -> list[str]:
    return sorted(file.parent.parent.name for file in LOCALE.glob("*/LC_MESSAGES/django.po"))


def open_catalogue(language: str) -> polib.POFile:
    return polib.pofile(str(LOCALE / language / "LC_MESSAGES" / "django.po"), wrapwidth=120)


def key_of(entry: polib.POEntry) -> Message:
    return Message(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def update_catalogue(language: str, found: Found) -> polib.POFile:
    """What was translated stays; a text whose plural came or went is translated anew."""
    catalogue = open_catalogue(language)
    forms = catalogue.metadata["Plural-Forms"].count("nplurals") and int(
        catalogue.metadata["Plural-Forms"].split("nplurals=")[1].split(";")[0]
    )
    known = {key_of(entry): entry for entry in catalogue}
    catalogue.clear()
    for message, places in found.items():
        entry = known.get(message) or build_entry(message, forms)
        entry.occurrences = [(place, "") for place in places]
        catalogue.append(entry)
    return catalogue


def build_entry(message: Message, forms: int) -> polib.POEntry:
    entry = polib.POEntry(msgid=message.text, msgctxt=message.context or None)
    if message.plural:
        entry.msgid_plural = message.plural
        entry.msgstr_plural = dict.fromkeys(range(forms), "")
    return entry


def compile_catalogue(catalogue: polib.POFile) -> bytes:
    compiled: bytes = catalogue.to_binary()
    return compiled


def main() -> None:
    found = find_messages()
    for language in list_languages():
        catalogue = update_catalogue(language, found)
        folder = LOCALE / language / "LC_MESSAGES"
        catalogue.save(str(folder / "django.po"))
        (folder / "django.mo").write_bytes(compile_catalogue(catalogue))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    import django

    django.setup()
    assert engines
    main()
