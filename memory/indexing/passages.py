"""What of a memory is embedded: its text with the words around it, and the points made of it."""

import hashlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog
from django.db import connection

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.indexes.base import VectorPoint
from memory.indexes.tokens import store_tokens
from memory.inference import embedder, prefixes, token_embedder
from memory.inference.asking import find_prompt_model
from memory.inference.base import EncodedPassage, Span, Vector
from memory.inference.embeddings import EMBEDDER
from memory.inference.llm import LanguageModel
from memory.language import gloss_in_english
from memory.language.exchanges import find_answered
from memory.language.hebrew import HEBREW
from memory.language.names import ROLES
from memory.language.text import REPLY_EXCERPT
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.platform.threads import run_in_thread
from memory.tiers import SourceType, Tier

BOOK, ROWS = "book", "rows"
# A passage of many rows, as those of a large table are, is longer than any other.
MANY_ROWS_CHARS = 1_000
EMBEDDED_OF_MANY_ROWS = 350

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EncodedItems:
    """A vector for each item, and by place the token vectors of those that have any."""

    vectors: Sequence[Vector]
    signs: Mapping[int, bytes]


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """How the turn before another begins, with its speaker, and how it ends."""

    text: str = ""
    end: str = ""


NO_TURN: Final = PreviousTurn()
PREVIOUS_TURNS = """
SELECT item.id, before.speaker, left(before.text, %s), right(before.text, %s)
FROM memory_item AS item CROSS JOIN LATERAL (
    SELECT speaker, text FROM memory_item AS earlier
    WHERE earlier.user_id = item.user_id AND earlier.thread_id = item.thread_id AND earlier.arrival < item.arrival
      AND earlier.status IN ('active', 'dormant') AND earlier.tier = item.tier
    ORDER BY earlier.arrival DESC LIMIT 1
) AS before
WHERE item.user_id = %s AND item.id = ANY(%s)
"""


def build_passage(item: MemoryItem) -> tuple[str, str]:
    """The text to embed for an item: its prefix, and its text with keywords where the model cannot read it."""
    prefix = build_context_prefix(
        Tier(item.tier),
        speaker=item.speaker,
        source_type=item.source_type,
        title=str(item.source.get("title", "")),
        section=str(item.source.get("section", "")),
    )
    text = choose_embedded_part(item)
    return prefix, text + build_gloss(text)


def choose_embedded_part(item: MemoryItem) -> str:
    """All of a text, but of many rows of a table the first: one vector tells what a table is about, and a cell of it is
    found by its words. Of 20,000 rows in 1,000 passages this much costs the embedder half of what 700 characters do."""
    if item.source.get("content_type") == ROWS and len(item.text) > MANY_ROWS_CHARS:
        return item.text[:EMBEDDED_OF_MANY_ROWS]
    return item.text


def build_gloss(text: str) -> str:
    """English keywords for a text in a script that the embedding model does not know."""
    if memory_conf().embedding.reads(HEBREW):
        return ""
    return f" ({gloss})" if (gloss := gloss_in_english(text)) else ""


def load_previous_turns(user: EndUser, items: Sequence[MemoryItem]) -> dict[uuid.UUID, PreviousTurn]:
    """The turn before each item in its thread, with its speaker, for the items that have one."""
    ids = [item.pk for item in items if item.thread_id]
    if not ids:
        return {}
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(PREVIOUS_TURNS, [REPLY_EXCERPT, REPLY_EXCERPT, user.pk, ids])
        return {
            item_id: PreviousTurn(f"{speaker}: {text}" if speaker else text, end)
            for item_id, speaker, text, end in cursor.fetchall()
        }


def vector_hash(item: MemoryItem) -> str:
    """A hash that stays the same while the vector need not be computed again."""
    conf = memory_conf()
    prefix, text = build_passage(item)
    # What the language model says about a memory is no part of it: a model that words the same thing differently must
    # not make every vector stale.
    parts = (conf.vector.collection, conf.embedding.model, conf.embedding.passage_prefix, prefix, text)
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def prefix_model() -> LanguageModel | None:
    """The language model for contextual prefixes, if one is configured and enabled."""
    return find_prompt_model(prefixes.PURPOSE) if memory_conf().llm.prefixes else None


def build_texts(items: Sequence[MemoryItem], before: Mapping[uuid.UUID, PreviousTurn]) -> list[str]:
    """The passages, each with its contextual prefix from the language model, if there is one.

    The prefix is not part of ``vector_hash``: a different wording by the model does not make a vector stale.
    """
    passages = [build_answer_passage(item, before.get(item.pk, NO_TURN)) for item in items]
    model = prefix_model()
    if model is None:
        return passages
    # A passage of a book has its title and section; thousands of calls would be made for one file.
    described = {place: item for place, item in enumerate(items) if item.source.get("kind") != BOOK}
    subjects = [build_prefix_subject(item, before.get(item.pk, NO_TURN).text) for item in described.values()]
    contexts = dict(zip(described, prefixes.write_prefixes(model, subjects), strict=True))
    return [f"{context}\n{text}" if (context := contexts.get(place)) else text for place, text in enumerate(passages)]


def build_answer_passage(item: MemoryItem, before: PreviousTurn) -> str:
    """Of a few words that answer the assistant, what was asked goes before them: "clio 4" alone is near nothing."""
    asked = find_answered(item.text, before.end)
    return "".join((f"{asked} " if asked else "", *build_passage(item)))


