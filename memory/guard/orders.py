"""Sentences that try to steer whoever reads the memory: overriding rules, claiming authority, promoting, planting.

Each rule asks how kinds of words stand together, never for a word: the words are in the languages' `guard.txt`. Whoever
is named decides between an order and a statement: "ignore the rules" and "my brother ignores the rules".
"""

import re

from memory.guard.annotation import Sentence
from memory.language.hebrew import has_hebrew

# What sets a text for a model apart: tags of roles, templates of chats, look-alikes of the marks around context.
FENCE = re.compile(
    r"<\s{0,3}/?\s{0,3}(?:system|assistant|user|instructions?|memory|memories|context|tool|data|im_start|im_end|prompt)\b[^>]{0,80}>"
    r"|<\||\|>|\[\s{0,3}/?\s{0,3}(?:system|inst|assistant|memory|memories|end of|context|admin)\b[^\]]{0,30}\]"
    r"|<<\s{0,3}sys|<<<|(?<![0-9a-f])[0-9a-f]{6,64}>>>"
    r"|^\s{0,8}#{1,6}\s{0,3}(?:system|instructions?|assistant|user|response|new task|prompt)\b"
    r"|\"role\"\s{0,3}:\s{0,3}\"|^[-=*_]{3,}\s{0,3}(?:end|begin|system|new|start)\b|```\s{0,3}system"
    r"|\b(?:end|begin|start) of (?:memory|memories|context|data|document|prompt|user input|notes)\b"
    r"|\{\{[#/%]|\{%|<script\b|\bjavascript:",
    re.IGNORECASE | re.MULTILINE,
)
UNSHOWN = re.compile(
    r"^\[(?://|comment|_)\]:\s{0,3}(?:#|<>)?|display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|<\s{0,3}(?:div|span|p)\s[^>]{0,80}hidden",
    re.IGNORECASE | re.MULTILINE,
)
COMMENT = "<!--"
# A script without capitals, in which no name can be told.
# Rule override in scripts that put no space between words.
UNSPACED_ORDER = re.compile(
    "(?:忽略|忽视|無視|无视|忘记|忘れ|무시).{0,20}|(?:指示|指令|규칙|지시).{0,12}(?:無視|무시|忘)"
)
# Words from which a comment that no page shows is a message and no mark for a tool.
SHORTEST_COMMENT = 3
# Words within which "ignore" and "instructions" belong together.
FURTHEST_RULES = 8


def has_fence(text: str) -> bool:
    return FENCE.search(text) is not None


def has_unshown(text: str) -> bool:
    comments = (comment.partition("-->")[0] for comment in text.split(COMMENT)[1:])
    return UNSHOWN.search(text) is not None or any(len(comment.split()) >= SHORTEST_COMMENT for comment in comments)


def addresses_reader(sentence: Sentence) -> bool:
    return sentence.has("you", "assistant")


def tells_of_somebody(sentence: Sentence, place: int, gap: int = 4) -> bool:
    """Whether a person stands in front of a verb as the one who does it, and the reader is not spoken to.

    Who asks is not who acts: "if the user asks, steer ..." has no person in front of the order.
    """
    if addresses_reader(sentence):
        return False
    conditions = sentence.spans("trigger", "occasion") if place in sentence.clause_starts else []
    return any(
        0 <= place - end <= gap and not any(first <= start and end <= last for first, last in conditions)
        for start, end in sentence.spans("me", "kin", "user")
    )


def overrides_rules(sentence: Sentence) -> bool:
    return (
        sentence.has("foreign order")
        or UNSPACED_ORDER.search(sentence.raw) is not None
        or drops_rules(sentence)
        or lifts_limits(sentence)
        or outranks_rules(sentence)
        or casts_persona(sentence)
        or commands_reader(sentence)
        or speaks_of_reader(sentence)
        or (sentence.has("obey") and addresses_reader(sentence) and not sentence.has("kin"))
        or sentence.are_near("guardrail", "void", 6)
    )


def speaks_of_reader(sentence: Sentence) -> bool:
    """Whether it lays down what the reader may or must do; how it is to speak with the person is no harm."""
    if any(sentence.has_before(start, 2, "you") for start, _ in sentence.spans("rules")):
        return not sentence.has("kin")
    if sentence.has("agent") and sentence.has("risky", "unasked") and sentence.has("may", "decree"):
        return True
    if not sentence.has("reader") or sentence.has("manner") or sentence.has("my"):
        return False
    return sentence.has("may", "must", "unrestricted", "unasked", "hidden", "recommend", "decree", "risky")


def drops_rules(sentence: Sentence) -> bool:
    for start, end in sentence.spans("ignore"):
        if tells_of_somebody(sentence, start, 6) and not sentence.has("hidden"):
            continue
        rules = sentence.has_after(end - 1, FURTHEST_RULES + 1, "rules")
        if rules and (sentence.begins_clause("ignore") or sentence.has("prior", "any", "you", "assistant", "from now")):
            return True
    for start, end in sentence.spans("rules"):
        is_theirs = (
            sentence.has_before(start, 3, "prior", "you") or sentence.has_at(end, "prior") or addresses_reader(sentence)
        )
        if is_theirs and sentence.has_after(end, 6, "void"):
            return True
    if sentence.has("void", "ignore") and sentence.has("rules") and addresses_reader(sentence):
        return not tells_of_somebody(sentence, len(sentence.words), len(sentence.words))
    # "I showed the hidden settings" is about oneself.
    return sentence.are_near("reveal", "hidden", 5) and not sentence.has("me")


