"""Why something happened, in the language of whoever looks: rows keep the reason in English, as programs read it.

Pure: a sentence in, a sentence out. What is not one of ours, a person's own reason say, stays as it was written.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from django.utils.translation import gettext, gettext_noop

from memory.web.labels import name_tier, name_word
from memory.web.sentences import SentenceForm, compile_sentences, say_sentence

# As they stand in rows. A part in braces holds anything; the more special of two stands first.
SENTENCES: Final = (
    gettext_noop("score {score} >= {least} and uses {uses} >= {needed}"),
    gettext_noop("score {score} < {least} after {uses} uses"),
    gettext_noop("past its time in {tier} ({number} days old)"),
    gettext_noop("past its time in {tier} ({number} hours old)"),
    gettext_noop("the bank holds more than {capacity} items"),
    gettext_noop("one source holds more than {share} of the bank's {capacity} places"),
    gettext_noop("{principal} holds more than {share} of the bank's {capacity} places"),
    gettext_noop("superseded: {statement}"),
    gettext_noop("taken back: {reason}"),
    gettext_noop("decided in review: {decision}"),
    gettext_noop("its confidence has worn below {least}"),
    gettext_noop("what came of it was {earlier} and is now {later}"),
    gettext_noop("{earlier} no longer stands"),
    gettext_noop("a later statement"),
    gettext_noop("a secret was taken out"),
    gettext_noop("another of the same time says otherwise"),
    gettext_noop("confirmed"),
    gettext_noop("corrected"),
    gettext_noop("decided in review"),
    gettext_noop("decided in the inbox"),
    gettext_noop("has ended"),
    gettext_noop("hinted at in the conversation"),
    gettext_noop("it worked"),
    gettext_noop("its bank item was archived"),
    gettext_noop("its bank item was restored"),
    gettext_noop("its validity has ended"),
    gettext_noop("merged"),
    gettext_noop("read out of the conversation"),
    gettext_noop("rejected"),
    gettext_noop("revised"),
    gettext_noop("reworded to say the same"),
    gettext_noop("said before what is known"),
    gettext_noop("says the same"),
    gettext_noop("says the same as an existing item"),
    gettext_noop("superseded"),
    gettext_noop("taken back"),
    gettext_noop("tell the same matter"),
    gettext_noop("the merge was taken back"),
    gettext_noop("what replaced it was rejected"),
    gettext_noop("worded anew, as it was of little use"),
    gettext_noop("words of a purged source were removed"),
)
DECISIONS: Final[Mapping[str, str]] = {
    "supersede": gettext_noop("keep the newer"),
    "merge": gettext_noop("merge"),
    "keep_both": gettext_noop("keep both"),
    "reject": gettext_noop("reject the newer"),
}
FORMS: Final = compile_sentences(SENTENCES)


def word_reason(reason: str, forms: Sequence[SentenceForm] = FORMS) -> str:
    said = say_sentence(reason, forms, WORDED)
    return reason if said is None else said.replace(">=", "≥")


def name_decision(decision: str) -> str:
    return gettext(DECISIONS.get(decision, decision)) if decision else decision


WORDED: Final[Mapping[str, Callable[[str], str]]] = {
    "reason": word_reason,
    "decision": name_decision,
    "tier": name_tier,
    "earlier": name_word,
    "later": name_word,
}
