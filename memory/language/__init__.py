"""What the product knows of languages and spellings: the text analyser, and the words of each language.

To add a language, add a folder (docs/languages.md). To change a word, change its file in `<code>/`; the module of the
subject's name reads it. How texts become terms is in `analysis` over `splitting` and `stems`, what their language is in
`stems.detect_languages`; dates and amounts are in `figures` and `calendar`, stored text in `text` and `framing`.

Pure: it may import `tiers` and no framework. It knows no storage; the only concession is `literals`, which writes terms
in Postgres' own syntax.
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
