"""Trained pipelines that parse a turn, where whoever runs this has named and installed them.

spaCy is no dependency: the frames read a turn in a millisecond, a parse takes five to twenty, and pipelines have
licences of their own.
"""

import importlib
import logging
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from memory.claims.frames.dependencies import ParsedToken

logger = logging.getLogger(__name__)
UNUSED = ("ner", "textcat", "senter")


@cache
def load_pipeline(name: str) -> Any | None:  # noqa: ANN401 -- what spacy.load gives; spaCy may be missing
    """A pipeline by its name, or None where it or spaCy is not installed, which is said once."""
    try:
        return importlib.import_module("spacy").load(name, exclude=UNUSED)
    except (ImportError, OSError, ValueError) as error:
        logger.warning("spaCy pipeline %s is not used: %s", name, error.__class__.__name__)
        return None


def parse_text(text: str, language: str, pipelines: Mapping[str, str]) -> Iterable[ParsedToken] | None:
    """The parse of a text by the pipeline that is named for its language."""
    name = pipelines.get(language, "")
    pipeline = load_pipeline(name) if name else None
    parsed: Iterable[ParsedToken] | None = None if pipeline is None else pipeline(text)
    return parsed