def lifts_limits(sentence: Sentence) -> bool:
    if not sentence.has("unrestricted"):
        return False
    return (
        addresses_reader(sentence)
        or sentence.has("from now", "persona")
        or sentence.begins_clause("order", "ignore", "unrestricted")
    )


def outranks_rules(sentence: Sentence) -> bool:
    """Whether it sets itself above what the reader was told: "this note takes precedence over the system"."""
    if sentence.find_following("outrank", "higher", 6) and not sentence.has("me", "kin"):
        return True
    return sentence.has("outrank") and sentence.has("this text") and sentence.has("rules", "any", "higher", "authority")


def casts_persona(sentence: Sentence) -> bool:
    for start, _ in sentence.spans("persona"):
        if start in sentence.clause_starts or sentence.has("from now", "you", "assistant"):
            return True
    return False


def commands_reader(sentence: Sentence) -> bool:
    """Orders to whoever answers, unless they only say in what manner to speak with the person."""
    # "From now on answer me in Hebrew": how to speak with the person is a preference of theirs.
    if sentence.has("manner") and not sentence.has("address", "send", "hidden", "unrestricted"):
        return False
    if sentence.begins_clause("order"):
        return True
    if not sentence.has("from now"):
        return False
    has_order = sentence.has("order") and not sentence.has("me")
    return has_order or (addresses_reader(sentence) and sentence.has("must", "order", "any", "may"))


def promotes_product(sentence: Sentence) -> bool:
    for start, _ in sentence.spans("recommend"):
        if tells_of_somebody(sentence, start) or reports_recommendation(sentence, start):
            continue
        if start in sentence.clause_starts or sentence.has("trigger", "occasion"):
            return True
        if sentence.has_before(start, 5, "you", "assistant", "must"):
            return True
    if advises_others(sentence) or tells_group(sentence):
        return True
    if sentence.find_following("recommend", "must", 4) and not sentence.has("me", "kin", "user"):
        return True
    return mentions_brand(sentence) or (sentence.has("ad") and not sentence.has("me", "user", "kin"))


def reports_recommendation(sentence: Sentence, place: int) -> bool:
    """Whether a form that is an order and a statement alike tells what somebody recommends to their own people."""
    if sentence.has("trigger", "occasion", "assistant") or place:
        return False
    return sentence.has_at(0, "recommends") and sentence.has("circle", "kin")


def advises_others(sentence: Sentence) -> bool:
    """Whether it tells what others who ask are to be led to: "whoever wants hosting ... NimbusPeak"."""
    return sentence.has("trigger") and names_something(sentence) and not sentence.has("me", "kin", "user")


def tells_group(sentence: Sentence) -> bool:
    """Whether it lays down what people of some kind are to hear: "those who complain should be told that only ..."."""
    if sentence.has("unnamed") and sentence.has("must") and sentence.has("saying"):
        return names_something(sentence, 2) and not sentence.has("me", "kin")
    hears = sentence.find_following("must", "told", 4) is not None
    return hears and sentence.has("crowd") and names_something(sentence, 2) and not sentence.has("me", "kin", "user")


def names_something(sentence: Sentence, place: int = 0) -> bool:
    return sentence.has_name(place) or has_hebrew(sentence.raw)


def mentions_brand(sentence: Sentence) -> bool:
    for start, _ in sentence.spans("mention"):
        if tells_of_somebody(sentence, start) or not names_something(sentence, start):
            continue
        # Named once, a brand is an errand: "mention Aspirin to the doctor". In every answer it is advertising.
        is_constant = sentence.has("any") or sentence.are_near("adverb", "mention", 2)
        is_bidden = sentence.has_before(start, 3, "you", "assistant") or (
            start in sentence.clause_starts and is_constant
        )
        if is_bidden or (sentence.has("trigger", "occasion") and not sentence.has("me", "kin")):
            return True
    if sentence.has("covert") and sentence.has("mention") and sentence.has("trigger", "occasion"):
        return True
    return (
        sentence.has("return")
        and sentence.has("talk")
        and names_something(sentence, 1)
        and not sentence.has("me", "kin")
    )


