"""The write guard of the memory bank: rules over words, and a small classifier beside them; no language model.

The bank holds lasting statements about a person, their people and their work. It refuses what would make it a
liability (secrets, instructions aimed at whoever reads the memory later) and what is not worth keeping (turns of a
conversation, jokes, hypotheses, gossip, passing states, common knowledge).

Where to change what:
- a word that a rule should know: `memory/language/<code>/guard.txt`; then train the classifier anew
- what a rule makes of the words: `secrets` (keys, codes), `orders` (steering), `speech` (not worth keeping)
- a disguise that is read through: `spelling`; what counts as a sentence, a word or an address: `annotation`
- what the classifier thinks: examples in `tests/training/guard`; how sure it must be: the thresholds in `classifier`
- which of them has the last word: here

Pure: it may import `memory.language`, numpy and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.guard import orders, speech
from memory.guard.annotation import AnnotatedText, annotate_text
from memory.guard.classifier import classify_text
from memory.guard.secrets import find_secret_kind, is_luhn_valid, shannon_entropy
from memory.guard.spelling import decode_hidden_texts, find_spelt_out_word, is_encoded, normalise_text

__all__ = [
    "Refusal",
    "explain_refusal",
    "explain_tag_refusal",
    "find_order",
    "find_refusal",
    "find_secret",
    "is_luhn_valid",
    "shannon_entropy",
]

ORDER_RULES = (
    ("false authority", orders.claims_authority, "claims an authority that no memory has"),
    ("rule override", orders.overrides_rules, "instructs whoever reads it"),
    (
        "planted preference",
        orders.plants_preference,
        "puts a wish into the person's mouth that would hand over data or control",
    ),
    ("covert promotion", orders.promotes_product, "tells whoever reads it what to recommend"),
)
NO_ORDERS = "the memory bank keeps facts, not orders"
NO_SECRETS = "the memory bank keeps no secrets"
# Reasons never repeat the text: what is refused as a secret must turn up in no answer and no log.
TRIVIAL_REASONS = {
    "raw turn": "is a raw exchange or a turn of one; the memory bank keeps lasting statements, exchanges go to working",
    "joke": "is a joke; the memory bank keeps what is meant",
    "supposition": "supposes what is not so; the memory bank keeps what is",
    "gossip": "is gossip about people who are not close; the memory bank keeps what concerns the person",
    "world knowledge": "is common knowledge; the memory bank keeps what only this person can tell",
    "passing state": "will not hold tomorrow; the memory bank keeps what lasts",
}
# The rules by the classes of the classifier.
RULE_OF_CLASS = {
    "override": "rule override",
    "authority": "false authority",
    "promotion": "covert promotion",
    "planted": "planted preference",
    "raw_turn": "raw turn",
    "joke": "joke",
    "hypothesis": "supposition",
    "gossip": "gossip",
    "world": "world knowledge",
    "passing": "passing state",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rule that refused a text, and the reason in words. Neither repeats the text."""

    rule: str
    reason: str


def explain_refusal(text: str) -> str | None:
    """Why the memory bank refuses a text, or None when it takes it."""
    found = find_refusal(text)
    return f"{found.reason} ({found.rule})" if found else None


def explain_tag_refusal(tags: Sequence[str]) -> str | None:
    """Why the memory bank refuses tags, or None. They name a memory and may be short, but steer and open nothing."""
    text = "\n".join(tags)
    found = find_harm(annotate_text(text)) or find_disguise(text)
    return f"{found.reason} ({found.rule})" if found else None


def find_refusal(text: str) -> Refusal | None:
    """The rule a text breaks, or None. Harmful content is checked first, anywhere in the text."""
    annotated = annotate_text(text)
    broken, classified = find_harm(annotated) or find_disguise(text), classify_text(annotated)
    # The rules against orders know words, not statements: "Retired tram inspector ..." names an authority.
    if broken and not (classified.overrules_order and broken.rule in RULE_OF_CLASS.values()):
        return broken
    if classified.harmful:
        return build_harm_refusal(classified.harmful)
    # Doubt about harm refuses, other doubt keeps: a lost statement costs more than a joke that is stored.
    if classified.overrules_trivial:
        return None
    return find_triviality(annotated) or (build_trivial_refusal(classified.trivial) if classified.trivial else None)


def build_harm_refusal(harmful_class: str) -> Refusal:
    if harmful_class == "secret":
        return Refusal("secret", f"reads as if it told a secret; {NO_SECRETS}")
    rule = RULE_OF_CLASS[harmful_class]
    return Refusal(rule, f"{next(what for name, _, what in ORDER_RULES if name == rule)}; {NO_ORDERS}")


def build_trivial_refusal(trivial_class: str) -> Refusal:
    rule = RULE_OF_CLASS[trivial_class]
    return Refusal(rule, TRIVIAL_REASONS[rule])


def find_secret(text: str) -> str | None:
    """What secret a text seems to hold ("an API key"), or None."""
    return find_secret_kind(annotate_text(text))


def find_order(text: str) -> str | None:
    """The rule that takes a text for an order to its reader, or None."""
    annotated = annotate_text(text)
    found = find_steering(annotated)
    return found.rule if found else None


def find_harm(annotated: AnnotatedText) -> Refusal | None:
    if secret := find_secret_kind(annotated):
        return Refusal("secret", f"looks like it holds {secret}; {NO_SECRETS}")
    # Among what does harm: an exchange quotes whoever wrote in it, orders included.
    if speech.is_exchange(annotated):
        return Refusal("raw turn", TRIVIAL_REASONS["raw turn"])
    return find_steering(annotated)


def find_steering(annotated: AnnotatedText) -> Refusal | None:
    if orders.has_fence(annotated.text):
        return Refusal("fence", f"imitates the marks around what a model is given; {NO_ORDERS}")
    if orders.has_unshown(annotated.text):
        return Refusal("hidden text", f"holds text that no page would show; {NO_ORDERS}")
    for sentence in annotated.sentences:
        for rule, is_broken, what in ORDER_RULES:
            if is_broken(sentence):
                return Refusal(rule, f"{what}; {NO_ORDERS}")
    return None


def find_disguise(text: str) -> Refusal | None:
    """What the text hides by spelling it otherwise."""
    plain = normalise_text(text)
    if find_spelt_out_word(plain) or is_encoded(plain):
        return Refusal("disguise", f"spells words so that they are not read at once; {NO_ORDERS}")
    for other in decode_hidden_texts(plain):
        annotated = annotate_text(other)
        if other != plain and ((found := find_steering(annotated)) or find_secret_kind(annotated)):
            what = found.rule if found else "secret"
            return Refusal("disguise", f"hides a {what} by another spelling; {NO_ORDERS}")
    return None


def find_triviality(annotated: AnnotatedText) -> Refusal | None:
    """Refuse what is not worth keeping, unless one of its sentences is."""
    if speech.is_joke(annotated):
        return Refusal("joke", TRIVIAL_REASONS["joke"])
    rules = [speech.find_trivial_rule(sentence) for sentence in annotated.own_sentences]
    # "It's raining. I moved to Bergen for a job" is kept for its second sentence.
    if not rules or None in rules:
        return None
    return Refusal(str(rules[0]), TRIVIAL_REASONS[str(rules[0])])
