"""An embedding server with the interface of Text Embeddings Inference.

POST /embed, POST /v1/embeddings, GET /info, GET /health, and of its own POST /embed_tokens: each text's vector and
what each of its tokens became, from the same pass. On a unix socket or on a TCP port:

    python server.py --socket /run/embedder.sock --models /var/cache/models
    python server.py --host 0.0.0.0 --port 80 --models /var/cache/models --model multilingual-e5-small

A request may name another model it knows (``"model"``), as while an index is rebuilt by a new one; that is loaded then.
One that nobody waits for says so (``"background": true``) and comes after those that somebody does. Vectors come as
base64 where ``"encoding_format"`` says so, at /embed as well: to write and read 896 numbers as text takes 2.8 ms.
"""

import argparse
import asyncio
import base64
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from encoder import Encoder, Job, Matrix, OverloadedError, Span
from joined import JoinedEncoder, JoinedJob, PartEncoder
from model import (
    DEFAULT,
    DIMENSIONS,
    SERVED,
    AnySource,
    JoinedSource,
    PartSource,
    UniversalSource,
    convert_installed,
    find_source,
    list_installed,
)
from network import QUANTIZATION
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from universal_encoder import UniversalEncoder

MAX_TEXTS = 256
MAX_BODY_BYTES = 8 * 1024 * 1024
MAX_CONCURRENT = 512
BASE64 = "base64"
# Seven decimals of a unit vector's component are more than a float32 of that size can mean.
ROW_FORMATS = {source.dimensions: "[" + ",".join(["%.7f"] * source.dimensions) + "]" for source in SERVED}

AnyEncoder = PartEncoder | JoinedEncoder


class RefusedError(Exception):
    def __init__(self, status: HTTPStatus, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class ServedModels:
    """The server's own model, and others from the first request that names them. Joined ones share their parts."""

    def __init__(self, folder: Path, source: AnySource, replicas: int) -> None:
        self._folder = folder
        self._replicas = replicas
        self._loading = asyncio.Lock()
        self._encoders: dict[str, PartEncoder] = {}
        self.source = source

    async def load(self, source: AnySource) -> AnyEncoder:
        if isinstance(source, JoinedSource):
            return JoinedEncoder(source, [await self._load_part(part) for part in source.parts])
        return await self._load_part(source)

    async def _load_part(self, source: PartSource) -> PartEncoder:
        async with self._loading:
            if source.name not in self._encoders:
                self._encoders[source.name] = await run_in_threadpool(self._open, source)
        return self._encoders[source.name]

    async def choose(self, name: object) -> AnyEncoder:
        """The model a request names. Raises RefusedError for one that is not here."""
        source = self.source if name is None else find_source(name) if isinstance(name, str) else None
        installed = list_installed()
        if source is None or source not in installed:
            raise invalid(f"`model` must be one of {', '.join(one.name for one in installed)}")
        return await self.load(source)

    def _open(self, source: PartSource) -> PartEncoder:
        encoder: PartEncoder = (
            UniversalEncoder(source)
            if isinstance(source, UniversalSource)
            else Encoder(self._folder, source, replicas=self._replicas)
        )
        encoder.encode(["warm up"])
        return encoder


def invalid(message: str) -> RefusedError:
    return RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, "Validation", message)


async def embed(request: Request) -> Response:
    body = await read_object(request)
    texts = read_texts(body, "inputs")
    if body.get("normalize") is False:
        raise invalid("only unit vectors are served: `normalize` cannot be false")
    form = read_encoding_format(body)
    encoder = await choose_model(request, body)
    job = await encode(encoder, body, texts)
    if form == BASE64:
        return JSONResponse([as_base64(row) for row in job.vectors])
    row_format = ROW_FORMATS[encoder.source.dimensions]
    return Response(
        f"[{','.join(row_format % tuple(row) for row in job.vectors.tolist())}]", media_type="application/json"
    )


async def openai_embeddings(request: Request) -> Response:
    body = await read_object(request)
    texts = read_texts(body, "input")
    form = read_encoding_format(body)
    encoder = await choose_model(request, body)
    job = await encode(encoder, body, texts)
    write: Callable[[Matrix], Any] = as_base64 if form == BASE64 else lambda row: row.tolist()
    rows = [{"object": "embedding", "index": i, "embedding": write(row)} for i, row in enumerate(job.vectors)]
    usage = {"prompt_tokens": job.tokens, "total_tokens": job.tokens}
    return JSONResponse({"object": "list", "model": encoder.source.name, "data": rows, "usage": usage})


async def embed_tokens(request: Request) -> Response:
    """For each text its unit vector and, for each token within its span, the signs of the token's vector, packed.

    With ``"whole": true`` the tokens' vectors themselves, as float32.
    """
    body = await read_object(request)
    texts = read_texts(body, "inputs")
    spans = read_spans(body, texts)
    encoder = await choose_model(request, body)
    job = await encode(encoder, body, texts, spans)
    rows = zip(job.vectors, job.token_rows, strict=True)
    data = [{"embedding": as_base64(row), "tokens": base64.b64encode(tokens).decode("ascii")} for row, tokens in rows]
    return JSONResponse({"model": encoder.source.name, "data": data})


async def info(request: Request) -> Response:
    source = list_served_models(request).source
    return JSONResponse(
        {
            "model_id": source.name,
            "models": [one.name for one in list_installed()],
            "model_dtype": QUANTIZATION,
            "model_type": {"embedding": {"pooling": "mean"}},
            "dimension": source.dimensions,
            "token_signs": DIMENSIONS,
            "max_input_length": source.max_tokens,
            "max_client_batch_size": MAX_TEXTS,
            "max_concurrent_requests": MAX_CONCURRENT,
            "auto_truncate": True,
            "version": f"ctranslate2 {version('ctranslate2')}",
        }
    )


