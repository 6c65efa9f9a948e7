"""The tools as OpenAPI has them, for clients that send the person in a header."""

import json
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from schemathesis.openapi import from_dict

from memory.access.keys import issue_key
from memory.models import EndUser
from memory.tools import TOOLS
from tests.api_client import ISSUED, ApiClient, client_for

pytestmark = pytest.mark.usefixtures("services")

PLACE = "/api/v1/tools/openapi.json"
MUSIC = {"content": "Ann plays the cello.", "tags": ["identity"]}


def call(document: dict[str, Any], http: httpx.Client, name: str, arguments: Any, **headers: str) -> httpx.Response:
    """As a client does that knows the document alone."""
    [path] = [path for path, item in document["paths"].items() if item["post"]["operationId"] == name]
    named = {header.replace("_", "-"): value for header, value in headers.items()}
    return http.post(document["servers"][0]["url"] + path, json=arguments, headers=named)


def test_the_document_is_valid_and_describes_the_seven_tools(db: None) -> None:
    answer = ApiClient("ann", None).get(PLACE, headers={"Host": "testserver"})
    document = json.loads(answer.content)
    assert answer.status_code == 200
    from_dict(document).validate()
    posts = [item["post"] for item in document["paths"].values()]
    assert [post["operationId"] for post in posts] == list(TOOLS)
    assert document["servers"] == [{"url": "http://testserver"}]
    # A parameter would be the model's to fill in, and the person is not.
    assert not any("parameters" in post for post in posts)
    for post in posts:
        Draft202012Validator.check_schema(post["requestBody"]["content"]["application/json"]["schema"])
        # What GPT actions take at most.
        assert len(post["description"]) <= 300
    assert len(answer.content) < 12_000


def test_the_tools_are_called_for_the_person_of_the_header(address: str, key: str, user: EndUser) -> None:
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=30) as http:
        document = http.get(address + PLACE).json()
        kept = call(document, http, "add_to_memory_bank", MUSIC, X_User_Id="ann")
        assert (kept.status_code, kept.json()["tool"]) == (200, "add_to_memory_bank")
        for header in ("X_User_Id", "X_OpenWebUI_User_Id"):
            found = call(document, http, "search_memory", {"query": "cello"}, **{header: "ann"})
            assert "Ann plays the cello." in found.json()["content"]
            found = call(document, http, "search_memory", {"query": "cello"}, **{header: "ben"})
            assert "cello." not in found.json()["content"]
        assert "cello." not in call(document, http, "search_memory", {"query": "cello"}).json()["content"]
        refused = call(document, http, "search_memory", {"limit": 3}, X_User_Id="ann")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "query")
        assert call(document, http, "search_memory", {"query": "x"}, X_User_Id="a n").status_code == 422
        assert http.post(f"{address}/api/v1/tools/unheard_of", json={}).status_code == 404


def test_a_key_acts_for_nobody_else(user: EndUser, other_user: EndUser) -> None:
    _, key = issue_key(user.organization, "one", ("read",), now=ISSUED, user_ids=["ann"])
    client, place = ApiClient("ann", key), "/api/v1/tools/search_memory"
    assert client.post(place, {"query": "x"}).status_code == 200
    assert client.post(place, {"query": "x"}, X_User_Id="ben").status_code == 403
    assert client.post("/api/v1/tools/add_to_memory_bank", MUSIC).status_code == 403
    assert ApiClient("ann", None).post(place, {"query": "x"}).status_code == 401
    sent = client_for(user)
    first, again = (sent.post("/api/v1/tools/add_to_memory_bank", MUSIC, Idempotency_Key="k") for _ in range(2))
    assert first.content == again.content
