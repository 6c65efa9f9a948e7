"""Books through the API: handed in, found, cited, read inside, removed, and moved with their person."""

import hashlib
import json
import uuid

import pytest
from django.utils import timezone
from fpdf import FPDF

from books.models import Book, BookChunk
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Tombstone
from memory.store.admission import NewMemory
from tests.api_client import ApiClient, client_for
from tests.books.shelf import HANDBOOK, BookShelf, rows_left, table, work

pytestmark = pytest.mark.usefixtures("services", "db")


def test_a_document_is_handed_in_and_becomes_a_book(shelf: BookShelf, user: EndUser) -> None:
    handed = shelf.upload(HANDBOOK.encode(), title="The  handbook")
    assert (handed.status_code, set(handed.json())) == (202, {"job_id"})
    job = handed.json()["job_id"]
    assert shelf.status(job) | {"created_at": 0} == {
        "job_id": job,
        "status": "pending",
        "stage": "waiting",
        "progress": 0.0,
        "file_name": "handbook.md",
        "title": "The handbook",
        "book_id": None,
        "duplicate": False,
        "created_at": 0,
        "finished_at": None,
    }
    # The same file while it waits is the same job.
    assert shelf.upload(HANDBOOK.encode(), "other.md").json() == {"job_id": job}
    work(user)
    done = shelf.status(job)
    assert (done["status"], done["stage"], done["progress"]) == ("completed", "done", 1.0)
    [book] = shelf.get("list").json()["items"]
    assert (book["title"], book["file_type"], book["size"]) == ("The handbook", "md", len(HANDBOOK.encode()))
    # What a language model made of it is told with the book, and not in the list.
    assert book | {"digest": None} == shelf.get(book["book_id"]).json()
    assert book["content_hash"] == hashlib.sha256(HANDBOOK.encode()).hexdigest()


def test_a_book_is_read_inside_found_cited_and_removed(api: ApiClient, shelf: BookShelf, user: EndUser) -> None:
    book = shelf.get(shelf.read(user, HANDBOOK.encode(), title="The handbook")).json()
    job = shelf.get("jobs").json()["items"][0]["job_id"]
    chunks = shelf.get(f"{book['book_id']}/chunks", limit=1).json()
    again = shelf.get(f"{book['book_id']}/chunks", limit=200, cursor=chunks["next_cursor"]).json()
    texts = [chunk["text"] for chunk in (*chunks["items"], *again["items"])]
    assert len(texts) == book["chunks"]
    assert "Swordfish" not in " ".join(texts)
    assert "[redacted: password]" in " ".join(texts)

    [hit, *_] = api.post("search", {"query": "How long does a trimmed lamp burn?", "collections": ["books"]}).json()[
        "results"
    ]
    assert "eleven hours" in hit["content"]
    assert (hit["book"]["title"], hit["book"]["book_id"]) == ("The handbook", book["book_id"])
    assert "Keeping the lamp" in hit["book"]["section"]
    [citation] = hit["citations"]
    assert (citation["doc_id"], citation["chunk_id"]) == (book["book_id"], hit["memory_id"])
    context = api.post("context", {"query": "How long does a trimmed lamp burn?"}).json()
    assert book["book_id"] in {cited["doc_id"] for cited in context["meta"]["citations"]}
    tool = api.post("tools/search_memory", {"query": "how long does a trimmed lamp burn", "collections": ["books"]})
    assert 'book "The handbook"' in tool.json()["content"]

    assert shelf.delete(book["book_id"]).status_code == 204
    assert shelf.get(book["book_id"]).status_code == 404
    assert shelf.get("list").json()["items"] == []
    assert api.post("search", {"query": "trimmed lamp"}).json()["results"] == []
    assert rows_left(user) == (0, 0, 0, 0)
    assert shelf.get(f"jobs/{job}/status").status_code == 404


