"""Every message of code and templates is translated in every language, and each translation fits its message."""

import ast
import re
from collections.abc import Iterator

import polib
import pytest
from django.utils import translation
from django.utils.translation import gettext, ngettext

from tests.interface.messages import (
    CODE,
    LOCALE,
    ROOT,
    Found,
    Message,
    compile_catalogue,
    find_messages,
    key_of,
    list_languages,
    open_catalogue,
)

NAMED = re.compile(r"%\(\w+\)[a-z]|\{\w+(?:[:!][^}]*)?\}|%%|%[sd]\b")
TAG = re.compile(r"</?\w[^>]*>")


@pytest.fixture(scope="module")
def found() -> Found:
    return find_messages()


def list_forms(entry: polib.POEntry) -> Iterator[tuple[str, str, bool]]:
    """Each translation beside the text it stands for, and whether it is that of one."""
    if not entry.msgid_plural:
        yield entry.msgid, entry.msgstr, False
        return
    for number, form in entry.msgstr_plural.items():
        yield (entry.msgid if number == 0 else entry.msgid_plural), form, number == 0


def find_misfit(text: str, translated: str, *, is_of_one: bool = False) -> str:
    """What a translation lost or brought in; messages stand in attributes, where a straight quote would end them."""
    wanted, given = set(NAMED.findall(text)), set(NAMED.findall(translated))
    # "A minute ago": of one, many languages leave the number out.
    if not (given <= wanted if is_of_one else given == wanted) or set(TAG.findall(text)) != set(
        TAG.findall(translated)
    ):
        return f"{text!r}: {translated!r}"
    if TAG.sub("", text).count('"') != TAG.sub("", translated).count('"'):
        return f"a quote in {translated!r}"
    bare = (text[:1].isspace(), text[-1:].isspace()) != (translated[:1].isspace(), translated[-1:].isspace())
    return f"white space around {translated!r}" if bare else ""


def test_there_are_five_languages_beside_english() -> None:
    assert list_languages() == ["de", "es", "fr", "he", "it"]


@pytest.mark.parametrize("language", list_languages())
def test_every_message_is_translated_and_none_is_left_over(language: str, found: Found) -> None:
    catalogue = open_catalogue(language)
    kept = {key_of(entry) for entry in catalogue}
    advice = "python -m tests.interface.messages brings the files up to date; then translate what is empty"
    assert set(found) - kept == set(), advice
    assert kept - set(found) == set(), advice
    assert [entry.msgid for entry in catalogue.untranslated_entries()] == []
    assert [entry.msgid for entry in catalogue.fuzzy_entries()] == []


@pytest.mark.parametrize("language", list_languages())
def test_a_translation_keeps_names_and_tags(language: str) -> None:
    pairs = [pair for entry in open_catalogue(language) for pair in list_forms(entry)]
    found = (find_misfit(text, translated, is_of_one=is_of_one) for text, translated, is_of_one in pairs)
    assert [misfit for misfit in found if misfit] == []


@pytest.mark.parametrize("language", list_languages())
def test_what_is_shipped_is_compiled_from_what_is_written(language: str) -> None:
    compiled = (LOCALE / language / "LC_MESSAGES" / "django.mo").read_bytes()
    assert compiled == compile_catalogue(open_catalogue(language))


@pytest.mark.parametrize("language", list_languages())
def test_django_shows_the_translation(language: str) -> None:
    entries = {key_of(entry): entry for entry in open_catalogue(language)}
    with translation.override(language):
        assert gettext("Overview") == entries[Message("Overview")].msgstr
        counted = "%(count)d day ago", "%(count)d days ago"
        forms = entries[Message(*counted)].msgstr_plural
        assert (ngettext(*counted, 1), ngettext(*counted, 5)) == (forms[0], forms[1])


@pytest.mark.parametrize(
    ("text", "translated", "fits"),
    [
        ("%(n)s kept", "%(n)s behalten", True),
        ("%(n)s kept", "behalten", False),
        ("{n:,} kept", "{n} behalten", False),
        ("<b>Keep</b>", "<i>Behalten</i>", False),
        ("the word", 'das "Wort"', False),
        (" and ", " und", False),
    ],
)
def test_a_misfit_is_found(text: str, translated: str, fits: bool) -> None:
    assert (find_misfit(text, translated) == "") == fits


def test_no_english_is_left_where_letters_tell() -> None:
    """Names, settings and code stay in Latin letters in Hebrew, and the small words between them do not."""
    english = re.compile(r"\b(?:[Tt]he|[Tt]his|[Ii]t|[Ii]s|and|of|was|not)\b(?![^<]*</code>)")
    pairs = [pair for entry in open_catalogue("he") for pair in list_forms(entry)]
    assert [translated for _text, translated, _of_one in pairs if english.search(NAMED.sub("", translated))] == []


def test_where_the_underscore_translates_it_is_no_variable() -> None:
    """A loop that throws a value away into it would leave the module without its translations."""
    found = []
    for file in (file for folder in CODE for file in sorted((ROOT / folder).rglob("*.py"))):
        nodes = list(ast.walk(ast.parse(file.read_text())))
        if any(isinstance(node, ast.alias) and node.asname == "_" for node in nodes):
            found += [
                f"{file.relative_to(ROOT)}:{node.lineno}"
                for node in nodes
                if isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Store)
            ]
    assert found == []


def test_no_template_falls_back_to_words_of_one_language() -> None:
    fallback = re.compile(r'default(?:_if_none)?:"[^"]*[A-Za-z][^"]*"')
    found = {file.name: fallback.findall(file.read_text()) for file in (ROOT / "templates").rglob("*.html")}
    assert {name: words for name, words in found.items() if words} == {}
