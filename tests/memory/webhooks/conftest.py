import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks import Webhook

from memory.models import EndUser, WebhookDelivery, WebhookEndpoint
from memory.webhooks import dispatch
from memory.webhooks.connecting import open_vetted_client
from memory.webhooks.endpoints import NewEndpoint, create_endpoint
from memory.webhooks.events import EVENTS
from tests.doubles.webhook_receiver import Received, WebhookReceiver

Listen = Callable[..., tuple[WebhookEndpoint, str]]


def set_up_webhooks(settings: Settings, **values: Any) -> None:
    changed = {**settings.MEMORY["WEBHOOKS"], **values}
    settings.MEMORY = {**settings.MEMORY, "WEBHOOKS": changed}


@pytest.fixture
def receiver(settings: Settings) -> Iterator[WebhookReceiver]:
    """Listens on this machine, which the settings allow here."""
    set_up_webhooks(settings, allows_private=True, timeout_s=2.0)
    with WebhookReceiver() as server:
        yield server
    open_vetted_client().close()
    open_vetted_client.cache_clear()


@pytest.fixture
def listen(receiver: WebhookReceiver, user: EndUser) -> Listen:
    """Makes an endpoint of the organisation that the receiver answers."""

    def listen(*events: str, **choices: Any) -> tuple[WebhookEndpoint, str]:
        new = NewEndpoint(receiver.url, events or list(EVENTS), **choices)
        return create_endpoint(user.organization_id, new, now=timezone.now())

    return listen


def send_due() -> int:
    """Everything that is due now, with what the first rounds made due."""
    attempts = 0
    while made := dispatch.dispatch_due(timezone.now()):
        attempts += made
    return attempts


def make_due() -> None:
    """As if the pauses had passed."""
    before = timezone.now() - timedelta(seconds=1)
    WebhookDelivery.objects.filter(state="pending").update(due_at=before)
    WebhookEndpoint.objects.filter(paused_until__isnull=False).update(paused_until=before)


def verify(received: Received, secret: str) -> dict[str, Any]:
    """What a receiver that uses the scheme's own library takes for ours."""
    verified = Webhook(secret).verify(received.body, received.headers)
    assert verified == json.loads(received.body)
    assert isinstance(verified, dict)
    return verified
