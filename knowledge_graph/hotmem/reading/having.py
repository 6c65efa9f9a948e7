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
        return not (token.has("det", "my", "of", "article", "not") or has_number or token.has("condition"))
    return token.has("that", "participle")


def tell_things(
    reader: PhraseReader, stack: MentionStack, subject: HotSubject, verb: int, start: int
) -> Iterator[ClauseFact]:
    tokens = reader.tokens
    denied, ended = is_denied(tokens, verb, start, reader), is_ended(reader)
    number = read_number(tokens, start, len(tokens), reader.words.language)
    if number is not None and number[1] < len(tokens) and tokens[number[1]].has("age unit", "month"):
        is_month = tokens[number[1]].has("month")
        spoken = f"{number[0]} {tokens[number[1]].text}" if is_month else number[0]
        for name in subject.names if not denied else ():
            yield ClauseFact(name, "age", spoken, find_span(reader, verb, number[1] + 1))
        start = number[1] + 1
        if start >= len(tokens) or not tokens[start].has("conj"):
            return
        start += 1
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
    for owner in subject.names:
        yield ClauseFact(owner, "has", phrase.head, span, is_denied=is_denied, is_ended=is_ended)
    if is_denied or is_ended:
        return
    if phrase.count:
        yield ClauseFact(phrase.head, "quantity", phrase.count, span)
    found = find_time(reader, phrase.end, len(reader.tokens))
    if found is not None and found[1] - phrase.end <= 3:
        yield ClauseFact(phrase.head, "time", found[0], span)


def is_passing(reader: PhraseReader, phrase: NounPhrase) -> bool:
    return any(token.has("passing", "vague", "unit", "wh") for token in reader.tokens[phrase.start : phrase.end])
