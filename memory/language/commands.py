"""What a person orders the memory itself to do ("add a goal: ..."), and where else an answer may stand. Pure.

The words stand in each language's `commands.txt`, slash commands in `shared/commands.txt`. An order is the whole of a
sentence, so that one that is only told of ("she said I should add a goal") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import Final, NamedTuple

from memory.language.folding import fold_text, normalise_text
from memory.language.intents import OPENS_ASKING
from memory.language.loader import SHARED, collect_entries, list_codes, read_entries, read_sections
from memory.language.phrases import compile_cue, strip_groups

SUBJECT: Final = "commands"
# An order is short; a pasted page is not searched for one.
LONGEST: Final = 600
MOST_PARTS: Final = 8


class CommandAction(StrEnum):
    ADD_GOAL = "add_goal"
    LIST_GOALS = "list_goals"
    REMOVE_GOAL = "remove_goal"
    ADD_VALUE = "add_value"
    LIST_VALUES = "list_values"
    REMOVE_VALUE = "remove_value"
    REMEMBER = "remember"
    FORGET = "forget"
    SAVE_LEARNING = "save_learning"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class MemoryCommand:
    """``what`` as the person wrote it; ``language`` of the words of the order, empty for a slash command."""

    action: CommandAction
    what: str
    language: str
    # With the word that begins it as a clause, as it was written; empty without one.
    clause: str = ""


@dataclass(frozen=True, slots=True)
class ToolHint:
    """``tool`` is one of the memory's own, or ``web_search``, which only a client can offer."""

    tool: str
    reason: str
    tiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IntentPart:
    text: str
    command: MemoryCommand | None
    hints: tuple[ToolHint, ...]


_LIST_LINE: Final = re.compile(r"(?:^|\n)[^\S\n]*+\(?\d{1,2}(?:[.)]|[^\S\n]?-)\s++")
_LIST_NUMBER: Final = re.compile(r"(?<!\S)\(?(\d{1,2})[.)]\s++")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s++|\n++")
_RECALLS: Final = compile_cue(SUBJECT, "recall")
_OF_A_BOOK: Final = compile_cue(SUBJECT, "book")
_OF_THE_WEB: Final = compile_cue(SUBJECT, "web")
_OF_AN_IMAGE: Final = compile_cue(SUBJECT, "image")
_TO_ASSISTANT: Final = compile_cue(SUBJECT, "order to assistant")
_EDGES: Final = "? \t\r\n.!,;:–—-\"'„“”«»"
# Where an entry says what the order is about; not the one within "/save_learning".
_HOLE: Final = re.compile(r"_(?![a-z])")
_GAP: Final = r"\W++"


@lru_cache(maxsize=256)
def read_intent(text: str) -> tuple[IntentPart, ...]:
    """The parts of a message, each with the order it is and the tools that may answer it."""
    return tuple(read_part(part) for part in split_parts(text))


def read_part(part: str) -> IntentPart:
    """An order is carried out, and what it is about is looked for nowhere."""
    command = read_command(part)
    return IntentPart(part, command, () if command else find_hints(part))


def split_parts(text: str) -> list[str]:
    """At semicolons, by the numbers of a list, where one sentence or line of several is an order, and where a sentence
    joins two orders.

    A list's heading is no part, unless it is the order ("remember: 1. ..."). At most ``MOST_PARTS``, else one.
    """
    if len(text) > LONGEST:
        return [text]
    listed = [part.strip() for part in _split_list(text) if part.strip()]
    parts = [one for part in listed for sentence in _split_orders(part) for one in _split_joined(sentence)]
    return parts if 1 <= len(parts) <= MOST_PARTS else [text]


def _split_list(text: str) -> list[str]:
    begins = list(_LIST_LINE.finditer(text))
    if len(begins) < 2:
        begins = _count_up(_LIST_NUMBER.finditer(text))
    # One number alone is a figure at the start, and no list.
    if len(begins) < 2:
        return text.split(";")
    if text[: begins[0].start()].strip() and read_command(text):
        return [text]
    ends = [found.start() for found in begins[1:]] + [len(text)]
    return [text[begin.end() : end] for begin, end in zip(begins, ends, strict=True)]


