"""What a question looks for, in terms of the vocabulary: topics, what it names, from when, in which conversation."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memory.enrichment.entities import find_mentions
from memory.language.folding import fold_text
from memory.language.periods import TimeWindow, find_window
from memory.vocabulary.cues import read_cues
from memory.vocabulary.matching import find_terms
from memory.vocabulary.terms import ControlledVocabulary, TermKind

# A question about a day names it; the day itself is no more a thing to look for than "what" is.
NOT_LOOKED_FOR = frozenset({"date"})
THIS_CONVERSATION = "this conversation"


@dataclass(frozen=True, slots=True)
class QueryIntent:
    """``topics`` with the retired ones that they took the place of, ``entities`` as keys; ``window`` None for any time.

    ``is_of_this_thread``: the question says that it is about this conversation alone.
    """

    topics: frozenset[str]
    entities: frozenset[str]
    window: TimeWindow | None = None
    is_of_this_thread: bool = False


def select_looked_for(types: Iterable[str]) -> frozenset[str]:
    return frozenset(types) - NOT_LOOKED_FOR


def read_intent(query: str, vocabulary: ControlledVocabulary, *, now: datetime) -> QueryIntent:
    """By rules: the same that label messages, so that both sides speak of a matter in the same terms."""
    known = set(vocabulary.list_names(TermKind.TOPIC)) - {vocabulary.find_fallback(TermKind.TOPIC)}
    topics = known & find_terms(query, vocabulary).spans.keys()
    types = select_looked_for(vocabulary.list_names(TermKind.ENTITY_TYPE))
    return QueryIntent(
        topics=vocabulary.widen(TermKind.TOPIC, topics),
        entities=frozenset(one.key for one in find_mentions(query, types)),
        window=find_window(fold_text(query), now),
        is_of_this_thread=THIS_CONVERSATION in read_cues(query).cues,
    )
