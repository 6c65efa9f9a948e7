"""An organisation's vocabulary over REST: built on a preset, changed version by version, and nobody else's."""

from typing import Any

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.enrichment.labels import Confidence, Importance, MessageLabels
from memory.enrichment.recording import write_labels
from memory.models import EndUser, MemoryItem, TermSuggestion
from memory.vocabulary.editions import read_vocabulary
from memory.vocabulary.suggestions import count_suggestions, read_examples
from memory.vocabulary.terms import TermKind
from tests.api_client import ApiClient, client_for
from tests.factories import MemoryItemFactory

pytestmark = pytest.mark.usefixtures("services")

ROOT = "/api/v1/vocabulary"


def call(api: ApiClient, method: str, path: str = "", body: dict[str, Any] | None = None) -> Any:
    return api.send(method, f"{ROOT}{path}", body)


def list_terms(api: ApiClient, kind: str = "topic") -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in call(api, "GET").json()["terms"] if one["kind"] == kind}


def suggest(user: EndUser, word: str, count: int) -> None:
    """Messages that fitted no topic."""
    labels = MessageLabels((), "", "", Importance.LOW, confidence=Confidence.LOW, suggested_topic=word)
    items = [MemoryItemFactory.create(user=user, text=f"the {word} number {number}") for number in range(count)]
    rows = [(item.pk, item.text, item.content_hash, item.occurred_at, labels) for item in items]
    write_labels(user, read_vocabulary(user.organization_id), rows, now=timezone.now())


def test_a_vocabulary_is_a_preset_and_what_was_changed_of_it(api: ApiClient, foreign_api: ApiClient) -> None:
    shipped = call(api, "GET").json()
    assert (shipped["preset"], shipped["version"]) == ("personal", 0)
    assert "health" in list_terms(api)
    assert call(api, "PUT", "", {"preset": "support"}).json()["version"] == 1
    assert "refund" in list_terms(api)
    term = {"kind": "topic", "name": "insurance", "aliases": ["Insurance", "policy holder"], "means": "cover"}
    made = call(api, "POST", "/terms", term)
    assert made.status_code == 201, made.content
    assert list_terms(api)["insurance"]["aliases"] == ["insurance", "policy holder"]
    retired = call(api, "PATCH", "/terms/topic/refund", {"state": "retired", "replaced_by": "returns"})
    assert retired.json()["state"] == "retired"
    assert read_vocabulary_topics(api) >= {"insurance", "returns"}
    versions = call(api, "GET", "/versions").json()["items"]
    assert [one["version"] for one in versions] == [3, 2, 1]
    assert versions[0]["change"] == "topic refund: replaced by returns, retired"
    assert [one["version"] for one in call(api, "GET", "/versions?before=3&limit=1").json()["items"]] == [2]
    # Another organisation sees nothing of it.
    assert call(foreign_api, "GET").json()["version"] == 0
    assert call(foreign_api, "GET", "/versions").json()["items"] == []


def read_vocabulary_topics(api: ApiClient) -> set[str]:
    return {name for name, term in list_terms(api).items() if term["state"] == "active"}


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/terms", {"kind": "topic", "name": "Two words"}, "name"),
        ("POST", "/terms", {"kind": "topic", "name": "health"}, "name"),
        ("POST", "/terms", {"kind": "mood", "name": "x"}, "kind"),
        ("POST", "/terms", {"kind": "topic", "name": "x", "aliases": ["!!"]}, "aliases"),
        ("POST", "/terms", {"kind": "topic", "name": "x", "aliases": ["a"] * 61}, "aliases"),
        ("PATCH", "/terms/topic/health", {"replaced_by": "nothing_there"}, "replaced_by"),
        ("PATCH", "/terms/topic/health", {"replaced_by": "health"}, "replaced_by"),
        ("PUT", "", {"preset": "sales"}, "preset"),
    ],
)
def test_what_breaks_a_rule_is_named_and_changes_nothing(
    api: ApiClient, method: str, path: str, body: dict[str, Any], field: str
) -> None:
    refused = call(api, method, path, body)
    assert refused.status_code == 422, refused.content
    assert refused.json()["errors"][0]["field"].startswith(field)
    assert call(api, "GET").json()["version"] == 0


