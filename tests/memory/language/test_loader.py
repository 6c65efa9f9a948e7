"""The one format in which everything known of a language stands."""

from memory.language.loader import (
    FOLDER,
    collect_entries,
    list_codes,
    load_languages,
    parse_sections,
    read_entries,
    read_sections,
    split_entries,
)


def test_a_section_holds_the_entries_of_its_lines() -> None:
    text = "# A comment.\n\n[kin]\nwife, husband\nson\n\nhour = one, two\n[link]\nis, :, =, ->\n=sì\n"
    assert parse_sections(text) == {
        "kin": ("wife, husband", "son"),
        "hour": ("one, two",),
        "link": ("is, :, =, ->", "=sì"),
    }


def test_a_comma_within_braces_does_not_part() -> None:
    assert split_entries(r"last (\w+ ){0,2}time, lately,") == (r"last (\w+ ){0,2}time", "lately")


def test_every_folder_with_a_description_is_a_language() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/language.txt")}
    assert set(list_codes()) == folders
    assert {"en", "es", "fr", "de", "it", "he"} <= folders
    assert list_codes()[0] == "en"


def test_languages_say_what_they_are() -> None:
    english, spanish, *_ = load_languages()
    assert (english.name, english.stemmer, english.script, english.generation) == ("English", "english", "latin", 1)
    assert "ñ" in spanish.letters
    assert len({language.order for language in load_languages()}) == len(load_languages())


def test_what_is_not_there_is_empty() -> None:
    assert read_sections("en", "no such subject") == {}
    assert read_entries("en", "language", "no such section") == ()
    assert collect_entries("language", "no such section") == ()
