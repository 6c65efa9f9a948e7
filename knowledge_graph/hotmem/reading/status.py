"""What sets a clause aside: that it asks, supposes, hedges, plans, tells what is over, or speaks of what passes."""

from collections.abc import Sequence
from typing import Final

from knowledge_graph.hotmem.reading.clauses import HotClause
from knowledge_graph.hotmem.reading.triples import DropReason
from knowledge_graph.hotmem.reading.words import HotWords

# Endings of the conditional and the future, which no frame is written in.
UNREAL: Final = {
    "es": ("ría", "ríamos", "rían", "ríais"),
    "fr": ("rais", "rait", "rions", "raient"),
    "it": ("rei", "rebbe", "remmo", "rebbero"),
    "de": (),
    "en": (),
}
SHORTEST_UNREAL: Final = 6


def find_reason(clauses: Sequence[HotClause], at: int, words: HotWords) -> DropReason | None:
    """Why nothing that a clause tells is kept, or None where it is told plainly."""
    clause = clauses[at]
    if is_question(clauses, at, words):
        return "question"
    if is_supposed(clauses, at, words):
        return "hypothetical"
    if is_hedged(clauses, at, words):
        return "hedged"
    if is_reported(clauses, at, words) or clause.says(words.phrases["irony"]):
        return "quoted"
    if clause.says(words.phrases["past"]) or is_within_past(clauses, at, words):
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
    # "I live in Leeds, is there a good pub?": a statement before the question that ends the sentence.
    if clause is not last and any(opens_question(one, words) for one in others[others.index(clause) + 1 :]):
        return False
    # "I'm allergic to nuts, right?": a tag asks about the statement before it.
    return not (clause is not last and last.is_bare and len(last.tokens) > 3)


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
    if clause.says(words.phrases["wish"]) or clause.says(words.phrases["plan"]) or has_unreal(clause, words):
        return True
    # What goes on with a wish is wished for: "I'd like a dog and live by the sea".
    before = clauses[at - 1] if at and clauses[at - 1].sentence == clause.sentence else None
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
    if clause.says(hedges):
        return True
    before = clauses[at - 1] if at and clauses[at - 1].sentence == clause.sentence else None
    if before is not None and before.says(hedges) and clause.link != "but":
        # "I think my brother works at Siemens" and "maybe you know, ...": a hedge with little beside it governs.
        is_governing = count_words(before) <= MOST_OF_HEDGE or clause.link in {"that", "sub"}
        return is_governing or (clause.link == "conj" and not any(token.has("i", "my") for token in clause.tokens[:3]))
    after = clauses[at + 1] if at + 1 < len(clauses) and clauses[at + 1].sentence == clause.sentence else None
    return after is not None and after.says(hedges) and count_words(after) <= MOST_OF_HEDGE and after.link != "but"


MOST_OF_HEDGE: Final = 4


def count_words(clause: HotClause) -> int:
    return sum(not token.is_mark for token in clause.tokens)


def is_reported(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    clause = clauses[at]
    if clause.says(words.phrases["says"]):
        return True
    before = clauses[at - 1] if at and clauses[at - 1].sentence == clause.sentence else None
    return before is not None and before.says(words.phrases["says"]) and clause.link != "but"


def is_within_past(clauses: Sequence[HotClause], at: int, words: HotWords) -> bool:
    """ "When I was ten I lived in Leeds"."""
    before = clauses[at - 1] if at and clauses[at - 1].sentence == clauses[at].sentence else None
    return before is not None and before.opens(words.phrases["past"]) and clauses[at].link in {"", "mark"}
