"""The text analyser for documents and queries, shared by every lexical index.

Pure: it may import nothing of the project and no framework. It knows languages and spellings, not storage; the only
concession is `literals`, which writes terms in Postgres' own syntax.
"""

from memory.language.analysis import (
    MOST_GROUPS,
    build_query_groups,
    extract_positioned_terms,
    extract_terms,
    gloss_in_english,
)
from memory.language.literals import build_lexeme, build_tsquery, build_tsvector

__all__ = [
    "MOST_GROUPS",
    "build_lexeme",
    "build_query_groups",
    "build_tsquery",
    "build_tsvector",
    "extract_positioned_terms",
    "extract_terms",
    "gloss_in_english",
]
