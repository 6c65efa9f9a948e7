"""A space, its members of each role, and everybody who is none: nothing is read or changed beyond the role."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memory.access.confinement import RowScope
from memory.access.membership import act_as, act_as_member
from memory.access.scope import WrongScope, user_scope, visit_space
from memory.access.spaces import find_membership
from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.lifecycle import erasure
from memory.models import EndUser, Erasure, MemoryItem, MemoryVector, SpaceMember
from memory.portability import jobs
from memory.portability.checking import BrokenFile, check_file
from memory.retrieval import search
from memory.retrieval.pool import CandidateMemory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankedCandidate
from memory.retrieval.results import SearchRequest
from outcomes.models import OutcomeEvent
from tests.api_client import ApiClient, client_for

WORDS = "The heliotrope engine of the boat is repaired at Crail"


@dataclass(frozen=True, slots=True)
class Team:
    """Ann curates; Wim writes, Rea reads, Eve is none."""

    slug: str
    space_id: int
    ann: ApiClient
    wim: ApiClient
    rea: ApiClient
    eve: ApiClient
    users: dict[str, EndUser]
    own_id: str
    shared_id: str

    @property
    def path(self) -> str:
        return f"spaces/{self.slug}"


def act(client: ApiClient, method: str, path: str, body: Any = None) -> Any:
    return client.send(method, path, body)


@pytest.fixture
def team(user: EndUser, api: ApiClient, index_now: Callable[[EndUser], None]) -> Team:
    clients = {name: ApiClient(name, api.key) for name in ("wim", "rea", "eve")}
    for client in clients.values():
        assert client.post("memories", {"text": "I own a bicycle"}).status_code == 201
    made = api.post("spaces", {"name": "Boat crew"})
    assert made.status_code == 201, made.content
    slug = made.json()["slug"]
    for name, role in (("wim", "writer"), ("rea", "reader")):
        assert act(api, "PUT", f"spaces/{slug}/members/{name}", {"role": role}).status_code == 200
    own = api.post("memories", {"text": WORDS, "thread_id": "private", "project_id": "atlas"}).json()
    shared = api.post(f"spaces/{slug}/memories", {"memory_id": own["id"]})
    assert shared.status_code == 201, shared.content
    users = {name: find_user(user.organization_id, name) or user for name in ("wim", "rea", "eve")}
    access = find_membership(user, slug)
    assert access is not None
    index_now(access.partition)
    return Team(
        slug, access.space_id, api, **clients, users=users, own_id=own["id"], shared_id=shared.json()["memory"]["id"]
    )


def find_shared(client: ApiClient, **more: Any) -> list[dict[str, Any]]:
    answer = client.post("search", {"query": "Where is the heliotrope engine repaired?", "limit": 20, **more})
    assert answer.status_code == 200, answer.content
    return [hit for hit in answer.json()["results"] if "heliotrope" in hit["content"]]


def test_members_find_what_was_shared_and_nobody_else_does(team: Team, foreign_user: EndUser) -> None:
    for client in (team.wim, team.rea):
        [hit] = find_shared(client, explain=True)
        assert (hit["memory_id"], hit["space"]["slug"]) == (team.shared_id, team.slug)
        assert hit["space"]["name"] == "Boat crew"
        assert hit["explain"]["space"] == team.slug
        assert find_shared(client, spaces=[]) == []
        assert len(find_shared(client, spaces=[team.slug])) == 1
        context = client.post("context", {"query": "Where is the heliotrope engine repaired?"}).content.decode()
        assert "shared in Boat crew" in context
        for spaces, told in (([], False), ([team.slug], True)):
            asked = {"query": "Where is the heliotrope engine repaired?", "spaces": spaces}
            assert ("shared in Boat crew" in client.post("context", asked).content.decode()) is told
            searched = {"query": asked["query"], "filters": {"spaces": spaces}}
            assert (team.shared_id in client.post("tools/search_memory", searched).content.decode()) is told
    assert find_shared(team.eve) == []
    refused = team.eve.post("search", {"query": "x", "spaces": [team.slug]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "spaces")
    for path, body in (
        ("context", {"query": "x", "spaces": [team.slug]}),
        ("tools/search_memory", {"query": "x", "spaces": team.slug}),
    ):
        outside = team.eve.post(path, body)
        assert (outside.status_code, outside.json()["errors"][0]["field"]) == (422, "spaces"), outside.content
    unknown = team.eve.post("search", {"query": "x", "spaces": ["nothing-such"]})
    assert refused.json()["errors"] == unknown.json()["errors"]
    assert find_shared(client_for(foreign_user)) == []
    shared = team.rea.get(f"{team.path}/memories").json()["items"]
    assert [(one["shared_by"], one["shared_from"]) for one in shared] == [(team.ann.external_id, team.own_id)]
    assert (shared[0]["memory"]["thread_id"], shared[0]["memory"]["project_id"]) == ("", "")
    for client in (team.wim, team.rea, team.eve):
        assert client.get(f"memories/{team.shared_id}").status_code == 404
        assert client.get(f"memories/{team.own_id}").status_code == 404


def test_a_role_reaches_so_far_and_no_further(team: Team) -> None:
    shared, members = f"{team.path}/memories/{team.shared_id}", f"{team.path}/members"
    mine = team.rea.post("memories", {"text": "I like tea"}).json()["id"]
    for method, path, body in (
        ("POST", f"{team.path}/memories", {"text": "I was here"}),
        ("POST", f"{team.path}/memories", {"memory_id": mine}),
        ("PATCH", shared, {"text": "Mine now"}),
        ("POST", f"{shared}/archive", None),
        ("DELETE", shared, None),
        ("PUT", f"{members}/rea", {"role": "curator"}),
        ("PUT", f"{members}/eve", {"role": "reader"}),
        ("DELETE", f"{members}/wim", None),
        ("PATCH", team.path, {"name": "Mine"}),
        ("DELETE", team.path, None),
    ):
        assert act(team.rea, method, path, body).status_code == 403, path
        outside = act(team.eve, method, path, body)
        nothing = act(team.eve, method, path.replace(team.slug, "nothing-such"), body)
        assert (outside.status_code, nothing.status_code) == (404, 404), path
        # To take oneself out is no act upon others.
        if path not in {f"{team.path}/memories", f"{members}/wim"}:
            assert act(team.wim, method, path, body).status_code == 403, path
    assert team.eve.get(team.path).status_code == 404
    assert team.eve.get(members).status_code == 404
    written = team.wim.post(f"{team.path}/memories", {"text": "The mast is of spruce"})
    assert written.status_code == 201, written.content
    own = f"{team.path}/memories/{written.json()['memory']['id']}"
    assert act(team.wim, "PATCH", own, {"text": "The mast is of larch"}).json()["memory"]["version"] == 2
    assert act(team.ann, "PATCH", own, {"text": "The mast is of oak"}).status_code == 200
    assert team.wim.delete(own).status_code == 204
    assert team.rea.get(own).status_code == 404
    last = team.ann.delete(f"{members}/{team.ann.external_id}")
    assert (last.status_code, last.json()["errors"][0]["field"]) == (422, "member")


def test_the_database_asks_for_the_role_itself(team: Team) -> None:
    counted = "SELECT count(*) FROM memory_item"
    with connection.cursor() as cursor:
        for member, expected in ((team.users["rea"].pk, 1), (team.users["eve"].pk, 0), ("", 0), (team.space_id, 0)):
            with act_as(str(member)), user_scope(team.space_id):
                cursor.execute(counted)
                assert cursor.fetchone()[0] == expected, member
        for name in ("rea", "wim"):
            with act_as_member(team.users[name].pk), user_scope(team.space_id):
                for statement in (
                    "UPDATE memory_item SET score = 0 RETURNING id",
                    "DELETE FROM memory_item RETURNING id",
                ):
                    cursor.execute(statement)
                    assert cursor.fetchall() == [], name
                with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
                    cursor.execute("UPDATE memory_space_member SET role = 'curator'")
        with (
            act_as_member(team.users["rea"].pk),
            user_scope(team.space_id),
            pytest.raises(DatabaseError, match="row-level security"),
            transaction.atomic(),
        ):
            cursor.execute(
                "INSERT INTO memory_event (user_id, item_id, kind, reason, before, after, actor, at) "
                "SELECT user_id, id, 'x', '', '{}', '{}', '', now() FROM memory_item"
            )
        eve = team.users["eve"].pk
        with user_scope(eve):
            with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
                cursor.execute(
                    "INSERT INTO memory_space_member (user_id, space_id, role, added_by, added_at) "
                    "VALUES (%s, %s, 'curator', '', now())",
                    [eve, team.space_id],
                )
            cursor.execute("SELECT set_config('app.member_id', 'service', true)")
            cursor.execute(f"{counted} WHERE user_id = %s", [team.space_id])
            assert cursor.fetchone()[0] == 0


def test_who_is_removed_is_out_at_once(team: Team) -> None:
    asked = {"query": "Where is the heliotrope engine repaired?"}
    before = team.rea.post("search", asked, Idempotency_Key="again")
    assert "heliotrope engine of" in before.content.decode()
    assert team.ann.delete(f"{team.path}/members/rea").status_code == 204
    assert "heliotrope engine of" not in team.rea.post("search", asked, Idempotency_Key="again").content.decode()
    assert find_shared(team.rea) == []
    assert team.rea.get(f"{team.path}/memories/{team.shared_id}").status_code == 404
    assert team.wim.delete(f"{team.path}/members/wim").status_code == 204
    assert find_shared(team.wim) == []
    assert team.wim.get("spaces").json()["items"] == []


def test_an_operators_key_gives_roles_and_another_organisations_sees_nothing(
    team: Team, user: EndUser, foreign_user: EndUser
) -> None:
    root = "/api/v1/spaces"
    members = f"{root}/{team.slug}/members"
    assert [one["slug"] for one in team.ann.get(root).json()["items"]] == [team.slug]
    assert act(team.ann, "PUT", f"{members}/eve", {"role": "curator"}).json()["added_by"] == "key:test"
    assert len(find_shared(team.eve)) == 1
    assert team.ann.delete(f"{members}/eve").status_code == 204
    assert find_shared(team.eve) == []
    for refused in (act(team.ann, "PUT", f"{members}/evee", {"role": "reader"}), team.ann.delete(f"{members}/evee")):
        assert (refused.status_code, [one["field"] for one in refused.json()["errors"]]) == (404, ["member"])
    assert not EndUser.objects.filter(external_id="evee").exists()
    foreign, bound = client_for(foreign_user), client_for(user, user_ids=[user.external_id])
    plain = client_for(user, ("read", "write"))
    assert foreign.get(root).json()["items"] == []
    for client, status in ((foreign, 404), (bound, 403), (plain, 403)):
        assert client.get(members).status_code == status
        assert act(client, "PUT", f"{members}/eve", {"role": "reader"}).status_code == status
        assert client.delete(f"{members}/rea").status_code == status
    assert len(find_shared(bound)) == len(find_shared(team.rea)) == 1


def test_a_key_of_one_project_reads_spaces_and_manages_none(team: Team, user: EndUser) -> None:
    bound = client_for(user, scope=RowScope(project_id="borealis"))
    assert len(find_shared(bound)) == 1
    assert bound.post("spaces", {"name": "x"}).status_code == 403
    assert bound.post(f"{team.path}/memories", {"memory_id": team.own_id}).status_code == 403


def test_what_goes_takes_its_shares_along(team: Team, user: EndUser) -> None:
    assert team.ann.get("spaces").json()["items"][0]["role"] == "curator"
    again = team.ann.post(f"{team.path}/memories", {"memory_id": team.own_id}).json()
    assert again["memory"]["id"] == team.shared_id
    written = team.wim.post(f"{team.path}/memories", {"text": "The heliotrope mast is of spruce"}).json()
    facade, now = MemoryFacade(), timezone.now()
    job = facade.request_erasure(team.users["wim"], now=now)
    assert team.rea.get(f"{team.path}/memories/{written['memory']['id']}").status_code == 404
    erasure.finish_erasure(job.pk, now=now)
    assert [one["user"] for one in team.rea.get(f"{team.path}/members").json()["items"]] == [user.external_id, "rea"]
    deleted = team.ann.delete(team.path)
    assert deleted.status_code == 202
    assert find_shared(team.rea) == []
    assert team.rea.get(team.path).status_code == 404
    erasure.finish_erasure(Erasure.objects.get(pk=deleted.json()["job_id"]).pk, now=now)
    with user_scope(team.space_id):
        assert not MemoryItem.objects.exists()
        assert not MemoryVector.objects.exists()
        assert not SpaceMember.objects.exists()
    assert not EndUser.objects.filter(pk=team.space_id).exists()
    assert team.ann.get(f"memories/{team.own_id}").status_code == 200


def read_export(client: ApiClient) -> bytes:
    answer = client.get("export")
    assert answer.status_code == 200, answer
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def test_an_export_tells_what_was_shared_and_an_import_gives_no_place(team: Team) -> None:
    written = team.ann.post(f"{team.path}/memories", {"text": "The oars are under the bench"}).json()["memory"]
    file = read_export(team.ann)
    lines = [json.loads(line) for line in file.splitlines()]
    [place] = [line for line in lines if line.get("type") == "membership"]
    assert (place["space"], place["name"], place["role"]) == (team.slug, "Boat crew", "curator")
    shares = {line["memory_id"]: line for line in lines if line.get("type") == "share"}
    assert (shares[team.shared_id]["shared_from"], shares[team.shared_id]["space"]) == (team.own_id, team.slug)
    assert shares[team.shared_id]["text"] == WORDS
    assert ("shared_from" in shares[written["id"]], shares[written["id"]]["text"]) == (False, written["text"])
    # Nobody else's: neither what others brought, nor anything to a stranger.
    assert b"heliotrope" not in read_export(team.rea)
    assert team.slug.encode() not in read_export(team.eve)

    check = check_file(io.BytesIO(file))
    now, eve = timezone.now(), team.users["eve"]
    job = jobs.stage_import(eve, io.BytesIO(file), check, now=now, actor="test")
    done = jobs.write_import(eve, job.pk, now=now)
    assert done is not None
    passed = {kind: done.counts[kind]["passed_over"] for kind in ("membership", "share")}
    assert (done.state, passed) == ("completed", {"membership": 1, "share": 2})
    assert (team.eve.get("spaces").json()["items"], find_membership(eve, team.slug)) == ([], None)
    assert len(team.rea.get(f"{team.path}/memories").json()["items"]) == 2
    for bad, rule in (
        ('{"type":"membership","space":1}', "must be a string"),
        ('{"type":"share","user_id":"x"}', "unknown field"),
    ):
        broken = file.replace(b'{"type":"membership"', bad.encode() + b'\n{"type":"membership"', 1)
        with pytest.raises(BrokenFile, match=rule):
            check_file(io.BytesIO(broken))
    # Whoever left is told what they brought, and no more of what it says now.
    assert act(team.ann, "PUT", f"{team.path}/members/wim", {"role": "curator"}).status_code == 200
    assert team.ann.delete(f"{team.path}/members/{team.ann.external_id}").status_code == 204
    left = [json.loads(line) for line in read_export(team.ann).splitlines() if b'"share"' in line]
    assert [("text" in line, line["space"]) for line in left] == [(False, team.slug)] * 2


def test_a_deleted_memory_leaves_its_copy_and_a_purge_takes_it(
    team: Team, django_capture_on_commit_callbacks: Any
) -> None:
    other = team.ann.post("memories", {"text": "The anchor weighs nine kilos"}).json()
    told = team.ann.post("memories", {"text": "The winch is by Holm", "thread_id": "talk"}).json()
    copies = {}
    for item in (told, team.ann.post("memories", {"text": "The keel is of oak", "thread_id": "talk"}).json()):
        copies[item["id"]] = team.ann.post(f"{team.path}/memories", {"memory_id": item["id"]}).json()["memory"]["id"]
    assert team.ann.delete(f"memories/{team.own_id}").status_code == 204
    assert team.rea.get(f"{team.path}/memories/{team.shared_id}").json()["shared_from"] == team.own_id
    asked = {"query": "Who made the winch?"}
    assert "Holm" in team.rea.post("search", asked, Idempotency_Key="winch").content.decode()
    dry = team.ann.post("memories/purge", {"thread_id": "talk", "dry_run": True}).json()
    assert (dry["removed"], dry["shared"]) == (2, 0)
    assert team.rea.get(f"{team.path}/memories/{copies[told['id']]}").status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        done = team.ann.post("memories/purge", {"thread_id": "talk"}).json()
    assert (done["removed"], done["shared"]) == (2, 2)
    for copy in copies.values():
        assert team.rea.get(f"{team.path}/memories/{copy}").status_code == 404
    assert "Holm" not in team.rea.post("search", asked, Idempotency_Key="winch").content.decode()
    assert team.rea.get(f"{team.path}/memories/{team.shared_id}").status_code == 200
    assert team.ann.get(f"memories/{other['id']}").status_code == 200


def judge(client: ApiClient, outcome: str, related: list[str] | None = None, **headers: str) -> dict[str, Any]:
    """A verdict on what a search showed, the memory of the space and the person's own."""
    found = client.post("search", {"query": "Where is the heliotrope engine of the bicycle repaired?"}).json()
    body = {"turn_id": found["turn_id"], "outcome": outcome, **({"related": related} if related else {})}
    answer = client.post("outcomes", body, **headers)
    assert answer.status_code == 201, answer.content
    told: dict[str, Any] = answer.json()
    return told


