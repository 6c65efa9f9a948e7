"""One memory's page and everything that can be done with it, with and without JavaScript."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryEvent, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Status, Tier
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console


@pytest.fixture
def item(user: EndUser) -> MemoryItem:
    return MemoryItemFactory.create(user=user, text="Drinks tea in the morning", banked=True)


def reload_item(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.get(pk=item.pk)


def form(item: MemoryItem, **changes: object) -> dict[str, object]:
    fields = {
        "text": item.text,
        "tags": ", ".join(item.tags),
        "importance": item.importance,
        "confidence": item.confidence,
        "version": item.version,
    }
    return {**fields, **changes}


def test_it_shows_versions_and_events_with_reasons(console: Console, user: EndUser, place: str) -> None:
    facade, now = MemoryFacade(actor="key:mobile"), timezone.now() - timedelta(days=2)
    item = facade.store(user, NewMemory("Runs on Mondays", tier=Tier.HISTORY), now=now).item
    facade.revise(user, item.pk, {"text": "Swims on Mondays"}, now=now)
    facade.record_outcome(user, Outcome.WORKED, now=now, related=[str(item.pk)])
    page = console.get(f"{place}/memories/{item.pk}").content.decode()
    assert "<del>Runs</del><ins>Swims</ins> on Mondays" in page
    assert "Outcome: worked" in page
    assert "<bdi>score 0.5 \N{LEFT-TO-RIGHT MARK}→\N{LEFT-TO-RIGHT MARK} 0.7</bdi>" in page
    assert "API key mobile" in page
    assert "sure (Wilson bound)" in page
    console.cookies["commonplace_language"] = "he"
    hebrew = console.get(f"{place}/memories/{item.pk}").content.decode()
    assert "0.5 \N{RIGHT-TO-LEFT MARK}←\N{RIGHT-TO-LEFT MARK} 0.7</bdi>" in hebrew
    assert "→" not in hebrew


def test_an_edit_makes_a_version_and_names_the_operator(console: Console, item: MemoryItem, place: str) -> None:
    path = f"{place}/memories/{item.pk}"
    assert b"Drinks tea" in console.get(f"{path}/edit").content
    answer = console.post(
        f"{path}/edit",
        form(item, text="Drinks coffee\r\nin the morning", tags="preference, Coffee", always_inject="on"),
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, path)
    changed = reload_item(item)
    assert (changed.text, changed.tags, changed.always_inject, changed.version) == (
        "Drinks coffee\nin the morning",
        ["preference", "coffee"],
        True,
        2,
    )
    with user_scope(item.user):
        assert MemoryEvent.objects.get(item=item, kind="revised").actor == "operator:olga"
    assert b"The memory was saved." in console.get(path).content


def test_htmx_is_led_on_after_an_edit(console: Console, item: MemoryItem, place: str) -> None:
    path = f"{place}/memories/{item.pk}"
    answer = console.post_part(f"{path}/edit", form(item, text="Drinks coffee"))
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (200, path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"text": ""}, "This field is required"),
        ({"text": "\u200b"}, "must contain something to read"),
        ({"text": "x" * 32_769}, "at most 32,768 characters"),
        ({"text": "bell \x07"}, "control characters"),
        ({"tags": ""}, "needs at least one tag"),
        ({"tags": "x" * 300}, "a tag must be at most"),
        ({"importance": "7"}, "less than or equal to 1"),
        ({"confidence": "nan"}, "Enter a number"),
        ({"version": 0}, "changed while you were writing"),
    ],
)
def test_an_edit_that_breaks_a_rule_says_which_and_changes_nothing(
    console: Console, item: MemoryItem, place: str, changes: dict[str, object], said: str
) -> None:
    path = f"{place}/memories/{item.pk}/edit"
    for post in (console.post, console.post_part):
        answer = post(path, form(item, **changes))
        assert answer.status_code == 422
        assert said in answer.content.decode()
    assert reload_item(item).text == item.text
    assert reload_item(item).version == item.version


def test_an_edit_without_a_change_writes_nothing(console: Console, item: MemoryItem, place: str) -> None:
    assert console.post(f"{place}/memories/{item.pk}/edit", form(item)).status_code == 302
    assert reload_item(item).updated_at == item.updated_at


def test_archiving_and_restoring_are_one_click_each(console: Console, item: MemoryItem, place: str) -> None:
    path = f"{place}/memories/{item.pk}"
    assert console.post(f"{path}/archive").headers["Location"] == path
    assert reload_item(item).status == Status.ARCHIVED
    page = console.get(path).content.decode()
    assert "appears in no answer" in page
    assert f'action="{path}/restore"' in page
    # Whoever had to sign in first comes here with the address of the form.
    assert console.get(f"{path}/restore").headers["Location"] == path
    console.post(f"{path}/restore")
    assert reload_item(item).status == Status.ACTIVE
    with user_scope(item.user):
        actors = MemoryEvent.objects.filter(item=item).values_list("kind", "actor")
        assert set(actors) == {("archived", "operator:olga"), ("restored", "operator:olga")}


def test_a_hit_is_archived_where_it_stands_and_brought_back(console: Console, item: MemoryItem, place: str) -> None:
    path = f"{place}/memories/{item.pk}"
    part = console.post_part(f"{path}/archive", {"in_place": "1"}).content.decode()
    assert part.lstrip().startswith("<article")
    assert "The memory was archived." in part
    assert f'hx-post="{path}/restore"' in part
    part = console.post_part(f"{path}/restore", {"in_place": "1"}).content.decode()
    assert "The memory was restored." in part
    assert "Undo" not in part
    assert reload_item(item).status == Status.ACTIVE
    # It was said where the hit stood: no page says it once more.
    assert "was restored" not in console.get(path).content.decode()


def test_a_deleted_memory_is_gone(console: Console, item: MemoryItem, place: str) -> None:
    path = f"{place}/memories/{item.pk}"
    assert b"cannot be undone" in console.get(f"{path}/delete").content
    assert console.post(f"{path}/delete").headers["Location"] == f"{place}/memories"
    assert console.get(path).status_code == 404
    assert console.post(f"{path}/delete").status_code == 404
    assert b"Drinks tea" not in console.get(f"{place}/memories").content


def test_the_buttons_come_back_when_htmx_cancels(console: Console, item: MemoryItem, place: str) -> None:
    part = console.part(f"{place}/memories/{item.pk}").content
    assert b"Edit" in part
    assert b"Drinks tea" not in part


def test_metadata_of_any_name_is_shown(console: Console, user: EndUser, place: str) -> None:
    odd = {"items": "ab", "0": None, "keys": {"nested": ["<b>"]}}
    item = MemoryItemFactory.create(user=user, metadata=odd, source={"items": 3})
    page = console.get(f"{place}/memories/{item.pk}").content.decode()
    assert "nested" in page
    assert "&lt;b&gt;" in page


def test_a_long_memory_with_many_tags_opens(console: Console, user: EndUser, place: str) -> None:
    words = " ".join(f"word{n}" for n in range(3600))
    item = MemoryFacade().store(user, NewMemory(words, tags=[f"tag{n}" for n in range(20)]), now=timezone.now()).item
    MemoryFacade().revise(user, item.pk, {"text": words[::-1]}, now=timezone.now())
    assert console.get(f"{place}/memories/{item.pk}").status_code == 200


def test_what_a_memory_says_is_put_into_the_bank(console: Console, user: EndUser, place: str) -> None:
    source = MemoryItemFactory.create(user=user, text="Ann prefers window seats", tier=Tier.HISTORY)
    path = f"{place}/memories/{source.pk}/pin"
    assert b"Ann prefers window seats" in console.get(path).content
    refused = console.post_part(path, form(source, tags=""))
    assert refused.status_code == 422
    assert b"at least one tag" in refused.content

    answer = console.post(path, form(source, tags="preference"))
    banked = console.get(answer.headers["Location"]).context["item"]
    assert (banked.tier, banked.text, banked.tags) == (Tier.MEMORY_BANK, source.text, ["preference"])
    assert banked.source["memory_id"] == str(source.pk)
    assert reload_item(source).tier == Tier.HISTORY

    again = console.post(path, form(source, tags="preference, travel"))
    assert again.headers["Location"] == answer.headers["Location"]
    assert b"the two are one now" in console.get(again.headers["Location"]).content


def test_facts_name_the_conversation_once_and_tell_where_a_score_began(
    console: Console, user: EndUser, place: str
) -> None:
    known = {"thread_id": "t-1", "thread_title": "The kitchen tap", "items": "of an odd name", "page": None}
    item = MemoryItemFactory.create(user=user, thread_id="t-1", metadata=known, source={"thread_id": "t-1"}, score=0.7)
    page = console.get(f"{place}/memories/{item.pk}").content.decode()
    assert page.count("The kitchen tap") == 1
    assert 'conversations?thread=t-1" dir="auto">The kitchen tap</a>' in page
    assert "thread_id" not in page
    assert "of an odd name" in page
    assert ">page</dt>" in page
    assert "What it was stored with; no outcome counts yet." in page


def test_where_a_memory_is_from_is_told_in_words(console: Console, user: EndUser, place: str) -> None:
    new = NewMemory("Runs on Mondays", tier=Tier.HISTORY, source={"kind": "exchange"}, metadata={"mood": "glad"})
    item = MemoryFacade().store(user, new, now=timezone.now()).item
    page = console.get(f"{place}/memories/{item.pk}").content.decode()
    details = re.sub(r"<[^>]*>", "|", page.split('id="facts-title"')[1])
    for told in ("|Kind||an exchange of a conversation|", "|Source||the user|", "|mood||glad|"):
        assert told in details
