"""Signals from the conversation itself: repeated questions and topic continuity. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from knowledge_graph.insights.findings import RECENT_MINUTES, ConversationTopic, Repetition
from knowledge_graph.insights.graphs import KnownTopic
from knowledge_graph.insights.question import WORD
from memory.language.folding import fold_text
from memory.language.intents import OPENS_ASKING

JUST_NOW = timedelta(minutes=RECENT_MINUTES)
# Jaccard overlap of two questions' words from which one repeats the other.
ALIKE = 0.6
# Once before is chance; from twice on the answer did not hold.
OFTEN = 2
MOST_TOPICS = 4
MOST_RELATED = 3


def find_repetition(
    query: str,
    messages: Sequence[Mapping[str, Any]],
    questions: Sequence[Mapping[str, Any]],
    recent: Sequence[str],
    thread_id: str,
    now: datetime,
) -> Repetition | None:
    """``messages`` are the user's part of this thread, ``questions`` are those of any thread with a word in common.

    ``recent`` is what the client says was asked just before; it need not have been stored.
    """
    words = frozenset(WORD.findall(query.casefold()))
    in_thread_rows = [(row["text"], datetime.fromisoformat(row["at"])) for row in messages]
    elsewhere = [(row["text"], datetime.fromisoformat(row["at"])) for row in questions if not row["is_here"]]
    is_asked = is_asking(query)
    repeated = [one for one in in_thread_rows if is_asking(one[0]) == is_asked and measure_overlap(words, one[0])]
    others = [one for one in elsewhere if is_asking(one[0]) == is_asked and measure_overlap(words, one[0])]
    times = len(repeated) + len(others)
    just_now = [one for one in repeated if now - one[1] <= JUST_NOW]
    if not just_now:
        just_now = [(text, now) for text in recent if is_asking(text) == is_asked and measure_overlap(words, text)]
        times += len(just_now)
    # Without a thread, what was asked a moment ago in any may be this conversation.
    moments_ago = [] if thread_id else [one for one in others if now - one[1] <= JUST_NOW]
    if not just_now and not moments_ago and times < OFTEN:
        return None
    text, at = max(just_now or [*repeated, *others], key=lambda one: one[1])
    minutes = max(0, int((now - at).total_seconds() // 60))
    return Repetition(text, at, times, in_thread=bool(just_now), minutes_ago=minutes, is_asked=is_asked)


def is_asking(text: str) -> bool:
    """ "Suis-je enceinte ?" does not repeat "Je suis enceinte.", which answers it."""
    folded = fold_text(text)
    return "?" in folded or OPENS_ASKING.search(folded) is not None


def measure_overlap(words: frozenset[str], text: str) -> bool:
    others = frozenset(WORD.findall(text.casefold()))
    together = words | others
    return bool(together) and len(words & others) / len(together) >= ALIKE


def find_topics(
    topics: Mapping[str, str],
    before: Mapping[str, tuple[str, int]],
    known: Mapping[str, KnownTopic],
    related: Mapping[str, Sequence[str]],
) -> list[ConversationTopic]:
    """Topics the question shares with earlier messages or, if it names none itself, their topics.

    ``before`` are the topics of earlier messages with how many name them, ``known`` those in the graphs.
    """
    shared = [key for key in before if key in topics]
    if not shared and not topics:
        shared = list(before)
    found = []
    for key in shared[:MOST_TOPICS]:
        node = known.get(key)
        found.append(
            ConversationTopic(
                node.label if node else before[key][0],
                tuple(related.get(key, ())[:MOST_RELATED]),
                node.times if node else 0,
                node.last_at if node else None,
            )
        )
    return found
