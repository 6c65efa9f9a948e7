"""Rows 2, 32 and 33: a scope ends with its request, a secret stays nowhere, and nobody makes a token of their own."""

import random
import re
import string
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
from django.conf import settings

from memory.proving.erasure import find_traces
from memory.proving.isolation import NOBODY
from memory.proving.pages import open_console
from memory.proving.patience import eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, name_canary, name_person

CALLERS = 8
CANARY = re.compile(r"zq[0-9a-f]{14}")
REVOKED_WITHIN_S = 1.0
SIGNS = string.ascii_letters + string.digits + "_-. :"


def prove_scopes(stage: ProvingStage) -> Finding:
    """Requests of many people take the same few connections in turn, some end in errors; each sees only their own."""
    canaries = {name_person("scope"): name_canary() for _ in range(stage.scale(12, 50))}
    with stage.call() as client:
        for user, canary in canaries.items():
            told = {"text": f"My boat is called {canary}", "tier": "history"}
            client.post(f"/api/v1/users/{user}/memories", json=told).raise_for_status()
    people = list(canaries.items())

    def visit(seed: int) -> list[tuple[int, bool, int]]:
        dice, seen = random.Random(seed), []  # noqa: S311  (the order of requests, no secret)
        with stage.call() as client:
            for _ in range(stage.scale(100, 1250)):
                user, canary = dice.choice(people)
                answer = visit_badly_or_well(client, user, dice.randrange(6))
                words = set(CANARY.findall(answer.text))
                seen.append((len(words - {canary}), canary in words, answer.status_code))
        return seen

    with ThreadPoolExecutor(CALLERS) as pool:
        seen = [one for part in pool.map(visit, range(CALLERS)) for one in part]
    foreign, own = sum(one[0] for one in seen), sum(one[1] for one in seen)
    refused, failed = (sum(low <= one[2] < high for one in seen) for low, high in ((400, 500), (500, 600)))
    figure = (
        f"{foreign} foreign words in {len(seen):,} requests of {len(people)} people in turn, {refused} of them refused "
        f"on the way and {failed} failed; their own were there {own} times"
    )
    return Finding(figure, foreign == failed == 0 and own > 0 and refused > 0)


def visit_badly_or_well(client: httpx.Client, user: str, way: int) -> httpx.Response:
    base = f"/api/v1/users/{user}"
    if way == 0:
        return client.get(f"{base}/memories/{NOBODY}")
    if way == 1:
        # The first is stored before the second is refused: what was begun is rolled back.
        return client.post(f"{base}/memories/batch", json={"items": [{"text": "I row."}, {"text": ""}]})
    if way == 2:
        return client.post(f"{base}/search", json={"query": "What is my boat called?"})
    return client.get(f"{base}/{('memories', 'export', 'memories?limit=5')[way - 3]}")


def prove_no_secrets(stage: ProvingStage) -> Finding:
    """Told everywhere, also in requests that fail. A plain word is found beside it, so that finding none says much."""
    user, plain, core = name_person("secret"), name_canary(), f"zebrafinch{random.randrange(10**9)}"  # noqa: S311
    token = "gh" + f"p_{core}".ljust(38, "7")
    key = stage.make_key("demo", scopes="read,write")
    told = 0
    with stage.call(key) as client:
        for method, path, body in say_everywhere(user, f"Our bot {plain} uses {token} and my password is {core}_93!7"):
            answer = client.request(method, path, json=body)
            told += answer.is_success
            if core in answer.text.lower():
                return Finding(f"{method} {path} answered {answer.status_code} with the secret", is_kept=False)
    stage.wait_until_indexed(user)
    time.sleep(2)
    controls, traces = find_traces(stage, plain), find_traces(stage, core)
    keys = find_traces(stage, key.split("_", 1)[1][20:])
    seconds = revoke_timed(stage, key)
    figure = (
        f"{len(traces)} places hold a secret that was told in {told} ways {' '.join(traces[:3])}, {len(controls)} the "
        f"plain word beside it; {len(keys)} hold an issued key {' '.join(keys[:3])}; "
        f"a revoked one is refused after {seconds:.2f} s"
    )
    return Finding(figure, not traces and not keys and bool(controls) and told > 0 and seconds <= REVOKED_WITHIN_S)


