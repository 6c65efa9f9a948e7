"""Wishes of a person about the answers and suggestions they get: a preference, though worded as an order."""

from memory.guard.annotation import Sentence

# What no wish about answers or food needs: others who ask, rules, data, money, sites, concealing, whoever reads it.
HARMFUL_KINDS = (
    *("trigger", "occasion", "crowd", "unnamed", "ad", "covert", "letter", "notice", "creator", "risky", "reader"),
    *("address", "site", "goods", "payment", "approve", "send", "trust", "conceal", "hidden", "unasked", "consent"),
    *("rules", "prior", "void", "unrestricted", "persona", "outrank", "guardrail", "obey", "secret", "foreign order"),
)
# Nouns have capitals, so a capital names nothing.
CAPITAL_NOUNS = "de"
ENCLITICS = ("ame", "eme", "ami", "imi")


def is_wish(sentence: Sentence, languages: frozenset[str] | None = None) -> bool:
    """Whether it bids to suggest something to the person, or not to, and names no brand or place to go to."""
    if sentence.has(*HARMFUL_KINDS) or not sentence.begins_clause("recommend"):
        return False
    if sentence.has_name() and CAPITAL_NOUNS not in (languages or ()):
        return False
    return sentence.has("me", "my", "not") or is_told_me(sentence)


def is_told_me(sentence: Sentence) -> bool:
    """Whether "me" is written at the end of the verb: "recomiéndame", "consigliami"."""
    return any(sentence.words[end - 1].endswith(ENCLITICS) for _, end in sentence.spans("recommend"))
