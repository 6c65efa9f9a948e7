"""Reads the claims of a text, clause by clause."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, takewhile
from typing import Final

from memory.claims.claim import Claim, ClaimTense
from memory.claims.clauses import HEBREW_AND_I, ClauseTokens, cut_clauses, find_heads
from memory.claims.lexicon import MARK, list_nouns, load_claim_words, strip_marks
from memory.claims.mentions import collect_mentions
from memory.claims.objects import find_object, find_object_before, find_time
from memory.claims.openings import NOUNS, PERSON_NOUNS, PRONOUN, WITHIN_PHRASE, ClauseOpening, find_opening, is_person
from memory.claims.relations import REQUEST
from memory.claims.requests import LEAST_TOLD, find_request
from memory.claims.voices import TITLE_DOT, has_frame, has_other_voice, mask_other_voices, speaks_for_others
from memory.guard import find_order, find_secret, speech
from memory.guard.annotation import AnnotatedText, Sentence, Span, annotate_text
from memory.guard.lexicon import WORD
from memory.guard.spelling import normalise_text
from memory.language.loader import list_codes, read_entries

# Characters of a text that are read: what goes on longer is pasted, and often somebody else's.
READ: Final = 2000
LONGEST: Final = 300
# Words of a sentence that are read: 2,000 characters without a full stop took 180 ms when all were.
MOST_WORDS: Final = 100
VERB_LAST: Final = frozenset({"dass", "daß"})
MOST_CLAIMS: Final = 12
POINTED_WITHIN: Final = 4
TASK_WITHIN: Final = 6
LONGEST_NAME: Final = 4
# Words from which a clause about "it" or "her" may hold, besides, the name of what it is about.
SHORTEST_ALONE: Final = 6
# Words behind the last comma of a question that make it one of its own: "..., right?" asks about the statement.
SHORTEST_WRITTEN_ON: Final = 2
SHORTEST_TAIL: Final = 3
SELF_CONTAINED: Final = frozenset({"identity", "work", "manner style", "technical", "creative"})
POINTING: Final = frozenset(
    {"preferences", "interests", "projects", "challenges", "identity", "work", "learning", "goals"}
)
TASKS: Final = frozenset({"preferences", "interests", "projects", "learning", "goals", "manner style"})
# Relations whose phrase may be all there is: "I'm left-handed", "he is nine years old".
# Relations that hold beside words of a task: of 67 turns about code and documents 26 gave a claim without the rest.
AT_EASE: Final = frozenset({"name", "works_as", "studies", "speaks", "allergic_to", "has_condition", "style"})
LASTING: Final = frozenset({"identity", "preferences", "family", "colleagues", "challenges", "work", ""})


@dataclass(frozen=True, slots=True)
class ClauseGroup:
    """Clauses that make one statement: those that open it, and what is added to them."""

    start: int
    end: int
    openings: tuple[ClauseOpening, ...]


def read_claims(text: str, previous: Sequence[str] = ()) -> list[Claim]:
    """The claims of a text in its order. ``previous`` are earlier turns of the same person, oldest first."""
    original = normalise_text(text[:READ])
    masked = mask_other_voices(original)
    whole = annotate_text(masked, load_claim_words())
    if speaks_for_others(whole):
        return []
    mentions = collect_mentions(previous)
    is_laughing = speech.is_joke(whole)
    found: list[Claim] = []
    place = 0
    skip = False
    before = previous[-1] if previous and len(previous[-1]) <= LONGEST // 2 else ""
    for index, sentence in enumerate(map(prepare_sentence, whole.own_sentences)):
        place = max(place, masked.find(sentence.raw[:12], place))
        if skip:
            skip = False
            continue
        request = find_request(sentence)
        if request is not None and not has_frame(sentence):
            claim, skip = read_request(whole, index, request, place)
            if claim is not None:
                found.append(claim)
                continue
        if has_other_voice(sentence) or find_secret(sentence.raw) or find_order(sentence.raw):
            continue
        claims = [resolve_pronoun(claim, before) for claim in read_sentence(sentence, whole, mentions, place)]
        # Who laughs may still tell of a change; what only sounds like a fact is a joke.
        found += [claim for claim in claims if claim and not (is_laughing and claim.tense == "present")]
        mentions |= collect_mentions([sentence.raw])
        before = word_statement(sentence, cut_clauses(sentence), 0, len(sentence.words))
    return found[:MOST_CLAIMS]


def prepare_sentence(sentence: Sentence) -> Sentence:
    """With all nouns under one kind, and no longer than a person speaks: clauses look at all words of a kind."""
    kinds = sentence.spans_by_kind
    nouns = [kind for kind in list_nouns() if kind in kinds]
    if nouns:
        persons = [kind for kind in nouns if is_person(strip_marks(kind))]
        kinds = {**kinds, NOUNS: sentence.spans(*nouns), PERSON_NOUNS: sentence.spans(*persons)}
    if len(sentence.words) <= MOST_WORDS:
        return replace(sentence, spans_by_kind=kinds) if nouns else sentence
    short = {kind: [span for span in spans if span[1] <= MOST_WORDS] for kind, spans in kinds.items()}
    ends = [match.end() for match in islice(WORD.finditer(sentence.raw), MOST_WORDS)]
    words = sentence.words[:MOST_WORDS]
    known = {kind: spans for kind, spans in short.items() if spans}
    return replace(sentence, raw=sentence.raw[: ends[-1]], words=words, spans_by_kind=known)


def resolve_pronoun(claim: Claim, before: str) -> Claim | None:
    """ "He goes by Duke now" says nothing without the sentence before it."""
    if claim.subject != PRONOUN:
        return claim
    if before and len(before) + len(claim.statement) < LONGEST:
        return replace(claim, statement=f"{before} {claim.statement}")
    return claim if claim.statement.count(" ") >= SHORTEST_ALONE else None


def read_request(
    whole: AnnotatedText, index: int, request: tuple[int, int, bool], place: int
) -> tuple[Claim | None, bool]:
    """What is to be remembered, and whether the next sentence holds it."""
    sentence = whole.own_sentences[index]
    start, stop, is_standing = request
    tokens = cut_clauses(sentence)
    start += sum(1 for _ in takewhile(lambda word: word == ":", sentence.words[start:]))
    body = word_statement(sentence, tokens, start, stop)
    takes_next = stop - start < LEAST_TOLD or (sentence.is_question and index + 1 < len(whole.own_sentences))
    if takes_next:
        if index + 1 >= len(whole.own_sentences):
            return None, False
        after = whole.own_sentences[index + 1]
        if after.is_question:
            return None, False
        body = (
            f"{body} {word_statement(after, cut_clauses(after), 0, len(after.words))}"
            if sentence.is_question
            else (word_statement(after, cut_clauses(after), 0, len(after.words)))
        )
    if len(body) > LONGEST or len(body) < 3:
        return None, False
    span = (place, place + len(sentence.raw))
    found_claim = next(iter(read_sentence(sentence, whole, frozenset(), place)), None) if not takes_next else None
    if found_claim is not None and not is_standing:
        return replace(found_claim, statement=body, span=span, is_request=True), False
    relation = "style" if is_standing else REQUEST
    return Claim("you", relation, body.rstrip("."), body, span, lang=find_language(whole), is_request=True), takes_next


def read_sentence(sentence: Sentence, whole: AnnotatedText, mentions: frozenset[str], place: int) -> Iterable[Claim]:
    tokens = cut_clauses(sentence)
    for group in group_clauses(sentence, tokens, whole, mentions):
        if (end := find_statement_end(sentence, group)) is None:
            continue
        start = group.openings[0].start
        statement = word_statement(sentence, tokens, start, end)
        if len(statement) > LONGEST or not statement:
            continue
        span = (place + tokens.starts[start], place + tokens.ends[end - 1])
        for opening in group.openings:
            claim = build_claim(sentence, tokens, opening, end, statement, span, whole)
            # "I live in Leeds and remember that I'm allergic": the request stands within the sentence.
            is_request = has_within(sentence, group.start, start, MARK + "remember")
            yield replace(claim, is_request=is_request) if is_request else claim


def group_clauses(
    sentence: Sentence, tokens: ClauseTokens, whole: AnnotatedText, mentions: frozenset[str]
) -> list[ClauseGroup]:
    segments = list(tokens.segments)
    if sentence.is_question:
        if len(segments) < 2 or is_tag(sentence, segments[-1][0][0], segments[-1][-1][1]):
            return []
        segments.pop()
    drops = bool(whole.languages and whole.languages & load_dropping_languages())
    is_greeting = any(one.has("greeting") for one in whole.own_sentences[:2])
    groups: list[ClauseGroup] = []
    is_open = False
    for segment in join_asides(sentence, segments):
        for start, end in segment:
            head = find_heads(sentence, start, end)
            opening = find_opening(sentence, start, end, head, mentions, drops_subjects=drops, is_greeting=is_greeting)
            if opening is None or not (opening.is_explicit or not is_open):
                if is_open and not (start == segment[0][0] and starts_anew(sentence, start, end)):
                    last = groups[-1]
                    more = (opening,) if opening is not None else ()
                    groups[-1] = ClauseGroup(last.start, end, (*last.openings, *more))
                else:
                    is_open = opening is not None
                    if opening is not None:
                        groups.append(ClauseGroup(start, end, (opening,)))
                continue
            groups.append(ClauseGroup(start, end, (opening,)))
            is_open = True
    return groups


def is_tag(sentence: Sentence, start: int, end: int) -> bool:
    """Whether the end of a question asks about the statement before it: "I'm allergic to nuts, right?"."""
    return end - start < SHORTEST_TAIL and sentence.has_at(start, MARK + "tag")


def join_asides(sentence: Sentence, segments: Sequence[tuple[Span, ...]]) -> list[tuple[Span, ...]]:
    """A noun that stands alone before a mark belongs to what follows: "My dad, who's eighty-one, still runs"."""
    found: list[tuple[Span, ...]] = []
    held: int | None = None
    for segment in segments:
        start, end = segment[0][0], segment[-1][1]
        if held is None and len(segment) == 1 and is_bare_noun(sentence, start, end):
            held = start
            found.append(segment)
        elif held is not None:
            found[-1] = ((held, end),)
            held = None
        else:
            found.append(segment)
    return found


def is_bare_noun(sentence: Sentence, start: int, end: int) -> bool:
    head = find_heads(sentence, start, end)
    if end - head > POINTED_WITHIN or not sentence.has_at(head, MARK + "my", MARK + "the"):
        return False
    return any(head < at and after in {end - 1, end} for at, after in sentence.spans(NOUNS))


def starts_anew(sentence: Sentence, start: int, end: int) -> bool:
    """Whether what follows a statement is no part of it: a request, or what the person asks for."""
    return any(start <= at < end for at, _ in sentence.spans("request", "you", "cut", MARK + "remember"))


@cache
def load_dropping_languages() -> frozenset[str]:
    """Languages whose verbs need no pronoun: "vivo en" names its subject."""
    return frozenset(code for code in list_codes() if read_entries(code, "claims", "drop"))


def find_statement_end(sentence: Sentence, group: ClauseGroup) -> int | None:
    """Where a statement ends, or None where it says too little by itself or does not mean what it says."""
    first = group.openings[0]
    end = next((at for at, _ in sentence.spans("cut") if first.end <= at < group.end), group.end)
    # Laughter behind a statement is no part of it; the guard takes a text that laughs for a joke.
    end = next((at for at, _ in sentence.spans("joke") if first.end < at < end), end)
    if first.relation == "name":
        end = find_end_of_name(sentence, first.end, end)
    size = end - first.end
    if size < 1 and first.category not in SELF_CONTAINED and not (first.is_left or first.relation in WITHIN_PHRASE):
        return None
    if has_within(sentence, group.start, end, "would", apart=(first.start, first.end)):
        return None
    if is_of_passing(sentence, group, first, end):
        return None
    is_pointing = first.category in POINTING or first.relation in {"likes", "dislikes"}
    within = POINTED_WITHIN if is_pointing else 0 if first.category == "" and not first.is_free else -1
    if points_at_conversation(sentence, first.end, end, within):
        return None
    if first.category in TASKS | {""} and has_within(sentence, first.end, min(end, first.end + TASK_WITHIN), "task"):
        return None
    if first.relation == "name" and not is_name(sentence, first.end, end):
        return None
    if first.category == "manner style" and not says_manner(sentence, first.end, end):
        return None
    return end


def is_of_passing(sentence: Sentence, group: ClauseGroup, first: ClauseOpening, end: int) -> bool:
    """Whether it holds for today only, is a plan, an opinion, or an episode among people."""
    if first.category in {"family", "colleagues"} and has_within(sentence, first.start, first.end, MARK + "opines"):
        return True
    if first.category in FAMILIES_OF_RULES:
        if sentence.has("opinion") or has_within(sentence, group.start, end, MARK + "past"):
            return True
        is_today = has_within(sentence, group.start, end, "today") or feels_so_now(sentence, group.start, end)
        return first.category in LASTING and is_today
    if first.relation not in AT_EASE and has_within(sentence, group.start, len(sentence.words), MARK + "machine"):
        return True
    apart = (max(first.start, first.phrase), 0 if first.is_left else first.end)
    if has_within(sentence, group.start, end, MARK + "plan", MARK + "opines", apart=apart):
        return True
    if has_within(sentence, group.start, end, MARK + "temporary", MARK + "past"):
        return True
    if first.is_free and has_within(sentence, group.start, end, MARK + "episode", "request"):
        return True
    if first.relation in {"is", "works_as"} and sentence.has("opinion"):
        return True
    if (first.is_free or first.relation in {"is", "works_as"}) and feels_so_now(sentence, group.start, end):
        return True
    is_new = has_within(sentence, group.start, end, MARK + "change", MARK + "over")
    return not is_new and has_within(sentence, group.start, end, "today")


def feels_so_now(sentence: Sentence, start: int, end: int) -> bool:
    return has_within(sentence, start, end, "state", "weather", "errand") and speech.is_passing_state(sentence)


FAMILIES_OF_RULES: Final = SELF_CONTAINED | POINTING | TASKS | {"name", "family", "colleagues", "values"}


def has_within(sentence: Sentence, start: int, end: int, *kinds: str, apart: tuple[int, int] | None = None) -> bool:
    return any(
        start <= at < end and not (apart and apart[0] <= at < apart[1])
        for kind in kinds
        for at, _ in sentence.spans(kind)
    )


def find_end_of_name(sentence: Sentence, start: int, end: int) -> int:
    """A name ends with its clause: "my name is Ana and I need a train"."""
    joints = (
        at for at in range(start, end) if sentence.words[at] in {"and", "but", "und", "aber", "et", "mais", "y", "e"}
    )
    return min(end, *(at for at in (*sentence.breaks, *joints, end) if at > start))


def points_at_conversation(sentence: Sentence, place: int, end: int, within: int) -> bool:
    """Whether something that only the conversation shows is meant: "the second option", "this", but not "this year"."""
    return any(
        0 <= there - place <= within
        and there < end
        and not sentence.has_at(there, "near", MARK + "change", MARK + "habit")
        and not any(place < mark <= there for mark in sentence.breaks)
        for there, _ in sentence.spans("there")
    )


def is_name(sentence: Sentence, start: int, end: int) -> bool:
    """A few words that begin with a capital, or a single one: "my name is noa"."""
    size = end - start
    has_capital = start in sentence.capitals or any("א" <= char <= "ת" for char in sentence.raw)
    return size == 1 or (size <= LONGEST_NAME and has_capital)


def says_manner(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a wish about answers is one for all of them: "call me Jo", "always answer in Hebrew"."""
    is_address = end - start < LONGEST_NAME and start in sentence.capitals
    return end == start or sentence.has("manner") or is_address


