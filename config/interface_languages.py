"""The languages of the interface: those that have a folder of messages, and English, in which messages are written."""

from pathlib import Path
from typing import Final

from django.conf.locale import LANG_INFO

ENGLISH: Final = "en"


def list_interface_languages(folder: Path) -> list[tuple[str, str]]:
    """Code and name, the name as the language itself writes it, in the order of the codes."""
    translated = {file.parent.parent.name for file in folder.glob("*/LC_MESSAGES/django.mo")}
    return [(code, name_language(code)) for code in sorted({ENGLISH, *translated})]


def name_language(code: str) -> str:
    name = str(LANG_INFO[code]["name_local"])
    return name[:1].upper() + name[1:]
