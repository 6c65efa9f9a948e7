"""English that stands as data, in files and catalogues, and is translated where a page shows it."""

from collections.abc import Iterable, Iterator

from config.configuration import read_descriptions
from memory.inference.catalogue import ENTRIES
from memory.vocabulary.presets import list_presets, load_preset
from personality.drafts import QUICK, list_quick
from personality.presets import load_presets
from personality.schema import FIELD_AT

Texts = tuple[str, list[str]]


def list_shipped_texts() -> Iterator[Texts]:
    """Each source with its texts, each text once."""
    yield ".env.example", keep_told(about for about, _ in read_descriptions().values())
    yield (
        "memory/inference/catalogue.py",
        keep_told(text for one in ENTRIES for text in (one.task, one.asked_by, one.asked_when, one.when_off)),
    )
    yield "personality/schema.py", keep_told(FIELD_AT[path].label for path in QUICK)
    yield (
        "personality/drafts.py",
        keep_told(name for one in list_quick({}) if one.field.choices for _, name, _ in one.options),
    )
    yield "personality/presets", keep_told(preset.summary for preset in load_presets().values())
    yield (
        "memory/vocabulary/presets",
        keep_told(term.means for name in list_presets() for term in load_preset(name).terms),
    )


def keep_told(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text]
