"""What the page of a memory says of its trust, and the two acts of a person: vouching and taking back."""

from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import SourceType, Tier, Trust
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console

memory = MemoryFacade("key:mobile")


def reload_item(item: MemoryItem) -> MemoryItem:
    found = memory.get(item.user, item.pk)
    assert found is not None
    return found


def from_outside(user: EndUser) -> MemoryItem:
    new = NewMemory("Project Atlas uses PostgreSQL and Celery", source_type=SourceType.TOOL)
    return memory.store(user, new, now=timezone.now()).item


def test_the_page_tells_trust_writer_and_parents(console: Console, user: EndUser, place: str) -> None:
    parent = from_outside(user)
    child = memory.store(user, NewMemory("Summed up", parents=[parent.pk]), now=timezone.now()).item
    page = console.get(f"{place}/memories/{child.pk}").content.decode()
    assert "words from outside" in page
    assert "API key mobile" in page
    assert f'href="{place}/memories/{parent.pk}"' in page


def test_an_operator_vouches_for_a_memory_after_being_asked(console: Console, user: EndUser, place: str) -> None:
    item = from_outside(user)
    path = f"{place}/memories/{item.pk}/vouch"
    assert "Mark this memory as trusted?" in console.part(path).content.decode()
    assert reload_item(item).trust == Trust.EXTERNAL
    answer = console.post(path, {})
    assert (answer.status_code, reload_item(item).trust) == (302, Trust.USER)
    page = console.get(f"{place}/memories/{item.pk}").content.decode()
    assert "Marked as trusted by a person" in page
    assert "operator olga" in page
    assert "/vouch" not in page
    assert console.get(path).status_code == 302


def test_the_last_move_can_be_taken_back_from_the_timeline(console: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user, score=0.9, uses=3)
    memory.promote(user, now=timezone.now())
    first, second = memory.list_events(user, item.pk)[::-1]
    path = f"{place}/memories/{item.pk}"
    page = console.get(path).content.decode()
    assert f"{path}/undo/{second.pk}" in page
    assert f"{path}/undo/{first.pk}" not in page
    refused = console.post(f"{path}/undo/{first.pk}", {}, follow=True).content.decode()
    assert "Not taken back: something came after it (promoted)" in refused
    assert console.get(f"{path}/undo/{second.pk}").status_code == 302
    assert reload_item(item).tier == Tier.PATTERNS
    page = console.post(f"{path}/undo/{second.pk}", {}, follow=True).content.decode()
    assert "The move was taken back." in page
    assert f"{path}/undo/{first.pk}" in page
    assert reload_item(item).tier == Tier.HISTORY
    assert console.post(f"{path}/undo/999999999", {}).status_code == 404


def test_an_outsider_vouches_for_nothing_and_takes_nothing_back(outsider: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user, score=0.9, uses=3, trust=Trust.ASSISTANT)
    memory.promote(user, now=timezone.now())
    event = memory.list_events(user, item.pk)[0]
    for path in ("vouch", f"undo/{event.pk}"):
        assert outsider.post(f"{place}/memories/{item.pk}/{path}", {}).status_code == 404
    assert (reload_item(item).trust, reload_item(item).tier) == (Trust.ASSISTANT, Tier.PATTERNS)


def test_what_may_not_come_back_says_why(console: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, archived=True, trust=Trust.EXTERNAL)
    page = console.post(f"{place}/memories/{item.pk}/restore", {}, follow=True).content.decode()
    assert "Not restored: words of a document or tool" in page
    assert reload_item(item).status == "archived"


def test_an_edit_that_says_what_another_item_says_leads_to_the_one_that_is_left(
    console: Console, user: EndUser, place: str
) -> None:
    kept = MemoryItemFactory.create(user=user, text="Drinks tea", banked=True, importance=1.0, confidence=1.0)
    item = MemoryItemFactory.create(user=user, text="Drinks coffee", banked=True)
    form = {"text": "drinks  TEA", "tags": "preference", "importance": 0.7, "confidence": 0.7, "version": 1}
    answer = console.post(f"{place}/memories/{item.pk}/edit", form)
    assert answer.headers["Location"] == f"{place}/memories/{kept.pk}"
    assert (reload_item(kept).mentions, reload_item(item).status) == (2, "archived")


def test_pinning_words_from_outside_is_a_persons_act_that_remembers_where_they_came_from(
    console: Console, user: EndUser, place: str
) -> None:
    item = from_outside(user)
    form = {"text": item.text, "tags": "context", "importance": 0.7, "confidence": 0.7}
    assert console.post(f"{place}/memories/{item.pk}/pin", form).status_code == 302
    [pinned] = [one for one in list_bank(user) if one.parents]
    assert (pinned.trust, pinned.parents, pinned.principal) == (Trust.USER, [item.pk], "operator:olga")


def list_bank(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK))
