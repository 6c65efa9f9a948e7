"""What assistants did over MCP lately: sessions, the last calls. Kept in Redis for a day, and never by person."""

import json
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypedDict

from redis import Redis

from memory.platform import redis as shared

KEPT_S: Final = 24 * 3600
SEEN_LATELY: Final = timedelta(hours=1)
MOST_CALLS: Final = 50
MOST_SESSIONS: Final = 1_000


class McpCall(TypedDict):
    """One call of a tool. ``key`` is the number of the key, 0 for a program of this machine."""

    tool: str
    key: int
    at: str
    ms: float
    outcome: str


def name_list(kind: str, organization_id: int) -> str:
    return shared.build_key("mcp", f"{kind}:{organization_id}")


def notice_session(organization_id: int, session_id: str, *, now: datetime) -> None:
    """That a session of the organisation asked for something. Costs nothing while Redis is away."""
    place = name_list("sessions", organization_id)

    def store(client: Redis) -> None:
        pipe = client.pipeline(transaction=False)
        pipe.zadd(place, {session_id: now.timestamp()})
        pipe.zremrangebyrank(place, 0, -MOST_SESSIONS - 1)
        pipe.expire(place, KEPT_S)
        pipe.execute()

    shared.call_or_default(store, None)


def forget_session(organization_id: int, session_id: str) -> None:
    place = name_list("sessions", organization_id)
    shared.call_or_default(lambda client: client.zrem(place, session_id), None)


def notice_call(organization_id: int, call: McpCall) -> None:
    place = name_list("calls", organization_id)

    def store(client: Redis) -> None:
        pipe = client.pipeline(transaction=False)
        pipe.lpush(place, json.dumps(call))
        pipe.ltrim(place, 0, MOST_CALLS - 1)
        pipe.expire(place, KEPT_S)
        pipe.execute()

    shared.call_or_default(store, None)


def count_sessions(organization_id: int, *, now: datetime) -> int:
    """Those that asked for something within the last hour, and were not closed since."""
    place, since = name_list("sessions", organization_id), (now - SEEN_LATELY).timestamp()
    return int(shared.call_or_default(partial(count_since, place=place, since=since), 0))


def count_since(client: Redis, place: str, since: float) -> Any:  # noqa: ANN401 -- the client's own
    return client.zcount(place, since, "+inf")


def list_calls(organization_id: int, limit: int) -> list[McpCall]:
    """The latest first; none while Redis is away."""
    place = name_list("calls", organization_id)
    found: list[Any] = shared.call_or_default(lambda client: client.lrange(place, 0, limit - 1), [])
    return [json.loads(line) for line in found]
