"""What kind of speech a sentence is: a turn of a conversation, a joke, a supposition, gossip, a passing state ...

The rules read the words of a sentence's own language alone: unlike orders, nobody hides small talk in another language,
and words of seven languages would find it everywhere.
"""

import re

from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.words import join_words
from memory.language.text import blank_match

SPEAKER = join_words("speaker label")
ASKER = re.compile(
    rf"(?:^|[.!?…\s\"])(?:{join_words('asker label')})\s?:\s[^\n?]{{1,300}}\?",
    re.IGNORECASE,
)
# Labels that are names of other things too: only a question and what answers it make an exchange.
ANSWERER = re.compile(rf"(?:^|[.!?…\s\"])(?:{join_words('answerer label')})\s?:\s", re.IGNORECASE)
# Not \s: it takes line ends too, and 32 KB of them were then read twenty times over (0.3 s).
TURN = re.compile(
    rf"^[^\S\n]{{0,20}}[\[(*_]{{0,2}}(?:{SPEAKER})[\])*_]{{0,2}}\s?(?::|>{{1,3}})", re.IGNORECASE | re.MULTILINE
)
INLINE_TURN = re.compile(
    rf"(?:[.!?…,;]\s{{1,3}}|\s[-–—/|]\s|\]\s{{0,2}}|\*\*)(?:{SPEAKER})\s?(?::|>{{1,3}})(?:\*\*)?\s", re.IGNORECASE
)
STAMPED = re.compile(r"^[^\S\n]{0,8}\[?\d{1,2}[:.]\d{2}(?::\d{2})?\]?\s.{1,40}?:\s", re.MULTILINE)
# A syllable said over again is laughter in any language: "jeje", "hihi", "eheh", "kkkk", "חחח".
LAUGHTER = re.compile(
    r"[😂🤣😜😝🤪😆😹]|\b(?:a?(?:ha){2,20}h?|(?:he){2,20}|(?:hi){2,20}|(?:ja){2,20}|(?:je){2,20}|(?:eh){2,20}e?|(?:ah){2,20}a?"
    r"|(?:rs){2,20}|k{3,20}|lo{1,6}l|xd{1,6}|p?t?mdr|lmao|rofl)\b|ח{3}|[,.!…]\s(?:ha|heh|hah|hee|je|jah)[.!…]?$",
    re.IGNORECASE,
)
# Two labels, whatever they are, and a question between them: "guest: is the bar open? porter: until ten".
ASKED_AND_ANSWERED = re.compile(
    r"^[\W_]{0,3}[^\W\d_]{1,15}(?:\s[^\W\d_]{1,15})?(?:[*_\])]{0,2}\s?(?::|>{1,3})|\])\s?[^\n:]{1,300}"
    r"[?？؟][\s*_\[(>|/-]{1,4}[^\W\d_]{1,15}(?:[*_\])]{0,2}\s?(?::|>{1,3})|\])\s"
)
YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20[0-2]\d)(?!\d)")
# Words up to which a bare statement of how one feels is taken for a passing state.
SHORT = 8
BRIEF = 12
FURTHEST_SUBJECT = 3
ANCHORS = ("me", "user", "kin", "address")


def is_exchange(annotated: AnnotatedText) -> bool:
    text = annotated.text
    labels = len(TURN.findall(text)) + len(INLINE_TURN.findall(text))
    if labels >= 2 or len(STAMPED.findall(text)) >= 2 or (TURN.match(text) and "\n" in text):
        return True
    if (asked := ASKER.search(text)) and ANSWERER.search(text, asked.end() - 1):
        return True
    first = annotated.sentences[0] if annotated.sentences else None
    return (
        bool(TURN.match(text))
        and first is not None
        and (first.is_question or first.has("request", "greeting") or speaks_in_first_person(first))
    )


def speaks_in_first_person(sentence: Sentence) -> bool:
    """Whether a first person stands at the beginning, as behind the label of a speaker."""
    return any(start in {2, 3} for start, _ in sentence.spans("me"))


def is_asked_and_answered(annotated: AnnotatedText) -> bool:
    """Whether somebody asks and somebody answers: a suspicion and no evidence, since a label may be a heading."""
    return ASKED_AND_ANSWERED.match(annotated.text) is not None


def is_conversation_turn(sentence: Sentence) -> bool:
    """Whether the sentence is said to somebody in a conversation: a request, a reply, thanks, or what was asked."""
    if sentence.is_question or sentence.has("asked"):
        return True
    if any(start in sentence.sentence_starts for start, _ in sentence.spans("reply", "request")):
        return True
    # "Thanks to my sister I always ..." thanks nobody here.
    if sentence.has("manner", "kin", "lasting"):
        return False
    ends = [end for start, end in sentence.spans("greeting") if start == 0]
    words = len(sentence.words)
    return words in ends or (words <= SHORT and bool(sentence.breaks & set(ends)))


