"""What somebody has: things, relatives, animals, appointments; how many, and when."""

from collections.abc import Iterator, Sequence
from typing import Final

from knowledge_graph.hotmem.reading.details import find_time
from knowledge_graph.hotmem.reading.facts import ClauseFact
from knowledge_graph.hotmem.reading.frames import FrameMatch
from knowledge_graph.hotmem.reading.mentions import MentionStack
from knowledge_graph.hotmem.reading.naming import find_names, find_span
from knowledge_graph.hotmem.reading.negation import is_denied, is_ended
from knowledge_graph.hotmem.reading.numerals import read_number
from knowledge_graph.hotmem.reading.phrases import NounPhrase, PhraseReader
from knowledge_graph.hotmem.reading.subjects import HotSubject, find_subject
from knowledge_graph.hotmem.reading.taxonomy import ANIMALS, PEOPLE

# Languages in which a participle follows "have" directly, so that a thing needs an article or a number.
# Words between a thing and its time: "an appointment with the doctor on Monday".
REACH: Final = 3
REACH_OF_EVENT: Final = 7
NEEDS_ARTICLE: Final = frozenset({"fr", "it"})


def read_having(
    reader: PhraseReader,
    stack: MentionStack,
    frames: Sequence[FrameMatch],
    previous: tuple[str, ...],
    *,
    is_linked: bool,
) -> Iterator[ClauseFact]:
    tokens = reader.tokens
    for verb, token in enumerate(tokens):
        if not token.has("have 1", "have 3") or token.has("genitive"):
            continue
        is_third = token.has("have 3") and not token.has("have 1")
        subject = find_subject(reader, (verb, verb + 1), stack, previous, is_third=is_third, is_linked=is_linked)
        if subject is None or not subject.is_known:
            return
        start = verb + 1
        behind = [one for one in subject.phrases if one.start > verb]
        start = behind[-1].end if behind else start
        while (
            start < len(tokens)
            and tokens[start].has("adv", "clitic", "got", "approx", "not")
            and not tokens[start].has("det")
        ):
            start += 1
        if start >= len(tokens) or any(verb <= one.start <= start for one in frames) or is_auxiliary(reader, start):
            return
        yield from tell_things(reader, stack, subject, verb, start)
        return


def is_auxiliary(reader: PhraseReader, start: int) -> bool:
    """Whether "have" only helps another verb."""
    token = reader.tokens[start]
    language = reader.words.language
    if language == "de":
        last = next((one for one in reversed(reader.tokens) if not one.is_mark), token)
        is_participle = last.plain.startswith("ge") and last.plain.endswith(("t", "en")) and not last.is_capital
        return last is not token and (is_participle or last.has("frame", "verb"))
    if language == "en":
        return token.text.endswith("ed") or token.has("participle", "to", "frame")
    if language in NEEDS_ARTICLE:
        has_number = read_number(reader.tokens, start, len(reader.tokens), language) is not None
        is_thing = token.has("det", "my", "of", "article", "not", "condition", "event")
        return not (is_thing or has_number)
    return token.has("that", "participle")


def tell_things(
    reader: PhraseReader, stack: MentionStack, subject: HotSubject, verb: int, start: int
) -> Iterator[ClauseFact]:
    tokens = reader.tokens
    denied, ended = is_denied(tokens, verb, start, reader), is_ended(reader)
    years = read_years(reader, subject, verb, start)
    if years is not None:
        yield from () if denied else years[0]
        start = years[1]
    start = skip_to_thing(reader, start)
    phrases = list(reader.read_list(start, len(tokens)))
    for place, phrase in enumerate(phrases):
        if phrase.pronoun or is_passing(reader, phrase):
            continue
        names = [] if denied else list_names(reader, phrase, phrases[place + 1 :])
        if names:
            for name in names:
                for owner in subject.names:
                    relation = "friend_of" if phrase.relation == "friend" else phrase.relation
                    yield ClauseFact(owner, relation, name, find_span(reader, verb, phrase.end))
            return
        yield from tell_thing(reader, subject, phrase, verb, is_denied=denied, is_ended=ended)


