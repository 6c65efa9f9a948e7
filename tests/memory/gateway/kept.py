"""What a turn through the gateway left: the rows, and what the client was told of them."""

from typing import Any

from memory.access.scope import user_scope
from memory.models import EndUser
from outcomes.models import Exchange


def rows(user: EndUser) -> list[Exchange]:
    with user_scope(user):
        return list(Exchange.objects.filter(user=user).order_by("created_at"))


def stored(user: EndUser) -> list[tuple[str, str, bool]]:
    return [(row.user_message, row.assistant_message, row.interrupted) for row in rows(user)]


def meta_of(answer: Any) -> dict[str, Any]:
    """Of an object of the client: a whole answer, or the last chunk of a stream."""
    meta: dict[str, Any] = answer.model_extra["commonplace"]
    return meta