def _count_up(numbers: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Those that count from one: within a line any other number is a figure."""
    counted: list[re.Match[str]] = []
    for number in numbers:
        if int(number[1]) == len(counted) + 1:
            counted.append(number)
    return counted


def _split_orders(part: str) -> list[str]:
    """Each order with the sentences that belong to it; what is asked after an order does not."""
    begins = [0, *(found.end() for found in _SENTENCE_END.finditer(part))]
    cuts, is_order = [0], False
    for begin, end in pairwise([*begins, len(part)]):
        sentence = part[begin:end].strip()
        orders = read_command(sentence) is not None
        if begin and (orders or (is_order and sentence.endswith("?"))):
            cuts.append(begin)
        if orders or begin in cuts:
            is_order = orders
    return [part[begin:end].strip() for begin, end in pairwise([*cuts, len(part)])]


def _split_joined(sentence: str) -> list[str]:
    """ "Forget my old address and remember that I live in Graz" is two; "eat well and sleep" is what one is about."""
    for joint in reversed(list(_compile_joints().finditer(sentence))):
        left, right = sentence[: joint.start()].strip(), sentence[joint.end() :].strip()
        if _are_orders(left, right):
            return [*_split_joined(left), right]
    return [sentence]


def _are_orders(left: str, right: str) -> bool:
    first, second = read_command(left), read_command(right)
    if first is None:
        return False
    if second is None:
        # "Remember that the car is in Rome Street, and tell me a joke": the joke is no part of what is remembered.
        found = _TO_ASSISTANT.match(fold_text(right)) if first.action is CommandAction.REMEMBER else None
        return found is not None
    # "Add the goal: eat well and remember birthdays": what may be a thing to do says clearly that it is an order.
    return second.action is not CommandAction.REMEMBER or _begins_clearly(right, second.what)


def _begins_clearly(order: str, what: str) -> bool:
    """Whether a word such as "that" stands before what is to be remembered."""
    order, what = fold_text(order), fold_text(what)
    before = order[: order.find(what)].rstrip()
    return before.endswith(collect_entries(SUBJECT, "complementiser"))


@cache
def _compile_joints() -> re.Pattern[str]:
    """A comma, a word between two blanks, or a particle that is written onto the next word ("_" behind it)."""
    words = sorted(collect_entries(SUBJECT, "joint"), key=len, reverse=True)
    apart = "|".join(re.escape(word) for word in words if not word.endswith("_"))
    onto = "|".join(re.escape(word[:-1]) for word in words if word.endswith("_"))
    # Only from where a run of blanks begins: from each blank of it, 16,000 took 0.6 s.
    blanks = r"(?<!\s)\s++"
    return re.compile(
        rf"(?:{blanks})?,\s++(?:(?:{apart})\s++|(?:{onto}))?|{blanks}(?:(?:{apart})\s++|(?:{onto})(?=\S))",
        re.IGNORECASE,
    )


def read_command(text: str) -> MemoryCommand | None:
    """The order that a sentence as a whole is, or None."""
    if len(text) > LONGEST:
        return None
    plain = normalise_text(text).strip()
    words = list(re.finditer(r"\S+", plain))
    folded, is_asked = " ".join(fold_text(word[0]) for word in words), plain.endswith("?")
    for one in _compile_patterns():
        if (one.may_be_asked or not is_asked) and (match := one.pattern.fullmatch(folded)):
            what = next((span for span in match.regs[1:] if span != (-1, -1)), None)
            if what and (_begins_elsewhere(folded, what[0]) or _is_figure(one.action, folded[what[0] : what[1]])):
                continue
            said = _as_written(plain, words, folded, what) if what else ""
            return MemoryCommand(one.action, said, one.language, _find_clause(plain, said) if said else "")
    return None


def _begins_elsewhere(folded: str, start: int) -> bool:
    """ "Remove the value from the table": what stands there names no value. Behind a mark it is taken as it is."""
    return folded[:start].rstrip()[-1:].isalnum() and _compile_elsewhere().match(folded, start) is not None


def _is_figure(action: CommandAction, what: str) -> bool:
    """ "Add value 5 to x": nobody's value is a figure. "Remove value 2" is the second of the list."""
    if action is CommandAction.ADD_VALUE:
        return what[:1].isdecimal()
    return action is CommandAction.REMOVE_VALUE and what[:1].isdecimal() and not what.strip(_EDGES).isdecimal()


@cache
def _compile_elsewhere() -> re.Pattern[str]:
    words = "|".join(map(strip_groups, collect_entries(SUBJECT, "elsewhere")))
    return re.compile(rf"(?:{words})(?:\b|(?<='))")


def _find_clause(plain: str, what: str) -> str:
    """ "dass ich montags Chor habe": its verb stands last, so that without the first word it is no sentence; "wo ich
    wohne": without it it asks nothing."""
    before, found, _ = plain.rpartition(what)
    opens = re.search(r"\w++\s++\Z", before) if found else None
    known = {*collect_entries(SUBJECT, "complementiser"), *collect_entries(SUBJECT, "asking")}
    if opens is None or fold_text(opens[0]).strip() not in known:
        return ""
    return f"{opens[0].strip()} {what}"


def is_all_of_person(what: str) -> bool:
    """Whether an order to forget is about all that is known of who gives it."""
    return fold_text(what) in collect_entries(SUBJECT, "all of me")


def word_question(command: MemoryCommand) -> str:
    """What an order to forget asks for: "my address", "wo ich wohne"; empty where it tells the thing itself."""
    asking = collect_entries(SUBJECT, "asking")
    said = command.clause or command.what
    return said if any(fold_text(word) in asking for word in said.split()) else ""


def drop_wanting(what: str) -> str:
    """The words of an order without those that say it as a wish: "I want to run 10 km"."""
    wanting = collect_entries(SUBJECT, "wanting")
    return " ".join(word for word in what.split() if fold_text(word) not in wanting)


def find_hints(text: str) -> tuple[ToolHint, ...]:
    """Where the answer may stand. What is asked about a picture at hand is answered by the picture."""
    folded = fold_text(text[:LONGEST])
    if _OF_AN_IMAGE.search(folded):
        return ()
    found = []
    if _RECALLS.search(folded):
        found.append(ToolHint("search_memory", "asks what was said before"))
    if _OF_A_BOOK.search(folded):
        found.append(ToolHint("search_memory", "asks for words of a document", ("books",)))
    if (found_at := _OF_THE_WEB.search(folded)) and (
        not found_at.start() or "?" in folded or OPENS_ASKING.search(folded)
    ):
        found.append(ToolHint("web_search", "asks for what changes from hour to hour"))
    return tuple(found)


def word_reply(kind: str, language: str, what: str = "") -> str:
    """A sentence for the person, in their language, else in English; ``kind`` is a section of `commands.txt`."""
    lines = read_sections(language, SUBJECT).get(kind) or read_sections(list_codes()[0], SUBJECT)[kind]
    return " ".join(lines).replace("{what}", what)


def has_reply(kind: str, language: str) -> bool:
    """Whether a language has a sentence of its own for it, as a clause with the verb last needs one."""
    return kind in read_sections(language, SUBJECT)


def _as_written(plain: str, words: list[re.Match[str]], folded: str, span: tuple[int, int]) -> str:
    """The words of a stretch of the folded text as they stand in the text, which may be longer or shorter."""
    first, last = folded.count(" ", 0, span[0]), folded.count(" ", 0, span[1])
    # Where a particle is written onto its word ("d'apprendre"), the word is taken without what the order has used up.
    used = span[0] - (folded.rfind(" ", 0, span[0]) + 1)
    return plain[words[first].start() + used : words[min(last, len(words) - 1)].end()].strip(_EDGES)


class _OrderPattern(NamedTuple):
    action: CommandAction
    language: str
    pattern: re.Pattern[str]
    may_be_asked: bool


@cache
def _compile_patterns() -> tuple[_OrderPattern, ...]:
    return tuple(_compile_all())


def _compile_all() -> Iterator[_OrderPattern]:
    polite = "|".join(map(strip_groups, collect_entries(SUBJECT, "polite")))
    after = "|".join(map(strip_groups, collect_entries(SUBJECT, "polite after")))
    # Orders of the narrower kind first: "/goals list" is not the goal "list".
    for action in sorted(CommandAction, key=lambda one: not one.startswith(("list", "help", "remove"))):
        for code, section in product((SHARED, *list_codes()), (action.replace("_", " "), f"{action} asked")):
            if entries := read_entries(code, SUBJECT, section):
                orders = "|".join(_iterate_holed(entries))
                # "Remember that evening in Rome?" asks whether the other does, "can you remember that ...?" orders; and
                # "forget the milk?" asks whether it was.
                is_question = section.endswith("asked")
                may_be_asked = is_question or action not in {CommandAction.REMEMBER, CommandAction.FORGET}
                # What is polite elsewhere is part of the order here, and given back.
                opening = rf"(?:(?:{polite})\b\W*+){{0,3}}" if is_question else rf"(?:(?:{polite})\b\W*+)*+"
                # Tied to the start: from anywhere else no order is looked for, however long the text.
                pattern = rf"\A\W*+{opening}(?:{orders})(?:\W++(?:{after}))?\W*+"
                if code == SHARED:
                    pattern = rf"\A(?:{orders})\W*+"
                yield _OrderPattern(action, "" if code == SHARED else code, re.compile(pattern), may_be_asked)


def _iterate_holed(entries: Iterable[str]) -> Iterator[str]:
    for entry in entries:
        before, *behind = _HOLE.split(strip_groups(entry), maxsplit=1)
        order = _allow_marks(before.strip())
        if not behind:
            yield order
            continue
        # "d'apprendre": behind an apostrophe no blank parts the two, as behind a particle written onto its word.
        gap = rf"(?:{_GAP}|(?<='))" if before.endswith(" ") else ""
        # Marks are passed over from where they begin: from each of 2,000 brackets they took 31 ms.
        rest = rf"(?<=\w){_GAP}{_allow_marks(behind[0].strip())}" if behind[0].strip() else ""
        # As short as it may be, so that the words of the order behind it are not taken for its own.
        yield rf"{order}{gap}(\S.*?){rest}"


def _allow_marks(order: str) -> str:
    """Marks may stand where an entry has a blank: "merk dir, dass"."""
    return re.sub(r"(?<!\(\?):", r"\\s*+:", order).replace(" ", _GAP)
