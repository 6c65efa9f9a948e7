"""Which address of mem0's is what. With and without the slash at its end: the platform has it, the server has not."""

from django.urls import URLPattern, re_path

from memory.mem0 import adding, entities, finding, items, server
from memory.mem0.door import Handler, Route, build_view

MEMORY = r"(?P<memory_id>[^/]{1,100})"
ENTITY = r"(?P<kind>[a-z]{1,20})/(?P<name>[^/]{1,400})"


def address(pattern: str, **routes: Route) -> URLPattern:
    return re_path(rf"^{pattern}/?$", build_view(**routes))


def refuse_all(refuse: Handler) -> dict[str, Route]:
    """What is not offered says so, whatever is asked of it."""
    return {method: Route(refuse, "read") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")}


LIST_PLATFORM = Route(finding.list_by_version, "read")
ADD_RESULTS = Route(adding.add_with_results, "write")
DELETE_SCOPE = Route(entities.delete_memories, "write")
ONE = {
    "GET": Route(items.get_memory, "read"),
    "PUT": Route(items.update_memory, "write"),
    "DELETE": Route(items.delete_memory, "write"),
}
HISTORY = Route(items.get_history, "read")

PLATFORM = [
    address("v1/ping", GET=Route(server.ping, "read")),
    address("v3/memories/add", POST=Route(adding.add_with_event, "write")),
    address("v3/memories/search", POST=Route(finding.search_wrapped, "read")),
    address("v3/memories", POST=Route(finding.list_wrapped, "read")),
    address("v2/memories/search", POST=Route(finding.search_listed, "read")),
    address("v2/memories", POST=LIST_PLATFORM),
    address("v1/memories/search", POST=Route(finding.search_listed, "read")),
    address("v1/memories", GET=LIST_PLATFORM, POST=ADD_RESULTS, DELETE=DELETE_SCOPE),
    address(f"v1/memories/{MEMORY}", **ONE),
    address(f"v1/memories/{MEMORY}/history", GET=HISTORY),
    address("v1/batch", PUT=Route(items.update_batch, "write"), DELETE=Route(items.delete_batch, "write")),
    address("v1/feedback", POST=Route(items.give_feedback, "write")),
    address("v1/event/(?P<event_id>[^/]{1,100})", GET=Route(adding.get_event, "read")),
    address("v1/entities", GET=Route(entities.list_entities, "read")),
    address(f"v[12]/entities/{ENTITY}", DELETE=Route(entities.delete_entity, "write")),
    address("v2/entities/user/(?P<name>[^/]{1,400})/profile", GET=Route(entities.get_profile, "read")),
    address("v1/summary", POST=Route(server.summarize, "read")),
    address("v1/exports(?:/get)?", POST=Route(server.refuse_export, "read")),
    address("v2/profiles/(?:jobs|settings)(?:/.{1,200})?", **refuse_all(server.refuse_profile_jobs)),
    address("api/v1/orgs/organizations/.{1,400}", **refuse_all(server.refuse_projects)),
    address("api/v1/webhooks/.{1,400}", **refuse_all(server.refuse_webhooks)),
]
OPEN_SOURCE = [
    address("memories", GET=Route(finding.list_wrapped, "read"), POST=ADD_RESULTS, DELETE=DELETE_SCOPE),
    address(f"memories/{MEMORY}", **ONE),
    address(f"memories/{MEMORY}/history", GET=HISTORY),
    address("search", POST=Route(finding.search_wrapped, "read")),
    address("reset", POST=Route(entities.reset, "admin")),
    address("configure", GET=Route(server.tell_settings, "read"), POST=Route(server.keep_settings, "admin")),
]
urlpatterns = [*PLATFORM, *OPEN_SOURCE]
