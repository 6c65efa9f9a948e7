"""Which words name an occupation, by lists and by their endings."""

from functools import cache
from typing import Final

from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

# Letters from which a word may be one of several: "nurses".
LEAST_OF_MANY: Final = 6


@cache
def load_jobs(language: str) -> tuple[tuple[str, ...], frozenset[str]]:
    entries = [
        fold_letters(one)
        for one in (*read_entries(language, "slots", "jobs"), *read_entries(language, "frames", "job ending"))
    ]
    return tuple(one[1:] for one in entries if one.startswith("*")), frozenset(one for one in entries if "*" not in one)


@cache
def load_religions(language: str) -> frozenset[str]:
    return frozenset(map(fold_letters, read_entries(language, "slots", "religion word")))


def matches_job(word: str, language: str) -> bool:
    endings, words = load_jobs(language)
    plain = fold_letters(word)
    if plain in load_religions(language):
        # "Sou adventista" ends as a trade does.
        return False
    singular = [plain[:-cut] for cut in (1, 2) if plain.endswith("s") and len(plain) > LEAST_OF_MANY]
    return any(one in words or (len(one) > 4 and one.endswith(endings)) for one in [plain, *singular])
