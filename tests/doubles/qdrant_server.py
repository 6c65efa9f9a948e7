"""A stand-in for a Qdrant server: not the real one, which tests meet only where QDRANT_URL names it.

It speaks Qdrant's HTTP as far as the adapter does, on a port of this machine. What it is sent must fit the models of
the server's schema that the client library brings, to the letter; what it answers is made of them. Points are kept and
found by the library's own local mode, which its authors hold to the server's behaviour: everything is compared with
everything, so nothing here tells how fast a server is or what its graphs miss.
"""

import contextlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, TypeAdapter, ValidationError
from qdrant_client import QdrantClient, models

from tests.doubles.faults import FAULTS, Exchange, PortServer, Stub, _EmbedderHandler

WRITE = frozenset({"wait", "ordering", "timeout"})
READ = frozenset({"consistency", "timeout"})
DEFAULT_PAGE = 10


class Refused(Exception):
    """What the server answers instead of a result."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Kept:
    """What is in the server, and one at a time to touch it."""

    client: QdrantClient = field(default_factory=lambda: QdrantClient(":memory:"))
    payload_indexes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By collection and field, as they were asked for."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def known(self, name: str) -> str:
        """The collection of a name or an alias."""
        aliases = {entry.alias_name: entry.collection_name for entry in self.client.get_aliases().aliases}
        collection = aliases.get(name, name)
        if not self.client.collection_exists(collection):
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return collection


Answer = Callable[[Kept, str, Any], Any]


@dataclass(frozen=True)
class Route:
    method: str
    path: re.Pattern[str]
    body: TypeAdapter[Any] | None
    parameters: frozenset[str]
    answer: Answer


# --- what is done -------------------------------------------------------------------------------------------------
def describe(kept: Kept, name: str, body: None) -> Any:
    collection = kept.known(name)
    info = as_json(kept.client.get_collection(collection))
    info["payload_schema"] = {
        name: {"data_type": schema["type"], "params": schema, "points": info["points_count"]}
        for name, schema in kept.payload_indexes.get(collection, {}).items()
    }
    return info


def create(kept: Kept, name: str, body: models.CreateCollection) -> bool:
    if kept.client.collection_exists(name):
        raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
    if body.vectors is None:
        raise Refused(400, "this stand-in keeps vectors")
    return kept.client.create_collection(name, vectors_config=body.vectors, hnsw_config=body.hnsw_config)


def drop(kept: Kept, name: str, body: None) -> bool:
    kept.payload_indexes.pop(name, None)
    return kept.client.delete_collection(name)


def index_field(kept: Kept, name: str, body: models.CreateFieldIndex) -> Any:
    if not isinstance(body.field_schema, models.KeywordIndexParams):
        raise Refused(400, "this stand-in knows indexes of keywords with their parameters")
    kept.payload_indexes.setdefault(kept.known(name), {})[body.field_name] = as_json(body.field_schema)
    return done()


def list_aliases(kept: Kept, name: str, body: None) -> Any:
    return kept.client.get_aliases()


def change_aliases(kept: Kept, name: str, body: models.ChangeAliasesOperation) -> bool:
    return kept.client.update_collection_aliases(body.actions)


def upsert(kept: Kept, name: str, body: models.PointsList) -> Any:
    collection = kept.known(name)
    for point in body.points:
        check_width(kept, collection, point.vector)
    kept.client.upsert(collection, body.points, update_filter=body.update_filter)
    return done()


def set_payload(kept: Kept, name: str, body: models.SetPayload) -> Any:
    kept.client.set_payload(kept.known(name), body.payload, points=chosen(body))
    return done()


def delete_payload(kept: Kept, name: str, body: models.DeletePayload) -> Any:
    kept.client.delete_payload(kept.known(name), body.keys, points=chosen(body))
    return done()


def chosen(body: models.SetPayload | models.DeletePayload) -> Any:
    if (body.points is None) == (body.filter is None):
        raise Refused(400, "Bad request: either points or a filter must be given")
    return body.points if body.filter is None else body.filter


def delete(kept: Kept, name: str, body: models.PointsSelector) -> Any:
    selector = body if isinstance(body, models.FilterSelector) else body.points
    kept.client.delete(kept.known(name), points_selector=selector)
    return done()


def check_width(kept: Kept, collection: str, vector: object) -> None:
    wide = getattr(kept.client.get_collection(collection).config.params.vectors, "size", None)
    if not isinstance(vector, list) or len(vector) != wide:
        got = len(vector) if isinstance(vector, list) else "none"
        raise Refused(400, f"Wrong input: Vector dimension error: expected dim: {wide}, got {got}")


def query(kept: Kept, name: str, body: models.QueryRequest) -> Any:
    check_width(kept, kept.known(name), body.query.nearest if isinstance(body.query, models.NearestQuery) else None)
    return kept.client.query_points(
        kept.known(name),
        query=body.query,
        query_filter=body.filter,
        limit=page(body.limit),
        with_payload=body.with_payload if body.with_payload is not None else False,
    )


def scroll(kept: Kept, name: str, body: models.ScrollRequest) -> Any:
    points, after = kept.client.scroll(
        kept.known(name),
        body.filter,
        limit=page(body.limit),
        offset=body.offset,
        with_payload=body.with_payload if body.with_payload is not None else True,
        with_vectors=body.with_vector or False,
    )
    return models.ScrollResult(points=points, next_page_offset=after)


def count(kept: Kept, name: str, body: models.CountRequest) -> Any:
    return kept.client.count(kept.known(name), count_filter=body.filter, exact=bool(body.exact))


def page(limit: int | None) -> int:
    if limit is not None and limit < 1:
        raise Refused(422, f"limit: value {limit} invalid, must be 1 or larger")
    return limit or DEFAULT_PAGE


def done() -> models.UpdateResult:
    return models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)


def route(method: str, path: str, body: Any, parameters: frozenset[str], answer: Answer) -> Route:
    pattern = re.compile(path.replace("{name}", "(?P<name>[^/]+)"))
    return Route(method, pattern, TypeAdapter(body) if body else None, parameters, answer)


ROUTES = [
    route("GET", "/aliases", None, frozenset(), list_aliases),
    route("POST", "/collections/aliases", models.ChangeAliasesOperation, frozenset({"timeout"}), change_aliases),
    route("GET", "/collections/{name}", None, frozenset(), describe),
    route("PUT", "/collections/{name}", models.CreateCollection, frozenset({"timeout"}), create),
    route("DELETE", "/collections/{name}", None, frozenset({"timeout"}), drop),
    route("PUT", "/collections/{name}/index", models.CreateFieldIndex, WRITE, index_field),
    route("PUT", "/collections/{name}/points", models.PointsList, WRITE, upsert),
    route("POST", "/collections/{name}/points/payload", models.SetPayload, WRITE, set_payload),
    route("POST", "/collections/{name}/points/payload/delete", models.DeletePayload, WRITE, delete_payload),
    route("POST", "/collections/{name}/points/delete", models.PointsSelector, WRITE, delete),
    route("POST", "/collections/{name}/points/query", models.QueryRequest, READ, query),
    route("POST", "/collections/{name}/points/scroll", models.ScrollRequest, READ, scroll),
    route("POST", "/collections/{name}/points/count", models.CountRequest, READ, count),
]


# --- how it is spoken ---------------------------------------------------------------------------------------------
class QdrantStandIn(Stub):
    """``with QdrantStandIn() as server``, then ``server.url``. Faults are those of every stub here."""

    def __init__(self) -> None:
        server = PortServer(("127.0.0.1", 0), _QdrantHandler)
        super().__init__(server)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.kept = Kept()

    def known(self) -> set[str]:
        return set(FAULTS) | set(REPLY_FAULTS)

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        self.kept.client.close()


class _QdrantHandler(_EmbedderHandler):
    rbufsize = -1
    disable_nagle_algorithm = True

    @property
    def stub(self) -> QdrantStandIn:
        return self.server.owner  # type: ignore[attr-defined]

    def do_GET(self) -> None:  # noqa: N802
        self.serve()

    def do_PUT(self) -> None:  # noqa: N802
        self.serve()

    def do_POST(self) -> None:  # noqa: N802
        self.serve()

    def do_DELETE(self) -> None:  # noqa: N802
        self.serve()

    def serve(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.stub.asked.append(Exchange(self.path, json.loads(sent) if sent else {}, dict(self.headers)))
        fault = self.stub.next_fault()
        with contextlib.suppress(OSError):
            if fault in {"none", *REPLY_FAULTS}:
                self.reply(sent, REPLY_FAULTS.get(fault, lambda result: result))
            else:
                FAULTS[fault](self, [])

    def reply(self, sent: bytes, spoil: Callable[[Any], Any]) -> None:
        try:
            with self.stub.kept.lock:
                result = as_json(self.result(sent))
        except Refused as error:
            self.answer(error.status, json.dumps({"status": {"error": str(error)}, "time": 0.0}).encode())
        else:
            self.answer(200, json.dumps({"result": spoil(result), "status": "ok", "time": 0.0}).encode())

    def result(self, sent: bytes) -> Any:
        parts = urlsplit(self.path)
        for known in ROUTES:
            if known.method == self.command and (found := known.path.fullmatch(unquote(parts.path))):
                check_parameters(known, dict(parse_qsl(parts.query, keep_blank_values=True)))
                body = self.checked_body(known, sent)
                try:
                    return known.answer(self.stub.kept, found.groupdict().get("name", ""), body)
                except ValueError as error:
                    raise Refused(404 if "not found" in str(error) else 400, str(error)) from error
        raise Refused(404, f"this stand-in does not know {self.command} {parts.path}")

    def checked_body(self, known: Route, sent: bytes) -> Any:
        if known.body is None:
            if sent:
                raise Refused(400, "a body was not expected")
            return None
        if self.headers.get("content-type") != "application/json":
            raise Refused(415, "Content type error")
        try:
            return known.body.validate_python(json.loads(sent, parse_constant=refuse_constant))
        except (ValidationError, json.JSONDecodeError) as error:
            raise Refused(400, f"Format error in JSON body: {error}") from error


def refuse_constant(name: str) -> None:
    raise Refused(400, f"Format error in JSON body: {name} is no number")


def check_parameters(known: Route, given: Mapping[str, str]) -> None:
    if unknown := set(given) - known.parameters:
        raise Refused(400, f"unknown parameters {sorted(unknown)}")
    if given.get("wait", "true") not in {"true", "false"}:
        raise Refused(400, "wait: true or false")
    if "timeout" in given and not (given["timeout"].isdecimal() and int(given["timeout"]) >= 1):
        raise Refused(422, "timeout: must be a whole number of seconds, at least 1")


def as_json(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_none=True) if isinstance(value, BaseModel) else value


def _each_point(edit: Callable[[dict[str, Any]], Any]) -> Callable[[Any], Any]:
    def spoil(result: Any) -> Any:
        if not isinstance(result, dict) or "points" not in result:
            return result
        return {**result, "points": [edit(point) for point in result["points"]]}

    return spoil


REPLY_FAULTS: dict[str, Callable[[Any], Any]] = {
    "no result": lambda result: None,
    "points without payload": _each_point(lambda point: {**point, "payload": None}),
    "points without score": _each_point(lambda point: {name: part for name, part in point.items() if name != "score"}),
    "scores of text": _each_point(lambda point: {**point, "score": "near"}),
    "scores that are no number": _each_point(lambda point: {**point, "score": float("nan")}),
    "a list of lists": lambda result: [[result]],
}
