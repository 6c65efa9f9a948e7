"""Rows 1, 3 and 5: nobody reads what is another's, and nobody learns that it is there."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import psycopg

from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, name_canary, name_person

ISOLATED_TABLES = (
    "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
    "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') "
    "AND a.attname = 'user_id' AND NOT a.attisdropped AND c.relname <> 'django_admin_log' ORDER BY 1"
)
"""Every table with a column ``user_id``."""
UNFORCED = "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND NOT (relrowsecurity AND relforcerowsecurity)"
POLICED = (
    "SELECT tablename FROM pg_policies WHERE policyname = 'user_isolation' AND cmd = 'ALL' AND qual = with_check "
    "AND qual LIKE '%%app.user_id%%' AND tablename = ANY(%s)"
)
POWERS = "SELECT rolsuper OR rolbypassrls OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
OWNED = "SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole AND relpersistence <> 't'"
NOBODY = "6c6b8a1e-0000-4000-8000-000000000000"


def prove_row_security(stage: ProvingStage) -> Finding:
    keep_canary(stage, name_person("rows"), name_canary())
    with stage.query_all() as everything:
        tables = [name for (name,) in everything.execute(ISOLATED_TABLES).fetchall()]
        unforced = len(everything.execute(UNFORCED, [tables]).fetchall())
        unpoliced = len(tables) - len(everything.execute(POLICED, [tables]).fetchall())
        filled = sum(count_rows(everything, name) > 0 for name in tables)
    with stage.query_as_product() as product:
        seen = sum(count_rows(product, name) for name in tables)
        (is_powerful,) = product.execute(POWERS).fetchone() or (True,)
        (owned,) = product.execute(OWNED).fetchone() or (1,)
    figure = (
        f"{len(tables)} tables: {unforced} without forced security, {unpoliced} without policy; "
        f"{seen} rows of {filled} filled tables seen without a person; role owns {owned}"
    )
    return Finding(figure, not (unforced or unpoliced or seen or is_powerful or owned) and filled > 0)


def count_rows(server: psycopg.Connection[Any], table: str) -> int:
    found = server.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608  (a name of the catalogue)
    return int(found[0]) if found else 0


def keep_canary(stage: ProvingStage, user: str, canary: str) -> str:
    """Told as a memory, in an exchange, as a fact and among own data. Returns the id of the memory."""
    base = f"/api/v1/users/{user}"
    with stage.call() as client:
        stored = client.post(
            f"{base}/memories", json={"text": f"The boat in the harbour is called {canary}.", "tags": ["boat"]}
        )
        stored.raise_for_status()
        told = {"user_message": f"My friend {canary} lives in Ghent.", "assistant_message": f"Noted: {canary}."}
        for answer in (
            client.post(f"{base}/threads/harbour/exchanges", json=told),
            client.post(f"{base}/facts", json={"statement": f"I work for {canary}."}),
            client.put(f"{base}/data/canary", json={"value": canary}),
        ):
            answer.raise_for_status()
        return str(stored.json()["id"])


def ask_everywhere(client: httpx.Client, user: str, question: str) -> Iterator[httpx.Response]:
    """Every way by which a person's own things come back."""
    base = f"/api/v1/users/{user}"
    yield client.post(f"{base}/search", json={"query": question, "limit": 50})
    yield client.post(f"{base}/context", json={"query": question, "thread_id": "prove"})
    yield client.post(f"{base}/facts/search", json={"query": question, "search_type": "both"})
    yield client.post(f"{base}/hot/turn", json={"thread_id": "prove", "text": question})
    yield client.post(f"{base}/tools/search_memory", json={"query": question})
    for path in (
        "memories?limit=200",
        "facts",
        "threads",
        "data",
        "data/canary",
        "export",
        f"insights?query={question}",
    ):
        yield client.get(f"{base}/{path}")


def prove_canaries(stage: ProvingStage) -> Finding:
    """The owner's own answers hold the canary: without that, finding none elsewhere would say nothing."""
    owner, neighbour = name_person("owner"), name_person("neighbour")
    stranger = stage.make_key(name_person("org"), scopes="read,write,admin")
    asked = leaked = failed = controls = 0
    for number in range(stage.scale(3, 50)):
        canary = name_canary()
        keep_canary(stage, owner, canary)
        keep_canary(stage, neighbour, name_canary())
        question = "Where does my friend live, and what is the boat called?"
        with stage.call() as client, stage.call(stranger) as foreign:
            if number == 0:
                stage.wait_until_indexed(owner)
            controls += sum(canary in answer.text for answer in ask_everywhere(client, owner, canary))
            for caller, person in ((client, neighbour), (foreign, owner), (foreign, neighbour)):
                for words in (question, name_canary()):
                    for answer in ask_everywhere(caller, person, words):
                        asked += 1
                        leaked += canary in answer.text
                        failed += answer.status_code >= 500
    figure = (
        f"{leaked} canaries in {asked} foreign answers, {failed} of them 5xx; the owner's own held it {controls} times"
    )
    return Finding(figure, leaked == 0 and failed == 0 and controls > 0)


def prove_silence(stage: ProvingStage) -> Finding:
    """A foreign id is answered as one that does not exist, byte for byte but for what names the request."""
    owner, neighbour = name_person("silent"), name_person("curious")
    real = keep_canary(stage, owner, name_canary())
    with stage.call() as client:
        client.post(f"/api/v1/users/{neighbour}/memories", json={"text": "I keep bees."}).raise_for_status()
        ways = [
            (method, f"/api/v1/users/{neighbour}/{path}")
            for method, path in (
                ("GET", "memories/{id}"),
                ("PATCH", "memories/{id}"),
                ("DELETE", "memories/{id}"),
                ("GET", "facts/{id}"),
                ("GET", "exchanges/{id}"),
                ("GET", "memories/{id}/versions"),
                ("POST", "memories/{id}/vouch"),
            )
        ]
        differing = [
            path
            for method, path in ways
            if ask_by_id(client, method, path, real) != ask_by_id(client, method, path, NOBODY)
        ]
        schema = client.get("/api/v1/openapi.json").raise_for_status().text
        is_kept = client.get(f"/api/v1/users/{owner}/memories/{real}").status_code == 200
    vectors = len(re.findall(r'"(?:vector|embedding|token_vectors)":\s*\{"(?:type|items)', schema))
    figure = (
        f"{len(differing)} of {len(ways)} ways told a foreign id from none; {vectors} fields of the API are vectors"
    )
    return Finding(figure, not differing and not vectors and is_kept)


def ask_by_id(client: httpx.Client, method: str, path: str, item: str) -> tuple[int, str]:
    body = {"text": "changed"} if method == "PATCH" else None
    answer = client.request(method, path.replace("{id}", item), json=body)
    return answer.status_code, re.sub(r'"(?:request_id|instance)":\s*"[^"]*"', "", answer.text).replace(item, "ID")
