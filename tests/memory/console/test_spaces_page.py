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
    assert "Out of the space" not in console.get(f"{theirs}/spaces").content.decode()
    console.post(f"{place}/spaces/{access.slug}/{copy.item.pk}/unshare")
    assert facade.list_shared(access, user, ItemFilter(), limit=5) == []
    assert "#space" not in console.get("/people").content.decode()


def test_a_space_is_made_and_its_curator_alone_says_who_belongs_to_it(
    console: Console, user: EndUser, other_user: EndUser, place: str
) -> None:
    facade = MemoryFacade("key:mobile")
    made = console.post(f"{place}/spaces/make", {"name": "Garden <b>"}, follow=True).content.decode()
    assert "Garden &lt;b&gt; is made" in made
    [access] = facade.list_spaces(user)
    again = console.post(f"{place}/spaces/make", {"name": " garden <B> "}, follow=True).content.decode()
    assert "ann has a space of that name." in again
    [access] = facade.list_spaces(user)
    assert "Not done: the name" in console.post(f"{place}/spaces/make", {"name": " "}, follow=True).content.decode()
    members = f"{place}/spaces/{access.slug}/members"
    for body, said in (
        ({"member": "nobody-here", "role": "reader"}, "no such person"),
        ({"member": other_user.external_id, "role": "owner"}, "A role is one of"),
        ({"member": other_user.external_id, "role": "writer"}, f"{other_user.external_id} is writer of"),
        ({"member": user.external_id, "role": "reader"}, "last curator"),
    ):
        assert said in console.post(members, body, follow=True).content.decode()
    roles = {row.user_id: row.role for row in facade.list_members(access, user)}
    assert roles == {user.pk: Role.CURATOR, other_user.pk: Role.WRITER}

    theirs = place.replace(user.external_id, other_user.external_id)
    assert "Set the role" not in console.get(f"{theirs}/spaces").content.decode()
    forbidden = {"member": other_user.external_id, "role": "curator"}
    refused = console.post(f"{theirs}/spaces/{access.slug}/members", forbidden, follow=True)
    assert "takes the role curator" in refused.content.decode()
    left = console.post(f"{theirs}/spaces/{access.slug}/remove", {"member": other_user.external_id}, follow=True)
    assert "Out of the space" in left.content.decode()
    assert console.post(f"{theirs}/spaces/{access.slug}/remove", {"member": user.external_id}).status_code == 404
