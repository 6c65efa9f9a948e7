"""Templates of slots: how a language says what fills a relation, as patterns over the words of a sentence.

A line of a language's `slots.txt` is a relation and a template, words of it parted by spaces:

    lives_in = live|living/lives in|at <o>

`a|b` are alternatives, `_` joins the words of one, `*` lets a word go on, `?` behind an alternative makes it optional;
what stands behind `/` is the form of he and she, and without a `/` only the person says it. `-` at the beginning: the
template names its subject itself. `<o>` is the object, `<s>` the subject, `<x>` a noun
that names the relation, `<old>` what was; `@name` a section of words;
`+` before an element: it is written onto the next word, as Hebrew does. Adverbs and denials may stand anywhere between.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.inner_dots import NUMERIC_DATE
from memory.claims.slots.word_sections import WORD_SECTIONS
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries, read_sections
from memory.language.names import capitalises_nouns

SUBJECT: Final = "slots"
# Before each word of a sentence stands how it is parted from the last: by a space, by "|" where no object goes on, by
# "~" or, where both is so, "!" before an adverb, by "," behind a mark, ";" behind a joint, ":" behind a colon.
PARTINGS: Final = " |~!,;:"
GAP: Final = "[ |~!]"
GAP_OR_JOINT: Final = "[ |~!;]"
ANY_GAP: Final = f"[{PARTINGS}]"
START: Final = "[,;:]"
# Between the words of one number; what joins them parts clauses elsewhere.
JOINED: Final = "[ |~!;]"
END: Final = f"(?![^{PARTINGS}])"
WORD: Final = f"[^{PARTINGS}]+"
OPEN: Final = f"[^{PARTINGS}]*"
# Adverbs and denials that may stand between two elements; in a list they made a pattern ten times as long to build.
BETWEEN: Final = f"(?:[~!]{WORD}){{0,2}}"
ON: Final = "[ ~]"
# Words of an object or a subject; what goes on longer is a clause.
MOST_WORDS: Final = 7
# Alternatives up to which an element says more than that something like it stands there.
FEW: Final = 4
NUMBER: Final = r"\d{1,5}(?:[.,]\d{1,3})?"
UNIT: Final = (
    r"(?:mg|ml|mcg|µg|g|iu|ie|ui|units?|einheiten|unidades|unités|unità|drops|tropfen|puffs?|hübe?|gotas|gouttes|gocce)"
)
# "She's 24 kg": what a number measures is no hour.
MEASURES: Final = (
    r"kg|kilos?|g|grams?|gramm|gramos|grammi|gramas|pounds?|lbs?|stone|pfund|cm|mm|km|m|metros?|metri|meter|miles|kilometer"
    r"|mg|ml|euros?|dollars?|%|ק\"ג|קילו|ס\"מ|מטר"
)
CLOCK: Final = rf"\d{{1,2}}(?:[:.h]\d{{2}})?(?:am|pm|h|[ |]uhr|[ |]am|[ |]pm)?(?![ |~](?:{MEASURES})(?:[ |~!,;:]|$))"
NUMBER_END: Final = r"(?=[|~!,;:](?!\d)|$| (?:years?|jahr|ans|an|anos|anni|months?|meses|mesi|mois|monat|tacos|old))"
# A dose and a time of the week or the day, as elements of a template.
VALUES: Final = {
    "<d>": ("d", rf"{NUMBER}[ |]?{UNIT}"),
    "<dose>": ("o", rf"{NUMBER}[ |]?{UNIT}"),
    "<n>": ("o", r"\d{1,3}|COUNTS"),
    "<w>": ("o", rf"(?:DAYS)(?:{GAP}(?:and|und|y|et|e)?[;|, ]?(?:DAYS|{CLOCK}))?|{NUMERIC_DATE}|{CLOCK}"),
}
# Relations that tell what somebody cannot take or stand.
UNABLE: Final = frozenset({"dislikes", "allergic_to", "intolerant_to"})


@dataclass(frozen=True, slots=True)
class SlotTemplate:
    """``needs`` are the words of which one must stand in a sentence for the pattern to be worth trying."""

    relation: str
    is_ending: bool
    is_third: bool
    is_first: bool
    source: str
    needs: tuple[str, ...]
    weight: int
    # Words of its own that hold a denial, though what they tell is none: "can't stand", "vertrage kein".
    denials: tuple[str, ...]

    @property
    def pattern(self) -> re.Pattern[str]:
        """Built when first needed: all of a language take a tenth of a second, and most are never asked."""
        return build_pattern(self.source)


@cache
def build_pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


@cache
def index_templates(language: str) -> tuple[dict[str, list[SlotTemplate]], tuple[SlotTemplate, ...]]:
    """The templates by the words of which one must stand in a sentence, and those that need no whole word."""
    found: dict[str, list[SlotTemplate]] = {}
    others = []
    for template in load_templates(language):
        for word in template.needs:
            found.setdefault(word, []).append(template)
        if not template.needs:
            others.append(template)
    return found, tuple(others)


@cache
def load_templates(language: str) -> tuple[SlotTemplate, ...]:
    found: list[SlotTemplate] = []
    for section, lines in read_sections(language, SUBJECT).items():
        if section in WORD_SECTIONS or section.startswith(("noun ", "@")):
            continue
        relation = section.removesuffix(" over")
        for line in lines:
            found += build_templates(language, relation, line, is_ending=section != relation)
    return tuple(found)


def build_templates(language: str, relation: str, line: str, *, is_ending: bool) -> Iterator[SlotTemplate]:
    parts = line.split()
    if parts[0] == "-":
        yield build_template(language, relation, parts[1:], "none", is_ending=is_ending)
        return
    first = [part.split("/")[0] for part in parts]
    yield build_template(language, relation, first, "first", is_ending=is_ending)
    if any("/" in part for part in parts):
        third = [part.split("/")[-1] for part in parts]
        yield build_template(language, relation, third, "third", is_ending=is_ending)


def build_template(language: str, relation: str, parts: list[str], person: str, *, is_ending: bool) -> SlotTemplate:
    pattern = build_prefix(language, person)
    after = GAP_OR_JOINT if shares_subjects(language) else GAP
    gap = ANY_GAP if person != "third" or not pattern else after
    for place, part in enumerate(parts):
        is_last = place == len(parts) - 1
        is_glued = place > 0 and parts[place - 1].startswith("+")
        if place > 0 and not is_glued:
            pattern += BETWEEN
            gap = GAP
        pattern += build_element(language, part, gap, is_last=is_last, is_glued=is_glued)
    named = [part.lstrip("+") for part in parts if not part.startswith(("<", "@", ":")) and not part.endswith("?")]
    needs = max(
        (expand_words(part) for part in named if "*" not in part), key=lambda one: min(map(len, one)), default=()
    )
    return SlotTemplate(
        relation,
        is_ending,
        person == "third",
        person == "first",
        pattern,
        tuple(fold_letters(max(word.split("_"), key=len)) for word in needs) if not has_glued(parts) else (),
        weigh_template(named, parts),
        tuple(list_denials(named, language)) if relation in UNABLE else (),
    )


def list_denials(named: Iterable[str], language: str) -> Iterator[str]:
    denials = [fold_letters(one) for one in read_entries(language, SUBJECT, "denial")]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, denials))})\b")
    for word in (fold_letters(one.replace("_", " ")) for part in named for one in expand_words(part)):
        if pattern.search(word):
            yield f" {word}"


def has_glued(parts: list[str]) -> bool:
    """Whether a word of the template may have another written onto it, as in Hebrew."""
    return any(part.startswith("+") for part in parts)


def weigh_template(named: list[str], parts: list[str]) -> int:
    """How much a template says: many words and few alternatives for each."""
    told = sum(3 if part.count("|") > FEW else 4 for part in named)
    # A word of a list says more than one with the ending of a trade: "Vegetarier" is none.
    listed = sum(part.startswith("<o=") and part != "<o=jobs>" for part in parts)
    return told + 2 * listed + sum(part.startswith(("@", "<d", "<w", "<n", "<o=")) for part in parts)


@cache
def shares_subjects(language: str) -> bool:
    """ "My dad has diabetes and takes metformin": whether behind a joint alone he and she are left out, and whoever was
    spoken of before is meant. Elsewhere they may be anywhere."""
    return capitalises_nouns(language) or not read_entries(language, SUBJECT, "drop")


def build_prefix(language: str, person: str) -> str:
    drops = bool(read_entries(language, SUBJECT, "drop"))
    if person == "none":
        return ""
    if person == "third":
        helpers = join_words(language, "with he")
        subject = f"(?P<s>{START}{WORD}(?:{ON}{WORD}){{0,4}}?)"
        elided = "(?=;)" if shares_subjects(language) else f"(?={START})"
        # "Helen and the family have moved to York".
        theirs = join_words(language, "with them").replace(GAP, ANY_GAP)
        return f"(?:{subject}(?:{ANY_GAP}(?:{theirs}))?(?!;)|{elided})(?:{ANY_GAP}(?:{helpers})){{0,3}}"
    if drops:
        return ""
    helpers = join_words(language, "with i")
    return f"(?:{ANY_GAP}(?:{join_words(language, 'i')})|(?={START}))(?:{ANY_GAP}(?:{helpers})){{0,4}}"


def build_element(language: str, part: str, gap: str, *, is_last: bool, is_glued: bool) -> str:
    if part.rstrip("?") in VALUES:
        name, value = VALUES[part.rstrip("?")]
        days = join_words(language, "weekday") + "|" + join_words(language, "hour")
        value = value.replace("DAYS", days).replace("COUNTS", join_numbers(language))
        # "Nine hundred" is no age: behind a bare number the clause ends or a unit follows.
        end = f"(?={ANY_GAP}|$)" if name != "o" or "COUNTS" not in VALUES[part.rstrip("?")][1] else NUMBER_END
        body = rf"(?P<{name}>[ |~!:](?:{value})){end}"
        return f"(?:{body})?" if part.endswith("?") else body
    if part.startswith("<o="):
        return f"(?P<o>[ |~!:](?:{join_words(language, part[3:-1].replace('_', ' '))}))(?={ANY_GAP}|$)"
    if part in {"<o>", "<old>", "<s>", "<x>"}:
        name = part[1:-1]
        if part in {"<s>", "<x>"}:
            return f"(?P<{name}>{START if gap == ANY_GAP and part == '<s>' else ANY_GAP}{WORD}(?:{ON}{WORD}){{0,4}}?)"
        first = "" if is_glued else "[ ~:]"
        if is_last:
            return f"(?P<{name}>{first}{WORD}(?:{ON}{WORD}){{0,{MOST_WORDS}}})"
        return f"(?P<{name}>{ANY_GAP if gap == ANY_GAP else first}{WORD}(?:{ON}{WORD}){{0,{MOST_WORDS - 3}}}?)"
    if part == ":":
        return "(?=:)"
    is_optional = part.endswith("?")
    part = part.rstrip("?")
    if part.startswith("+"):
        return f"{gap}(?:{'|'.join(map(re.escape, part[1:].split('|')))})"
    words = join_words(language, part[1:]) if part.startswith("@") else join_alternatives(expand_words(part))
    # What the pattern ends with is a whole word; before the next element its gap says so.
    end = f"(?={ANY_GAP}|$)" if is_last else ""
    return f"(?:{gap}(?:{words}){end})" + ("?" if is_optional else "")


def expand_words(part: str) -> tuple[str, ...]:
    return tuple(one for one in part.split("|") if one)


@cache
def join_words(language: str, section: str) -> str:
    return join_alternatives(one.replace(" ", "_") for one in read_entries(language, SUBJECT, section)) or "(?!)"


@cache
def join_numbers(language: str) -> str:
    """Number words, for an age that is not written in digits: "thirty four", "treinta y siete", "neunundzwanzig"."""
    words = sorted(
        {
            fold_letters(word)
            for key in read_sections(language, "numbers")
            if key.isdigit()
            for word in read_entries(language, "numbers", key)
            if word.isalpha()
        },
        key=len,
        reverse=True,
    )
    single = f"(?:{'|'.join(map(re.escape, words))})"
    return f"{single}(?:(?:und)?{single})?(?:{JOINED}(?:(?:y|e|et|and){JOINED})?{single}){{0,1}}"


def join_alternatives(words: Iterable[str]) -> str:
    """The longer first, so that "have been" is not taken for "have"."""
    found = []
    for word in sorted(set(words), key=len, reverse=True):
        pieces = [
            (OPEN if piece.startswith("*") else "")
            + re.escape(fold_letters(piece.strip("*")))
            + (OPEN if piece.endswith("*") else "")
            for piece in re.split(r"[_' ]+", word)
            if piece
        ]
        found.append(GAP.join(pieces) + ("" if word.endswith("*") else END))
    return "|".join(found)