def test_each_page_of_a_pdf_is_cited_as_itself(api: ApiClient, shelf: BookShelf, user: EndUser) -> None:
    pdf = FPDF()
    pdf.set_font("Helvetica", size=12)
    for text in ("The ferry to Texel leaves at 7:30 from dock B.", "Dogs travel for free in winter."):
        pdf.add_page()
        pdf.multi_cell(0, 6, text)
    shelf.read(user, bytes(pdf.output()), "ferry.pdf")
    query = {"query": "Do dogs pay in winter?"}
    hit = api.post("search", query | {"collections": ["books"]}).json()["results"][0]
    assert (hit["content"], hit["book"]["page"], hit["book"]["last_page"]) == ("Dogs travel for free in winter.", 2, 2)
    context = api.post("context", query).json()
    assert "from a document: ferry, page 2)" in json.dumps(context)


def test_one_cell_of_a_table_is_found_within_its_book(shelf: BookShelf, user: EndUser, api: ApiClient) -> None:
    other = shelf.read(user, b"Rock 217 is mentioned here as well. Its keeper is away.", "notes.txt")
    book = shelf.read(user, table(), "stations.csv")
    asked = {"query": "Who is the keeper of Rock 217?", "limit": 5}
    hits = shelf.post(f"{book}/search", asked).json()["results"]
    assert any("Keeper 1519" in hit["content"] for hit in hits)
    assert {hit["book"]["book_id"] for hit in hits} == {book}
    hits = api.post("search", {**asked, "book_id": other}).json()["results"]
    assert {hit["book"]["book_id"] for hit in hits} == {other}
    assert shelf.post(f"{uuid.uuid4()}/search", asked).status_code == 404
    code = shelf.read(user, HANDBOOK.encode())
    found = shelf.post(f"{code}/search", {"query": "count steps", "content_types": ["code"]}).json()["results"]
    assert len(found) == 1
    assert "217" in found[0]["content"]


def test_books_of_others_and_of_other_projects_are_not_there(
    shelf: BookShelf, user: EndUser, other_user: EndUser, foreign_api: ApiClient, api: ApiClient
) -> None:
    book = shelf.read(user, HANDBOOK.encode())
    job = shelf.get("jobs").json()["items"][0]["job_id"]
    others = [BookShelf(client_for(other_user)), BookShelf(foreign_api, "ann"), BookShelf(foreign_api, "nobody")]
    for stranger in others:
        assert stranger.get("list").json()["items"] == []
        for path in (book, f"{book}/chunks", f"jobs/{job}/status", f"jobs/{job}/events"):
            assert stranger.get(path).status_code == 404
        assert stranger.delete(book).status_code == 404
        assert stranger.post(f"{book}/search", {"query": "lamp"}).status_code == 404
        assert stranger.post(f"jobs/{job}/cancel").status_code == 404
    bound = BookShelf(client_for(user, user_ids=["ben"]), "ann")
    assert {bound.get("list").status_code, bound.upload(b"words", "a.txt").status_code} == {403}
    assert BookShelf(client_for(user, scopes=("read",))).upload(b"words", "a.txt").status_code == 403

    atlas = BookShelf(api)
    atlas.headers["X-Project-Id"] = "atlas"
    assert atlas.upload(HANDBOOK.encode()).json()["duplicate_of"] == book
    own = atlas.read(user, b"Atlas alone knows where the spare wick lies.", "atlas.txt")
    zeus = BookShelf(api)
    zeus.headers["X-Project-Id"] = "zeus"
    assert zeus.get(own).status_code == 404
    assert [one["book_id"] for one in zeus.get("list").json()["items"]] == [book]
    # The person's own shelf has it a second time, as nobody else would find the project's there.
    assert shelf.upload(b"Atlas alone knows where the spare wick lies.", "atlas.txt").status_code == 202


def test_a_threads_document_becomes_a_book_by_its_hash(shelf: BookShelf, user: EndUser, api: ApiClient) -> None:
    document = shelf.read(user, HANDBOOK.encode(), thread_id="watch")
    digest = hashlib.sha256(HANDBOOK.encode()).hexdigest()
    assert shelf.get("list").json()["items"] == []
    [listed] = shelf.get("list", thread_id="watch").json()["items"]
    assert (listed["book_id"], listed["thread_id"]) == (document, "watch")
    asked = {"content_hash": digest, "thread_id": "watch"}
    assert shelf.post("publish", asked | {"thread_id": "elsewhere"}).status_code == 404
    job = shelf.post("publish", asked).json()["job_id"]
    work(user)
    book = shelf.status(job)["book_id"]
    assert [one["book_id"] for one in shelf.get("list").json()["items"]] == [book]
    assert shelf.get(document).status_code == 404
    hits = api.post("search", {"query": "How long does a trimmed lamp burn?"}).json()["results"]
    assert {(hit["tier"], hit["book"]["book_id"]) for hit in hits} == {("books", book)}
    assert shelf.post("publish", asked).json()["duplicate_of"] == book