def build_prefix_subject(item: MemoryItem, before: str) -> prefixes.PrefixSubject:
    about = {
        "kind": Tier(item.tier).value,
        "date": f"{item.occurred_at:%Y-%m-%d}",
        "speaker": item.speaker,
        "source": item.source_type,
        "title": str(item.source.get("title", "")),
        "section": str(item.source.get("section", "")),
        "tags": ", ".join(item.tags),
    }
    return prefixes.PrefixSubject(
        item.user_id, "\n".join(f"{k}: {v}" for k, v in about.items() if v), before, item.text
    )


def build_points_ahead(
    items: Sequence[MemoryItem], before: Mapping[uuid.UUID, PreviousTurn], deadline: Deadline
) -> Iterator[list[VectorPoint]]:
    """The items as index points, newly embedded, in parts: while one is written, the next is embedded.

    An embedder with cores of its own had nothing to do for a quarter of the time; where it shares two with everything
    else, 1,536 notes took as long as before (73 a second instead of 72).
    """
    size = memory_conf().embedding.batch_size
    parts = [items[start : start + size] for start in range(0, len(items), size)]
    coming: Callable[[], EncodedItems] = partial(encode_items, items[:size], before, deadline)
    for place, part in enumerate(parts):
        encoded = coming()
        if place + 1 < len(parts):
            coming = run_in_thread(EMBEDDER, partial(encode_items, parts[place + 1], before, deadline), deadline)
        yield build_points(part, encoded)


def build_points(items: Sequence[MemoryItem], encoded: EncodedItems) -> list[VectorPoint]:
    """The items as index points; their token vectors are stored on the way."""
    store_token_signs(items, encoded.signs)
    return [
        VectorPoint(
            id=item.pk,
            user_id=item.user_id,
            tier=item.tier,
            status=item.status,
            vector=vector,
            vector_hash=vector_hash(item),
            revision=item.revision,
            agent_id=item.agent_id,
            project_id=item.project_id,
        )
        for item, vector in zip(items, encoded.vectors, strict=True)
    ]


def encode_items(
    items: Sequence[MemoryItem], before: Mapping[uuid.UUID, PreviousTurn], deadline: Deadline
) -> EncodedItems:
    """The items' vectors. Turns also get token vectors if the server offers them; failing that, none."""
    texts = build_texts(items, before)
    turns = {place: item for place, item in enumerate(items) if item.thread_id}
    encoded = encode_turns(
        [(texts[place], find_content_span(texts[place], item)) for place, item in turns.items()], deadline
    )
    vectors = dict(zip(turns, (one.vector for one in encoded), strict=False))
    rest = [place for place in range(len(items)) if place not in vectors]
    vectors |= zip(rest, embedder().embed_passages([texts[place] for place in rest], deadline), strict=True)
    signs = dict(zip(turns, (one.signs for one in encoded), strict=False))
    return EncodedItems([vectors[place] for place in range(len(items))], signs)


def encode_turns(turns: Sequence[tuple[str, Span]], deadline: Deadline) -> list[EncodedPassage]:
    """Vectors with tokens for all turns, or nothing if the server cannot provide tokens.

    Raises Unavailable when that cannot be determined: then the embedder is down and the turns stay pending.
    """
    model = token_embedder()
    if model is None or not turns or not model.is_offered(deadline.slice(memory_conf().embedding.query_timeout_s)):
        return []
    try:
        return model.encode_passages([text for text, _ in turns], [span for _, span in turns], deadline)
    except Unavailable as error:
        logger.warning("turns indexed without their tokens", reason=error.reason)
        return []


def find_content_span(text: str, item: MemoryItem) -> Span:
    """The span of an embedded text that holds the speaker's name, the item's own words and their keywords."""
    _, own = build_passage(item)
    start = max(0, text.find(own))
    named = f"{item.speaker}: " if item.speaker else ""
    first = start - len(named) if named and text[:start].endswith(named) else start
    return first, start + len(own)


def store_token_signs(items: Sequence[MemoryItem], signs: Mapping[int, bytes]) -> None:
    """Store the token vectors. Those of items that have none any more are removed, also after a switch-off."""
    by_id = {item.pk: signs.get(place) for place, item in enumerate(items)}
    revisions = {item.pk: item.revision for item in items}
    for user_id in {item.user_id for item in items}:
        store_tokens(user_id, memory_conf().embedding.model, by_id, revisions)


def set_indexing_deadline(texts: int) -> Deadline:
    """A deadline long enough to describe and embed this many texts and to write their vectors."""
    describing_s = prefixes.MAX_BATCH_S if prefix_model() else 0.0
    return Deadline(memory_conf().embedding.batch_timeout_s * max(1, texts // 8) + describing_s)


def build_context_prefix(tier: Tier, *, speaker: str, source_type: str = "", title: str = "", section: str = "") -> str:
    """The deterministic prefix that is embedded in front of a text: from where, and who.

    Neither the date nor the turn before it: with both, the nearest held the evidence of .54 instead of .58 of the
    questions to real people's messages, and of .55 instead of .61 of those to a person's talks with an assistant.
    Memory bank statements get nothing, so that repeating one yields the same vector.
    """
    if tier is Tier.MEMORY_BANK:
        return ""
    place = ""
    if title and tier is Tier.BOOKS:
        place = f"Book: {title}. " + (f"Section: {section}. " if section else "")
    elif title:
        place = f"[Book: {title}" + (f", Section: {section}" if section else "") + "] "
    elif source_type in {SourceType.DOCUMENT, SourceType.TOOL}:
        place = f"[{source_type}] "
    # A role is in front of half of all turns and so tells none apart.
    return place if not speaker or speaker.casefold() in ROLES else f"{place}{speaker}: "
