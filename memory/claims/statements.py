"""Reads statements about "the user" as if they had said them: the bank's, a tool's, a language model's."""

import re
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.reader import read_claims
from memory.language.folding import normalise_text
from memory.language.hebrew import HEBREW
from memory.language.loader import list_codes, read_entries, read_sections

SUBJECT: Final = "third_person"
# The forms of verbs stand between these two sections of the file as lines of their own.
SECTIONS: Final = frozenset({"subject", "owner before", "owner behind", "own", "self", "verb", "ending"})
READ: Final = 600
# Words before a noun, which "my" takes the place of: "le chien de l'utilisateur" is "mon chien".
ARTICLE: Final = r"(?:(?:the|der|die|das|el|la|los|las|le|les|il|lo|i|gli|o|a|os|as)\s|l')?"
NOUN: Final = r"[\w'-]{1,40}(?:\s[\w'-]{1,40}){0,2}?"
WORD_END: Final = r"(?![\w'])"


def read_told_claims(text: str) -> list[Claim]:
    """The claims of a statement in the third person; its own words stay the statement."""
    spoken = speak_as_user(text[:READ])
    if spoken is None:
        return []
    return [replace(claim, statement=text) for claim in read_claims(spoken)]


def speak_as_user(text: str) -> str | None:
    """ "The user's dog sleeps" as "my dog sleeps", "the user lives in York" as "I live in York"; None for others."""
    plain = normalise_text(text)
    for code in list_codes():
        if (owned := speak_of_own(plain, code)) is not None or (owned := speak_of_self(plain, code)) is not None:
            return owned
    return None


def speak_of_own(text: str, code: str) -> str | None:
    before, behind = load_owners(code)
    own = read_entries(code, SUBJECT, "own")
    if before is not None and (found := before.search(text)):
        return f"{text[: found.start()]}{own[0]}{text[found.end() :]}"
    if behind is not None and (found := behind.match(text)):
        noun, rest = found["noun"], text[found.end() :]
        return f"{noun} {own[0]}{rest}" if code == HEBREW else f"{own[0]} {noun}{rest}"
    return None


def speak_of_self(text: str, code: str) -> str | None:
    subject = load_subject(code)
    found = subject.match(text) if subject is not None else None
    own = next(iter(read_entries(code, SUBJECT, "self")), "")
    if found is None:
        return replace_forms(text, code)
    return f"{own} {speak_verb(text[found.end() :].lstrip(), code)}"


def speak_verb(rest: str, code: str) -> str:
    """The verb that begins the rest, in the first person."""
    forms = load_forms(code)
    for size in (2, 1):
        head = " ".join(rest.split(" ")[:size])
        if (own := forms.get(head.casefold())) is not None:
            return own + rest[len(head) :]
    word, space, more = rest.partition(" ")
    if word.casefold() in load_denials() and more:
        return f"{word}{space}{speak_verb(more, code)}"
    for ending, own in load_endings(code):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return f"{word[: -len(ending)]}{own}{space}{more}"
    return rest


def replace_forms(text: str, code: str) -> str | None:
    """Where a language puts the user behind the verb: יש למשתמש is יש לי."""
    return next(
        (
            text.replace(told, own, 1)
            for told, own in sorted(load_forms(code).items(), key=lambda form: -len(form[0]))
            if " " in told and text.startswith(told)
        ),
        None,
    )


@cache
def load_subject(code: str) -> re.Pattern[str] | None:
    return compile_words(read_entries(code, SUBJECT, "subject"), "^")


@cache
def load_owners(code: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    before = compile_words(read_entries(code, SUBJECT, "owner before"), r"(?<!\w)")
    behind = compile_words(read_entries(code, SUBJECT, "owner behind"), rf"^{ARTICLE}(?P<noun>{NOUN})\s")
    return before, behind


def compile_words(words: tuple[str, ...], before: str) -> re.Pattern[str] | None:
    if not words:
        return None
    longest_first = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"{before}(?:{longest_first}){WORD_END}", re.IGNORECASE)


@cache
def load_forms(code: str) -> dict[str, str]:
    sections = read_sections(code, SUBJECT)
    return {
        name: lines[0] for name, lines in sections.items() if name not in SECTIONS and not name.startswith("ending ")
    }


@cache
def load_endings(code: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (ending, "" if own == "-" else own)
        for entry in read_entries(code, SUBJECT, "ending")
        for ending, _, own in [entry.partition(">")]
    )


@cache
def load_denials() -> frozenset[str]:
    return frozenset(word for code in list_codes() for word in read_entries(code, "claims", "not"))