def read_score(team: Team) -> tuple[float, int, int]:
    with user_scope(team.space_id):
        item = MemoryItem.objects.for_user(team.space_id).get(pk=team.shared_id)
    return item.score, item.worked, item.failed


def test_a_writers_verdict_counts_in_the_space_and_a_readers_is_kept_with_the_turn(team: Team, user: EndUser) -> None:
    named = [team.shared_id]
    noted = {"memory_id": team.shared_id, "space": team.slug, "counted": False}
    counted = noted | {"counted": True}
    # Of all the turn showed, and of one named; a reader's moves their own memories alone.
    whole, one = judge(team.rea, "failed"), judge(team.rea, "failed", named)
    assert (whole["shared"], one["shared"], one["scored"]) == ([noted], [noted], [])
    assert len(whole["scored"]) == 1
    assert read_score(team) == (0.5, 0, 0)
    with user_scope(team.users["rea"]):
        kept = OutcomeEvent.objects.filter(user=team.users["rea"], sign=1, whole=False).get()
    assert [row[0] for row in kept.memories] == named
    assert judge(team.wim, "worked", Idempotency_Key="once")["shared"] == [counted]
    # Of one member the latest counts, once, however often and in whatever turn they say it.
    for _ in range(3):
        assert judge(team.wim, "worked", named)["shared"] == [counted]
    assert read_score(team) == (0.7, 1, 0)
    assert judge(team.wim, "failed", named)["scored"] == []
    assert read_score(team) == (0.2, 0, 1)
    assert judge(team.wim, "worked", named)["shared"] == [counted]
    direct = team.wim.post("outcomes", {"outcome": "worked", "related": named}).json()
    assert (direct["shared"], direct["scored"], read_score(team)) == ([counted], [], (0.7, 1, 0))
    called = team.wim.post(
        "tools/record_response", {"key_takeaway": "Crail has the parts", "outcome": "worked", "related": named}
    )
    assert "1 of spaces scored there" in called.content.decode(), called.content
    ours = client_for(user).post("outcomes", {"outcome": "worked", "related": named}).json()
    assert (ours["shared"], read_score(team)) == ([counted], (0.9, 2, 0))


