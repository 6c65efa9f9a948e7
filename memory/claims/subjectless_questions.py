"""Questions without a mark in languages that leave the subject out: "como ajusto los frenos", "que hago primero".

`memory.claims.frames.unmarked_questions` knows a question by the subject behind its verb ("where does my brother
work"). These have none and read like what is told: "como" is "I eat" as well. So the words decide: what begins a clause
asks if it does nothing else, or if a verb stands behind it that is hardly ever told. Spanish, Portuguese and Italian
list such words; the language of the turn is not known yet, so each clause is held against all three.
"""

import re
from functools import cache
from typing import Final

from memory.claims.slots.matching import join_entries, load_words
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.loader import list_codes, read_entries

# A clause with what stands before it.
CLAUSE: Final = re.compile(r"(?P<before>^|[,.!?…;:\n])(?P<lead>[^\S\n]*+)(?P<said>[^,.!?…;:\n]++)")
WORD: Final = re.compile(r"[^\W_]+")
OF_SENTENCE: Final = frozenset({"", ".", "!", "?", "…", "\n"})
# "Como dividimos la luz": a verb by its ending.
TOGETHER: Final = re.compile(r"[^\W\d_]{2,20}[aei]mos")
# Words that are looked at: "o que eu lhe dou".
MOST_WORDS: Final = 5


def mark_subjectless_questions(text: str) -> str:
    """The text with a mark behind each such question.

    A comma that parts it from what is told becomes a mark as well, so that the rest is read by itself.
    """
    found: list[str] = []
    place, is_marked = 0, False
    for clause in CLAUSE.finditer(text):
        before, lead, said = clause.group("before", "lead", "said")
        end = text[clause.end() : clause.end() + 1]
        is_asked = end != "?" and asks(said, opens=before in OF_SENTENCE, is_followed=end == ",")
        if is_marked and before in {",", "."}:
            before = ""
        elif is_asked and before == ",":
            before = "."
        found += [text[place : clause.start()], before, lead, f"{said.rstrip()}?" if is_asked else said]
        place, is_marked = clause.end(), is_asked
    rest = text[place:]
    return "".join([*found, rest.removeprefix(".") if is_marked else rest])


def asks(said: str, *, opens: bool, is_followed: bool) -> bool:
    """Whether a clause asks; ``opens``: nothing stands before it in its sentence."""
    words = [fold_letters(match[0]) for match in WORD.finditer(said)]
    return any(asks_in(words, code, opens=opens, is_followed=is_followed) for code in list_asking())


def asks_in(words: list[str], language: str, *, opens: bool, is_followed: bool) -> bool:
    spoken = " ".join(words[:MOST_WORDS])
    if len(words) > 1 and load_asking(language, "asks unmarked").match(spoken):
        return opens
    found = load_asking(language, "asks before verb").match(spoken)
    if found is None:
        return False
    behind = spoken[found.end() :].split()
    clitics = load_words(language, "asks beside")
    while behind and behind[0] in clitics:
        behind.pop(0)
    if not behind:
        return False
    verb, is_how = behind[0], found[0].strip() in load_words(language, "asks how")
    if is_how and (is_followed or not load_words(language, "denial").isdisjoint(words)):
        # "Como hago turnos no duermo": because somebody does.
        return False
    if verb in load_words(language, "asked of oneself") or (opens and verb in load_words(language, "asked")):
        return True
    is_told = find_topic_words(verb).topics & {"food", "drink"} or verb in load_words(language, "asked by nobody")
    return is_how and not is_told and TOGETHER.fullmatch(verb) is not None


@cache
def list_asking() -> tuple[str, ...]:
    return tuple(code for code in list_codes() if read_entries(code, "slots", "asks before verb"))


@cache
def load_asking(language: str, section: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{join_entries(language, section, is_folded=True)})(?!\w)")
