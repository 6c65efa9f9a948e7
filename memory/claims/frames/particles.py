"""Takes apart what Hebrew writes together: particles and articles on the next word, "mine" on a noun of kin.

It also puts in what Hebrew leaves out: the verb "to be" in the present, and whose "there is" is (`[copula]`, `[have]`).
A language does so whose `frames.txt` has a section `[prefix]`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Final

from memory.claims.frames.numerals import load_values, read_number
from memory.claims.frames.places import is_known_place
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import SUBJECT, HotWords, load_favorites
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries
from memory.language.names import load_given_names

CONJUNCTIONS: Final = frozenset({"ו"})
# Behind these another particle may stand; behind "from" only the article.
LEADING: Final = frozenset({"ו", "ש", "כש", "מש"})
FROM: Final = "מ"
ARTICLE: Final = "ה"
# Letters that a word has left at least: of one that is known, and of one that nobody knows.
SHORTEST_KNOWN, SHORTEST_UNKNOWN = 2, 3
# Particles before a word: "ושבבית" is "and that in the house".
MOST_PARTICLES: Final = 3
# Words behind a verb in which its preposition is looked for.
REACH: Final = 8
NO_PREDICATE: Final = ("verb", "frame", "named", "be 3", "have 1", "have 3", "conj", "but", "sub", "rel", "if", "wh")
PRONOUN: Final = frozenset({"thou"})
VERBAL: Final = ("verb", "frame", "named", "be 3", "have 1", "have 3")


def take_apart(tokens: Sequence[HotToken], words: HotWords) -> list[HotToken]:
    if not load_prefixes(words.language):
        return list(tokens)
    return list(add_verbs(list(split_particles(tokens, words)), words))


@cache
def load_prefixes(language: str) -> tuple[str, ...]:
    """The particles that a language writes onto the next word, the longest first."""
    return tuple(sorted(read_entries(language, SUBJECT, "prefix"), key=lambda one: -len(one)))


def split_particles(tokens: Sequence[HotToken], words: HotWords) -> Iterator[HotToken]:
    wanted: dict[str, int] = {}
    before: HotToken | None = None
    for at, token in enumerate(tokens):
        is_open = frozenset(one for one, begun in wanted.items() if at - begun <= REACH)
        if before is not None and before.text in read_entries(words.language, SUBJECT, "place head"):
            # "קריית ביאליק", "ראשון לציון": what follows is the rest of a name, of which nothing is a preposition.
            is_open = frozenset()
        is_definite = before is not None and before.text in read_entries(words.language, SUBJECT, "definite")
        for piece in cut_pieces(token, words, is_open, is_definite=is_definite):
            # A verb's preposition stands on a word behind it, which may be a name that no list has.
            wanted |= dict.fromkeys(list_prepositions(piece, words), at)
            before = piece
            yield piece
        # Nor one in the next clause: of "עברנו לעכו, לולה שמחה" the dog is no place to move to.
        if token.is_mark and token.text[0] in ".!?,;":
            wanted = {}


def list_prepositions(token: HotToken, words: HotWords) -> Iterator[str]:
    for frame in words.frames.get(token.text, ()):
        yield from frame.prepositions
    if token.has("complement"):
        yield "ל"


def cut_pieces(token: HotToken, words: HotWords, wanted: frozenset[str], *, is_definite: bool) -> Iterator[HotToken]:
    parts = [token.text] if token.is_mark else list_parts(token.text, words, wanted, is_definite=is_definite)
    place = token.start
    for part in parts:
        end = token.end if part is parts[-1] else place + len(part)
        place += token.text[place - token.start :].startswith("-")
        yield replace(token, text=part, plain=fold_letters(part), start=place, end=end, classes=words.classify(part))
        place = end


def list_parts(word: str, words: HotWords, wanted: frozenset[str], *, is_definite: bool = False) -> list[str]:
    parts: list[str] = []
    while len(parts) < MOST_PARTICLES and not is_whole(word, words) and (word not in words.nouns or word[0] == ARTICLE):
        found = find_known_prefix(word, words, parts[-1] if parts else "")
        if not found and (not parts or parts[-1] in LEADING) and not is_known(word, words):
            found = guess_prefix(word, words, wanted, is_definite=is_definite and not parts)
        if not found:
            break
        parts.append(found)
        word = word[len(found) :].lstrip("-")
    return [*parts, word]


def find_known_prefix(word: str, words: HotWords, before: str) -> str:
    """The particle with which a word begins, if the rest of it is a known word, itself with particles or without."""
    if before and before not in LEADING and not (before == FROM and word[0] == ARTICLE):
        return ""
    for prefix in load_prefixes(words.language):
        rest = word[len(prefix) :].lstrip("-")
        if not word.startswith(prefix) or len(rest) < SHORTEST_KNOWN:
            continue
        if prefix not in LEADING and words.classify(rest) == PRONOUN:
            # "מלך" is a king, and nothing from you.
            continue
        if is_known(rest, words) or (rest not in words.nouns and find_known_prefix(rest, words, prefix)):
            return prefix
    return ""


def guess_prefix(word: str, words: HotWords, wanted: frozenset[str], *, is_definite: bool) -> str:
    if word in words.nouns:
        return ""
    if word[1:2] == "-" and word[0] in load_prefixes(words.language):
        return word[0]
    is_guessed = word[:1] in wanted | CONJUNCTIONS or (is_definite and word[:1] == ARTICLE)
    return word[0] if is_guessed and len(word) >= SHORTEST_UNKNOWN else ""


def is_whole(word: str, words: HotWords) -> bool:
    return bool(words.classify(word)) or fold_letters(word) in load_given_names() or word in load_values(words.language)


def is_known(word: str, words: HotWords) -> bool:
    if is_whole(word, words) or word in words.nouns or word in load_favorites(words.language):
        return True
    return word[:1].isdigit() or is_known_place(word)


def add_verbs(tokens: list[HotToken], words: HotWords) -> Iterator[HotToken]:
    for at, token in enumerate(tokens):
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.text in read_entries(words.language, SUBJECT, "have") + read_entries(words.language, SUBJECT, "lack"):
            yield make_having(token, behind)
        elif is_age(tokens, at, words):
            yield replace(token, text=f"_{token.text}", plain="_בן", classes=frozenset({"frame"}))
        elif is_copula(tokens, at):
            yield replace(token, classes=frozenset({"be 3"}))
        else:
            yield token
            if wants_copula(tokens, at, words):
                yield make_copula(token, words, is_mine=token.has("i"))


def make_having(token: HotToken, behind: HotToken | None) -> HotToken:
    """ "יש לי", "אין לו": whose it is says the dative behind it."""
    if behind is None or not behind.has("to me", "to them"):
        return replace(token, classes=token.classes | {"have 3"})
    return replace(token, classes=token.classes | {"have 1" if behind.has("to me") else "have 3"})


def is_age(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "בן שבע" is seven years old; a son has no number."""
    if at >= len(tokens) or tokens[at].text not in read_entries(words.language, SUBJECT, "age word"):
        return False
    return read_number(tokens, at + 1, len(tokens), words.language) is not None