def read_years(reader: PhraseReader, subject: HotSubject, verb: int, start: int) -> tuple[list[ClauseFact], int] | None:
    """An age, where that is something one has, and where what else one has begins."""
    tokens = reader.tokens
    number = read_number(tokens, start, len(tokens), reader.words.language)
    if number is None or number[1] >= len(tokens) or not tokens[number[1]].has("age unit", "month"):
        return None
    spoken = f"{number[0]} {tokens[number[1]].text}" if tokens[number[1]].has("month") else number[0]
    span = find_span(reader, verb, number[1] + 1)
    after = number[1] + 1
    goes_on = after + 1 < len(tokens) and tokens[after].has("conj")
    return [ClauseFact(name, "age", spoken, span) for name in subject.names], after + 1 if goes_on else len(tokens)


def skip_to_thing(reader: PhraseReader, start: int) -> int:
    """Behind partitives and the time that stands before a thing: "domani alle tre il dentista"."""
    tokens = reader.tokens
    while start + 1 < len(tokens) and tokens[start].has("of") and not tokens[start].has("det"):
        start += 1
    before = find_time(reader, 0, len(tokens))
    return before[2] if before is not None and start <= before[1] <= start + 1 else start


def list_names(reader: PhraseReader, phrase: NounPhrase, others: Sequence[NounPhrase]) -> list[str]:
    """ "Two dogs, Biscuit and Mabel", "a cat called Rex"."""
    if not phrase.relation:
        return []
    if phrase.name:
        return [phrase.name, *(one.head for one in others if one.is_named)]
    if phrase.relation not in PEOPLE | ANIMALS and not reader.tokens[min(phrase.end, len(reader.tokens) - 1)].has(
        "called"
    ):
        return []
    at = phrase.end
    while at < len(reader.tokens) and (
        reader.tokens[at].has("called", "named", "clitic", "rel") or reader.tokens[at].text in {",", ":", "(", "-", "—"}
    ):
        at += 1
    if at == phrase.end or at >= len(reader.tokens) or not reader.is_sure_name_at(at):
        return []
    return list(find_names(reader, at, len(reader.tokens)))


def tell_thing(
    reader: PhraseReader, subject: HotSubject, phrase: NounPhrase, verb: int, *, is_denied: bool, is_ended: bool
) -> Iterator[ClauseFact]:
    span = find_span(reader, verb, phrase.end)
    spoken = complete_noun(reader, phrase)
    for owner in subject.names:
        yield ClauseFact(owner, "has", spoken, span, is_denied=is_denied, is_ended=is_ended)
    if is_denied or is_ended:
        return
    if phrase.count:
        yield ClauseFact(phrase.head, "quantity", phrase.count, span)
    found = find_time(reader, phrase.end, len(reader.tokens)) or find_time(reader, 0, phrase.start)
    is_event = any(token.has("event") for token in reader.tokens[phrase.start : phrase.end])
    if found is not None and found[1] - phrase.end <= (REACH_OF_EVENT if is_event else REACH):
        yield ClauseFact(phrase.head, "time", found[0], span)


def complete_noun(reader: PhraseReader, phrase: NounPhrase) -> str:
    """ "Alergia al polen": what it is against belongs to it."""
    tokens, end = reader.tokens, phrase.end
    if end + 1 >= len(tokens) or not tokens[end - 1].has("complement") or not tokens[end].has("prep", "of"):
        return phrase.head
    other = reader.read_phrase(end + 1, len(tokens))
    return reader.cut(end - 1, other.end) if other is not None and not other.pronoun else phrase.head


def is_passing(reader: PhraseReader, phrase: NounPhrase) -> bool:
    if phrase.relation:
        return False
    return any(token.has("passing", "vague", "unit", "wh") for token in reader.tokens[phrase.start : phrase.end])
