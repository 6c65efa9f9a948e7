"""What stands behind "is": a name, an occupation or a quality, of somebody or of a thing."""

from dataclasses import dataclass
from typing import Final

from memory.claims.frames.introducing import presents_self
from memory.claims.frames.jobs import matches_job
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.phrases import SPEAKER, NounPhrase, PhraseReader
from memory.claims.frames.qualities import is_listed, is_quality, is_told_small, may_be_people, strip_degree
from memory.claims.frames.subjects import HotSubject
from memory.claims.taxonomy import ANIMALS, PEOPLE
from memory.language.hebrew import HEBREW
from memory.language.names import load_given_names

# Words of a name.
MOST_OF_NAME: Final = 3
ALIVE: Final = PEOPLE | ANIMALS
# Which word of a phrase says what somebody does: the last in English and German, the first in the others.
HEAD_LAST: Final = frozenset({"en", "de"})


@dataclass(frozen=True, slots=True)
class PredicatePlace:
    """The verb of a predicate, whose it is, and where its words begin."""

    verb: int
    start: int
    subject: HotSubject
    is_denied: bool
    is_ended: bool


def classify_predicate(
    reader: PhraseReader, stack: MentionStack, place: PredicatePlace, phrase: NounPhrase
) -> tuple[str, str]:
    """Which relation a predicate tells, or none."""
    if place.subject.is_speaker and is_own_name(reader, phrase, place):
        return "name", phrase.head
    if not is_alive(place.subject, stack):
        return "", ""
    if is_occupation(reader, phrase):
        return "works_as", strip_degree(phrase.head, reader)
    return ("is", strip_degree(phrase.head, reader)) if is_quality(reader, phrase) else ("", "")


def is_name_phrase(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """Whether a phrase is a name by its capitals, or by its words where nobody writes capitals: "my boss is agnese"."""
    if phrase.owner:
        return False
    if phrase.has_article and reader.tokens[phrase.end - len(phrase.head.split())].has("title"):
        return True
    at = max(phrase.end - len(phrase.head.split()), phrase.start)
    # "La doctora quintanilla", and not "profesora jubilada".
    if reader.tokens[at].has("title") and phrase.end - at > 1 and not reader.tokens[at + 1].has("quality"):
        return True
    if phrase.relation and phrase.has_article:
        return False
    if reader.has_capitals and reader.words.language != "de":
        # "Agnese" ends as peoples do, which have a capital in English alone.
        ends_so = reader.words.language == "en" and may_be_people(reader, phrase.head.split()[-1])
        is_told = ends_so or reader.tokens[at].has("quality") or is_occupation(reader, phrase)
        return reader.tokens[at].is_capital and (not is_told or reader.tokens[at].plain in load_given_names())
    if phrase.has_article and reader.words.language != "de":
        return False
    token = reader.tokens[at]
    if reader.words.language == "de" and reader.has_capitals:
        return token.is_capital and not token.classes and not is_occupation(reader, phrase)
    # In Hebrew no capital and no ending tells a name from an adjective.
    return reader.is_sure_name_at(at) or (
        reader.words.language != HEBREW
        and not token.classes
        and not phrase.has_article
        and phrase.end - at == 1
        and phrase.end == len(reader.tokens)
        and not is_told_small(reader, token.text)
    )


def is_own_name(reader: PhraseReader, phrase: NounPhrase, place: PredicatePlace) -> bool:
    """Whether a predicate of the person is their name: "I'm Sam", "ich bin die Lea"."""
    tokens = reader.tokens
    at = place.start
    # "Ab November bin ich HiWi": nobody is called something from a day on. "Zu Fuß gekommen": "zu" is "too" and "to".
    is_led = tokens[at - 1].has("degree") and at - 1 > place.verb
    if is_led or any(token.has("time", "prep") for token in tokens[: place.verb]):
        return False
    is_introduced = False
    if tokens[at].has("det") and reader.words.language == "de":
        if tokens[at].text not in {"der", "die"}:
            return False
        at, is_introduced = at + 1, True
    elif tokens[at].has("name article") and at + 1 < len(tokens):
        at += 1
    stop = reader.find_name_end(at, len(tokens))
    if stop == at or stop - at > MOST_OF_NAME or phrase.end != stop:
        return False
    is_introduced = is_introduced or presents_self(tokens[: place.verb]) or reader.goes_on_with_age(stop)
    is_greeting = is_introduced and not tokens[at].classes and tokens[at].plain not in reader.words.nouns
    is_doing = reader.words.language == "en" and not tokens[at].is_capital and tokens[at].text.endswith("ing")
    if (
        is_doing
        or not (reader.is_sure_name_at(at) or is_greeting)
        or tokens[at].has("quality", "occupation", "passing")
    ):
        return False
    word = tokens[stop - 1].text
    if any(tokens[one].plain in load_given_names() for one in range(at, stop)):
        return True
    if reader.has_capitals and tokens[at].is_capital and reader.words.language not in HEAD_LAST:
        # Where nouns and peoples have small letters a capital is a name's.
        return True
    return not is_listed(reader, word)


def is_alive(subject: HotSubject, stack: MentionStack) -> bool:
    """Whether a subject is a person or an animal that was told of."""
    for name, phrase in zip(subject.names, subject.phrases or (None,) * len(subject.names), strict=False):
        if name == SPEAKER:
            continue
        mention = stack.find(name)
        is_named = phrase is not None and (phrase.relation in ALIVE or phrase.is_named)
        if not is_named and (mention is None or mention.kind not in {"person", "animal"}):
            return False
    return True


def is_occupation(reader: PhraseReader, phrase: NounPhrase) -> bool:
    words = phrase.head.replace("'", " ").split()
    if not words:
        return False
    tokens = reader.tokens[phrase.start : phrase.end]
    is_last = reader.words.language in HEAD_LAST
    noun = tokens[-1] if is_last else tokens[min(phrase.has_article, len(tokens) - 1)]
    if any(token.has("no occupation", "passing") for token in tokens) or noun.has("quality"):
        return False
    if phrase.start > 0 and reader.tokens[phrase.start - 1].text == "'s" and not phrase.has_article:
        # "My daughter's teacher": a clipped "is" leaves no article out.
        return False
    if any(token.has("occupation") for token in tokens):
        return True
    language = reader.words.language
    # "I'm Cuthbert, upholsterer in Hull".
    is_apposed = phrase.start > 0 and reader.tokens[phrase.start - 1].text == ","
    if language == "en" and not phrase.has_article and not is_apposed:
        return False
    head = words[-1] if language in HEAD_LAST else words[0]
    return matches_job(head, language)
