"""The page of a person's spaces, and sharing from the page of a memory."""

from django.utils import timezone

from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.models.spaces import Role
from memory.store.admission import NewMemory
from memory.store.listing import ItemFilter
from tests.memory.console.conftest import Console


def test_a_memory_is_shared_shown_with_who_shared_it_and_taken_out(
    console: Console, outsider: Console, user: EndUser, other_user: EndUser, place: str
) -> None:
    facade, now = MemoryFacade("key:mobile"), timezone.now()
    access = facade.make_space(user.organization_id, "Boat <crew>", user, now=now)
    facade.set_member(access, user, other_user, Role.READER, now=now)
    item = facade.store(user, NewMemory("The winch is greased in April"), now=now).item
    assert "Boat &lt;crew&gt;" in console.get(f"{place}/memories/{item.pk}/share").content.decode()
    shared = console.post(f"{place}/memories/{item.pk}/share", {"space": access.slug}, follow=True)
    assert "stays the person" in shared.content.decode()
    page = console.get(f"{place}/spaces").content.decode()
    for words in ("The winch is greased in April", "Boat &lt;crew&gt;", user.external_id, other_user.external_id):
        assert words in page
    assert outsider.get(f"{place}/spaces").status_code == 404
    theirs = place.replace(user.external_id, other_user.external_id)
    [copy] = facade.list_shared(access, user, ItemFilter(), limit=5)
    refused = console.post(f"{theirs}/spaces/{access.slug}/{copy.item.pk}/unshare", follow=True)
    assert "takes the role curator" in refused.content.decode()
    assert "Take out" not in console.get(f"{theirs}/spaces").content.decode()
    console.post(f"{place}/spaces/{access.slug}/{copy.item.pk}/unshare")
    assert facade.list_shared(access, user, ItemFilter(), limit=5) == []
    assert "#space" not in console.get("/people").content.decode()