def build_claim(
    sentence: Sentence,
    tokens: ClauseTokens,
    opening: ClauseOpening,
    end: int,
    statement: str,
    span: tuple[int, int],
    whole: AnnotatedText,
) -> Claim:
    if opening.is_left:
        stop = opening.phrase if opening.phrase > opening.start else opening.end
        first, last = find_object_before(sentence, opening.start, max(opening.start + 1, stop))
    else:
        first, last = find_object(sentence, min(opening.end, end), end)
    time = find_time(sentence, last, end)
    is_over = has_within(sentence, opening.start, end, MARK + "over")
    tense: ClaimTense = "present"
    if is_over:
        tense = "over"
    elif has_within(sentence, opening.start, end, MARK + "change"):
        tense = "new"
    negated = has_within(sentence, opening.start, max(opening.end, opening.start + 1), MARK + "not")
    return Claim(
        subject=opening.subject,
        relation=opening.relation,
        object=cut_words(sentence, tokens, first, last).casefold(),
        statement=statement,
        span=span,
        category=opening.category or opening.people,
        polarity=not (negated or (is_over and tense == "over")),
        hedged=not opening.category and sentence.has(MARK + "hedge"),
        tense=tense,
        time=find_reach(sentence)
        if opening.category == "goals"
        else cut_words(sentence, tokens, *time)
        if time
        else "",
        lang=find_language(whole),
    )