def blank_laughter(text: str) -> tuple[str, tuple[int, ...]]:
    """The text with blanks for laughter, and where they stand.

    "I turned 35 yesterday lol" tells an age, and of "vivo en Vigo jaja" the last word is no part of a town.
    """
    laughs = tuple(found.start() for found in LAUGHTER.finditer(text))
    return LAUGHTER.sub(blank_match, text), laughs


def is_joke(annotated: AnnotatedText) -> bool:
    if LAUGHTER.search(annotated.text):
        return True
    for sentence in annotated.own_sentences:
        if sentence.has("joke") or sentence.begins_clause("joke form"):
            return True
        if sentence.has("absurd") and (sentence.has("me", "link") and len(sentence.words) <= BRIEF):
            return True
    return False


def is_supposition(sentence: Sentence) -> bool:
    if sentence.begins_clause("suppose", "wish"):
        return True
    # "If I" alone tells a habit: "if I travel, I take the train".
    if sentence.has("if i") and (sentence.has("would") or sentence.begins_clause("if i")):
        return sentence.has("would")
    return (sentence.has_at(0, "maybe") and sentence.has("me")) or guesses_at_others(sentence)


def guesses_at_others(sentence: Sentence) -> bool:
    """Whether it supposes something of others: "I think he maybe has kids"."""
    hedges = sentence.spans("hedge")
    if not hedges or sentence.has("my", "user", "kin"):
        return False
    # "I" in "I think" is not whom it is about.
    return all(any(first <= start < last for first, last in hedges) for start, _ in sentence.spans("me"))


def is_gossip(sentence: Sentence) -> bool:
    # A brother's divorce is the person's life, a neighbour's is not.
    if has_own_kin(sentence) or sentence.has("user"):
        return False
    if sentence.has("hearsay"):
        return sentence.has("stranger", "scandal")
    return sentence.has("scandal") and sentence.has("stranger")


def has_own_kin(sentence: Sentence) -> bool:
    """Whether somebody close to the person is named as theirs: "my sister", "la fille de l'utilisateur"."""
    strangers = {start for start, _ in sentence.spans("stranger")}
    for owner in ("my", "user"):
        for start, end in sentence.spans(owner):
            for kin, kin_end in sentence.spans("kin"):
                first, last = (end, kin) if kin >= end else (kin_end, start)
                if 0 <= last - first <= 3 and not strangers & set(range(first, last + 1)) - {kin}:
                    return True
    return False


def is_passing_state(sentence: Sentence) -> bool:
    """Whether it tells how things are just now and says nothing that lasts."""
    # "Since this morning" lasts no longer than the morning.
    if any(not sentence.has_at(end, "now") for _, end in sentence.spans("lasting")):
        return False
    if sentence.has("weather", "errand") and len(sentence.words) <= BRIEF + (SHORT if sentence.has("state") else 0):
        return True
    if not sentence.has("state"):
        return False
    if sentence.has("now") and len(sentence.words) <= BRIEF + SHORT:
        return True
    # States must be felt by somebody: "hungry cats are loud" passes no state on.
    is_felt = sentence.find_following("be", "state", 2) is not None or any(
        start <= 1 for start, _ in sentence.spans("state")
    )
    is_bare = sentence.has("me") or len(sentence.words) <= SHORT - 2
    return is_felt and is_bare and len(sentence.words) <= (BRIEF if sentence.has("very") else SHORT)


def is_common_knowledge(sentence: Sentence) -> bool:
    """Whether it states what any encyclopaedia says and nothing about the person, their people or their work."""
    if sentence.has(*ANCHORS):
        return False
    if any(start <= 1 for start, _ in sentence.spans("creature")) and len(sentence.words) <= BRIEF:
        return True
    if sentence.are_near("geo", "place", 4) or sentence.are_near("origin", "tech", 3):
        return True
    if sentence.has("superlative") and sentence.has("place", "science", "link", "category"):
        return True
    subjects = [end for start, end in sentence.spans("science", "fame", "place") if start <= 3]
    if sentence.has("category") and any(
        0 <= start - end <= 3
        for end in subjects + [end for s, end in sentence.spans("tech") if s <= 1]
        for start, _ in sentence.spans("category", "link")
    ):
        return True
    if (
        sentence.has("event")
        and (sentence.has("fact") or sentence.are_near("event", "place", 3))
        and YEAR.search(sentence.raw)
    ):
        return True
    return states_known_fact(sentence)


def states_known_fact(sentence: Sentence) -> bool:
    facts = sentence.spans("fact")
    for start, end in sentence.spans("science", "fame"):
        if start <= FURTHEST_SUBJECT and any(0 <= fact - end <= 4 for fact, _ in facts):
            return True
        if any(0 <= start - fact_end <= 3 for _, fact_end in facts):
            return True
    return False


TRIVIAL_RULES = (
    ("raw turn", is_conversation_turn),
    ("supposition", is_supposition),
    ("gossip", is_gossip),
    ("world knowledge", is_common_knowledge),
    ("passing state", is_passing_state),
)


def find_trivial_rule(sentence: Sentence) -> str | None:
    """Why a sentence is nothing to keep, or None."""
    return next((name for name, is_broken in TRIVIAL_RULES if is_broken(sentence)), None)