def say_everywhere(user: str, said: str) -> Iterator[tuple[str, str, dict[str, object]]]:
    base = f"/api/v1/users/{user}"
    yield "POST", f"{base}/memories", {"text": said, "tier": "history"}
    yield "POST", f"{base}/memories", {"text": "Herons wade.", "metadata": {"note": said}}
    yield "POST", f"{base}/memories/batch", {"items": [{"text": said}]}
    yield "POST", f"{base}/threads/t/exchanges", {"user_message": said, "assistant_message": f"Noted: {said}"}
    yield "POST", f"{base}/facts", {"statement": said}
    yield "POST", f"{base}/search", {"query": said}
    yield "POST", f"{base}/context", {"query": said, "thread_id": "t"}
    yield "PUT", f"{base}/data/note", {"value": said}
    yield "POST", f"{base}/tools/add_to_memory_bank", {"content": said, "tags": ["project"]}
    yield "POST", f"{base}/memories", {"text": said, "tier": said}
    yield "POST", f"{base}/facts", {"statement": [said]}


def revoke_timed(stage: ProvingStage, key: str) -> float:
    """Every process is asked, by many calls. Behind the product's back, for a command's start would be most of it."""
    with stage.query_all() as server, stage.call(key) as client:
        server.execute("UPDATE api_key SET revoked_at = now() WHERE hint = %s", [key[:10]])
        begun = time.monotonic()
        eventually(lambda: {client.get("/api/v1/vocabulary").status_code for _ in range(8)} == {401}, 5)
        return time.monotonic() - begun


def mutate(token: str, dice: random.Random) -> str:
    """One sign changed, added, left out or moved, or the token cut, doubled or turned round."""
    at, sign = dice.randrange(1, len(token)), dice.choice(SIGNS)
    made = dice.choice(
        (
            token[:at] + sign + token[at + 1 :],
            token[:at] + sign + token[at:],
            token[:at] + token[at + 1 :],
            token[at:] + token[:at],
            token[:at],
            token[:at] + token[at:].swapcase(),
            token + token,
            token[::-1],
            token.replace("_", sign),
        )
    ).strip()
    return made if made and made != token else f"{token}{sign.strip() or 'x'}"


def prove_tokens(stage: ProvingStage) -> Finding:
    """Of a key at the API and at MCP, and of the console's session. The true ones are let in, before and after."""
    key = stage.make_key("demo", scopes="read")
    with open_console(stage) as browser:
        session = browser.cookies[settings.SESSION_COOKIE_NAME]
    each = stage.scale(300, 35_000)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "prove", "version": "1"}}
    mcp = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    statuses: list[int] = []
    with httpx.Client(base_url=stage.stack.api_url, timeout=60, trust_env=False) as client:

        def ask_api(token: str) -> int:
            return client.get("/api/v1/vocabulary", headers={"authorization": f"Bearer {token}"}).status_code

        def ask_mcp(token: str) -> int:
            heads = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
            return client.post(stage.stack.access["mcp_url"], json=mcp, headers=heads).status_code

        def ask_console(token: str) -> int:
            return client.get(
                "/console/people", headers={"cookie": f"{settings.SESSION_COOKIE_NAME}={token}"}
            ).status_code

        doors = ((ask_api, key), (ask_mcp, key), (ask_console, session))
        true = [ask(token) for ask, token in doors]
        for ask, token in doors:
            dice = random.Random(token)  # noqa: S311  (which sign is changed)
            statuses += [ask(mutate(token, dice)) for _ in range(each)]
        again = [ask(token) for ask, token in doors]
    accepted, failed = sum(200 <= one < 300 for one in statuses), sum(one >= 500 for one in statuses)
    figure = (
        f"{accepted} of {len(statuses):,} mutants of a key, at two doors, and of a session accepted, {failed} of them "
        f"5xx; the true ones {true} before and {again} after"
    )
    return Finding(figure, accepted == failed == 0 and set(true + again) == {200})
