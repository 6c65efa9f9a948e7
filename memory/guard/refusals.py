"""The rules by name, and the reasons that are given. A reason never repeats the text."""

from dataclasses import dataclass
from typing import Final

from memory.guard import orders


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rule that a text breaks, and the reason in words. Neither repeats the text."""

    rule: str
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.rule})"


ORDER_RULES: Final = (
    ("false authority", orders.claims_authority, "claims an authority that no memory has"),
    ("rule override", orders.overrides_rules, "instructs whoever reads it"),
    (
        "planted preference",
        orders.plants_preference,
        "puts a wish into the person's mouth that would hand over data or control",
    ),
    ("covert promotion", orders.promotes_product, "tells whoever reads it what to recommend"),
)
NO_ORDERS: Final = "the memory bank keeps facts, not orders"
NO_SECRETS: Final = "the memory bank keeps no secrets"
# Reasons never repeat the text: what is refused as a secret must turn up in no answer and no log.
TRIVIAL_REASONS: Final = {
    "raw turn": "is a raw exchange or a turn of one; the memory bank keeps lasting statements, exchanges go to working",
    "joke": "is a joke; the memory bank keeps what is meant",
    "supposition": "supposes what is not so; the memory bank keeps what is",
    "gossip": "is gossip about people who are not close; the memory bank keeps what concerns the person",
    "world knowledge": "is common knowledge; the memory bank keeps what only this person can tell",
    "passing state": "will not hold tomorrow; the memory bank keeps what lasts",
    "exercise": "holds words to translate or to work on; the memory bank keeps what the person says of themselves",
}
# The rules by the classes of the classifier.
RULE_OF_CLASS: Final = {
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
    "exercise": "exercise",
}


def build_harm_refusal(harmful_class: str) -> Refusal:
    if harmful_class == "secret":
        return Refusal("secret", f"reads as if it told a secret; {NO_SECRETS}")
    rule = RULE_OF_CLASS[harmful_class]
    return Refusal(rule, f"{next(what for name, _, what in ORDER_RULES if name == rule)}; {NO_ORDERS}")


def build_trivial_refusal(trivial_class: str) -> Refusal:
    rule = RULE_OF_CLASS[trivial_class]
    return Refusal(rule, TRIVIAL_REASONS[rule])
