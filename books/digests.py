"""What a language model reads out of a book: quotes, models, summaries, and one summary of the whole.

After the book can be found, part by part and one part a task, so that files which wait are read first. What a part
came to is kept at once: a worker that is killed goes on behind it. Without a model a book has no digest.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field

from books import jobs
from books.models import Book, BookChunk, BookDigest, BookJob, DigestState
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard import redact_secrets
from memory.inference.asking import answer_prompt, find_prompt_model, take_call
from memory.inference.prompts import PromptValue
from memory.language.grounding import find_particulars, is_quoted
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected, Unavailable

logger = structlog.get_logger(__name__)

MAP, EXTRACTION, REDUCE = "map_chunk", "book_extraction", "reduce_summaries"
CATEGORIES: Final = (
    *("philosophy", "psychology", "business", "science", "technology", "health", "relationships", "creativity"),
    *("leadership", "spirituality", "education", "economics", "politics", "history", "literature", "art", "music"),
    *("sports", "nature", "personal_development", "productivity", "communication", "decision_making", "strategy"),
    *("innovation", "ethics", "culture", "society", "environment", "other"),
)
OTHER: Final = "other"
# Characters of a part: 1,500 tokens, of which a model writes an answer of 300.
PART_CHARS: Final = 6_000
# Of one book, spread over it: a book of 300 pages has a hundred, and two calls for each would take a day's budget.
MOST_PARTS: Final = 30
MOST_KEPT: Final = 60
MOST_CONCEPTS: Final = 30
# Where the day's calls are used up or no model is there; where it does not answer.
PAUSE: Final = timedelta(hours=2)
RETRY: Final = timedelta(minutes=10)
MAX_ATTEMPTS: Final = 20

Line = Annotated[str, Field(max_length=1_000)]


class MappedPart(BaseModel):
    model_config = ConfigDict(extra="ignore")

    summary: str = Field(min_length=1, max_length=2_000)
    quotes: list[Line] = Field(default_factory=list, max_length=12)
    concepts: list[Line] = Field(default_factory=list, max_length=24)
    tone: str = Field(default="", max_length=60)
    style: str = Field(default="", max_length=60)


class CategorisedText(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: Line
    category: str = OTHER


class ExtractedPart(BaseModel):
    model_config = ConfigDict(extra="ignore")

    quotes: list[CategorisedText] = Field(default_factory=list, max_length=24)
    models: list[CategorisedText] = Field(default_factory=list, max_length=24)
    summaries: list[CategorisedText] = Field(default_factory=list, max_length=24)


class ReducedSummaries(BaseModel):
    model_config = ConfigDict(extra="ignore")

    unified_summary: str = Field(min_length=1, max_length=6_000)
    key_themes: list[Line] = Field(default_factory=list, max_length=24)
    main_insights: list[Line] = Field(default_factory=list, max_length=24)


class BudgetSpent(Exception):
    """The person's calls of the day are used up, or no model is there any more."""


def is_asked_for() -> bool:
    return find_prompt_model(MAP) is not None and find_prompt_model(REDUCE) is not None


def find_digest(user: EndUser, book_id: uuid.UUID) -> BookDigest | None:
    with user_scope(user):
        return BookDigest.objects.filter(user=user, book_id=book_id).first()