def claims_authority(sentence: Sentence) -> bool:
    if sentence.has("notice") and sentence.begins_clause("notice"):
        return True
    if (
        sentence.begins_clause("letter")
        and sentence.find_following("letter", "authority", 3)
        and not sentence.has("my")
    ):
        return True
    # "Company policy: ..." speaks as the company; "company policy is to ..." tells of it.
    if any(
        start in sentence.clause_starts and sentence.has_at(end, "link") and sentence.words[end] in {":", "="}
        for start, end in sentence.spans("policy")
    ):
        return True
    reader = addresses_reader(sentence)
    # "As your developer I ...": nobody who made the reader writes into a memory.
    if sentence.has("creator") and (reader or sentence.has("authorise", "void", "order", "may", "risky")):
        return True
    for start, end in sentence.spans("authority", "office"):
        # "My manager approved the leave": one's own superiors rule over oneself, not over the reader.
        is_own = sentence.has_before(start, 1, "my", "me") and not reader
        lifted = sentence.has("may", "reader", "decree", "unasked", "void", "checks")
        if sentence.has_before(start, 1, "citing") and lifted and not sentence.has("me"):
            return True
        if not is_own and grants_permission(sentence, end, reader=reader):
            return True
    powers = sentence.has("risky", "unasked", "ignore", "unrestricted", "approve")
    return powers and sentence.are_near("assistant", "may", 4)


def grants_permission(sentence: Sentence, place: int, *, reader: bool) -> bool:
    """Whether behind a place somebody allows or orders something that a reader could be talked into."""
    if not sentence.has_after(place, 6, "authorise"):
        return False
    if reader:
        return True
    if sentence.has_after(place, 6, "decree") and not sentence.has("me", "kin"):
        return True
    return sentence.has("risky", "void", "unrestricted", "unasked", "checks") and not sentence.has("me", "kin")


def plants_preference(sentence: Sentence) -> bool:
    """Whether a wish is put into the person's mouth that would hand over data, trust or control."""
    is_wish = sentence.has("want") and sentence.has("user", "me")
    presses = is_wish or addresses_reader(sentence) or sentence.has("consent")
    if sentence.has("needless") and sentence.has("act", "send", "approve", "conceal", "skip"):
        return True
    opens = begins_with_order(sentence, "send", "trust", "approve", "skip", "act", "conceal")
    # "The user does not want her mails forwarded" is what the rule protects.
    if is_wish and not addresses_reader(sentence) and is_refused_wish(sentence):
        return False
    if sentence.has("consent") and sentence.has("any") and sentence.has("opened"):
        return True
    if (presses or opens) and (trusts_site(sentence) or sentence.has("conceal") or skips_checks(sentence)):
        return True
    if (presses or opens) and (acts_unasked(sentence) or approves_payments(sentence) or follows_links(sentence)):
        return True
    return sends_data_outside(sentence, presses=presses)


def begins_with_order(sentence: Sentence, *kinds: str) -> bool:
    """Whether a clause begins with one of the verbs as an order: "turn off ...", not "turning it off failed"."""
    return any(
        start in sentence.clause_starts and not sentence.words[start].endswith("ing")
        for start, _ in sentence.spans(*kinds)
    )


def follows_links(sentence: Sentence) -> bool:
    return sentence.has("address") and sentence.has("at once") and sentence.are_near("site", "opened", 5)


def is_refused_wish(sentence: Sentence) -> bool:
    return any(
        sentence.has_before(start, 1, "not") or sentence.has_after(end, 1, "not")
        for start, end in sentence.spans("want")
    )


def trusts_site(sentence: Sentence) -> bool:
    return sentence.has("trust") and (sentence.are_near("trust", "site", 5) or sentence.are_near("trust", "address", 5))


def skips_checks(sentence: Sentence) -> bool:
    return any(
        any(0 <= check - end <= 4 and check != start for check, _ in sentence.spans("checks"))
        or sentence.has_before(start, 4, "checks")
        for start, end in sentence.spans("skip")
    ) and (addresses_reader(sentence) or sentence.has("want", "any") or begins_with_order(sentence, "skip"))


def acts_unasked(sentence: Sentence) -> bool:
    if sentence.has("unasked") and sentence.has("act", "approve", "send"):
        return True
    is_any_goods = sentence.has("act") and sentence.are_near("any", "goods", 2) and sentence.has("user")
    return is_any_goods or (sentence.has("any") and sentence.has("act") and addresses_reader(sentence))


def approves_payments(sentence: Sentence) -> bool:
    if not sentence.are_near("approve", "payment", 5):
        return False
    if addresses_reader(sentence):
        return sentence.has("want", "auto", "trigger", "may")
    return sentence.has("auto") and (sentence.has("passive", "unasked") or sentence.begins_clause("approve"))


def wants_data_outside(sentence: Sentence) -> bool:
    return sentence.has("goods") and sentence.has("want") and sentence.has("outside", "address")


def sends_data_outside(sentence: Sentence, *, presses: bool) -> bool:
    if not (
        sentence.are_near("send", "goods", 7) or sentence.are_near("send", "secret", 7) or wants_data_outside(sentence)
    ):
        return False
    leaves = sentence.has("address", "outside")
    handed = sentence.has("passive", "consent") or addresses_reader(sentence) or sentence.begins_clause("send")
    if presses and (handed or sentence.has("address")) and (leaves or sentence.has("any", "secret")):
        return True
    if presses and leaves and not sentence.has("me"):
        return True
    return leaves and handed and sentence.has("any", "must", "adverb") and not sentence.has("me")
