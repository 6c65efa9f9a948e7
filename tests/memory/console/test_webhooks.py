"""Webhooks in the console: made with a secret shown once, listed with what was sent, sent again, and nobody else's."""

import re
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory.facade import MemoryFacade
from memory.models import EndUser, Organization, WebhookDelivery, WebhookEndpoint
from tests.memory.console.conftest import Console

pytestmark = pytest.mark.usefixtures("services")

PLACE = "/console/webhooks"


@pytest.fixture
def console(governing: Console) -> Console:
    """An owner; what a member may do here is asked with the access to every page."""
    return governing


def test_an_endpoint_is_made_watched_and_ended_by_its_own_organisation_alone(
    console: Console, outsider: Console, nobody: Console, organization: Organization, settings: Settings
) -> None:
    webhooks = {**settings.MEMORY["WEBHOOKS"], "allows_private": True}
    settings.MEMORY = {**settings.MEMORY, "WEBHOOKS": webhooks}
    fields = {"organization": organization.pk, "url": "http://127.0.0.1:9/hooks", "events": ["memory.stored"]}
    assert outsider.post(PLACE, fields).status_code == 422
    assert nobody.post(PLACE, fields).status_code == 302
    assert console.post(PLACE, {**fields, "url": "http://169.254.169.254/"}).status_code == 422
    made = console.post(PLACE, fields)
    [secret] = re.findall(r"whsec_[A-Za-z0-9+/=]+", made.content.decode())
    assert made.headers["Cache-Control"] == "no-store"
    row = WebhookEndpoint.objects.get()
    own = f"/console/webhook-{row.pk}"
    for page in (PLACE, own):
        shown = console.get(page).content.decode()
        assert "http://127.0.0.1:9/hooks" in shown
        assert secret not in shown
    assert outsider.get(own).status_code == outsider.post(own, {"action": "delete"}).status_code == 404

    assert console.post(own, {"action": "test"}).status_code == 302
    hostile = '<script>alert("x")</script>'
    WebhookDelivery.objects.update(state="dead", attempts=11, error="answered 500", excerpt=hostile)
    shown = console.get(own).content.decode()
    assert "given up" in shown
    assert "answered 500" in shown
    assert hostile not in shown
    console.post(own, {"action": str(WebhookDelivery.objects.get().pk)})
    assert WebhookDelivery.objects.get().state == "pending"
    WebhookDelivery.objects.update(state="dead", queued_at=timezone.now())
    console.post(own, {"action": "again"})
    assert WebhookDelivery.objects.get().state == "pending"
    assert re.search(r"whsec_", console.post(own, {"action": "rotate"}).content.decode())
    console.post(own, {"action": "disable"})
    assert "Nothing is collected for it" in console.get(own).content.decode()
    console.post(own, {"action": "delete"})
    assert not WebhookEndpoint.objects.exists()


def test_a_message_about_a_space_tells_no_number_of_its_partition(
    console: Console, organization: Organization, user: EndUser
) -> None:
    space = MemoryFacade().make_space(user.organization_id, "Boat crew", user, now=timezone.now()).partition
    row = WebhookEndpoint.objects.create(organization=organization, url="http://127.0.0.1:9/hooks", events=[])
    for whom in (space.pk, user.pk, None):
        WebhookDelivery.objects.create(endpoint=row, end_user_id=whom, event_id=uuid4(), kind="memory.stored")
    shown = console.get(f"/console/webhook-{row.pk}").content.decode()
    assert "a space" in shown
    assert space.external_id not in shown
    assert user.external_id in shown
    assert "nobody" in shown
