"""Finding a page, a person or a memory: only what the operator may see, and as text whatever it says."""

import re

from django.urls import reverse

from memory.console.places import OF_INSTALLATION, OF_OPERATOR, OF_ORGANIZATIONS, OF_PERSON
from memory.models import EndUser
from tests.factories import EndUserFactory, MemoryItemFactory, OperatorFactory
from tests.memory.console.conftest import Console, console_for


def read_links(console: Console, path: str, query: str) -> list[str]:
    page = console.part(f"{path}/find?q={query}").content.decode()
    return re.findall(r'href="(/console/[^"]*)"', page)


def test_pages_people_and_memories_are_found_by_their_beginnings(console: Console, place: str, user: EndUser) -> None:
    lamp = MemoryItemFactory.create(user=user, text="The reading lamp is repaired on Thursdays")
    MemoryItemFactory.create(user=user, text="A lamp of long ago", archived=True)
    assert read_links(console, place, "rev")[0] == f"{place}/inbox"
    assert read_links(console, place, "dupl")[0] == f"{place}/inbox"
    assert read_links(console, place, user.external_id)[0] == place
    for typed in ("lam", "reading la", "thursd"):
        assert read_links(console, place, typed) == [
            f"{place}/memories/{lamp.pk}",
            f"{place}/search?query={typed.replace(' ', '+')}",
        ]
    assert read_links(console, place, "lam rea") == [f"{place}/search?query=lam+rea"]


def test_nothing_is_found_of_whom_the_operator_may_not_see(
    console: Console, outsider: Console, place: str, user: EndUser, other_user: EndUser, foreign_user: EndUser
) -> None:
    for owner in (other_user, foreign_user):
        MemoryItemFactory.create(user=owner, text="The zebra lamp")
    assert read_links(console, place, "zebra") == [f"{place}/search?query=zebra"]
    EndUserFactory.create(organization=foreign_user.organization, external_id="zacharias")
    assert read_links(console, "/console", "zacharias") == []
    assert read_links(outsider, "/console", "zacharias") == ["/console/umbra/zacharias"]
    assert place not in read_links(outsider, "/console", user.external_id)
    assert outsider.get(f"{place}/find").status_code == 404


def test_a_page_for_who_may_see_everybody_is_found_by_them_alone(console: Console, foreign_user: EndUser) -> None:
    assert read_links(console, "/console", "operations") == []
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    assert read_links(root, "/console", "operations") == ["/console/operations"]


def test_pages_are_found_by_the_words_that_people_use(user: EndUser, place: str) -> None:
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    for typed, name in (("language", "display"), ("delete person", "data"), ("erase", "data")):
        assert reverse(f"console:{name}") in read_links(root, place, typed.replace(" ", "+"))
    assert f"{place}/replay" in read_links(root, place, "trace")


def test_a_phone_marks_a_place_on_every_page(console: Console, place: str) -> None:
    """What has no room there is found behind "More"."""
    for page, narrow in (("timeline", "More"), ("bank", "More"), ("transfer", "More"), ("facts", "Facts")):
        [nav] = re.findall(r'<nav class="nav".*?</nav>', console.get(f"{place}/{page}").content.decode(), re.DOTALL)
        marked = re.findall(r'<a(?: class="([^"]*)")?[^>]*aria-current="page"[^>]*>.*?</svg>([^<]*)<', nav)
        assert [name.strip() for css, name in marked if css != "on-wide"] == [narrow]


def test_what_the_navigation_leads_to_can_be_found(user: EndUser, place: str) -> None:
    """A page added to the one and not to the other fails here."""
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    found = set(read_links(root, place, ""))
    assert len(found) == len(OF_PERSON) + len(OF_ORGANIZATIONS) + len(OF_OPERATOR) + len(OF_INSTALLATION)
    for path in (place, reverse("console:people")):
        [nav] = re.findall(r'<nav class="nav".*?</nav>', root.get(path).content.decode(), re.DOTALL)
        assert set(re.findall(r'href="(/console/[^"]*)"', nav)) <= found | {f"{place}/find", "/console/find"}


def test_more_letters_than_a_field_takes_find_the_pages(console: Console, place: str) -> None:
    assert len(read_links(console, place, "x" * 201)) > len(OF_PERSON)