def test_a_book_leaves_and_arrives_with_its_person_and_stays_removed(
    shelf: BookShelf, user: EndUser, foreign_user: EndUser
) -> None:
    from tests.memory.portability.test_portability import count, export, import_file, rows_of

    book = shelf.read(user, HANDBOOK.encode())
    file = export(user)
    assert import_file(foreign_user, file).state == "completed"
    with user_scope(foreign_user):
        copy = Book.objects.get(user=foreign_user)
        chunk = BookChunk.objects.filter(user=foreign_user, book=copy).first()
        assert chunk is not None
        item = MemoryItem.objects.for_user(foreign_user).get(pk=chunk.item_id)
        assert (copy.pk != uuid.UUID(book), item.source["doc_id"]) == (True, str(copy.pk))
    assert rows_of(export(user)) == rows_of(file)
    assert count(import_file(user, file), "new") == 0
    shelf.delete(book)
    assert count(import_file(user, file), "new") == 0
    assert shelf.get("list").json()["items"] == []

    # The same file, read here under another id, is not there twice.
    shelf.read(user, HANDBOOK.encode())
    before = rows_left(user)
    with user_scope(user):
        Tombstone.objects.filter(user=user).delete()
    import_file(user, file)
    assert rows_left(user) == before


def test_the_facade_lists_searches_and_removes(shelf: BookShelf, user: EndUser) -> None:
    memory, now = MemoryFacade("test"), timezone.now()
    shelf.read(user, HANDBOOK.encode())
    memory.store(user, NewMemory("The lamp at home burns for three hours"), now=now)
    [book], _ = memory.list_books(user, words="hand")
    found = memory.retrieve_from_books(user, "how long does the lamp burn", now=now)
    assert {hit.item.tier for hit in found.hits} == {"books"}
    assert memory.remove_book(user, book.pk, now=now)
    assert not memory.remove_book(user, book.pk, now=now)
    assert memory.list_books(user) == ([], False)


def test_a_book_goes_as_a_whole_and_keeps_its_words(api: ApiClient, shelf: BookShelf, user: EndUser) -> None:
    book_id = shelf.read(user, HANDBOOK.encode())
    passages = [one["chunk_id"] for one in shelf.get(f"{book_id}/chunks").json()["items"]]
    own = api.post("memories", {"text": "A file of an agent", "tier": "books"}).json()["id"]
    path = f"memories/{passages[0]}"
    for refused in (
        api.delete(path),
        api.patch(path, {"text": "Another wording"}),
        api.post("memories/delete", {"ids": [own, passages[0]]}),
    ):
        assert (refused.status_code, "goes as a whole" in refused.json()["detail"]) == (422, True)
    assert api.patch(path, {"tags": ["sea"]}).json()["tags"] == ["sea"]
    for chosen in ({"filters": {"tier": "books", "q": "file"}}, {"filters": {"tier": "books"}}, {"all": True}):
        told = api.post("memories/delete", {**chosen, "dry_run": True}).json()
        assert (told["matched"], told["memory_ids"]) == (1, [own])
        assert told["passages"] == (0 if "q" in str(chosen) else len(passages))
    assert api.post("memories/delete", {"all": True}).json()["remaining"] == 0
    assert api.get("memories").json()["items"] != []
    assert shelf.get(book_id).json()["chunks"] == len(passages)
    assert [one["chunk_id"] for one in shelf.get(f"{book_id}/chunks").json()["items"]] == passages
    assert shelf.delete(book_id).status_code == 204
    assert api.get("memories").json()["items"] == []
