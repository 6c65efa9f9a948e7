"""Labels without a language model: by the vocabulary's aliases, cues and what the hot path reads of a turn. Pure."""

from collections import Counter
from typing import Final

from knowledge_graph.extraction.topics import select_topics
from memory.enrichment.entities import find_mentions
from memory.enrichment.labels import MOST_TOPICS, Confidence, Importance, MessageLabels
from memory.language.concepts import SUBJECT as CONCEPTS
from memory.language.loader import read_sections
from memory.language.stems import DEFAULT_LANGUAGE
from memory.vocabulary.cues import STRONG_FEELING, MessageCues, choose_term, read_cues
from memory.vocabulary.matching import TermMatches, find_terms
from memory.vocabulary.terms import ControlledVocabulary, TermKind

# A topic with less than this share of the words that speak for the strongest is not what a message is about.
LEAST_SHARE: Final = 0.34
URGENT: Final = frozenset({"urgent", "escalates", STRONG_FEELING})
# What neither tells nor wants anything.
IDLE_INTENTS: Final = frozenset({"REACTION"})
ASKING: Final = frozenset({"PURE_QUESTION", "REACTION"})
IDLE_CUES: Final = frozenset({"agrees", "praises"})


def label_message(text: str, vocabulary: ControlledVocabulary) -> MessageLabels:
    """``text`` are the words of one person, without the answer to them."""
    said = read_cues(text)
    found = find_terms(text, vocabulary)
    topics = choose_topics(found, said, vocabulary)
    fallback = vocabulary.find_fallback(TermKind.TOPIC)
    is_unknown = not topics
    given = topics or ((fallback,) if fallback else ())
    category = choose_term(vocabulary, TermKind.CATEGORY, said, frozenset(given))
    return MessageLabels(
        topics=given,
        category=category,
        message_type=choose_term(vocabulary, TermKind.MESSAGE_TYPE, said, frozenset(given)),
        importance=rate_importance(said, is_unknown=is_unknown, matters=does_matter(vocabulary, given, category, said)),
        entities=find_mentions(text, vocabulary.list_names(TermKind.ENTITY_TYPE)),
        confidence=Confidence.LOW if is_unknown else Confidence.HIGH if len(topics) == 1 else Confidence.MEDIUM,
        suggested_topic=suggest_topic(text) if is_unknown else "",
    )


def suggest_topic(text: str) -> str:
    """What a message without a topic is about, as the English word of a meaning that the languages share; empty for
    none. No other word: a name would tell the organisation of the person."""
    known = read_sections(DEFAULT_LANGUAGE, CONCEPTS)
    return next((key for key in sorted(select_topics(text)) if key in known), "")


def choose_topics(found: TermMatches, said: MessageCues, vocabulary: ControlledVocabulary) -> tuple[str, ...]:
    """At most three, the strongest first: by how many places of the text speak for each."""
    votes = Counter({name: count_places(spans) for name, spans in found.spans.items()})
    for term in vocabulary.by_kind[TermKind.TOPIC]:
        votes[term.name] += sum(relation in said.relations for relation in term.relations)
        votes[term.name] += sum(cue in said.cues for cue in term.cues)
    most = max(votes.values(), default=0)
    order = {name: place for place, name in enumerate(vocabulary.list_names(TermKind.TOPIC))}
    kept = [name for name, count in votes.items() if count and count >= LEAST_SHARE * most and name in order]
    return tuple(sorted(kept, key=lambda name: (-votes[name], order[name])))[:MOST_TOPICS]


def count_places(spans: tuple[tuple[int, int], ...]) -> int:
    """A phrase and a word within it are one place."""
    return len({begin for begin, _ in spans if not any(other < begin < end for other, end in spans)})


def does_matter(vocabulary: ControlledVocabulary, topics: tuple[str, ...], category: str, said: MessageCues) -> bool:
    """What a body, a birth or a dismissal changes is important however calmly it is told."""
    if said.intent in ASKING:
        return False
    of_topics = {term.matters for term in vocabulary.by_kind[TermKind.TOPIC] if term.name in topics}
    given = vocabulary.find_term(TermKind.CATEGORY, category)
    return "told" in of_topics or ("events" in of_topics and given is not None and given.matters == "events")


def rate_importance(said: MessageCues, *, is_unknown: bool, matters: bool) -> Importance:
    if matters or said.cues & URGENT:
        return Importance.HIGH
    if said.intent in IDLE_INTENTS or (is_unknown and said.cues & IDLE_CUES):
        return Importance.LOW
    if said.intent == "PURE_QUESTION" and not said.cues & {"follows up", "complains"}:
        return Importance.LOW
    return Importance.NORMAL
