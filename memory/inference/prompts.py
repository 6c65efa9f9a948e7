"""Prompt templates from files: instructions above a line of dashes, the input below.

User text is inserted as data between fences that are random in each prompt, so that no stored text can close them and
continue as instructions.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from memory.conf import prompts_dir

SEPARATOR = "\n---\n"
SUFFIX = ".txt"


@dataclass(frozen=True, slots=True)
class Prompt:
    """Two messages: the instructions and the input."""

    system: str
    user: str


def render_prompt(name: str, data: Mapping[str, str]) -> Prompt:
    """The prompt of that file with the data in its places. Raises KeyError when a place stays empty."""
    system, user = load_parts(name)
    fence = secrets.token_hex(6)
    fenced = {key: f"<<<{fence}\n{text.replace(fence, '')}\n{fence}>>>" for key, text in data.items()}
    return Prompt(Template(system).substitute(), Template(user).substitute(fenced))


def prompt_version(name: str) -> str:
    """Changes with the wording of the prompt; part of the cache key of an answer."""
    return SEPARATOR.join(load_parts(name))


def load_parts(name: str) -> tuple[str, str]:
    path = prompts_dir() / f"{name}{SUFFIX}"
    state = path.stat()
    # A file put back from a backup is older than what is cached; any difference counts, not only a later time.
    return read_parts(path, (state.st_mtime_ns, state.st_size, state.st_ino))


@lru_cache(maxsize=64)
def read_parts(path: Path, state: tuple[int, int, int]) -> tuple[str, str]:
    system, parting, user = path.read_text(encoding="utf-8").partition(SEPARATOR)
    if not parting:
        raise ValueError(f"{path.name} has no line of three dashes between the rules and the matter")
    return system.strip(), user.strip()