def find_reach(sentence: Sentence) -> str:
    """How far a goal reaches: "by June", "in ten years"."""
    return "far" if sentence.has("far") else "near" if sentence.has("near") else ""


def find_language(whole: AnnotatedText) -> str:
    return next((code for code in list_codes() if code in (whole.languages or ())), "")


def cut_words(sentence: Sentence, tokens: ClauseTokens, start: int, end: int) -> str:
    if not start < end <= len(tokens.ends):
        return ""
    return sentence.raw[tokens.starts[start] : tokens.ends[end - 1]].replace(TITLE_DOT, ".")


def has_written_on(sentence: Sentence, place: int) -> bool:
    """Whether "and" or "that" is written onto the word, as Hebrew does: ואני, שאני."""
    word = sentence.words[place]
    if word[0] == "ש" and len(word) > SHORTEST_WRITTEN_ON:
        return sentence.has_at(place, MARK + "i", MARK + "have", MARK + "not", MARK + "third")
    return HEBREW_AND_I.fullmatch(word) is not None


def word_statement(sentence: Sentence, tokens: ClauseTokens, start: int, end: int) -> str:
    """The words from one place up to another, as they were written, as a sentence."""
    if start >= len(tokens.starts) or start >= end:
        return ""
    first = tokens.starts[start] + (1 if has_written_on(sentence, start) else 0)
    until = tokens.starts[end] if end < len(tokens.starts) else len(sentence.raw)
    text = " ".join(sentence.raw[first:until].replace(TITLE_DOT, ".").split()).rstrip(" ,;:-–—.!?¡¿")
    if start > 0 and sentence.words[start - 1] in VERB_LAST:
        text = move_verb(text, 1 if sentence.has_at(start, MARK + "i", MARK + "third") else 2)
    return f"{text[:1].upper()}{text[1:]}."


def move_verb(text: str, place: int) -> str:
    """A German clause behind "dass" as a sentence: "ich keine Milch vertrage" is "ich vertrage keine Milch"."""
    words = text.split()
    if len(words) <= place + 1 or not words[-1][0].islower() or any("," in word for word in words):
        return text
    return " ".join([*words[:place], words[-1], *words[place:-1]])
