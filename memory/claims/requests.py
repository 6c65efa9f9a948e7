"""Requests to remember: whatever their grammar, what follows is the statement."""

import re
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.building import LONGEST, word_statement, word_whole
from memory.claims.clauses.cutting import cut_clauses, find_heads
from memory.claims.constraints import ANYTHING, STYLE, find_constraint
from memory.claims.lexicon import MARK, load_small_words
from memory.claims.readings import SentenceReading
from memory.claims.relations import REQUEST
from memory.claims.subjects import NOUNS
from memory.guard.annotation import AnnotatedText, Sentence
from memory.language.commands import CommandAction, read_command
from memory.language.loader import collect_entries

# Blanks in the place of code or a quotation.
HOLE: Final = "    "
# Words behind the request that say something; with fewer the next sentence is meant.
LEAST_TOLD = 2
# Words of "pop this down somewhere for me please".
LONGEST_ORDER = 8
# Words that may stand before the request: "please", "und", a name.
FURTHEST = 2
# From where to where of the words of a sentence stands what is to be remembered, and whether it is a standing wish.
RememberRequest = tuple[int, int, bool]
# How verbs of the first person end that no other form shares.
FIRST_PERSON: Final = ("o", "mos", "תי", "נו")


def find_request(sentence: Sentence) -> RememberRequest | None:
    """From where to where stands what is to be remembered, and whether it is a standing wish, or None."""
    words = len(sentence.words)
    head = find_heads(sentence, 0, words)
    if sentence.is_question:
        asks = find_near_head(sentence, "remember ask", head)
        if asks:
            return find_heads(sentence, asks[0][1], words), words, False
        return find_agreed(sentence, head)
    if asks := find_near_head(sentence, "remember", head):
        return find_heads(sentence, max(after for _, after in asks), words), words, False
    if kept := find_kept(sentence, head):
        return kept
    orders = [
        (at, after) for at, after in find_near_head(sentence, "standing", head) if not tells_of_others(sentence, at)
    ]
    if orders:
        is_told = tells_of_somebody(sentence, 0, max(orders)[0]) or goes_on_with_self(sentence, max(orders)[1])
        return None if is_told else (min(head, orders[0][0]), words, True)
    return find_trailing_request(sentence, head)


def find_kept(sentence: Sentence, head: int) -> RememberRequest | None:
    """ "Pop this down somewhere: ...": a verb of putting away, what is put or where, and behind a mark what it is."""
    words = len(sentence.words)
    verbs = [after for at, after in sentence.spans(MARK + "keep verb") if head <= at <= head + FURTHEST or at == 0]
    marks = [at for at in range(head + 1, words) if sentence.words[at] == ":" or at in sentence.breaks]
    mark = next((at for at in marks if verbs and at >= min(verbs)), words)
    if not verbs or mark - head > LONGEST_ORDER or words - mark < LEAST_TOLD:
        return None
    pieces = sentence.spans(MARK + "keep place")
    is_put = any(head <= at < mark for at, _ in pieces) or any(
        at == head and after <= mark for at, after in sentence.spans(MARK + "keep this")
    )
    return (mark + (sentence.words[mark] == ":"), words, False) if is_put else None


def find_agreed(sentence: Sentence, head: int) -> RememberRequest | None:
    """ "From now on no emojis, ok?": a standing wish that only asks to be confirmed."""
    last = max(sentence.breaks, default=0)
    is_tag = last > 0 and len(sentence.words) - last <= LEAST_TOLD and sentence.has_at(last, MARK + "tag")
    return (head, last, True) if is_tag and find_near_head(sentence, "standing", head) else None


def find_trailing_request(sentence: Sentence, head: int) -> RememberRequest | None:
    """ "My middle name is Quill, remember that", "use metric from now on": the request comes last."""
    words = len(sentence.words)
    for kind, is_standing in (("remember", False), ("standing", True)):
        for at, after in sentence.spans(MARK + kind):
            is_parted = is_standing or at in sentence.breaks
            if after == words and at - head >= LEAST_TOLD and is_parted:
                return (
                    None
                    if is_standing and tells_of_somebody(sentence, head, at)
                    else (head, words if is_standing else at, is_standing)
                )
    return None


def find_near_head(sentence: Sentence, kind: str, head: int) -> list[tuple[int, int]]:
    spans = sentence.spans(MARK + kind)
    speakers = [at for at, _ in sentence.spans(MARK + "i")]
    return [
        (at, after)
        for at, after in spans
        if (at in {0, head} or at <= FURTHEST) and not any(speaker < at for speaker in speakers)
    ]


def tells_of_others(sentence: Sentence, place: int) -> bool:
    """ "Nurses always drink cold coffee": who does so stands right before "always", where "please" or a name might."""
    is_parted = place in sentence.breaks or place == 0
    is_adverb = sentence.has_at(place, MARK + "habit")
    if not is_adverb or is_parted or sentence.words[place - 1] in load_small_words():
        return False
    # "Answer always in metric".
    return STYLE not in find_constraint(sentence.raw)


