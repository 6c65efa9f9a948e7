"""What sets a clause aside: that it asks, supposes, hedges, plans, tells what is over, or speaks of what passes."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from memory.claims.frames.clauses import VERBS, HotClause
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.triples import DropReason
from memory.claims.frames.words import STORY, HotWords
from memory.claims.voices.suppositions import is_move_ahead

# Endings of the conditional and the future, which no frame is written in.
UNREAL: Final = {
    "es": ("ría", "ríamos", "rían", "ríais"),
    "fr": ("rais", "rait", "rions", "raient"),
    "pt": ("aria", "eria", "iria", "ariam", "eriam", "iriam", "ríamos"),
    "it": ("rei", "rebbe", "remmo", "rebbero"),
    "de": (),
    "en": (),
}
VERB_LAST: Final = frozenset({"de"})
SHORTEST_UNREAL: Final = 6
# What words of a time to come leave as it is: "wir ziehen Ende des Monats nach Ulm".
AHEAD: Final = frozenset({"lives_in", "moved_from", "works_at", "works_as"})
# Words of a tag: "isn't it", "n'est-ce pas".
MOST_OF_TAG: Final = 3


def find_reason(clauses: Sequence[HotClause], at: int, words: HotWords) -> DropReason | None:
    """Why nothing that a clause tells is kept, or None where it is told plainly."""
    clause = clauses[at]
    if is_question(clauses, at, words):
        return "question"
    if clause.is_supposed or is_supposed(clauses, at, words):
        return "hypothetical"
    if is_hedged(clauses, at, words):
        return "hedged"
    if is_reported(clauses, at, words) or clause.says(words.phrases["irony"]):
        return "quoted"
    if says_past(clause, words) or is_within_past(clauses, at, words):
        return "over"
    return None


def is_question(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    clause = clauses[at]
    if opens_question(clause, words):
        return True
    if not clause.is_asking:
        return False
    others = [one for one in clauses if one.sentence == clause.sentence]
    last = others[-1]
    if clause is not last and is_told_before(clause, others, words):
        return False
    # "I live in Leeds, is there a good pub?": a statement before the question that ends the sentence.
    if clause is not last and any(opens_question(one, words) for one in others[others.index(clause) + 1 :]):
        return False
    # "I'm allergic to nuts, right?": a tag asks about the statement before it.
    return not (clause is not last and last.is_bare and len(last.tokens) > 3)


def is_told_before(clause: HotClause, others: Sequence[HotClause], words: HotWords) -> bool:
    """ "I'm a beekeeper, so is borage worth it?": what is told first, where a question of its own ends the sentence."""
    if clause.is_bare or clause.link in {"if", "that", "rel"} or opens_question(clause, words):
        return False
    behind = others[others.index(clause) + 1 :]
    return any(begins_question(one, words) for one in behind if one.link in {"mark", "but", "conj", "sub", "rel", ""})


def begins_question(clause: HotClause, words: HotWords) -> bool:
    """Whether a clause asks by itself and is no tag: "right?", "don't I?"."""
    if any(token.text == "¿" for token in clause.tokens):
        return count_words(clause) > 1
    is_put = not clause.is_bare or opens_question(clause, words) or any(token.has("thou") for token in clause.tokens)
    # "Elle peut nager?" names something, "isn't it?" does not.
    has_content = not clause.is_bare and any(not token.classes and not token.is_mark for token in clause.tokens)
    return (count_words(clause) > MOST_OF_TAG or has_content) and is_put


def opens_question(clause: HotClause, words: HotWords) -> bool:
    if clause.is_bare and not clause.is_asking:
        return False
    # "Qué bueno" asks nothing: there is no verb in it.
    if not clause.is_bare and any(token.has("asks within") for token in clause.tokens):
        return True
    if clause.link in {"that", "rel", "sub"} and not clause.is_asking:
        return False
    plain = clause.text
    while True:
        head = next((one for one in words.phrases["reacts"] if plain.startswith(one)), None)
        if head is None or plain == head:
            break
        plain = plain[len(head) - 1 :]
    return plain.startswith(words.phrases["ask"])


def is_supposed(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    clause = clauses[at]
    if clause.link == "if" or clause.tokens[0].has("if"):
        return True
    if any(clause.says(words.phrases[kind]) for kind in ("wish", "plan", "as if")) or has_unreal(clause, words):
        return True
    # What goes on with a wish is wished for: "I'd like a dog and live by the sea".
    before = find_beside(clauses, at, -1)
    return (
        before is not None
        and not any(token.has("i", "my") for token in clause.tokens[:3])
        and (
            (clause.link == "conj" and (before.link == "if" or before.says(words.phrases["plan"])))
            or (clause.link in {"conj", "that", "rel"} and before.says(words.phrases["wish"]))
        )
    )


def has_unreal(clause: HotClause, words: HotWords) -> bool:
    endings = UNREAL.get(words.language, ())
    if not endings:
        return False
    return any(
        len(token.text) >= SHORTEST_UNREAL
        and token.text.endswith(endings)
        and not token.is_capital
        and not token.has("noun")
        and not (at and clause.tokens[at - 1].has("det", "my", "of", "prep"))
        for at, token in enumerate(clause.tokens)
    )


def is_hedged(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    clause = clauses[at]
    hedges = words.phrases["hedge"]
    if clause.says(hedges) or says_possible(clause, words):
        return True
    before = find_beside(clauses, at, -1)
    if before is not None and before.says(hedges) and clause.link != "but":
        # "I think my brother works at Siemens" and "maybe you know, ...": a hedge with little beside it governs.
        is_governing = count_words(before) <= MOST_OF_HEDGE or clause.link in {"that", "sub"}
        return is_governing or (clause.link == "conj" and not any(token.has("i", "my") for token in clause.tokens[:3]))
    after = find_beside(clauses, at, 1)
    # A hedge with words of its own behind a joint hedges those: "fa la sarta e credo sia incinta".
    return (
        after is not None
        and after.says(hedges)
        and count_words(after) <= MOST_OF_HEDGE
        and not (after.link == "but" or (after.link == "conj" and not ends_hedged(after, hedges)))
    )


def says_possible(clause: HotClause, words: HotWords) -> bool:
    """ "My brother may have diabetes", "mein Bruder könnte in Ulm wohnen"; in May nothing is possible by that.

    The verb follows at once, but in German, where it stands at the end.
    """
    for before, token in pairwise(clause.tokens):
        if before.has("possible") and (token.has(*VERBS) or token.has("adv", "not") or words.language in VERB_LAST):
            return True
    return False


def ends_hedged(clause: HotClause, hedges: Sequence[str]) -> bool:
    return clause.text.endswith(tuple(hedges))


MOST_OF_HEDGE: Final = 4


def count_words(clause: HotClause) -> int:
    return sum(not token.is_mark for token in clause.tokens)


def is_reported(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    clause = clauses[at]
    if clause.says(words.phrases["says"]):
        return True
    before = find_beside(clauses, at, -1)
    return before is not None and before.says(words.phrases["says"]) and clause.link != "but"


def says_past(clause: HotClause, words: HotWords) -> bool:
    """ "Ho l'asma da quando ero piccola": what has been so since then is so."""
    return clause.says(words.phrases["past"]) and not clause.says(words.phrases["since then"])


def is_within_past(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    """ "When I was ten I lived in Leeds"."""
    before = find_beside(clauses, at, -1)
    return before is not None and before.opens(words.phrases["past"]) and clauses[at].link in {"", "mark"}


def find_beside(clauses: Sequence[HotClause], at: int, step: int) -> HotClause | None:
    """The clause before or behind one in its sentence."""
    place = at + step
    is_there = 0 <= place < len(clauses) and clauses[place].sentence == clauses[at].sentence
    return clauses[place] if is_there else None


def set_composed_aside(
    clauses: Sequence[HotClause], reasons: Sequence[DropReason | None], words: HotWords
) -> list[DropReason | None]:
    """ "Translate: I live in Hull", "write a story about a girl who lives in Rome": of a text to make nothing is so.

    Without a colon what the person says of themselves beside it is theirs: "write me a note, I live in Hull".
    """
    played = next((at for at, one in enumerate(clauses) if one.says(words.phrases["play"])), len(clauses))
    # Of a part that is played nothing is so, whoever speaks it.
    reasons = [*reasons[:played], *("hypothetical" if one is None else one for one in reasons[played:])]
    told = find_story(clauses, words)
    reasons = [*reasons[:told], *("quoted" if one is None else one for one in reasons[told:])]
    start = next((at for at, one in enumerate(clauses) if one.opens(words.phrases["compose"])), None)
    if start is None:
        return list(reasons)
    has_colon = any(token.text == ":" for one in clauses[start:] for token in one.tokens)
    set_aside: list[DropReason | None] = []
    for at, (clause, reason) in enumerate(zip(clauses, reasons, strict=True)):
        is_near = at >= start and (has_colon or clause.sentence == clauses[start].sentence)
        is_own = not has_colon and any(token.has("i", "my", "first", "be 1", "have 1") for token in clause.tokens)
        set_aside.append("quoted" if reason is None and is_near and not is_own else reason)
    return set_aside


def find_story(clauses: Sequence[HotClause], words: HotWords) -> int:
    """From which clause on a story speaks: "chapter four: I wake in a cell", "continua la storia: mi chiamo Lapo"."""
    is_story = False
    for at, clause in enumerate(clauses):
        if is_story and clause.tokens[0].text == ":":
            return at
        is_story = (is_story and at > 0 and clauses[at - 1].sentence == clause.sentence) or clause.says(
            words.phrases[STORY]
        )
        if is_story and any(token.text == ":" for token in clause.tokens):
            return at
    return len(clauses)


def find_drop(
    fact: ClauseFact, clause: HotClause, reason: DropReason | None, words: HotWords, *, is_played: bool
) -> DropReason | None:
    """Why one fact of a clause is not kept, or None; ``reason`` is that of the whole clause."""
    if reason is not None and (is_played or not fact.is_presupposed):
        return reason
    if fact.relation not in AHEAD:
        return None
    said = {token.plain for token in clause.tokens}
    is_ahead = clause.says(words.phrases["ahead"]) or is_move_ahead(said, words.language)
    return "hypothetical" if is_ahead else None
