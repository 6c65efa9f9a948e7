"""Says a triple as one line in the person's language. Pure; the words stand in each language's `bullets.txt`."""

import re
from typing import Final

from knowledge_graph.hotmem.edges import HotEdge
from memory.claims.claim import SPEAKER
from memory.claims.frames.words import load_relation_nouns
from memory.claims.taxonomy import ANIMALS, DETAILS, GROUPS, PEOPLE
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.since import word_doubt
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.framing import quote_as_line
from memory.language.loader import list_codes, read_sections
from memory.language.names import load_given_names
from memory.language.relation_nouns import name_relation

SUBJECT: Final = "bullets"
FAVORITE: Final = "favorite_"
LONGEST: Final = 200
# What is told of things and of what people are, in words that have a language.
SAID_OF_THINGS: Final = frozenset({"has", "owns", "is", "likes", "dislikes", "works_as", "works_at"})
# "You work at bakery".
NEEDS_ARTICLE: Final = frozenset({"works_at", "has", "owns"})
# Whose values are names.
NAMING: Final = PEOPLE | ANIMALS | {"name", "friend_of", "married_to", "dating"}
# Characters of a sentence that is said in the place of a triple.
LONGEST_SAID: Final = 120
PLACE: Final = re.compile(r"\{[nsot]\}")


def render_bullet(edge: HotEdge, lang: str, *, as_sentence: bool = False) -> str:
    """The triple as a line of text, taken as data: what a person stored may hold anything.

    ``as_sentence``: the words it was told in.
    """
    words = word_triple(
        edge.subject,
        edge.relation,
        edge.object,
        edge.statement,
        lang,
        polarity=edge.polarity,
        told_in=edge.lang,
        as_sentence=as_sentence,
    )
    return words if edge.doubted_at is None else word_doubt(words, edge.doubted_at, edge.later)


def word_triple(
    subject: str,
    relation: str,
    value: str,
    statement: str = "",
    lang: str = "",
    *,
    polarity: bool = True,
    told_in: str = "",
    as_sentence: bool = False,
) -> str:
    """``statement`` are the person's own words, in the language ``told_in``: they tell how names are written, and what
    no template can say. They are said themselves where that is asked for, and of what was kept without a relation."""
    code = lang if lang in list_codes() and read_sections(lang, SUBJECT) else list_codes()[0]
    whom = "you" if subject == SPEAKER else "other"
    kind = "favorite" if relation.startswith(FAVORITE) else relation
    template = find_template(code, f"{whom} {kind}") or find_template(code, f"{whom} noun")
    is_worded = polarity and value and template and not is_bare((subject, relation, value), statement, code, told_in)
    if statement and (as_sentence or relation in OPEN_RELATIONS or not is_worded):
        template = find_template(code, "said")
    said = {
        "{n}": name_relation(relation.removeprefix(FAVORITE), code),
        "{s}": capitalise(respell(subject, statement, is_name=True)),
        "{o}": respell(value, statement, is_name=relation in NAMING),
        "{t}": statement,
    }
    line = PLACE.sub(lambda found: said[found[0]], template)
    return quote_as_line(capitalise(line))[:LONGEST]


def is_bare(triple: tuple[str, str, str], statement: str, code: str, told_in: str) -> bool:
    """Whether a triple is less than a line: a day beside a name, a verb of one beside several ("parents lives"), a
    thing without its article or in another language.

    The person's own sentence says it, if it is not long.
    """
    subject, relation, value = triple
    if len(statement) > LONGEST_SAID:
        return False
    if relation in DETAILS or (subject != SPEAKER and load_relation_nouns(code).get(fold_letters(subject)) in GROUPS):
        return True
    is_thing = respell(value, statement)[:1].islower()
    is_foreign = told_in not in {"", code} and relation in SAID_OF_THINGS
    return is_thing and (is_foreign or relation in NEEDS_ARTICLE)


def find_template(code: str, key: str) -> str:
    return next(iter(read_sections(code, SUBJECT).get(key, ())), "")


def respell(value: str, statement: str, *, is_name: bool = False) -> str:
    """As the person wrote it: a triple is in lower case, a name is not. Folding "heißt" would move what follows it."""
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", statement, re.IGNORECASE) if value else None
    if found or not is_name:
        return found[0] if found else value
    return " ".join(map(respell_name, value.split(" ")))


def respell_name(word: str) -> str:
    """A given name with its capital; any other word as it is."""
    return word.capitalize() if word.islower() and fold_name(word) in load_given_names() else word


def capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
