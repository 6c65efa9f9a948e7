"""Finds profile facts by rules.

Precision comes before recall: a wrong fact is worse than a missed one. A sentence counts only if it begins like such a
statement, is no question, hypothesis or quotation, refers to nothing on the screen, and passes the bank's guard.
"""

import re
from functools import cache
from typing import Final

from memory.facts.profile.facts import Confidence, ProfileFact, ProfileField
from memory.guard import find_order, find_refusal, find_secret, speech
from memory.guard.annotation import ADDRESS_MARK, BREAKS, TOKEN, AnnotatedText, Sentence, Span, annotate_text
from memory.guard.lexicon import Lexicon, build_entries, read_guard_entries, read_subject_entries
from memory.language.intents import JOINTS
from memory.language.kin import list_workmates
from memory.language.loader import list_codes
from memory.language.phrases import join_phrases
from memory.tiers import Trust

READ = 2000
"""Characters of a message that are looked at: what goes on longer is pasted, and often somebody else's."""
MOST_FACTS = 5
LONGEST = 300
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{0,200}`", re.DOTALL)
QUOTED_LINE = re.compile(r"^\s{0,8}>.*$", re.MULTILINE)
QUOTED = re.compile(r"\"[^\"\n]{0,500}\"|“[^”\n]{0,500}”|„[^“”\n]{0,500}[“”]|«[^»\n]{0,500}»|‘[^’\n]{3,500}’(?!\w)")
SEGMENT = re.compile(r"(?:(?<!\s)\s++)?+[,;]\s++|(?<!\s)\s++[-–—]\s++")
JOINT = re.compile(rf"((?<!\s)\s++(?:{join_phrases('intents', 'and')})\s++|(?<!\s)\s++ו(?=אני\s))", re.IGNORECASE)
MOST_JOINTS = 8
HEBREW = re.compile("[א-ת]")
LONGEST_NAME = 4
SHORTEST_TAIL = 3
"""Words behind the last comma of a question that make it one of its own: "..., right?" asks about the statement."""
POINTED_WITHIN = 4
TASK_WITHIN = 6
FURTHEST_TRAIT = 3

FIELDS: Final[dict[str, ProfileField]] = {
    "name": "name",
    "manner style": "communication_style",
    "learning": "learning_goals",
    "work": "work_context",
    "projects": "projects",
    "goals": "goals",
    "technical": "technical_skills",
    "creative": "creative_skills",
    "challenges": "challenges",
    "interests": "interests",
    "identity": "identity",
    "preferences": "preferences",
}
"""Kinds of openings, the more telling first: of two that are equally long it decides."""
SELF_CONTAINED = frozenset({"identity", "work", "manner style", "technical", "creative"})
"""Kinds whose opening may be all there is: "I'm left-handed"."""
POINTING = frozenset({"preferences", "interests", "projects", "challenges", "identity", "work", "learning", "goals"})
TASKS = frozenset({"preferences", "interests", "projects", "learning", "goals", "manner style"})
"""Kinds that may name what is to be done now: "I want to learn how to centre a box"."""
LASTING = frozenset({"identity", "preferences", "family", "colleagues", "challenges", "work"})
"""Kinds that say nothing when they hold for today only."""


@cache
def load_profile_words() -> Lexicon:
    return Lexicon(
        read_guard_entries(),
        read_subject_entries("profile"),
        *(build_entries("workmate", language, list_workmates(language)) for language in list_codes()),
    )


def find_facts_by_rules(message: str) -> list[ProfileFact]:
    """The profile facts of a message, each as a sentence of its own."""
    text = QUOTED.sub(" ", QUOTED_LINE.sub(" ", CODE.sub(" ", message[:READ])))
    whole = annotate_text(text, load_profile_words())
    if quotes_others(whole):
        return []
    found: dict[str, ProfileFact] = {}
    for sentence in whole.own_sentences:
        if has_other_voice(sentence) or find_secret(sentence.raw) or find_order(sentence.raw):
            continue
        for piece in split_statements(sentence, whole):
            if fact := build_fact(piece):
                found.setdefault(fact.statement, fact)
    return list(found.values())[:MOST_FACTS]


def quotes_others(annotated: AnnotatedText) -> bool:
    """Whether the words of the message may be somebody else's: a text to work on, a part to play, a joke."""
    if speech.is_exchange(annotated) or speech.is_joke(annotated):
        return True
    return any(sentence.has("text work", "sarcasm") for sentence in annotated.own_sentences)


def has_other_voice(sentence: Sentence) -> bool:
    return sentence.has("someone says", "asked", "maybe", "wish", "if i", "suppose") or ADDRESS_MARK in sentence.raw


def split_statements(sentence: Sentence, whole: AnnotatedText) -> list[Sentence]:
    """The parts of a sentence that are statements beginning with an opening, each with what is added to it."""
    segments = [part for part in SEGMENT.split(sentence.raw) if part.strip()]
    if sentence.is_question:
        if len(segments) < 2 or len(segments[-1].split()) < SHORTEST_TAIL:
            return []
        segments.pop()
    found: list[str] = []
    is_open = False
    for segment in (clause for part in segments for clause in split_clauses(part, whole)):
        own = annotate_text(segment, load_profile_words(), whole.languages).own_sentences
        if own and find_opening(own[0]):
            found.append(segment)
            is_open = True
        elif is_open and own and not own[0].has("request", "you", "cut"):
            found[-1] += f", {segment}"
        else:
            is_open = False
    pieces = (annotate_text(text, load_profile_words(), whole.languages).own_sentences for text in found)
    return [own[0] for own in pieces if own]


def split_clauses(segment: str, whole: AnnotatedText) -> list[str]:
    """A segment cut where a statement with an opening of its own is joined to one: "I'm Ana and I live in Leeds"."""
    pieces = JOINT.split(segment, maxsplit=MOST_JOINTS)
    found = pieces[:1]
    for joint, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if opens_statement(found[-1], whole) and opens_statement(piece, whole):
            found.append(piece)
        else:
            found[-1] += joint + piece
    return found


def opens_statement(text: str, whole: AnnotatedText) -> bool:
    own = annotate_text(text, load_profile_words(), whole.languages).own_sentences
    return bool(own) and find_opening(own[0]) is not None


def find_heads(sentence: Sentence) -> set[int]:
    """Where a statement may begin: at the start, and behind "by the way" and its like."""
    places = {0}
    for start, end in sentence.spans("lead"):
        if start in places:
            places.add(end)
    return places


def find_opening(sentence: Sentence) -> tuple[str, int, int] | None:
    """Kind and place of the opening that a sentence begins with, or None."""
    begins = find_heads(sentence)
    found = [
        (end - start, -rank, kind, start, end)
        for rank, kind in enumerate(FIELDS)
        for start, end in sentence.spans(kind)
        if start in begins
    ]
    if found:
        _, _, kind, start, end = max(found)
        return kind, start, end
    return find_opening_of_relative(sentence, begins) or find_opening_of_value(sentence)


def find_opening_of_relative(sentence: Sentence, begins: set[int]) -> tuple[str, int, int] | None:
    """ "My sister Ana is allergic to nuts": somebody close, then what lasts about them."""
    traits = [place for place, _ in sentence.spans("trait")]
    for owner in sentence.spans("mine"):
        for kind, person in (("colleagues", "workmate"), ("family", "kin")):
            for one in sentence.spans(person):
                start, end = min(owner[0], one[0]), max(owner[1], one[1])
                trait = next((place for place in traits if 0 <= place - end <= FURTHEST_TRAIT), None)
                if start in begins and trait is not None and are_adjacent(owner, one):
                    return None if leads_to_another(sentence, one, trait) else (kind, start, trait)
    return None


def are_adjacent(one: Span, other: Span) -> bool:
    return other[0] - one[1] <= 1 and one[0] - other[1] <= 1


def leads_to_another(sentence: Sentence, person: Span, trait: int) -> bool:
    """Whether somebody else comes before what is said: "my friend's cousin" is nobody close."""
    return any(person[1] <= other < trait for other, _ in sentence.spans("kin", "stranger", "workmate"))


def find_opening_of_value(sentence: Sentence) -> tuple[str, int, int] | None:
    """What matters to somebody stands in front: "Honesty matters more to me than comfort"."""
    for start, end in sentence.spans("values"):
        if start <= POINTED_WITHIN and not sentence.has_before(start, POINTED_WITHIN, "there"):
            return "values", 0, end
    return None


def build_fact(sentence: Sentence) -> ProfileFact | None:
    opening = find_opening(sentence)
    if opening is None:
        return None
    kind, start, end = opening
    stop = next((cut for cut, _ in sentence.spans("cut") if cut >= end), len(sentence.words))
    if kind == "name":
        stop = find_end_of_name(sentence, end, stop)
    if not is_complete(sentence, kind, start, end, stop):
        return None
    statement = word_statement(sentence.raw, start, stop)
    if len(statement) > LONGEST or find_refusal(statement) is not None:
        return None
    return ProfileFact(choose_field(sentence, kind), statement, choose_confidence(kind), Trust.USER)


def find_end_of_name(sentence: Sentence, start: int, stop: int) -> int:
    """A name ends with its clause: "my name is Ana and I need a train"."""
    joints = (at for at in range(start, stop) if sentence.words[at] in JOINTS)
    return min(stop, *(at for at in (*sentence.breaks, *joints, stop) if at > start))


def is_complete(sentence: Sentence, kind: str, start: int, end: int, stop: int) -> bool:
    """Whether the statement says enough by itself and means what it says."""
    told = stop - end
    if told < 1 and kind not in SELF_CONTAINED:
        return False
    if any(not start <= place < end for place, _ in sentence.spans("would")) or sentence.has("opinion"):
        return False
    if kind in LASTING and (sentence.has("today") or speech.is_passing_state(sentence)):
        return False
    if kind in POINTING and points_at_conversation(sentence, end):
        return False
    if kind in TASKS and any(end <= place < min(stop, end + TASK_WITHIN) for place, _ in sentence.spans("task")):
        return False
    if kind == "name":
        return told <= LONGEST_NAME and is_name(sentence, end)
    return kind != "manner style" or says_manner(sentence, end, stop)


def points_at_conversation(sentence: Sentence, place: int) -> bool:
    """Whether something that only the conversation shows is meant: "the second option", "this", but not "this year"."""
    return any(
        0 <= there - place <= POINTED_WITHIN and not sentence.has_at(there, "near")
        for there, _ in sentence.spans("there")
    )


def is_name(sentence: Sentence, place: int) -> bool:
    return place in sentence.capitals or HEBREW.search(sentence.raw) is not None


def says_manner(sentence: Sentence, end: int, stop: int) -> bool:
    """Whether a wish about answers is one for all of them: "call me Jo", "always answer in Hebrew"."""
    is_address = stop - end < LONGEST_NAME and end in sentence.capitals
    return stop == end or sentence.has("manner") or is_address


def choose_field(sentence: Sentence, kind: str) -> ProfileField:
    if kind == "goals" and sentence.has("far"):
        return "long_term_goals"
    if kind == "goals" and sentence.has("near"):
        return "short_term_goals"
    if kind == "family":
        return "family"
    if kind == "colleagues":
        return "colleagues"
    return "values" if kind == "values" else FIELDS[kind]


def choose_confidence(kind: str) -> Confidence:
    return "medium" if kind in {"family", "colleagues", "challenges", "projects"} else "high"


def word_statement(raw: str, start: int, stop: int) -> str:
    """The words from one place up to another, as they were written, as a sentence."""
    starts = [
        match.start() for match in TOKEN.finditer(raw) if not (match.group()[0] in BREAKS or match.group()[0].isspace())
    ]
    until = starts[stop] if stop < len(starts) else len(raw)
    text = " ".join(raw[starts[start] : until].split()).rstrip(" ,;:-–—.!¡¿")
    return f"{text[:1].upper()}{text[1:]}."