def request_digest(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> None:
    """Of the book that a job came to, unless it has one. A thread's document is told whole and needs none."""
    if not is_asked_for():
        return
    with user_scope(user):
        made = BookJob.objects.filter(user=user, pk=job_id).values("book_id")
        book = Book.objects.filter(user=user, pk__in=made, thread_id="").first()
        if book is not None and not BookDigest.objects.filter(user=user, book=book).exists():
            create_digest(user, book, now)


def begin_digest(user: EndUser, book_id: uuid.UUID, *, now: datetime) -> BookDigest | None:
    """From the beginning, whatever was read. None without a model or without such a book."""
    if not is_asked_for():
        return None
    with user_scope(user):
        book = Book.objects.select_for_update(no_key=True).filter(user=user, pk=book_id).first()
        if book is None:
            return None
        BookDigest.objects.filter(user=user, book=book).delete()
        return create_digest(user, book, now)


def create_digest(user: EndUser, book: Book, now: datetime) -> BookDigest:
    parts_of_book = len(plan_parts(user, book))
    digest = BookDigest.objects.create(
        user=user,
        book=book,
        parts_of_book=parts_of_book,
        parts=min(parts_of_book, MOST_PARTS),
        due_at=now,
        updated_at=now,
    )
    jobs.DUE.mark(user, now)
    return digest


def plan_parts(user: EndUser, book: Book) -> list[tuple[int, int]]:
    """The passages of each part, as the positions from and up to which they go. In the user's scope."""
    sizes = BookChunk.objects.filter(user=user, book=book).order_by("position").values_list("position", "tokens")
    parts: list[tuple[int, int]] = []
    tokens = begin = end = 0
    for position, size in sizes:
        if tokens and tokens + size > PART_CHARS // 4:
            parts.append((begin, end))
            begin, tokens = position, 0
        tokens, end = tokens + size, position + 1
    return [*parts, (begin, end)] if tokens else parts


def read_next_part(user: EndUser, *, now: datetime) -> int:
    """One part of the digest that has waited longest, or its end. Returns 1 where there was something to do."""
    with user_scope(user):
        due = BookDigest.objects.filter(user=user, state=DigestState.PENDING, due_at__lte=now)
        digest = due.select_related("book").order_by("due_at", "pk").first()
    if digest is None:
        return 0
    try:
        if digest.parts_read < digest.parts:
            read_part(user, digest)
            digest.parts_read, digest.attempts, digest.due_at = digest.parts_read + 1, 0, now
        else:
            put_together(user, digest)
    except (BadReply, RequestRejected) as error:
        # Of this part, or in putting together, nothing usable comes: it is left out.
        logger.warning("part of a book not read", book=str(digest.book_id), reason=error.reason)
        leave_out(digest, now)
    except (Unavailable, BudgetSpent) as error:
        digest.attempts += isinstance(error, Unavailable)
        digest.due_at = now + (RETRY if isinstance(error, Unavailable) else PAUSE)
        if digest.attempts >= MAX_ATTEMPTS:
            leave_out(digest, now)
    digest.updated_at = now
    with user_scope(user):
        # Its book may have been removed, or it was begun anew, while the model read.
        if BookDigest.objects.select_for_update(no_key=True).filter(user=user, pk=digest.pk).exists():
            digest.save(force_update=True)
    return 1


def leave_out(digest: BookDigest, now: datetime) -> None:
    digest.attempts, digest.due_at = 0, now
    if digest.parts_read < digest.parts:
        digest.parts_read += 1
    else:
        close_digest(digest, "\n".join(digest.part_summaries))


def read_part(user: EndUser, digest: BookDigest) -> None:
    """Add what one part tells to the digest. Raises Unavailable and BudgetSpent."""
    with user_scope(user):
        plan = plan_parts(user, digest.book)
        # Spread over the book, its beginning among them.
        place = digest.parts_read * len(plan) // max(1, digest.parts)
        text = read_passages(user, digest.book, *plan[place]) if place < len(plan) else ""
    if not text:
        return
    mapped = ask(user, MAP, {"chunk": text}, MappedPart)
    told = text.casefold()
    digest.part_summaries = [*digest.part_summaries, clean(mapped.summary)]
    digest.concepts = unite(digest.concepts, [one for one in mapped.concepts if one.casefold() in told], MOST_CONCEPTS)
    digest.tone, digest.style = digest.tone or clean(mapped.tone), digest.style or clean(mapped.style)
    quotes = [CategorisedText(text=one) for one in mapped.quotes]
    if find_prompt_model(EXTRACTION) is not None:
        data: dict[str, PromptValue] = {
            "categories": ", ".join(CATEGORIES),
            "title": digest.book.title,
            "content": text,
        }
        extracted = ask(user, EXTRACTION, data, ExtractedPart)
        # With a category they come first, and are kept where both calls quote the same.
        quotes = [*extracted.quotes, *quotes]
        digest.models_found = add_texts(digest.models_found, keep_told(extracted.models, told))
        digest.summaries = add_texts(digest.summaries, keep_told(extracted.summaries, told))
    digest.quotes = add_texts(digest.quotes, [one for one in quotes if is_quoted(one.text, text)])


def read_passages(user: EndUser, book: Book, begin: int, end: int) -> str:
    chunks = BookChunk.objects.filter(user=user, book=book, position__gte=begin, position__lt=end)
    ids = list(chunks.order_by("position").values_list("item_id", flat=True))
    items = MemoryItem.objects.for_user(user).only("id", "text").in_bulk(ids)
    return "\n\n".join(items[pk].text for pk in ids if pk in items)[: 2 * PART_CHARS]


def put_together(user: EndUser, digest: BookDigest) -> None:
    if len(digest.part_summaries) < 2:
        # Of one part its summary is that of the whole; of none there is nothing to tell.
        close_digest(digest, "".join(digest.part_summaries))
        return
    made = ask(user, REDUCE, {"summaries": digest.part_summaries}, ReducedSummaries)
    told = "\n".join(digest.part_summaries).casefold()
    digest.themes = [clean(one) for one in made.key_themes]
    digest.insights = [clean(one) for one in made.main_insights if is_told(one, told)]
    close_digest(digest, clean(made.unified_summary))


def close_digest(digest: BookDigest, summary: str) -> None:
    digest.state, digest.summary, digest.due_at = DigestState.DONE, summary, None


def ask(user: EndUser, prompt: str, data: dict[str, PromptValue], form: type[Any]) -> Any:  # noqa: ANN401 -- of the form
    if find_prompt_model(prompt) is None or not take_call(user.pk):
        raise BudgetSpent
    return answer_prompt(prompt, data, form, deadline=Deadline(memory_conf().llm.timeout_s))


def keep_told(texts: Sequence[CategorisedText], told: str) -> list[CategorisedText]:
    return [one for one in texts if is_told(one.text, told)]


def is_told(text: str, told: str) -> bool:
    """Whether every number, name and identifier of it is in what was read."""
    return all(one in told for one in find_particulars(text))


def add_texts(known: Sequence[dict[str, str]], more: Sequence[CategorisedText]) -> list[dict[str, str]]:
    found = {one["text"].casefold(): one for one in known}
    for one in more:
        text = clean(one.text)
        category = one.category if one.category in CATEGORIES else OTHER
        if text:
            found.setdefault(text.casefold(), {"text": text, "category": category})
    return list(found.values())[:MOST_KEPT]


def unite(known: Sequence[str], more: Sequence[str], most: int) -> list[str]:
    return list({one.casefold(): one for one in [*known, *map(clean, more)] if one}.values())[:most]


def clean(text: str) -> str:
    return redact_secrets(" ".join(text.split())).text