def is_copula(tokens: Sequence[HotToken], at: int) -> bool:
    """ "תמר היא אחות": a pronoun behind what it means, before what that is."""
    if not tokens[at].has("he", "she", "they") or not at or at + 1 >= len(tokens):
        return False
    before, behind = tokens[at - 1], tokens[at + 1]
    is_joined = before.is_mark or before.has(*NO_PREDICATE, "adv", "not", "prep")
    return not (is_joined or behind.is_mark or behind.has(*NO_PREDICATE))


def wants_copula(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """Behind "I", somebody of mine or an event, where what is said of it follows without a verb."""
    token = tokens[at]
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if behind is None or behind.is_mark or behind.has(*NO_PREDICATE, "the", "he", "she", "they", "i", "not"):
        return False
    near = takewhile(lambda one: not one.is_mark, tokens[at + 1 : at + 4])
    if any(one.has(*VERBAL) for one in near) or any(is_age(tokens, place, words) for place in (at + 1, at + 2)):
        return False
    before = tokens[at - 1] if at else None
    if token.has("i", "he", "she", "they"):
        return not behind.has("prep", "my behind") and (before is None or not before.has(*VERBAL))
    is_when = behind.has("prep") and at + 2 < len(tokens) and is_time_or_number(tokens, at + 2, words)
    if behind.has("prep") and not is_when:
        return False
    is_mine = token.has("my behind") and before is not None and not behind.has("favorite")
    is_event = token.has("event") and is_when and before is not None and before.has("det")
    if token.has("my behind") and fold_letters(behind.text) in load_given_names():
        return False
    is_named = before is not None and before.has("my behind") and fold_letters(token.text) in load_given_names()
    return is_mine or is_event or is_named


def is_time_or_number(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    return tokens[at].has("time") or read_number(tokens, at, len(tokens), words.language) is not None


def make_copula(token: HotToken, words: HotWords, *, is_mine: bool) -> HotToken:
    text = read_entries(words.language, SUBJECT, "copula")[0]
    return HotToken(text, text, token.end, token.end, False, frozenset({"be 1" if is_mine else "be 3"}))  # noqa: FBT003
