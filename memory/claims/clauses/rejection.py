"""Where a statement ends, and which clauses are none: what passes, what is planned, what points at the conversation."""

from typing import Final

from memory.claims.clauses.cutting import ClauseOpening
from memory.claims.clauses.grouping import ClauseGroup
from memory.claims.clauses.openings import WITHIN_PHRASE
from memory.claims.lexicon import MARK
from memory.guard import speech
from memory.guard.annotation import Sentence

POINTED_WITHIN: Final = 4
TASK_WITHIN: Final = 6
LONGEST_NAME: Final = 4
SELF_CONTAINED: Final = frozenset({"identity", "work", "manner style", "technical", "creative"})
POINTING: Final = frozenset(
    {"preferences", "interests", "projects", "challenges", "identity", "work", "learning", "goals"}
)
TASKS: Final = frozenset({"preferences", "interests", "projects", "learning", "goals", "manner style"})
# Relations that hold beside words of a task: of 67 turns about code and documents 26 gave a claim without the rest.
AT_EASE: Final = frozenset({"name", "works_as", "studies", "speaks", "allergic_to", "has_condition", "style"})
LASTING: Final = frozenset({"identity", "preferences", "family", "colleagues", "challenges", "work", ""})
FAMILIES_OF_RULES: Final = SELF_CONTAINED | POINTING | TASKS | {"name", "family", "colleagues", "values"}


def find_statement_end(sentence: Sentence, group: ClauseGroup) -> int | None:
    """Where a statement ends, or None where it says too little by itself or does not mean what it says."""
    first = group.openings[0]
    end = next((at for at, _ in sentence.spans("cut") if first.end <= at < group.end), group.end)
    # Laughter behind a statement is no part of it; the guard takes a text that laughs for a joke.
    end = next((at for at, _ in sentence.spans("joke") if first.end < at < end), end)
    if first.relation == "name":
        end = find_end_of_name(sentence, first.end, end)
    size = end - first.end
    if size < 1 and first.category not in SELF_CONTAINED and not (first.is_left or first.relation in WITHIN_PHRASE):
        return None
    if has_within(sentence, group.start, end, "would", apart=(first.start, first.end)):
        return None
    # "My brother may live in York": between who it is and what is said of them.
    if has_within(sentence, first.start, first.phrase, "would"):
        return None
    if is_of_passing(sentence, group, first, end):
        return None
    is_pointing = first.category in POINTING or first.relation in {"likes", "dislikes"}
    within = POINTED_WITHIN if is_pointing else 0 if first.category == "" and not first.is_free else -1
    if points_at_conversation(sentence, first.end, end, within):
        return None
    if first.category in TASKS | {""} and has_within(sentence, first.end, min(end, first.end + TASK_WITHIN), "task"):
        return None
    if first.relation == "name" and not is_name(sentence, first.end, end):
        return None
    if first.category == "manner style" and not says_manner(sentence, first.end, end):
        return None
    return end


def is_of_passing(sentence: Sentence, group: ClauseGroup, first: ClauseOpening, end: int) -> bool:
    """Whether it holds for today only, is a plan, an opinion, or an episode among people."""
    if first.category in {"family", "colleagues"} and has_within(sentence, first.start, first.end, MARK + "opines"):
        return True
    if first.category in FAMILIES_OF_RULES:
        if sentence.has("opinion") or has_within(sentence, group.start, end, MARK + "past"):
            return True
        is_today = has_within(sentence, group.start, end, "today") or feels_so_now(sentence, group.start, end)
        return first.category in LASTING and is_today
    if first.relation not in AT_EASE and has_within(sentence, group.start, len(sentence.words), MARK + "machine"):
        return True
    # "My uncle says diesel is better": the words of a phrase are apart, those between a noun and its name are not.
    is_apart = first.phrase >= 0 and not first.is_left
    apart = (max(first.start, first.phrase), first.end if is_apart else 0)
    if has_within(sentence, group.start, end, MARK + "plan", MARK + "opines", apart=apart):
        return True
    if has_within(sentence, group.start, end, MARK + "temporary", MARK + "past"):
        return True
    if first.is_free and has_within(sentence, group.start, end, MARK + "episode", "request"):
        return True
    if first.relation in {"is", "works_as"} and sentence.has("opinion"):
        return True
    if (first.is_free or first.relation in {"is", "works_as"}) and feels_so_now(sentence, group.start, end):
        return True
    is_new = has_within(sentence, group.start, end, MARK + "change", MARK + "over")
    return not is_new and has_within(sentence, group.start, end, "today")


def feels_so_now(sentence: Sentence, start: int, end: int) -> bool:
    return has_within(sentence, start, end, "state", "weather", "errand") and speech.is_passing_state(sentence)


def has_within(sentence: Sentence, start: int, end: int, *kinds: str, apart: tuple[int, int] | None = None) -> bool:
    return any(
        start <= at < end and not (apart and apart[0] <= at < apart[1])
        for kind in kinds
        for at, _ in sentence.spans(kind)
    )


def find_end_of_name(sentence: Sentence, start: int, end: int) -> int:
    """A name ends with its clause: "my name is Ana and I need a train"."""
    joints = (
        at for at in range(start, end) if sentence.words[at] in {"and", "but", "und", "aber", "et", "mais", "y", "e"}
    )
    return min(end, *(at for at in (*sentence.breaks, *joints, end) if at > start))


def points_at_conversation(sentence: Sentence, place: int, end: int, within: int) -> bool:
    """Whether something that only the conversation shows is meant: "the second option", "this", but not "this year"."""
    return any(
        0 <= there - place <= within
        and there < end
        and not sentence.has_at(there, "near", MARK + "change", MARK + "habit")
        and not any(place < mark <= there for mark in sentence.breaks)
        for there, _ in sentence.spans("there")
    )


def is_name(sentence: Sentence, start: int, end: int) -> bool:
    """A few words that begin with a capital, or a single one: "my name is noa"."""
    size = end - start
    has_capital = start in sentence.capitals or any("א" <= char <= "ת" for char in sentence.raw)
    return size == 1 or (size <= LONGEST_NAME and has_capital)


def says_manner(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a wish about answers is one for all of them: "call me Jo", "always answer in Hebrew"."""
    is_address = end - start < LONGEST_NAME and start in sentence.capitals
    return end == start or sentence.has("manner") or is_address
