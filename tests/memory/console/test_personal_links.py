"""An operator makes a link to a person's own page, sees which there are, and ends one."""

import re

from django.test import Client

from memory.access.scope import user_scope
from memory.models import AuditEvent, EndUser, Membership, PersonalLink
from memory.models.people import OperatorRole
from tests.memory.console.conftest import Console


def test_a_link_is_shown_once_and_revoked(
    governing: Console, console: Console, outsider: Console, user: EndUser, place: str
) -> None:
    assert "Their own page" in console.get(place).content.decode()
    assert console.post(f"{place}/links", {"hours": "24"}).status_code == 403
    assert "ask <bdi>vera</bdi>" in console.get(f"{place}/links").content.decode()
    made = governing.post(f"{place}/links", {"hours": "24"}).content.decode()
    found = re.search(r"/me/[0-9]+-[A-Za-z0-9_-]{43}", made)
    assert found
    assert found[0] not in governing.get(f"{place}/links").content.decode()
    assert Client().get(found[0]).status_code == 302
    assert governing.post(f"{place}/links", {"hours": "9999"}).status_code == 422

    with user_scope(user):
        [link] = PersonalLink.objects.all()
    assert link.actor == "operator:vera"
    assert outsider.post(f"{place}/links", {"hours": "24"}).status_code == 404
    assert outsider.post(f"{place}/links/{link.pk}/revoke").status_code == 404
    assert Client().get(found[0]).status_code == 302
    assert console.post(f"{place}/links/{link.pk}/revoke").status_code == 403
    assert "opens nothing any more" in governing.post(f"{place}/links/{link.pk}/revoke", follow=True).content.decode()
    assert Client().get(found[0]).status_code == 404


def test_what_a_link_may_do_is_what_its_maker_may(governing: Console, user: EndUser, place: str) -> None:
    page = governing.post(f"{place}/links", {"hours": "24"}).content.decode()
    [link] = set(re.findall(r"/me/[0-9]+-[A-Za-z0-9_-]{43}", page))
    made = AuditEvent.objects.get(action="link.made")
    assert (made.actor, made.details) == ("operator:vera", {"person": user.pk, "hours": 24})
    own = Client()
    own.get(link)
    deletes = {"word": "delete"}

    rows = Membership.objects.filter(operator__username="vera")
    rows.update(role=OperatorRole.MEMBER)
    assert "This link does not delete everything" in own.get("/me/everything").content.decode()
    assert own.post("/me/everything/delete", deletes).status_code == 403
    assert EndUser.objects.filter(external_id="ann").exists()

    rows.update(role=OperatorRole.OWNER)
    assert "Everything is deleted" in own.post("/me/everything/delete", deletes).content.decode()
    erased = AuditEvent.objects.get(action="person.erased")
    assert (erased.actor, erased.details) == ("person", {"link_by": "operator:vera"})
    assert (
        "Person erased through the link that operator vera made" in governing.get("/console/settings").content.decode()
    )
