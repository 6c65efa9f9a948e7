"""The write guard of the memory bank: rules over words, and a small classifier beside them; no language model.

The bank holds lasting statements about a person, their people and their work. The guard refuses what would make it a
liability (secrets, instructions aimed at whoever reads the memory later, raw exchanges), and takes with a warning what
is suspected of that or is slight (jokes, hypotheses, gossip, passing states, common knowledge, exercises).

Where to change what:
- a word that a rule should know: `memory/language/<code>/guard.txt`; then train the classifier anew
- what is cut out of a text before it is stored: `redaction`
- what a rule makes of the words: `secrets` (described ones, which cannot be cut out), `orders` (steering), `speech`
  (not worth keeping), `wishes` (orders that are preferences), `requests` (to remember; exercises), `quotations`
- a disguise that is read through: `spelling`; what counts as a sentence, a word or an address: `annotation`
- what the classifier thinks: examples in `tests/training/guard`; how sure it must be: the thresholds in `classifier`
- which of them has the last word: `judgement`; the reasons that are given: `refusals`

Pure: it may import `memory.language`, numpy and nothing else.
"""

from collections.abc import Sequence

from memory.guard.annotation import annotate_text
from memory.guard.judgement import WriteJudgement, find_disguise, find_plain_harm, find_steering, judge_write
from memory.guard.redaction.forms import is_luhn_valid
from memory.guard.redaction.texts import has_mark, list_marked_kinds, redact_secrets
from memory.guard.refusals import TRIVIAL_REASONS, Refusal
from memory.guard.secrets import find_secret_kind

__all__ = [
    "TRIVIAL_REASONS",
    "Refusal",
    "WriteJudgement",
    "explain_refusal",
    "explain_tag_refusal",
    "find_order",
    "find_refusal",
    "find_secret",
    "find_unredacted_secret",
    "has_mark",
    "is_luhn_valid",
    "judge_write",
    "redact_secrets",
]


def explain_refusal(text: str) -> str | None:
    """Why the memory bank does not take a text without reservations, or None when it does."""
    found = find_refusal(text)
    return str(found) if found else None


def explain_tag_refusal(tags: Sequence[str]) -> str | None:
    """Why the memory bank refuses tags, or None. They name a memory and may be short, but steer and open nothing."""
    text = "\n".join(tags)
    annotated = annotate_text(text)
    found = find_plain_harm(annotated) or find_steering(annotated) or find_disguise(text)
    return str(found) if found else None


def find_refusal(text: str) -> Refusal | None:
    """What the guard has against a text: the rule it breaks, or else what it is suspected of; None when nothing."""
    return judge_write(text).objection


def find_secret(text: str) -> str | None:
    """What secret a text tells or describes ("github token"), or told before it was taken out; or None."""
    if kinds := list_marked_kinds(text):
        return kinds[0]
    return find_unredacted_secret(text)


def find_unredacted_secret(text: str) -> str | None:
    """What secret is still in a text; where one was taken out, a mark stands and nothing is told."""
    return find_secret_kind(annotate_text(text))


def find_order(text: str) -> str | None:
    """The rule that takes a text for an order to its reader, or None."""
    annotated = annotate_text(text)
    found = find_steering(annotated)
    return found.rule if found else None
