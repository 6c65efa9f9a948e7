"""An operator makes a link to a person's own page, sees which there are, and ends one."""

import re

from django.test import Client

from memory.access.scope import user_scope
from memory.models import EndUser, PersonalLink
from tests.memory.console.conftest import Console


def test_a_link_is_shown_once_and_revoked(console: Console, outsider: Console, user: EndUser, place: str) -> None:
    assert "Their own page" in console.get(place).content.decode()
    made = console.post(f"{place}/links", {"hours": "24"}).content.decode()
    found = re.search(r"/me/[0-9]+-[A-Za-z0-9_-]{43}", made)
    assert found
    assert found[0] not in console.get(f"{place}/links").content.decode()
    assert Client().get(found[0]).status_code == 302
    assert console.post(f"{place}/links", {"hours": "9999"}).status_code == 422

    with user_scope(user):
        [link] = PersonalLink.objects.all()
    assert link.actor == "operator:olga"
    assert outsider.post(f"{place}/links", {"hours": "24"}).status_code == 404
    assert outsider.post(f"{place}/links/{link.pk}/revoke").status_code == 404
    assert Client().get(found[0]).status_code == 302
    assert "opens nothing any more" in console.post(f"{place}/links/{link.pk}/revoke", follow=True).content.decode()
    assert Client().get(found[0]).status_code == 404
