"""Which of the eight intents a turn has, from its facts and the words of its clauses."""

from collections.abc import Mapping, Sequence
from typing import Final

from memory.claims.frames.acts import DialogueAct, rate_acts
from memory.claims.frames.clauses import HotClause
from memory.claims.frames.triples import DropReason, HotTriple, Intent
from memory.claims.frames.words import HotWords
from memory.claims.taxonomy import DETAILS

# Words of a turn up to which it is rather said to the one before than told.
SHORT_REACTION = 3
# "Ricordami", "recuérdame": an order with whom it is for.
ENCLITICS = {"it": ("ami", "imi"), "es": ("ame", "eme", "ime", "amelo", "anos")}
LEAST_TOLD = 5
LEAST_STATEMENT = 4
INTENTS: Final[Mapping[DialogueAct, Intent]] = {
    "tell": "FACT_STATEMENT",
    "ask": "PURE_QUESTION",
    "order": "INSTRUCTION",
    "suppose": "HYPOTHETICAL",
    "react": "REACTION",
}
# How likely a turn with a fact has to ask something as well, where the rules find a question and where they do not.
LEAST_ASKING, LEAST_ASKING_UNSEEN = 0.3, 0.7


def find_intent(
    clauses: Sequence[HotClause],
    reasons: Sequence[DropReason | None],
    kept: Sequence[HotTriple],
    words: HotWords,
    *,
    is_correction: bool,
) -> Intent:
    if is_correction:
        return "CORRECTION"
    cues = find_cues(clauses, reasons, words)
    acts = rate_acts(clauses, cues)
    if not kept:
        return INTENTS[max(acts, key=lambda act: acts[act])]
    least = LEAST_ASKING if "rule asks True" in cues else LEAST_ASKING_UNSEEN
    if acts["ask"] > least:
        return "QUESTION_WITH_FACT"
    facts = [one for one in kept if one.relation not in DETAILS]
    return "MULTIPLE_FACTS" if len(facts) > 1 else "FACT_STATEMENT"


def find_cues(clauses: Sequence[HotClause], reasons: Sequence[DropReason | None], words: HotWords) -> list[str]:
    """What the rules find a turn to be; how far each is to be trusted is learned."""
    asks = any(
        (one.is_asking or reason == "question") and not is_exclaimed(one, words)
        for one, reason in zip(clauses, reasons, strict=True)
    )
    found = {
        "asks": asks,
        "requests": any(is_request(one, words) for one in clauses),
        "denies": any(map(denies_plainly, clauses)),
        "of life": any(tells_of_life(one, words) for one in clauses),
    }
    return [f"rule {name} {holds}" for name, holds in found.items()] + [f"set aside {one}" for one in reasons if one]


def is_exclaimed(clause: HotClause, words: HotWords) -> bool:
    """ "Really?", "¿en serio?", "what a day": a question by its mark alone."""
    size = sum(not token.is_mark for token in clause.tokens)
    if not clause.is_bare or any(token.has("my", "wh") for token in clause.tokens):
        return False
    return size <= SHORT_REACTION and not clause.opens(words.phrases["ask"])


def is_request(clause: HotClause, words: HotWords) -> bool:
    plain = clause.text
    for _ in range(3):
        head = next((one for one in words.phrases["reacts"] if plain.startswith(one)), None)
        if head is None or plain == head:
            break
        plain = plain[len(head) - 1 :]
    first = plain.split()[0] if plain.strip() else ""
    endings = ENCLITICS.get(words.language, ())
    is_told_to = len(first) > LEAST_TOLD and first.endswith(endings) and not words.classify(first) if endings else False
    return is_told_to or plain.startswith(words.phrases["request"])


def denies_plainly(clause: HotClause) -> bool:
    """ "Non sono sposato", "we don't own a telly": a denial of the person's own, whatever it denies."""
    tokens = clause.tokens
    if clause.is_asking or any(token.has("thou", "passing", "vague") for token in tokens):
        return False
    is_own = any(token.has("i", "my", "first", "be 1", "have 1") for token in tokens)
    has_verb = any(token.has("verb", "frame", "be 1", "have 1", "modal") for token in tokens)
    return is_own and has_verb and any(token.has("not") for token in tokens)


def tells_of_life(clause: HotClause, words: HotWords) -> bool:
    """Whether a clause is a statement of somebody's life that no relation expresses."""
    tokens = clause.tokens
    if any(token.has("passing", "thou") for token in tokens) or clause.says(words.phrases["today"]):
        return False
    if clause.opens(words.phrases["reacts"]) and len(tokens) <= SHORT_REACTION + 2:
        return False
    if any(token.has("it", "vague") for token in tokens) or len(tokens) < LEAST_STATEMENT:
        return False
    has_verb = any(token.has("lasting", "verb", "frame", "be 3", "have 3") for token in tokens)
    return has_verb and any(token.has("i", "my", "first", "be 1") for token in tokens)
