"""The application on a port of its own, in the transaction of the test: clients speak to it over a real connection."""

import threading
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from commonplace_client import Commonplace
from commonplace_client.client import Person
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connections

from memory.access.keys import SCOPES, issue_key
from memory.models import EndUser
from tests.api_client import ISSUED


class QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


class OneDatabaseServer(ThreadingMixIn, WSGIServer):
    """Answers in threads that use the test's connection, one at a time: nothing else sees what the test wrote."""

    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.database, self.turn = connections["default"], threading.Lock()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self.turn:
            connections["default"] = self.database
            super().process_request_thread(request, client_address)


@pytest.fixture
def address(user: EndUser) -> Iterator[str]:
    connections["default"].inc_thread_sharing()
    for signal in (request_started, request_finished):
        # As Django's own test client does: the connection is the test's, and it is in the middle of a transaction.
        signal.disconnect(close_old_connections)
    with make_server("127.0.0.1", 0, get_wsgi_application(), OneDatabaseServer, QuietHandler) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    connections["default"].dec_thread_sharing()


@pytest.fixture
def key(user: EndUser) -> str:
    return issue_key(user.organization, "adapter", SCOPES, now=ISSUED)[1]


@pytest.fixture
def memory(address: str, key: str) -> Iterator[Commonplace]:
    memory = Commonplace(address, key, timeout=30)
    yield memory
    memory.close()


@pytest.fixture
def ann(memory: Commonplace) -> Person:
    return memory.person("ann")


@pytest.fixture
def away() -> Person:
    """A memory that nobody answers for."""
    return Commonplace("http://127.0.0.1:9", "cpl_none", timeout=1).person("ann")