def test_a_term_that_is_not_there_cannot_be_changed(api: ApiClient) -> None:
    assert call(api, "PATCH", "/terms/topic/unheard_of", {"state": "retired"}).status_code == 404


def test_only_a_key_of_the_whole_organisation_changes_the_vocabulary(user: EndUser) -> None:
    reader = client_for(user, scopes=("read",))
    assert call(reader, "GET").status_code == 200
    assert call(reader, "PUT", "", {"preset": "support"}).status_code == 403
    bound = client_for(user, user_ids=[user.external_id])
    assert call(bound, "GET").status_code == 403


def test_what_fitted_no_topic_is_counted_over_everybody_and_decided_once(
    api: ApiClient, foreign_api: ApiClient, user: EndUser, other_user: EndUser, foreign_user: EndUser
) -> None:
    suggest(user, "umbrella", 3)
    suggest(other_user, "umbrella", 2)
    suggest(other_user, "harbour", 1)
    suggest(foreign_user, "umbrella", 9)
    assert count_suggestions(user.organization_id, now=timezone.now()) == 2
    listed = call(api, "GET", "/suggestions").json()["items"]
    assert [(one["name"], one["messages"]) for one in listed] == [("umbrella", 5)]
    umbrella, harbour = call(api, "GET", "/suggestions?min_frequency=1").json()["items"]
    path = f"/suggestions/{umbrella['id']}"
    assert call(foreign_api, "POST", f"{path}/reject").status_code == 404
    approved = call(api, "POST", f"{path}/approve").json()
    assert (approved["state"], approved["topic"]) == ("approved", "umbrella")
    assert call(api, "POST", f"{path}/reject").status_code == 409
    wrong = call(api, "POST", f"/suggestions/{harbour['id']}/map", {"topic": "ships"})
    assert wrong.status_code == 422
    mapped = call(api, "POST", f"/suggestions/{harbour['id']}/map", {"topic": "travel"}).json()
    assert mapped["topic"] == "travel"
    assert list_terms(api)["travel"]["aliases"] == ["harbour"]
    # Counting again asks about neither again.
    count_suggestions(user.organization_id, now=timezone.now())
    assert call(api, "GET", "/suggestions?min_frequency=1").json()["items"] == []


def test_examples_are_those_of_the_organisations_own_people(
    user: EndUser, other_user: EndUser, foreign_user: EndUser
) -> None:
    suggest(other_user, "umbrella", 2)
    suggest(foreign_user, "umbrella", 2)
    count_suggestions(user.organization_id, now=timezone.now())
    row = TermSuggestion.objects.get(organization_id=user.organization_id)
    assert sorted(read_examples(row)) == ["the umbrella number 0", "the umbrella number 1"]


def test_a_suggestion_goes_with_the_messages_that_made_it(user: EndUser) -> None:
    suggest(user, "umbrella", 2)
    count_suggestions(user.organization_id, now=timezone.now())
    with user_scope(user):
        MemoryItem.objects.for_user(user).delete()
    count_suggestions(user.organization_id, now=timezone.now())
    assert not TermSuggestion.objects.exists()


def test_a_retired_term_is_widened_to_by_what_took_its_place(api: ApiClient, user: EndUser) -> None:
    call(api, "PUT", "", {"preset": "support"})
    call(api, "PATCH", "/terms/topic/refund", {"state": "retired", "replaced_by": "returns"})
    vocabulary = read_vocabulary(user.organization_id)
    assert vocabulary.widen(TermKind.TOPIC, ["returns"]) == {"returns", "refund"}
    assert "refund" not in vocabulary.list_names(TermKind.TOPIC)
