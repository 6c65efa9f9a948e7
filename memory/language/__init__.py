"""The text analyser for documents and queries, shared by every lexical index.

Pure: it may import nothing of the project and no framework. It knows languages and spellings, not storage; the only
concession is `literals`, which writes terms in Postgres' own syntax.
"""

from memory.language.analysis import MOST_GROUPS, english_gloss, positioned_terms, query_groups, terms
from memory.language.literals import lexeme, tsquery_literal, tsvector_literal

__all__ = [
    "MOST_GROUPS",
    "english_gloss",
    "lexeme",
    "positioned_terms",
    "query_groups",
    "terms",
    "tsquery_literal",
    "tsvector_literal",
]