def test_a_verdict_reaches_no_space_of_others_and_names_nobody_in_one(team: Team, user: EndUser) -> None:
    named = [team.shared_id]
    stranger = team.eve.post("outcomes", {"outcome": "failed", "related": named})
    nothing = team.eve.post("outcomes", {"outcome": "failed", "related": ["6f1c9c9c-0000-4000-8000-000000000000"]})
    assert (stranger.status_code, nothing.status_code) == (422, 422)
    assert stranger.json()["errors"] == nothing.json()["errors"]
    bound = client_for(user, scope=RowScope(project_id="borealis"))
    assert bound.post("outcomes", {"outcome": "failed", "related": named}).json()["shared"][0]["counted"] is False
    assert read_score(team) == (0.5, 0, 0)
    scoped = team.wim.post("outcomes", {"outcome": "worked", "related": named, "project_id": "atlas"}).json()
    assert (scoped["shared"][0]["counted"], read_score(team)) == (True, (0.7, 1, 0))
    with user_scope(team.space_id):
        [line] = OutcomeEvent.objects.filter(user_id=team.space_id)
        assert (line.query, line.thread_id, line.reason, line.actor) == ("", "", "", "a member")
        assert line.learned_at is not None
    for name in ("rea", "wim"):
        with act_as_member(team.users[name].pk), user_scope(team.space_id):
            assert not OutcomeEvent.objects.filter(user_id=team.space_id).exists()
            with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
                OutcomeEvent.objects.create(user_id=team.space_id, outcome="failed")
    with user_scope(user), pytest.raises(WrongScope), visit_space(team.users["wim"].pk):
        pass
    assert team.ann.delete(f"{team.path}/members/wim").status_code == 204
    assert team.wim.post("outcomes", {"outcome": "failed", "related": named}).status_code == 422
    assert read_score(team) == (0.7, 1, 0)


def test_what_others_said_is_no_conversation_of_the_readers_own(
    team: Team, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with act_as_member(user.pk), user_scope(team.space_id):
        rows = MemoryItem.objects.for_user(team.space_id).filter(pk=team.shared_id)
        assert rows.update(source={"kind": "exchange"}) == 1
    ranked: list[CandidateMemory] = []
    original = search.rank_candidates

    def rank_and_keep(query: Query, pool: Pool, *more: Any) -> list[RankedCandidate]:
        ranked.extend(pool.memories)
        return original(query, pool, *more)

    monkeypatch.setattr(search, "rank_candidates", rank_and_keep)
    request = SearchRequest("Where is the heliotrope engine repaired?", spaces=None)
    MemoryFacade().search(team.users["rea"], request, now=timezone.now())
    assert [one.is_spoken for one in ranked if one.text == WORDS] == [False]
