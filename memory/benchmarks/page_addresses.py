"""The addresses of every page: of the console about a person, of what governs an organisation and an installation, and
of the person's own page; with the rows that some of them are about."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from books.models import Book, BookChunk
from knowledge_graph.models import Concept
from memory.access.keys import issue_key
from memory.access.scope import user_scope
from memory.benchmarks.bulk import build_ready_row
from memory.benchmarks.synthetic import NoteWriter
from memory.facade import MemoryFacade
from memory.measuring.cases import NewCase
from memory.measuring.everybody import perform_batch, start_batch
from memory.measuring.runs import NewRun, perform_run, start_run
from memory.models import EndUser, Fact, MemoryEvent, MemoryItem
from memory.models.inbox import MatterKind
from memory.models.transfers import Transfer, TransferKind, TransferState
from memory.models.webhooks import WebhookEndpoint
from memory.tiers import Tier, Trust
from outcomes.models import Exchange

# Where a question stands that was not asked before.
FRESH: Final = "FRESH"
SPACE_OF_DAYS: Final = timedelta(days=30)
PASSAGES: Final = 400
QUESTIONS: Final = 20
ACTOR: Final = "bench"
PROMPT: Final = "fact_pairs"
# They are about what the addresses say, and need nothing else.
OF_PERSON: Final = (
    *("overview", "memories", "bank", "facts", "record", "nights", "reviews", "suspects", "hot", "graph", "timeline"),
    *("conversations", "books", "measure", "replay", "personality", "connect", "transfer", "links", "spaces", "erase"),
)
OF_ORGANIZATION: Final = (
    *("people", "settings", "changes", "password", "keys", "members", "mcp", "data", "webhooks", "vocabulary"),
    "glossary",
)
OF_INSTALLATION: Final = ("configuration", "model_calls", "operations", "system_health", "prompts")
OWN: Final = ("facts", "memories", "forgotten", "leaving")


@dataclass(frozen=True, slots=True)
class PageSubjects:
    """What the pages of one thing are about."""

    item: uuid.UUID
    fact: uuid.UUID
    concept: str
    thread: str
    book: uuid.UUID
    run: uuid.UUID
    batch: uuid.UUID
    transfer: uuid.UUID
    webhook: uuid.UUID
    key: int


def find_subjects(user: EndUser, writer: NoteWriter, now: datetime) -> PageSubjects:
    with user_scope(user):
        item = MemoryItem.objects.for_user(user).filter(uses__gt=0).earliest("pk")
        # There is nothing to vouch for in what a person said themselves.
        MemoryItem.objects.for_user(user).filter(pk=item.pk).update(trust=Trust.EXTERNAL)
        fact = Fact.objects.for_user(user).earliest("pk")
        exchange = Exchange.objects.filter(user=user).earliest("pk")
        concept = Concept.objects.filter(user=user).earliest("pk").key
    return PageSubjects(
        item=item.pk,
        fact=fact.pk,
        concept=concept,
        thread=exchange.thread_id,
        book=write_book(user, writer, now),
        run=measure_once(user, writer, item, now),
        batch=measure_everybody_once(user, now),
        transfer=write_transfer(user, now),
        webhook=write_webhook(user),
        key=issue_key(user.organization, ACTOR, ["read"], now=now, user_ids=[user.external_id])[0].pk,
    )


def write_book(user: EndUser, writer: NoteWriter, now: datetime) -> uuid.UUID:
    items = [build_ready_row(user, note, now, Tier.BOOKS) for note in writer.notes(PASSAGES)]
    with user_scope(user):
        MemoryItem.objects.bulk_create(items)
        MemoryEvent.objects.bulk_create(
            MemoryEvent(user=user, item=item, kind="stored", after={"tier": Tier.BOOKS.value}, actor=ACTOR, at=now)
            for item in items
        )
        book = Book.objects.create(
            user=user,
            title="Notes",
            file_name="notes.txt",
            file_type="txt",
            size=100 * PASSAGES,
            content_hash="0" * 64,
            chunk_count=len(items),
            created_at=now,
        )
        BookChunk.objects.bulk_create(
            BookChunk(user=user, book=book, item=item, position=number, tokens=30) for number, item in enumerate(items)
        )
    return book.pk


def measure_once(user: EndUser, writer: NoteWriter, item: MemoryItem, now: datetime) -> uuid.UUID:
    memory = MemoryFacade(ACTOR)
    for question in writer.draw_questions(QUESTIONS):
        memory.save_case(user, NewCase(question, [item.pk]), now=now)
    run = start_run(user, NewRun(), now=now, actor=ACTOR)
    perform_run(user, run.pk, clock=lambda: now)
    return run.pk


def measure_everybody_once(user: EndUser, now: datetime) -> uuid.UUID:
    batch_id = start_batch(user.organization, NewRun(), now=now, actor=ACTOR)
    perform_batch(user.organization, batch_id, clock=lambda: now)
    return batch_id


def write_transfer(user: EndUser, now: datetime) -> uuid.UUID:
    with user_scope(user):
        return Transfer.objects.create(
            user=user,
            kind=TransferKind.IMPORT,
            state=TransferState.COMPLETED,
            actor=ACTOR,
            lines=10,
            counts={"memory": {"new": 10}},
            created_at=now,
            finished_at=now,
        ).pk


def write_webhook(user: EndUser) -> uuid.UUID:
    organization = user.organization
    fields = {"url": "https://example.org/told", "events": ["memory.stored"], "sealed_secret": "", "actor": ACTOR}
    return WebhookEndpoint.objects.create(organization=organization, **fields).pk


@dataclass(frozen=True, slots=True)
class PageAddresses:
    """What each page is called in the table, and where it is."""

    user: EndUser
    subjects: PageSubjects
    question: str
    now: datetime

    def page(self, view: str, *more: object, **query: object) -> str:
        person = self.user.organization.slug, self.user.external_id
        address = reverse(f"console:{view}", args=[*person, *more])
        return f"{address}?{urlencode(query)}" if query else address

    def list_of_person(self) -> dict[str, str]:
        page, word = self.page, self.question.split()[-1]
        asked = ("search", "context", "replay", "recall", "measure")
        kinds = set(MatterKind) - {MatterKind.CONTRADICTIONS, MatterKind.SUSPECTED}
        return (
            {name: page(name) for name in OF_PERSON}
            | {f"{name}, asked": page(name, **{self.name_field(name): FRESH}) for name in asked}
            | {f"inbox, {kind.value}": page("inbox", kind.value) for kind in sorted(kinds)}
            | {
                "search, two questions": page("search", query=f"{self.question} {FRESH}"),
                "find": page("find", q=word),
                "memories, by words": page("memories", q=word),
                "memories, archived": page("memories", status="archived"),
                "memories, best first": page("memories", sort="score"),
                "bank, by words": page("bank", q=word),
                "facts, all": page("facts", state="all"),
                "timeline, of a day": page("timeline", as_of=(self.now - SPACE_OF_DAYS).date().isoformat()),
                "graph, around one": page("graph", name=self.subjects.concept),
                "graph, of a day": page("graph", back=SPACE_OF_DAYS.days),
                "conversation": page("conversations", thread=self.subjects.thread),
                "turn by turn, of one": page("hot", thread=self.subjects.thread),
            }
        )

    @staticmethod
    def name_field(view: str) -> str:
        return "ask" if view == "measure" else "query"

    def list_of_single_things(self) -> dict[str, str]:
        page, about = self.page, self.subjects
        return (
            {f"memory, {view}": page(view, about.item) for view in ("edit", "add_to_bank", "share", "vouch", "delete")}
            | {f"fact, {view}": page(view, about.fact) for view in ("correct_fact", "end_fact", "forget_fact")}
            | {
                "memory": page("item", about.item),
                "fact": page("fact", about.fact),
                "book": page("book", about.book),
                "book, in the middle": page("book", about.book, at=PASSAGES // 2),
                "book, searched": page("book", about.book, query=FRESH),
                "book, remove_book": page("remove_book", about.book),
                "run": page("measure_run", about.run),
                "run over everybody": page("measure_everybody", about.batch),
                "run, one question": page("measure_compare", about.run, 0),
                "import": page("transfer_job", about.transfer),
                "import, what undoing removes": page("transfer_job", about.transfer, undo=""),
                "first call": page("first_call", about.key),
            }
        )

    def list_of_organization(self) -> dict[str, str]:
        return {name: reverse(f"console:{name}") for name in OF_ORGANIZATION} | {
            "find, anybody": reverse("console:find") + "?q=a",
            "key": reverse("console:key", args=[self.subjects.key]),
            "webhook": reverse("console:webhook", args=[self.subjects.webhook]),
            "people, by id": reverse("console:people") + f"?q={self.user.external_id[:4]}",
        }

    def list_of_installation(self) -> dict[str, str]:
        names = {name: reverse(f"console:{name}") for name in OF_INSTALLATION}
        return names | {"prompt": reverse("console:prompt", args=[PROMPT])}

    def list_of_own_page(self) -> dict[str, str]:
        about = self.subjects
        return {
            f"their own page, {name}": reverse(f"personal:{name}", args=args)
            for name, args in (
                *((name, ()) for name in OWN),
                *((name, (about.fact,)) for name in ("correct_fact", "forget_fact")),
                *((name, (about.item,)) for name in ("edit", "delete")),
            )
        }
