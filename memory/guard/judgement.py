"""What becomes of a write: taken, taken under review with warnings, or refused.

Two witnesses read a text. Rules find evidence in it; a classifier estimates what it is. Only evidence refuses, and
where the classifier holds the same sentence for a statement, evidence only warns. What it merely suspects, and what is
slight, warns: a refused fact is a lost fact, and what is under review reaches no prompt by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memory.guard import orders, speech
from memory.guard.annotation import AnnotatedText, Sentence, annotate_text
from memory.guard.classifier import Classification, classify_text, rate_harm
from memory.guard.quotations import read_around_quotations
from memory.guard.redaction.texts import has_mark
from memory.guard.refusals import (
    NO_ORDERS,
    NO_SECRETS,
    ORDER_RULES,
    TRIVIAL_REASONS,
    Refusal,
    build_harm_refusal,
    build_trivial_refusal,
)
from memory.guard.requests import is_exercise, is_request_to_remember
from memory.guard.secrets import find_secret_kind
from memory.guard.spelling import decode_hidden_texts, find_spelt_out_word, is_encoded, normalise_text
from memory.guard.wishes import is_wish

# A sentence less likely than this to do harm only looks like the order that a rule takes it for. The rules about acts
# and authority ask for more words than those about answers, so it takes more to doubt them.
DOUBT_THRESHOLD = 0.25
DOUBT_THRESHOLD_BY_RULE = {"planted preference": 0.08, "false authority": 0.08}
# A text as likely as this to do harm is refused where it also has words that orders are made of: what the rules lack is
# then only the pattern. Of 261 statements of the sets `tuned_*` none is.
CERTAIN_THRESHOLD = 0.9
# A secret told in words shows no form that could be marked, and what is stored may be found by searches.
CERTAIN_SECRET_THRESHOLD = 0.95
ORDER_KINDS = (
    *("you", "assistant", "reader", "agent", "rules", "ignore", "this text", "authority", "office", "recommend"),
    *("mention", "citing", "occasion", "trigger", "persona", "unrestricted", "address", "consent", "conceal", "hidden"),
    *("send", "creator", "decree", "approve", "unasked", "void", "outrank", "ad", "from now", "order"),
)


@dataclass(frozen=True, slots=True)
class WriteJudgement:
    """``refusal`` by a rule that found evidence; ``warnings`` are what is suspected of a text that is taken."""

    refusal: Refusal | None = None
    warnings: tuple[Refusal, ...] = ()
    is_wish: bool = False

    def list_objections(self) -> tuple[Refusal, ...]:
        return (self.refusal, *self.warnings) if self.refusal else self.warnings

    @property
    def objection(self) -> Refusal | None:
        """The refusal, or else the first warning: why a strict write is refused."""
        return next(iter(self.list_objections()), None)


def judge_write(text: str, *, is_requested: bool = False) -> WriteJudgement:
    """Harmful content is looked for first, anywhere in the text.

    ``is_requested``: the person asked for it to be remembered, so being slight is no objection.
    """
    annotated = annotate_text(text)
    if harm := find_plain_harm(annotated):
        return WriteJudgement(harm)
    classified = classify_text(annotated)
    order, is_doubtful = weigh_orders(annotated, classified)
    if order and not is_doubtful:
        return WriteJudgement(order)
    if hidden := find_disguise(text):
        return WriteJudgement(hidden)
    if not order and has_mark(text):
        # The words around a mark sound like a secret still, and what was taken out counts as something told.
        return WriteJudgement()
    suspected = order or (build_harm_refusal(classified.harmful) if classified.harmful else None)
    if suspected and is_certain_harm(annotated, classified):
        return WriteJudgement(suspected)
    wish = bool(annotated.sentences) and all(is_wish(sentence, annotated.languages) for sentence in annotated.sentences)
    slight = None
    if not suspected and not wish and not is_requested and not is_request_to_remember(annotated):
        slight = find_slight_rule(annotated, classified)
    warnings = tuple(one for one in (suspected, slight) if one)
    return WriteJudgement(warnings=warnings, is_wish=wish)


def find_plain_harm(annotated: AnnotatedText) -> Refusal | None:
    """What no statement of a person looks like."""
    if secret := find_secret_kind(annotated):
        return Refusal("secret", f"looks like it holds {secret}; {NO_SECRETS}")
    # Among what does harm: an exchange quotes whoever wrote in it, orders included.
    if speech.is_exchange(annotated):
        return Refusal("raw turn", TRIVIAL_REASONS["raw turn"])
    if orders.has_fence(annotated.text):
        return Refusal("fence", f"imitates the marks around what a model is given; {NO_ORDERS}")
    if orders.has_unshown(annotated.text):
        return Refusal("hidden text", f"holds text that no page would show; {NO_ORDERS}")
    return None


def weigh_orders(annotated: AnnotatedText, classified: Classification) -> tuple[Refusal | None, bool]:
    """The order that a rule finds, and whether there is doubt about it. One beyond doubt comes first."""
    found = [
        (sentence, order) for sentence, order in find_orders(annotated) if not is_wish(sentence, annotated.languages)
    ]
    # The rules against orders know words, not statements: "Retired tram inspector ..." names an authority.
    if not found or classified.overrules_order:
        return None, False
    around = read_around_quotations(annotated)
    if around is not None and not any(find_orders(around)):
        return found[0][1], True
    for sentence, order in found:
        if rate_harm(sentence, annotated) >= DOUBT_THRESHOLD_BY_RULE.get(order.rule, DOUBT_THRESHOLD):
            return order, False
    return found[0][1], True


def is_certain_harm(annotated: AnnotatedText, classified: Classification) -> bool:
    if classified.harmful == "secret":
        return classified.harm_likelihood >= CERTAIN_SECRET_THRESHOLD
    if classified.harmful is None or classified.harm_likelihood < CERTAIN_THRESHOLD:
        return False
    # What is only quoted is somebody else's order.
    told = read_around_quotations(annotated) or annotated
    return any(sentence.has(*ORDER_KINDS) for sentence in told.sentences)


def find_orders(annotated: AnnotatedText) -> Iterator[tuple[Sentence, Refusal]]:
    for sentence in annotated.sentences:
        rule = next(((name, what) for name, is_broken, what in ORDER_RULES if is_broken(sentence)), None)
        if rule:
            yield sentence, Refusal(rule[0], f"{rule[1]}; {NO_ORDERS}")


def find_steering(annotated: AnnotatedText) -> Refusal | None:
    if orders.has_fence(annotated.text):
        return Refusal("fence", f"imitates the marks around what a model is given; {NO_ORDERS}")
    if orders.has_unshown(annotated.text):
        return Refusal("hidden text", f"holds text that no page would show; {NO_ORDERS}")
    return next((order for _, order in find_orders(annotated)), None)


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


def find_slight_rule(annotated: AnnotatedText, classified: Classification) -> Refusal | None:
    """Why a text is not worth keeping, unless one of its sentences is."""
    if is_exercise(annotated):
        return Refusal("exercise", TRIVIAL_REASONS["exercise"])
    if speech.is_asked_and_answered(annotated):
        return Refusal("raw turn", TRIVIAL_REASONS["raw turn"])
    # Who laughs says so: nothing overrules it.
    if speech.LAUGHTER.search(annotated.text):
        return Refusal("joke", TRIVIAL_REASONS["joke"])
    if classified.overrules_trivial:
        return None
    if speech.is_joke(annotated):
        return Refusal("joke", TRIVIAL_REASONS["joke"])
    rules = [speech.find_trivial_rule(sentence) for sentence in annotated.own_sentences]
    # "It's raining. I moved to Bergen for a job" is kept for its second sentence.
    if rules and None not in rules:
        return Refusal(str(rules[0]), TRIVIAL_REASONS[str(rules[0])])
    return build_trivial_refusal(classified.trivial) if classified.trivial else None