def tells_of_somebody(sentence: Sentence, start: int, end: int) -> bool:
    """ "My boss shouts always", "I never eat meat": a statement, whatever word of lasting it holds."""
    kinds = (MARK + "i", MARK + "my", MARK + "third", "kin", "workmate", NOUNS)
    # "Ceno siempre con Julián": where the verb alone says who, its ending does.
    verbs = (at for at, _ in sentence.spans(MARK + "verb ending") if sentence.words[at].endswith(FIRST_PERSON))
    return any(start <= at < end for at in [*(at for at, _ in sentence.spans(*kinds)), *verbs])


def goes_on_with_self(sentence: Sentence, place: int) -> bool:
    """ "From now on I take the tram", "ab jetzt nehm ich die Straßenbahn": what the person does, and no wish."""
    verbs = [at for at, _ in sentence.spans(MARK + "verb ending") if sentence.words[at].endswith(FIRST_PERSON)]
    # "A partir de ahora soy jefa de turno": the verb alone says who.
    own = (at for at, _ in sentence.spans(MARK + "i", MARK + "i am"))
    is_own = any(place <= at <= place + 1 for at in [*own, *verbs])
    return is_own and STYLE not in find_constraint(sentence.raw)


def word_body(whole: AnnotatedText, index: int, request: RememberRequest, place: int) -> tuple[str, bool]:
    """The words that are to be remembered, none where it is a question, and whether the next sentence holds any."""
    sentence, after = whole.own_sentences[index], next(iter(whole.own_sentences[index + 1 :]), None)
    start, stop, _ = request
    start += sum(1 for _ in takewhile(lambda word: word == ":", sentence.words[start:]))
    body = word_statement(sentence, cut_clauses(sentence), start, stop)
    if after is None or after.is_question:
        is_left_open = stop - start < LEAST_TOLD or (sentence.is_question and after is not None)
        return ("" if is_left_open else body), False
    if sentence.is_question:
        return f"{body} {word_whole(after)}", True
    if stop - start < LEAST_TOLD:
        return word_whole(after), True
    # "The export fails on ERR_7781; restart the worker": the half behind the semicolon is what helped.
    goes_on = whole.text[place + len(sentence.raw) :].lstrip().startswith(";")
    return (f"{body.rstrip('.')}; {after.raw}", True) if goes_on else (body, False)


def turn_back(sentence: Sentence, request: RememberRequest | None, found: list[SentenceReading]) -> bool:
    """Mark the sentence before, where this one asks to remember it: "Nut allergy, really bad. Remember that please"."""
    if not found or request is None or not points_back(sentence, request):
        return False
    before = found[-1]
    if not before.is_open or before.sentence.is_question or before.is_request or before.is_partial:
        return False
    said, span = word_whole(before.sentence), (before.place, before.place + len(before.sentence.raw))
    claims = before.claims or (Claim("you", REQUEST, said.rstrip("."), said, span),)
    found[-1] = replace(before, claims=tuple(replace(one, is_request=True) for one in claims), is_request=True)
    return True


def points_back(sentence: Sentence, request: RememberRequest) -> bool:
    """Whether nothing follows the request but "that please" and the like."""
    start, stop, is_standing = request
    rest = " ".join(sentence.words[start:stop])
    is_last = stop == len(sentence.words) and not is_standing and not sentence.is_question
    return is_last and load_pointing().fullmatch(rest) is not None


@cache
def load_pointing() -> re.Pattern[str]:
    """Any words by which a request points at what was said, in any language, and those of politeness behind them."""
    words = sorted(collect_entries("slots", "pointing"), key=len, reverse=True)
    return re.compile(rf"(?:(?:{'|'.join(map(re.escape, words))})(?: |$)){{0,{LEAST_TOLD}}}")


def name_request(sentence: Sentence, body: str, *, is_standing: bool) -> str:
    """ "Carry an epipen always" is no wish about answers, "answer in metric always" is one."""
    is_last = any(after == len(sentence.words) for _, after in sentence.spans(MARK + "standing"))
    if is_standing and not (is_last and find_constraint(body) - {STYLE, ANYTHING}):
        return STYLE
    return REQUEST


def restore_quoted(claim: Claim, sentence: Sentence, masked: str, normal: str) -> Claim:
    """A request with what it quotes: 'stop opening with "Great question"' means those words."""
    at = masked.find(sentence.raw) if HOLE in sentence.raw else -1
    if at < 0:
        return claim
    said = " ".join(normal[at : at + len(sentence.raw)].split())
    return replace(claim, statement=said[:1].upper() + said[1:]) if len(said) <= LONGEST else claim


def is_forget_order(sentence: str) -> bool:
    """ "Forget about Bramble, it makes me sad": the last thing to be kept about somebody."""
    command = read_command(sentence)
    return command is not None and command.action is CommandAction.FORGET