async def health(_request: Request) -> Response:
    return PlainTextResponse("")


async def read_object(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await read_body(request))
    except (ValueError, RecursionError) as error:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "Validation", f"the body is not JSON in UTF-8: {error}") from error
    if not isinstance(body, dict):
        raise invalid("the body must be a JSON object")
    return body


async def read_body(request: Request) -> bytes:
    """The body, refused as soon as it is too long: what was announced is not trusted, what arrives is counted."""
    chunks = bytearray()
    async for chunk in request.stream():
        chunks += chunk
        if len(chunks) > MAX_BODY_BYTES:
            limit = f"the body is larger than {MAX_BODY_BYTES} bytes"
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Validation", limit)
    return bytes(chunks)


def read_texts(body: dict[str, Any], name: str) -> list[str]:
    given = body.get(name)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise invalid(f"`{name}` must be a string or a list of strings")
    if not texts or not all(text.strip() for text in texts):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "Empty", f"`{name}` cannot be empty, nor can a text in it")
    if len(texts) > MAX_TEXTS:
        raise invalid(f"batch size {len(texts)} > maximum allowed batch size {MAX_TEXTS}")
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError as error:
        raise invalid(f"`{name}` holds half of a surrogate pair, which is no text") from error
    return texts


def read_encoding_format(body: dict[str, Any]) -> str:
    form = body.get("encoding_format", "float")
    if form not in {"float", BASE64}:
        raise invalid("`encoding_format` must be float or base64")
    return str(form)


def read_spans(body: dict[str, Any], texts: list[str]) -> list[Span]:
    """``[from, to]`` in characters for each text; whole texts where none are given."""
    given = body.get("spans")
    if given is None:
        return [(0, len(text)) for text in texts]
    if not isinstance(given, list) or len(given) != len(texts) or not all(is_span(span) for span in given):
        raise invalid("`spans` must be a list with two whole numbers, [from, to], for each text")
    return [(span[0], span[1]) for span in given]


def is_span(given: object) -> bool:
    return isinstance(given, list) and len(given) == 2 and all(type(number) is int for number in given)


def list_served_models(request: Request) -> ServedModels:
    served: ServedModels = request.app.state.models
    return served


async def choose_model(request: Request, body: dict[str, Any]) -> AnyEncoder:
    return await list_served_models(request).choose(body.get("model"))


async def encode(
    encoder: AnyEncoder, body: dict[str, Any], texts: list[str], spans: Sequence[Span] = ()
) -> Job | JoinedJob:
    submit: Callable[..., Job | JoinedJob] = encoder.submit
    wish = {"whole": body.get("whole") is True, "is_background": body.get("background") is True}
    try:
        job = await run_in_threadpool(submit, texts, spans, **wish)
    except OverloadedError as error:
        raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS, "Overloaded", "model is overloaded") from error
    await asyncio.wrap_future(job.done)
    return job


def as_base64(row: Matrix) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")


async def tell_refusal(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)  # noqa: S101 - registered for this class
    return JSONResponse({"error": str(error), "error_type": error.kind}, error.status)


async def tell_departure(_request: Request, _error: Exception) -> Response:
    return Response(status_code=HTTPStatus.BAD_REQUEST)  # nobody reads it: the client closed the connection


async def tell_failure(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"encoding failed: {error}", "error_type": "Backend"}, HTTPStatus.FAILED_DEPENDENCY)


def application(folder: Path, source: AnySource, replicas: int) -> Starlette:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.models = ServedModels(folder, source, replicas)
        await app.state.models.load(source)
        yield

    return Starlette(
        lifespan=lifespan,
        routes=[
            Route("/embed", embed, methods=["POST"]),
            Route("/embed_tokens", embed_tokens, methods=["POST"]),
            Route("/v1/embeddings", openai_embeddings, methods=["POST"]),
            Route("/info", info),
            Route("/health", health),
        ],
        exception_handlers={RefusedError: tell_refusal, ClientDisconnect: tell_departure, RuntimeError: tell_failure},
    )


def open_private_socket(path: Path) -> socket.socket:
    """A listening socket of this user alone; one that a killed server left is replaced."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(256)
    return listener


def parse_model(name: str) -> AnySource:
    source = find_source(name)
    if source is None:
        raise argparse.ArgumentTypeError(f"{name!r} is not a model this server carries")
    return source


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Embedding server for the models the product carries")
    parser.add_argument("--socket", type=Path, help="listen on this unix socket")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--models", type=Path, required=True, help="folder for converted models")
    parser.add_argument(
        "--model", type=parse_model, default=DEFAULT, help=f"one of {', '.join(s.short_name for s in SERVED)}"
    )
    parser.add_argument(
        "--replicas", type=int, default=2, help="texts encoded at the same time, of queries and of bulk jobs each"
    )
    parser.add_argument("--convert-only", action="store_true", help="convert every installed model, and end")
    given = parser.parse_args(argv)
    if given.convert_only:
        convert_installed(given.models)
        return
    server = uvicorn.Server(
        uvicorn.Config(
            application(given.models, given.model, given.replicas),
            host=given.host,
            port=given.port,
            log_level="warning",
            access_log=False,
            limit_concurrency=MAX_CONCURRENT,
            timeout_graceful_shutdown=3,
        )
    )
    server.run(sockets=[open_private_socket(given.socket)] if given.socket else None)


if __name__ == "__main__":
    main(sys.argv[1:])
