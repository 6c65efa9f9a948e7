"""Says a triple as one line in the person's language. Pure; the words stand in each language's `bullets.txt`."""

import re
from typing import Final

from knowledge_graph.hotmem.edges import HotEdge
from memory.claims.claim import SPEAKER
from memory.language.folding import fold_text
from memory.language.framing import quote_as_line
from memory.language.loader import list_codes, read_sections
from memory.language.relation_nouns import name_relation

SUBJECT: Final = "bullets"
FAVORITE: Final = "favorite_"
LONGEST: Final = 200
PLACE: Final = re.compile(r"\{[nsot]\}")


def render_bullet(edge: HotEdge, lang: str) -> str:
    """The triple as a line of text, taken as data: what a person stored may hold anything."""
    return word_triple(edge.subject, edge.relation, edge.object, edge.statement, lang, polarity=edge.polarity)


def word_triple(
    subject: str, relation: str, value: str, statement: str = "", lang: str = "", *, polarity: bool = True
) -> str:
    """``statement`` are the person's own words: they tell how names are written, and what no template can say."""
    code = lang if lang in list_codes() and read_sections(lang, SUBJECT) else list_codes()[0]
    whom = "you" if subject == SPEAKER else "other"
    kind = "favorite" if relation.startswith(FAVORITE) else relation
    template = find_template(code, f"{whom} {kind}") or find_template(code, f"{whom} noun")
    if statement and not (polarity and value and template):
        template = find_template(code, "said")
    said = {
        "{n}": name_relation(relation.removeprefix(FAVORITE), code),
        "{s}": capitalise(respell(subject, statement)),
        "{o}": respell(value, statement),
        "{t}": statement,
    }
    line = PLACE.sub(lambda found: said[found[0]], template)
    return quote_as_line(capitalise(line))[:LONGEST]


def find_template(code: str, key: str) -> str:
    return next(iter(read_sections(code, SUBJECT).get(key, ())), "")


def respell(value: str, statement: str) -> str:
    """As the person wrote it: a triple is in lower case, a name is not."""
    place = fold_text(statement).find(fold_text(value))
    written = statement[place : place + len(value)] if place >= 0 else ""
    return written if written.casefold() == value.casefold() else value


def capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
