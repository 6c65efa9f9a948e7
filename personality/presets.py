"""The templates of the house: files that come with the product and that nobody changes."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

DEFAULT: Final = "default"
PRESETS_DIR: Final = Path(__file__).resolve().parent / "presets"
SUFFIX: Final = ".yaml"


@dataclass(frozen=True, slots=True)
class PresetTemplate:
    id: str
    content: str

    @property
    def title(self) -> str:
        return self.id.replace("_", " ").capitalize()

    @property
    def summary(self) -> str:
        """What its first line says of it."""
        first = self.content.partition("\n")[0]
        return first.removeprefix("#").strip() if first.startswith("#") else ""


@cache
def load_presets() -> Mapping[str, PresetTemplate]:
    """By id, the default first."""
    found = {file.stem: file.read_text(encoding="utf-8") for file in sorted(PRESETS_DIR.glob(f"*{SUFFIX}"))}
    order = sorted(found, key=lambda name: (name != DEFAULT, name))
    return MappingProxyType({name: PresetTemplate(name, found[name]) for name in order})


def find_preset(content: str) -> PresetTemplate | None:
    """The preset that says exactly this: by its digest first, then by its content."""
    found = index_digests().get(digest_content(content))
    return found if found is not None and found.content == content else None


@cache
def index_digests() -> Mapping[bytes, PresetTemplate]:
    return {digest_content(preset.content): preset for preset in load_presets().values()}


def digest_content(content: str) -> bytes:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
