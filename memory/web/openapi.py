"""Additions to the OpenAPI document beyond the endpoints' own types."""

from copy import deepcopy
from typing import Any

from ninja import NinjaAPI, Swagger
from ninja.openapi.schema import OpenAPISchema
from pydantic import BaseModel

from memory.web.idempotency import HEADER, REPLAYED
from memory.web.problems import MEDIA_TYPE, ProblemOut

# Marks a POST that is about the organisation: stored answers are a person's rows, and one of these holds a secret.
UNREPEATED = "x-unrepeated"
COMMON_STATUSES = (401, 403, 422, 429, 503)
DESCRIPTION = """
Long-term memory for AI assistants. Send `Authorization: Bearer <key>` with every call.

Errors are `application/problem+json` with a stable `code`. A POST about a user may carry an `Idempotency-Key`:
the same key and body answer the first result again for 24 hours. Lists answer `{items, next_cursor}`; pass
`next_cursor` as `cursor` with the same filters for the next page. A user nobody wrote to yet is answered as an
empty memory; the first write makes the user.
"""
# What the operations are about, in the order in which one comes to need them.
SECTIONS: dict[str, str] = {
    "A turn": "What an assistant asks for before it answers, and what it reports afterwards. Start here: `context`, "
    "then `exchanges`, then `outcomes`.",
    "Search": "Memories by meaning and by words, each hit with the reasons for its place.",
    "Memories": "Single memories of any tier: store, list, change, archive, restore, delete, and their history.",
    "Facts": "What is true of a person now and what was true before, with evidence, confidence and validity.",
    "The hot path": "Facts out of a turn in milliseconds, and the one to five lines that go back beside it.",
    "Personal records": "Five kinds of record of a person's days, and recalling them.",
    "Books": "Documents: uploaded, cut into passages, found.",
    "Graphs": "Concepts, people and things of a person's memories, and what led to what.",
    "Personality": "How the assistant speaks to a person.",
    "Vocabulary": "The controlled vocabulary that messages are labelled with, and finding them by it.",
    "Inbox": "What waits for somebody's decision: contradictions, near-duplicates, suspects, redactions.",
    "Measuring": "A person's own questions, asked again under two settings.",
    "Spaces": "Memories that several people share.",
    "Users": "The people that a key acts for.",
    "Own data": "Values of your own about a person, by key: settings, marks, whatever you keep.",
    "Leaving and arriving": "Export, import, and the link to a person's own page.",
    "Trust": "Vouching for a memory, undoing a move, taking back what came from a source.",
    "Tools": "The memory tools of an assistant, as functions to call.",
    "Hooks": "The calls of a turn for hooks, which name the person in what they send.",
    "Webhooks": "Addresses that are told of what happens.",
    "Operations": "Health, figures and the state of the indexes.",
}
IDEMPOTENCY_KEY = {
    "in": "header",
    "name": HEADER,
    "required": False,
    "description": "Makes sending the request again safe for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}}
HEADERS: dict[str, dict[str, Any]] = {
    "401": {"WWW-Authenticate": {"schema": {"type": "string"}}},
    "429": RETRY_AFTER,
    "503": RETRY_AFTER,
}


def describe_responses(
    status: int,
    model: type[BaseModel] | None,
    *,
    reads_body: bool = False,
    writes: bool = False,
    may_miss: bool = False,
    may_expect: bool = False,
) -> dict[int, Any]:
    """The documented responses of an operation: its own, and those common to its kind."""
    shared = [*COMMON_STATUSES]
    shared += [413, 415] if reads_body else []
    shared += [409] if writes else []
    shared += [404] if may_miss else []
    shared += [412] if may_expect else []
    return {status: model, **dict.fromkeys(sorted(shared), ProblemOut)}


def describe_if_match(*, with_version: bool = False) -> dict[str, Any]:
    """The header of changes that are refused where somebody else changed the thing meanwhile."""
    tag = "The `ETag` of what was read" + (", or its `version` in quotes" if with_version else "")
    rule = f"{tag}: 412 where it is another by now. Left out, nothing is compared."
    schema = {"type": "string"}
    return {
        "parameters": [{"in": "header", "name": "If-Match", "required": False, "description": rule, "schema": schema}]
    }


def drop_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A URL parameter cannot be null, so null is removed from its schema."""
    # Pydantic words an optional parameter as a union with null, which no URL can say.
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return schema
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **kinds[0]}


class ApiDocs(Swagger):
    """The viewer that ships with the framework, from our own origin."""

    template = "api/docs.html"


class DocumentedAPI(NinjaAPI):
    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**kwargs)
        document["tags"] = [{"name": name, "description": text} for name, text in SECTIONS.items()]
        for path in document["paths"].values():
            for method in list(path):
                # Copied: the framework hands out its own schema, and completing it twice would add the header twice.
                path[method] = complete_operation(method, deepcopy(path[method]))
        document["paths"] = dict(sorted(document["paths"].items(), key=place_path))
        return document


def place_path(path: tuple[str, dict[str, Any]]) -> int:
    """Where the section of a path's operations stands. The routers have another order: fixed addresses come first."""
    section = next(iter(path[1].values()))["tags"][0]
    return list(SECTIONS).index(section)


def complete_operation(method: str, operation: dict[str, Any]) -> dict[str, Any]:
    for status, answer in operation["responses"].items():
        content = answer.get("content", {})
        if int(status) >= 400 and "application/json" in content:
            content[MEDIA_TYPE] = content.pop("application/json")
        if str(status) in HEADERS:
            answer["headers"] = HEADERS[str(status)]
    for parameter in operation["parameters"]:
        parameter["schema"] = drop_null(parameter["schema"])
    # Read from the header by the decorators, so the framework does not know of it.
    if method == "post" and not operation.pop(UNREPEATED, False):
        operation["parameters"].append(IDEMPOTENCY_KEY)
        for status, answer in operation["responses"].items():
            if int(status) < 300:
                answer["headers"] = {REPLAYED: {"schema": {"type": "string", "enum": ["true"]}}}
    operation["responses"] = {str(status): answer for status, answer in operation["responses"].items()}
    return operation
