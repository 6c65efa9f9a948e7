"""What speech begins and ends with and says nothing by: "oh and I'm a nurse", "ach ja ich spiele Cello"."""

import re
from functools import cache
from typing import Final

from memory.language.loader import collect_entries
from memory.language.text import blank_match

OPENS: Final = "opens speech"
# What is put to a listener opens speech only before words of the person: "weißt du ich spiele Cello".
PARTED: Final = "opens speech before a comma"
ASKS_OPENING: Final = "opens speech before i"
CLOSES: Final = "closes speech"
# Its colon introduces nothing, and what stands behind it is another sentence.
FACE: Final = re.compile(r"(?<=\s)[:;]['-]?[()/|DPp]+(?=\s|\Z|[.!?])")
OWN: Final = ("i", "my")


def blank_fillers(text: str) -> str:
    """The text with blanks for them, so that places in it stay what they are. A question may mean them."""
    text = FACE.sub(lambda face: f".{' ' * (len(face[0]) - 1)}", text)
    if "?" in text:
        return text
    return load_closing().sub(blank_match, load_opening().sub(blank_match, text, count=1))


@cache
def load_opening() -> re.Pattern[str]:
    own = join_spoken(*OWN)
    plain, asking = join_spoken(OPENS), join_spoken(ASKS_OPENING)
    # "So, der Umzug ist geschafft", and not "so many".
    return re.compile(
        rf"\A\s*(?:(?:{join_spoken(PARTED)}),(?=\s\w)|(?:{plain})[,…]?(?=\s\w)|(?:{asking})[,…]?(?=\s(?:{own})\b))",
        re.IGNORECASE,
    )


@cache
def load_closing() -> re.Pattern[str]:
    return re.compile(rf"(?<=\w)[,…]?\s(?:{join_spoken(CLOSES)})(?=\s*[.!…]*\s*\Z)", re.IGNORECASE)


def join_spoken(*sections: str) -> str:
    said = {one for section in sections for one in collect_entries("slots", section)}
    return "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
