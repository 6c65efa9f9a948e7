"""Two vocabularies to begin with, as files: `support` for a help desk, `personal` for a person's everyday life."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from memory.language.loader import list_codes
from memory.vocabulary.terms import ControlledVocabulary, Term, TermKind

FOLDER: Final = Path(__file__).parent
DEFAULT_PRESET: Final = "personal"
SECTIONS: Final = {
    "topics": TermKind.TOPIC,
    "categories": TermKind.CATEGORY,
    "message_types": TermKind.MESSAGE_TYPE,
    "entity_types": TermKind.ENTITY_TYPE,
}
LISTS: Final = ("meanings", "life", "relations", "cues", "intents", "topics")


def list_presets() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def load_preset(name: str) -> ControlledVocabulary:
    """Raises KeyError for a name that there is no preset of."""
    if name not in list_presets():
        raise KeyError(name)
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return ControlledVocabulary(name, 0, tuple(read_terms(data)))


def read_terms(data: Mapping[str, Mapping[str, Any]]) -> Iterator[Term]:
    for section, kind in SECTIONS.items():
        for name, given in data.get(section, {}).items():
            about: Mapping[str, Any] = {"means": given} if isinstance(given, str) else given
            listed: dict[str, Any] = {key: split_list(about.get(key, "")) for key in LISTS}
            yield Term(
                kind,
                name,
                means=about.get("means", ""),
                aliases={code: split_list(about[code]) for code in list_codes() if code in about},
                matters=about.get("matters", ""),
                is_fallback=about.get("is_fallback", False),
                **listed,
            )


def split_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
