"""Reads one turn as triples of a closed set of relations, in the likeliest of its languages."""

from collections.abc import Mapping, Sequence

from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.triples import HotReading
from memory.claims.frames.turn import NO_PIPELINES, read_framed


def read_turn(
    text: str,
    earlier: Sequence[str] = (),
    lang: str | None = None,
    pipelines: Mapping[str, str] = NO_PIPELINES,
    *,
    own: str = "",
) -> HotReading:
    """``earlier`` are turns of the same person, oldest first; they resolve pronouns and are not read again.

    ``pipelines`` names a trained spaCy pipeline by language, whose parse is read as well. ``own`` is the language that
    goes before others as likely.
    """
    languages = (lang,) if lang else sorted(find_turn_languages(text, earlier), key=lambda one: one != own)
    readings = [read_framed(text, earlier, one, pipelines) for one in languages]
    return choose_reading(readings)


def choose_reading(readings: Sequence[HotReading]) -> HotReading:
    """The one that finds most; of equal ones the likeliest, which is first.

    What it sets aside counts: a plan of one language is no fact of another.
    """
    return max(readings, key=lambda one: len(one.triples) + len(one.retracted) + count_set_aside(one))


def count_set_aside(reading: HotReading) -> int:
    return sum(one.triple is not None for one in reading.dropped)
