"""The keys by which facts are compared: folded, so that spelling and capitals do not part what is the same."""

import hashlib
import re
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.relations import ABOUT, REQUEST
from memory.language.folding import fold_text
from memory.models.facts import KEY_CHARS

# Relations that name no slot: two such facts are the same only if the judge says so.
OPEN_RELATIONS: Final = frozenset({"", ABOUT, REQUEST})
NOT_WORDS: Final = re.compile(r"[\W_]+")


def fold_key(text: str) -> str:
    """Lower case without accents, marks and doubled spaces, no longer than the column."""
    return NOT_WORDS.sub(" ", fold_text(text[: 2 * KEY_CHARS])).strip()[:KEY_CHARS]


def digest_fact(subject_key: str, relation: str, object_key: str, statement: str) -> str:
    """What a tombstone keeps of a fact: nobody reads the words out of it.

    A fact of an open relation has no slot to forget, so its statement counts.
    """
    told = fold_key(statement) if relation in OPEN_RELATIONS else f"{relation}\x1f{object_key}"
    return hashlib.sha256(f"{subject_key or SPEAKER}\x1f{told}".encode()).hexdigest()
