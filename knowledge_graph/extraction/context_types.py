"""What kind of work a message asks for, from a closed list, in all languages and from the tools at hand. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from memory.language.context_types import FAILING, list_context_words
from memory.language.folding import fold_name, normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.splitting import TextToken, split_tokens
from memory.language.stems import LANGUAGES, stem_word
from memory.language.vocabulary import load_technologies

DOCKER: Final = "docker"
DEBUGGING: Final = "debugging"
CODING_HELP: Final = "coding_help"
DOC_RAG: Final = "doc_rag"
DATAGOV_QUERY: Final = "datagov_query"
WRITING: Final = "writing"
PLANNING: Final = "planning"
PERSONAL: Final = "personal"
GENERAL: Final = "general"
# In the order in which they win a tie: the special before the usual.
CONTEXT_TYPES: Final = (
    *(DOCKER, DATAGOV_QUERY, DEBUGGING, CODING_HELP, DOC_RAG, WRITING, PLANNING, PERSONAL),
    GENERAL,
)
LONGEST_READ: Final = 4_000
ENOUGH: Final = 1.0
TOOLS: Final = {
    "datagov": DATAGOV_QUERY,
    "docling": DOC_RAG,
    "docker": DOCKER,
    "kubectl": DOCKER,
    "pytest": DEBUGGING,
    "run_code": CODING_HELP,
    "code_interpreter": CODING_HELP,
    "calendar": PLANNING,
}
# What was done says more than one word of what was asked for.
TOOL_WEIGHT: Final = 2.0
_CODE: Final = re.compile(r"```|\bdef \w+\(|\bclass \w+[:({]|=>|\bimport \w+|;\s*$|\bSELECT .+ FROM\b", re.MULTILINE)
_TRACE: Final = re.compile(r"Traceback \(most recent|\b\w+(?:Error|Exception)\b|\bat [\w.$]+\([\w.]+:\d+\)")


def classify_context(text: str, tools: Sequence[str] = ()) -> str:
    """One of CONTEXT_TYPES; ``tools`` are the names of those that were used or are meant to be."""
    return pick_context_type(text, tuple(tools))


@lru_cache(maxsize=4_096)
def pick_context_type(text: str, tools: tuple[str, ...]) -> str:
    read_text = text[:LONGEST_READ]
    scores = Counter(dict(weigh_text(read_text)))
    for tool in tools:
        scores.update({kind: TOOL_WEIGHT for start, kind in TOOLS.items() if tool.casefold().startswith(start)})
    if FAILING.search(fold_name(read_text)) or _TRACE.search(read_text):
        scores[DEBUGGING] += 2
    if _CODE.search(read_text):
        scores[CODING_HELP] += 2
    highest = max(scores.values(), default=0)
    if highest < ENOUGH:
        return GENERAL
    return next(kind for kind in CONTEXT_TYPES if scores[kind] == highest)


def weigh_text(text: str) -> list[tuple[str, float]]:
    """What each kind of work scores by the distinct words of a text."""
    scores: Counter[str] = Counter()
    for forms in {list_piece_forms(piece) for piece in split_tokens(normalise_text(text))}:
        kinds: dict[str, float] = {}
        for form in forms:
            for kind, weight in load_cues().get(form, ()):
                kinds[kind] = max(weight, kinds.get(kind, 0))
        scores.update(kinds)
    return list(scores.items())


@lru_cache(maxsize=65_536)
def list_piece_forms(piece: TextToken) -> tuple[str, ...]:
    bare = strip_accents(piece.form)
    usual = load_technologies().get(bare)
    if is_hebrew(piece.form):
        forms = list_hebrew_readings(piece.form)
        usual = usual or next((name for form in forms if (name := load_technologies().get(form))), None)
        return (*forms, usual) if usual else forms
    if piece.kind == "code" or not ("a" <= bare[:1] <= "z"):
        return (usual or bare,)
    stemmed = tuple(stem for language in LANGUAGES for stem in stem_word(piece.form, language))
    return (*stemmed, usual) if usual else stemmed


@cache
def load_cues() -> dict[str, tuple[tuple[str, float], ...]]:
    """From a term to the kinds of work it speaks for, with its weight."""
    found: dict[str, dict[str, float]] = {}
    for kind, language, word, weight in list_context_words():
        plain = strip_accents(normalise_text(word).casefold().replace("-", ""))
        forms = list_hebrew_readings(plain)[:1] if is_hebrew(plain) else stem_word(plain, language)
        for form in (*forms, load_technologies().get(plain, forms[0])):
            found.setdefault(form, {})[kind] = max(weight, found.get(form, {}).get(kind, 0))
    return {form: tuple(kinds.items()) for form, kinds in found.items()}
