"""The write guard of the memory bank: rules over words in six languages, without a model.

The bank holds lasting statements about a person, their people and their work. It refuses what would make it a
liability (secrets, instructions aimed at whoever reads the memory later) and what is not worth keeping (turns of a
conversation, jokes, hypotheses, gossip, passing states, common knowledge). Pure: it may import nothing of
the project and no framework.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.guard import orders, speech
from memory.guard.opinion import Opinion, judge
from memory.guard.reading import Reading, read
from memory.guard.secrets import entropy, luhn, secret_in
from memory.guard.spelling import hidden_texts, is_encoded, smooth, spelt_out

__all__ = ["Refusal", "bank_refusal", "entropy", "found_order", "found_secret", "luhn", "refusal", "tag_refusal"]

ORDERS = (
    ("false authority", orders.claims_authority, "claims an authority that no memory has"),
    ("rule override", orders.overrides, "instructs whoever reads it"),
    ("planted preference", orders.plants, "puts a wish into the person's mouth that would hand over data or control"),
    ("covert promotion", orders.promotes, "tells whoever reads it what to recommend"),
)
KEEPS_FACTS = "the memory bank keeps facts, not orders"
KEEPS_NO_SECRETS = "the memory bank keeps no secrets"
SLIGHT = {
    "raw turn": "is a raw exchange or a turn of one; the memory bank keeps lasting statements, exchanges go to working",
    "joke": "is a joke; the memory bank keeps what is meant",
    "supposition": "supposes what is not so; the memory bank keeps what is",
    "gossip": "is gossip about people who are not close; the memory bank keeps what concerns the person",
    "world knowledge": "is common knowledge; the memory bank keeps what only this person can tell",
    "passing state": "will not hold tomorrow; the memory bank keeps what lasts",
}
LEARNED = {
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
"""The rules by the classes the trained judge knows."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rule that refused a text, and the reason in words. Neither repeats the text."""

    rule: str
    reason: str


def bank_refusal(text: str) -> str | None:
    """Why the memory bank refuses a text, or None when it takes it."""
    found = refusal(text)
    return f"{found.reason} ({found.rule})" if found else None


def tag_refusal(tags: Sequence[str]) -> str | None:
    """Why the memory bank refuses tags, or None. They name a memory and may be short, but steer and open nothing."""
    text = "\n".join(tags)
    found = dangerous(read(text)) or disguised(text)
    return f"{found.reason} ({found.rule})" if found else None


def refusal(text: str) -> Refusal | None:
    """The rule a text breaks, or None. Harmful content is checked first, anywhere in the text."""
    reading = read(text)
    found, second = dangerous(reading) or disguised(text), judge(reading)
    if found and not (second.is_certain and found.rule in LEARNED.values()):
        return found
    return suspicion(second) or (None if second.trusts else slight(reading) or slighted(second))


def suspicion(second: Opinion) -> Refusal | None:
    """What the trained judge fears of a text that no rule forbids."""
    if second.harm is None:
        return None
    if second.harm == "secret":
        return Refusal("secret", f"reads as if it told a secret; {KEEPS_NO_SECRETS}")
    rule = LEARNED[second.harm]
    return Refusal(rule, f"{next(what for name, _, what in ORDERS if name == rule)}; {KEEPS_FACTS}")


def slighted(second: Opinion) -> Refusal | None:
    rule = LEARNED[second.slight] if second.slight else None
    return Refusal(rule, SLIGHT[rule]) if rule else None


def found_secret(text: str) -> str | None:
    """What secret a text seems to hold ("an API key"), or None."""
    return secret_in(read(text))


def found_order(text: str) -> str | None:
    """The rule that takes a text for an order to its reader, or None."""
    reading = read(text)
    found = steering(reading)
    return found.rule if found else None


def dangerous(reading: Reading) -> Refusal | None:
    if secret := secret_in(reading):
        return Refusal("secret", f"looks like it holds {secret}; {KEEPS_NO_SECRETS}")
    if speech.is_exchange(reading):
        return Refusal("raw turn", SLIGHT["raw turn"])
    return steering(reading)


def steering(reading: Reading) -> Refusal | None:
    if orders.has_fence(reading.text):
        return Refusal("fence", f"imitates the marks around what a model is given; {KEEPS_FACTS}")
    if orders.has_unshown(reading.text):
        return Refusal("hidden text", f"holds text that no page would show; {KEEPS_FACTS}")
    for sentence in reading.sentences:
        for rule, is_broken, what in ORDERS:
            if is_broken(sentence):
                return Refusal(rule, f"{what}; {KEEPS_FACTS}")
    return None


def disguised(text: str) -> Refusal | None:
    """What the text hides by spelling it otherwise."""
    plain = smooth(text)
    if spelt_out(plain) or is_encoded(plain):
        return Refusal("disguise", f"spells words so that they are not read at once; {KEEPS_FACTS}")
    for other in hidden_texts(plain):
        reading = read(other)
        if other != plain and ((found := steering(reading)) or secret_in(reading)):
            what = found.rule if found else "secret"
            return Refusal("disguise", f"hides a {what} by another spelling; {KEEPS_FACTS}")
    return None


def slight(reading: Reading) -> Refusal | None:
    """Refuse what is not worth keeping, unless one of its sentences is."""
    if speech.jokes(reading):
        return Refusal("joke", SLIGHT["joke"])
    rules = [speech.slight(one, own) for one, own in zip(reading.sentences, reading.own, strict=True)]
    if not rules or None in rules:
        return None
    return Refusal(str(rules[0]), SLIGHT[str(rules[0])])
