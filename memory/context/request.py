"""What is asked of a context, and the search that it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.conf import memory_conf
from memory.context.budget import estimate_task, truncate_at_sentences
from memory.context.recent import ClientLimits, RecentMessage
from memory.language import build_query_groups
from memory.platform.deadline import Deadline
from memory.retrieval.results import SearchRequest

# Of the person's own messages, and so much of each: "and the second one?" is about what was said just before, and more
# of it would drown the question's own words.
RECENT_MESSAGES_USED = 2
SHORT_FOLLOW_UP = 4
RECENT_TOKENS = 60
# Words up to which a question that names nothing is read with what was said before it.
VAGUE_WORDS = 12
# Memories where they are short. Of 62 questions to a month of a life the answer is among the first five of 48, of 53
# among eight, of 55 among twelve.
MOST_SHORT = 8


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """``limit`` None: as many memories as the question takes. ``remember`` False: nothing is counted or kept."""

    query: str
    deadline: Deadline
    thread_id: str = ""
    recent_messages: Sequence[RecentMessage] = ()
    limit: int | None = None
    has_documents: bool = False
    limits: ClientLimits | None = None
    spaces: frozenset[str] | None = None
    remember: bool = True


def build_search_request(asked: ContextRequest) -> SearchRequest:
    """The search request; a short or vague follow-up ("and the second one?") includes the message before it.

    Where what is found is most likely about something else, nothing is found.
    """
    search_text = asked.query.strip()
    parts: tuple[str, ...] = ()
    if is_follow_up(search_text):
        said = [message.content for message in asked.recent_messages if message.role == "user"][-RECENT_MESSAGES_USED:]
        before = [truncate_at_sentences(text, RECENT_TOKENS) for text in said if text.strip() != search_text]
        parts = (*before, search_text) if before else ()
        search_text = " ".join([*before, search_text])
    conf = memory_conf().ranking
    count = asked.limit or conf.context_limit or estimate_task(asked.query).count
    # Documents of the conversation fill the window already: hand over fewer memories.
    if asked.has_documents and not asked.limit:
        count = max(1, count // 2)
    return SearchRequest(
        search_text,
        limit=count,
        limit_of_short=0 if asked.limit or asked.has_documents or conf.context_limit else MOST_SHORT,
        spaces=asked.spaces,
        thread_id=asked.thread_id,
        is_silent_when_low=True,
        said=parts,
        deadline_s=asked.deadline.remaining(),
    )


def is_follow_up(text: str) -> bool:
    """Whether a question may be about what was said before: it is short, or has no word that says what it is about."""
    words = len(text.split())
    return words <= SHORT_FOLLOW_UP or (words <= VAGUE_WORDS and not build_query_groups(text))
