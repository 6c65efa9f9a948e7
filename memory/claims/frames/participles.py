"""Which words are participles by how they are formed: "caduta", "gestürzt". No such word is a name behind "is"."""

import re
from functools import cache
from typing import Final

from memory.language.folding import fold_name
from memory.language.loader import read_entries
from memory.language.names import load_given_names

# Letters that a star stands for: of one or two "gert" and "ted" were formed like participles.
STEM: Final = r"[^\W\d_]{3,20}"


def is_participle(word: str, language: str) -> bool:
    """ "Renata" is formed like one too, and is a name."""
    return load_forms(language).fullmatch(word.casefold()) is not None and fold_name(word) not in load_given_names()


@cache
def load_forms(language: str) -> re.Pattern[str]:
    forms = (STEM.join(map(re.escape, one.split("*"))) for one in read_entries(language, "frames", "participle form"))
    return re.compile("|".join(forms) or "(?!)")
