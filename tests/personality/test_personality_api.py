"""Personalities over REST: chosen, kept, put in force and taken away, and no broken file changes anything."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory.access.confinement import RowScope
from memory.models import EndUser
from memory.models.people import SecretHandling
from personality.presets import load_presets
from personality.reading import MAX_BYTES
from personality.wording import PRONOUNS
from tests.api_client import ApiClient, client_for
from tests.personality.test_templates_as_files import BROKEN, GOOD

PLACE = "/api/v1/personality"


def save(api: ApiClient, name: str, content: str = GOOD, **headers: str) -> Any:
    return api.post(f"{PLACE}/save", {"name": name, "content": content}, X_User_Id="ann", **headers)


def activate(api: ApiClient, template_id: str) -> Any:
    return api.post(f"{PLACE}/activate", {"template_id": template_id}, X_User_Id="ann")


def get_current(api: ApiClient, person: str = "ann") -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{PLACE}/current", headers={"X-User-Id": person}).json()
    return found


def list_ids(api: ApiClient, kind: str, person: str = "ann") -> list[str]:
    items = api.get(f"{PLACE}/presets", headers={"X-User-Id": person}).json()["items"]
    return [item["id"] for item in items if item["type"] == kind]


def upload(api: ApiClient, file_name: str, raw: bytes, **fields: str) -> Any:
    data = {"file": SimpleUploadedFile(file_name, raw), **fields}
    return api.http.post(f"{PLACE}/upload", data, headers=api.headers({"X-User-Id": "ann"}))


def test_a_template_is_kept_put_in_force_and_deleted(api: ApiClient) -> None:
    assert get_current(api) == {
        "template_id": "default", "name": "Default", "content": load_presets()["default"].content,
        "is_preset": True, "is_active": False, "assistant_name": "Commonplace", "prompt": "", "tokens": 0,
    }  # fmt: skip
    saved = save(api, "My  Tutor (new)!")
    assert (saved.status_code, saved.json()["template_id"], saved.json()["overwrite"]) == (200, "my_tutor_new", False)
    assert [warning["field"] for warning in saved.json()["warnings"]] == ["response_behavior", "memory_usage"]
    assert list_ids(api, "custom") == ["my_tutor_new"]
    assert get_current(api)["is_active"] is False
    assert activate(api, "my_tutor_new").status_code == 200
    current = get_current(api)
    assert (current["template_id"], current["is_active"], current["assistant_name"]) == ("my_tutor_new", True, "Ada")
    assert current["prompt"] == f"You are Ada.\n{PRONOUNS}\nStyle: warm tone."

    # What is in force stays as it is until the changed one is put in force.
    again = save(api, "my tutor_NEW", GOOD.replace("Ada", "Eve"))
    assert again.json()["overwrite"] is True
    assert get_current(api)["assistant_name"] == "Ada"
    activate(api, "my_tutor_new")
    assert get_current(api)["assistant_name"] == "Eve"

    refused = api.delete(f"{PLACE}/custom/my_tutor_new", **{"X-User-Id": "ann"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "template_id")
    activate(api, "teacher")
    assert (get_current(api)["template_id"], get_current(api)["is_preset"]) == ("teacher", True)
    assert api.delete(f"{PLACE}/custom/my_tutor_new", **{"X-User-Id": "ann"}).status_code == 204
    assert api.delete(f"{PLACE}/custom/my_tutor_new", **{"X-User-Id": "ann"}).status_code == 404
    assert api.delete(f"{PLACE}/current", **{"X-User-Id": "ann"}).status_code == 204
    assert api.delete(f"{PLACE}/current", **{"X-User-Id": "ann"}).status_code == 404
    assert get_current(api)["is_active"] is False


def test_presets_are_immutable_and_known_again_by_what_they_say(api: ApiClient) -> None:
    teacher = load_presets()["teacher"].content
    for name in ("teacher", "Teacher", " TEACHER ", "teacher!"):
        refused = save(api, name, GOOD)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "name")
    deleted = api.delete(f"{PLACE}/custom/teacher", **{"X-User-Id": "ann"})
    assert (deleted.status_code, deleted.json()["detail"]) == (400, "template_id: is a preset, which cannot be deleted")
    shown = api.get(f"{PLACE}/template/teacher", headers={"X-User-Id": "ann"}).json()
    assert (shown["content"], shown["is_preset"]) == (teacher, True)
    save(api, "copy", teacher.replace("\n", "\r\n"))
    activate(api, "copy")
    assert get_current(api)["template_id"] == "teacher"
    assert api.get(f"{PLACE}/template/nobody").status_code == 404
    unknown = activate(api, "nobody")
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (404, "template_id")


def test_no_broken_file_is_kept_or_changes_what_is_in_force(user: EndUser) -> None:
    # A quick machine sends them sooner than a key usually may.
    api = client_for(user, requests_per_second=1_000_000)
    save(api, "mine")
    activate(api, "mine")
    before = get_current(api)
    for case, raw, line in BROKEN:
        for answer in (
            save(api, "mine", raw) if isinstance(raw, str) else None,
            upload(api, "mine.yaml", raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw),
        ):
            if answer is None:
                continue
            assert answer.status_code == 400, (case, answer.content)
            assert answer.headers["Content-Type"] == "application/problem+json"
            error = answer.json()["errors"][0]
            assert error["column"] >= 1, case
            # Sent as bytes, what is no UTF-8 and an empty file are refused before anything is read.
            assert error["line"] == line or case in {"nothing"}, (case, error)
    assert get_current(api) == before
    assert list_ids(api, "custom") == ["mine"]


HOSTILE_NAMES = [
    "../../etc/passwd", "..\\..\\boot.ini", "/etc/shadow", "a/../../b", "%2e%2e%2f", "con", "nul.yaml", ".htaccess",
    "name\x00.yaml", "a\nb", "\u202efdp", "🙂 smile", "שלום", "Ünï cödé", "' OR 1=1 --", "<script>alert(1)</script>",
    "$(id)", "`id`", "{{7*7}}", "a" * 200, "--help", "ａｄｍｉｎ", "ﬁne", "İstanbul",
]  # fmt: skip


@pytest.mark.django_db
def test_names_become_plain_ids_or_are_refused(api: ApiClient) -> None:
    for name in HOSTILE_NAMES:
        for answer in (save(api, name), upload(api, name, GOOD.encode())):
            assert answer.status_code in {200, 400, 422}, (name, answer.content)
    ids = list_ids(api, "custom")
    assert {"etcpasswd", "שלום", "ünï_cödé", "admin", "smile"} <= set(ids)
    for template_id in ids:
        assert all(letter.isalnum() or letter in "-_" for letter in template_id), template_id
        assert template_id == template_id.lower()
        assert api.delete(f"{PLACE}/custom/{template_id}", **{"X-User-Id": "ann"}).status_code == 204
    for name in ("...", "🙂", "///"):
        assert save(api, name).status_code == 400
    assert list_ids(api, "custom") == []


def test_a_file_is_uploaded_under_its_name_and_refused_where_it_is_none(api: ApiClient) -> None:
    done = upload(api, "Night Owl.yaml", b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert (done.status_code, done.json()["template_id"]) == (200, "night_owl")
    kept = api.get(f"{PLACE}/template/night_owl", headers={"X-User-Id": "ann"}).json()
    assert (kept["content"], kept["name"]) == (GOOD, "Night Owl")
    named = upload(api, "x.yml", GOOD.encode(), name="Night Owl")
    assert named.json() == {**done.json(), "overwrite": True}
    large = upload(api, "large.yaml", GOOD.encode() + b"#" * MAX_BYTES)
    assert (large.status_code, large.json()["errors"][0]["line"]) == (400, 1)
    missing = api.http.post(f"{PLACE}/upload", {"name": "x"}, headers=api.headers({"X-User-Id": "ann"}))
    assert missing.status_code == 422
    torn = api.http.generic(
        "POST",
        f"{PLACE}/upload",
        b"--x\r\nnonsense",
        content_type="multipart/form-data; boundary=",
        headers=api.headers({}),
    )
    assert torn.status_code == 400
    assert api.post(f"{PLACE}/save", b"{}", X_User_Id="ann").status_code == 422
    assert api.post(f"{PLACE}/save", b'{"name": "x", "content": 7}', X_User_Id="ann").status_code == 422
    assert api.post(f"{PLACE}/save", b'{"name": "x", "content": "\\ud800"}', X_User_Id="ann").status_code == 400


def test_the_person_is_named_by_the_header_and_walls_hold(
    api: ApiClient, user: EndUser, other_user: EndUser, foreign_api: ApiClient
) -> None:
    save(api, "mine")
    activate(api, "mine")
    for other in (client_for(other_user), foreign_api):
        assert list_ids(other, "custom", other.external_id if other is foreign_api else "ben") == []
    assert foreign_api.get(f"{PLACE}/template/mine", headers={"X-User-Id": "ann"}).status_code == 404
    assert get_current(foreign_api)["is_active"] is False
    for_ben = client_for(user, user_ids=["ben"])
    assert for_ben.get(f"{PLACE}/current", headers={"X-User-Id": "ann"}).status_code == 403
    alone = client_for(user, user_ids=["ann"])
    assert alone.get(f"{PLACE}/current").json()["template_id"] == "mine"
    assert api.get(f"{PLACE}/current").json()["is_active"] is False
    assert api.get(f"{PLACE}/current", headers={"X-User-Id": "a/b"}).status_code == 422
    reader = client_for(user, ("read",))
    assert get_current(reader)["template_id"] == "mine"
    assert save(reader, "x").status_code == 403
    bound = client_for(user, scope=RowScope(agent_id="coder"))
    assert get_current(bound)["template_id"] == "mine"
    assert save(bound, "x").status_code == 403


def test_secrets_are_not_kept_and_a_key_may_refuse_them(api: ApiClient, user: EndUser) -> None:
    content = f"{GOOD}custom_instructions: use ghp_abcdefghijklmnopqrstuvwxyz0123456789 for git\n"
    saved = save(api, "mine", content)
    assert saved.json()["redacted"] == ["github token"]
    kept = api.get(f"{PLACE}/template/mine", headers={"X-User-Id": "ann"}).json()["content"]
    assert 'custom_instructions: "use [redacted: github token] for git"' in kept
    strict = client_for(user, secret_handling=SecretHandling.REFUSE)
    refused = save(strict, "other", content)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "content")
    assert list_ids(api, "custom") == ["mine"]


def test_a_repeated_request_is_answered_as_it_was(api: ApiClient) -> None:
    first = save(api, "mine", Idempotency_Key="k1")
    again = save(api, "mine", Idempotency_Key="k1")
    assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert json.loads(again.content)["overwrite"] is False
