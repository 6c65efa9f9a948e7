"""The settings: who sees and who changes what of an organisation, keys shown once, and owners that stay."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.access.keys import authenticate
from memory.models import ApiKey, AuditEvent, EndUser, Membership, Operator, Organization
from tests.api_client import client_for
from tests.factories import OperatorFactory
from tests.memory.console.conftest import PASSWORD, Console, console_for, member_of, owner_of
from tests.memory.console.test_undo_in_messages import take_back

pytestmark = pytest.mark.django_db

PAGES = ("settings", "keys", "members")
KEY = re.compile(r"cpl_[A-Za-z0-9_-]{43}_[0-9a-f]{8}")


@pytest.fixture
def foreign_key(foreign_user: EndUser) -> ApiKey:
    client_for(foreign_user)
    return ApiKey.objects.get(organization=foreign_user.organization)


def list_actions() -> Iterator[str]:
    return iter(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


@pytest.mark.parametrize("page", PAGES)
def test_each_page_shows_own_organisations_alone(
    console: Console, nobody: Console, organization: Organization, foreign_key: ApiKey, page: str
) -> None:
    answer = console.get(f"/console/{page}")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert b"Umbra" not in answer.content
    assert foreign_key.hint.encode() not in answer.content
    assert nobody.get(f"/console/{page}").status_code == 302


def test_the_hub_leads_to_pages_that_open(governing: Console, user: EndUser, place: str) -> None:
    governing.get(place)
    links = set(re.findall(r'<a href="(/console/[^"]+)"><strong>', governing.get("/console/settings").content.decode()))
    assert {"/console/keys", "/console/members", "/console/health", f"{place}/connect", "/console/display"} <= links
    assert {governing.get(link).status_code for link in links} == {200}


def test_a_key_is_made_shown_once_limited_and_revoked(
    governing: Console, owner: Operator, organization: Organization, user: EndUser, services: None
) -> None:
    fields = {"organization": organization.pk, "name": "Nightly", "scopes": ["read"], "people": "ann, ben"}
    fields["allows_unknown"] = "on"
    sent = governing.post("/console/keys", {**fields, "requests_per_second": "5", "days": "30"})
    # A reload of what follows makes no second key.
    assert (sent.status_code, sent.headers["Location"]) == (302, "/console/keys")
    assert sent.cookies["commonplace_made_key"]["httponly"]
    shown = governing.get("/console/keys").content.decode()
    [plain] = KEY.findall(shown)
    assert re.search(rf"<pre[^>]*>{plain}</pre><button[^>]*data-copy", shown)
    row = ApiKey.objects.get(name="Nightly")
    assert (row.scopes, row.user_ids, row.requests_per_second) == (["read"], ["ann", "ben"], 5)
    assert row.expires_at is not None
    assert f'datetime="{row.expires_at.isoformat()}"' in shown
    own = f"/console/key-{row.pk}"
    for page in ("/console/keys", own, "/console/settings"):
        assert plain not in governing.get(page).content.decode()

    principal = authenticate(plain, now=row.created_at)
    assert principal is not None
    assert not principal.may_act_for("cleo")

    said = governing.post(own, {"action": "limit", "requests_per_second": "9"}, follow=True).content.decode()
    assert ApiKey.objects.get(pk=row.pk).requests_per_second == 9
    take_back(governing, said)
    assert ApiKey.objects.get(pk=row.pk).requests_per_second == 5
    assert governing.post(own, {"action": "limit", "requests_per_second": "0"}).status_code == 422

    governing.post(own, {"action": "revoke"})
    assert authenticate(plain, now=row.created_at) is None
    assert list(list_actions()) == ["key.issued", "key.limited", "key.limited", "key.revoked"]
    assert set(AuditEvent.objects.values_list("actor", flat=True)) == {"operator:vera"}
    # The names on a key may be people's, who may be erased one day.
    assert not AuditEvent.objects.filter(details__icontains="ann").exists()
    assert b"Limit of a key changed: 5, now 9" in governing.get(own).content


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"scopes": []}, {"scopes": ["root"]}, {"people": "a b/c"}, {"requests_per_second": "-1"}]
)
def test_a_key_that_breaks_a_rule_is_not_made(
    governing: Console, organization: Organization, services: None, wrong: dict[str, object]
) -> None:
    fields = {"organization": organization.pk, "name": "Nightly", "scopes": ["read"], **wrong}
    assert governing.post("/console/keys", fields).status_code == 422
    assert not ApiKey.objects.exists()


def test_members_look_and_outsiders_do_not(
    console: Console, governing: Console, organization: Organization, foreign_key: ApiKey, api: object, services: None
) -> None:
    own = ApiKey.objects.get(organization=organization)
    assert own.hint in console.get("/console/keys").content.decode()
    assert console.get(f"/console/key-{own.pk}").status_code == 200
    for action in ({"action": "revoke"}, {"action": "limit", "requests_per_second": "1"}):
        assert console.post(f"/console/key-{own.pk}", action).status_code == 403
        assert governing.post(f"/console/key-{foreign_key.pk}", action).status_code == 404
    assert governing.get(f"/console/key-{foreign_key.pk}").status_code == 404
    fields = {"name": "Mine", "scopes": ["admin"]}
    assert console.post("/console/keys", {**fields, "organization": organization.pk}).status_code == 422
    theirs = {**fields, "organization": foreign_key.organization_id}
    assert governing.post("/console/keys", theirs).status_code == 422
    assert not ApiKey.objects.filter(name="Mine").exists()
    assert not ApiKey.objects.filter(revoked_at__isnull=False).exists()


def test_members_are_added_appointed_and_taken_out(
    governing: Console, owner: Operator, organization: Organization, other_organization: Organization
) -> None:
    add = {"action": "add", "organization": organization.pk, "role": "member"}
    page = governing.post("/console/members", {**add, "username": "nina"}).content.decode()
    nina = Operator.objects.get(username="nina")
    [password] = re.findall(r'<pre dir="ltr">([^<]+)</pre>', page)
    assert nina.check_password(password)
    assert password not in governing.get("/console/members").content.decode()
    assert governing.post("/console/members", {**add, "username": "nina"}).status_code == 422

    otto = member_of(other_organization, "otto")
    governing.post("/console/members", {**add, "username": "otto"}, follow=True)
    assert otto.organizations.count() == 2

    row = Membership.objects.get(operator=nina)
    change = {"action": "role", "member": row.pk, "role": "owner"}
    said = governing.post("/console/members", change, follow=True).content.decode()
    assert Membership.objects.get(pk=row.pk).role == "owner"
    take_back(governing, said)
    assert Membership.objects.get(pk=row.pk).role == "member"
    said = governing.post("/console/members", {"action": "remove", "member": row.pk}, follow=True).content.decode()
    assert not Membership.objects.filter(operator=nina).exists()
    take_back(governing, said)
    assert Membership.objects.get(operator=nina).role == "member"
    assert list(list_actions()) == [
        *("member.added", "member.added", "member.changed", "member.changed", "member.removed", "member.added")
    ]


@pytest.mark.parametrize("action", [{"action": "remove"}, {"action": "role", "role": "member"}])
def test_the_last_owner_stays(
    governing: Console, owner: Operator, organization: Organization, action: dict[str, str]
) -> None:
    row = Membership.objects.get(operator=owner)
    # Somebody who may not sign in is no owner to leave it to.
    gone = owner_of(organization, "gone")
    Operator.objects.filter(pk=gone.pk).update(is_active=False)
    said = governing.post("/console/members", {**action, "member": row.pk}, follow=True).content
    assert b"this is the last owner" in said
    assert Membership.objects.get(pk=row.pk).role == "owner"


def test_only_owners_change_members_and_only_their_own(
    console: Console, governing: Console, organization: Organization, other_organization: Organization
) -> None:
    foreign = Membership.objects.get(operator=member_of(other_organization, "otto"))
    own = Membership.objects.get(operator__username="olga")
    for row, who in ((own, console), (foreign, console), (foreign, governing)):
        assert who.post("/console/members", {"action": "remove", "member": row.pk}).status_code == 404
        change = {"action": "role", "member": row.pk, "role": "owner"}
        assert who.post("/console/members", change).status_code == 404
    add = {"action": "add", "username": "mallory", "role": "owner"}
    assert console.post("/console/members", {**add, "organization": organization.pk}).status_code == 422
    assert governing.post("/console/members", {**add, "organization": other_organization.pk}).status_code == 422
    assert Membership.objects.count() == 3
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    change = {"action": "role", "member": foreign.pk, "role": "owner"}
    assert root.post("/console/members", change).status_code == 302
    assert Membership.objects.get(pk=foreign.pk).role == "owner"


def test_whoever_is_added_first_by_the_command_is_the_owner(organization: Organization) -> None:
    for name in ("first", "second"):
        call_command("create_operator", name, org=[organization.slug], generate=True)
    roles = dict(Membership.objects.values_list("operator__username", "role"))
    assert roles == {"first": "owner", "second": "member"}
    call_command("set_role", "second", "owner", org=organization.slug)
    call_command("set_role", "first", "member", org=organization.slug)
    with pytest.raises(CommandError, match="last owner"):
        call_command("set_role", "second", "member", org=organization.slug)


def test_keys_of_who_is_taken_out_are_told_and_revoked(
    governing: Console, organization: Organization, services: None
) -> None:
    nina = owner_of(organization, "nina")
    made = {"organization": organization.pk, "name": "Nightly", "scopes": ["read"]}
    console_for(nina).post("/console/keys", made)
    governing.post("/console/keys", {**made, "name": "Mine"})
    row = Membership.objects.get(operator=nina)
    said = governing.post("/console/members", {"action": "remove", "member": row.pk}, follow=True).content.decode()
    assert "Keys that <bdi>nina</bdi> made still open <bdi>Acme</bdi>" in said
    assert "Nightly" in said
    assert ">Mine<" not in said
    posted = {"action": "revoke_keys", "left": "nina", "organization": organization.pk}
    member = console_for(member_of(organization, "mia"))
    assert member.post("/console/members", posted).status_code == 404
    assert "1 key is revoked" in governing.post("/console/members", posted, follow=True).content.decode()
    assert set(ApiKey.objects.filter(revoked_at=None).values_list("name", flat=True)) == {"Mine"}


def test_a_password_is_changed_and_found_by_its_name(organization: Organization) -> None:
    console = console_for(member_of(organization, "olga"))
    assert "/console/password" in console.get("/console/find?q=password").content.decode()
    assert "/console/password" in console.get("/console/settings").content.decode()
    chosen = {"old_password": PASSWORD, "new_password1": "a longer lamp post", "new_password2": "a longer lamp post"}
    wrong = console.post("/console/password", {**chosen, "new_password2": "another"})
    assert (wrong.status_code, wrong.headers["Cache-Control"]) == (422, "no-store")
    other = console_for(Operator.objects.get(username="olga"))
    assert "The password is changed." in console.post("/console/password", chosen, follow=True).content.decode()
    assert Operator.objects.get(username="olga").check_password("a longer lamp post")
    assert other.get("/console/settings").status_code == 302


def test_a_number_beyond_its_limits_is_refused_in_words(governing: Console, organization: Organization) -> None:
    fields = {"organization": organization.pk, "name": "Nightly", "scopes": ["read"], "days": "0"}
    refused = governing.post("/console/keys", fields).content.decode()
    assert "Choose a whole number from 1 to 3650." in refused
    assert "this value" not in refused


def test_changes_are_told_by_name_and_narrowed(
    governing: Console, outsider: Console, organization: Organization, user: EndUser, place: str, services: None
) -> None:
    governing.post("/console/keys", {"organization": organization.pk, "name": "Nightly", "scopes": ["read"]})
    governing.post(f"{place}/links", {"hours": "24"})
    page = governing.get("/console/changes").content.decode()
    key = ApiKey.objects.get()
    assert f'<a href="/console/key-{key.pk}">Nightly ({key.hint}…)</a>' in page
    assert f'<a href="{place}">ann</a>' in page
    narrowed = governing.get("/console/changes", {"action": "link.made", "actor": "vera"}).content.decode()
    assert (">ann</a>" in narrowed, "Nightly" in narrowed) == (True, False)
    assert ">ann</a>" not in governing.get("/console/changes", {"actor": "olga"}).content.decode()
    assert "Nightly" not in outsider.get("/console/changes").content.decode()
    assert "/console/changes" in governing.get("/console/find?q=audit").content.decode()
    governing.post(f"{place}/erase", {"confirm": "ann"})
    page = governing.get("/console/changes").content.decode()
    assert ">ann</a>" not in page
    assert "somebody who is erased" in page


def test_a_key_for_somebody_unknown_asks_whether_that_is_meant(
    governing: Console, organization: Organization, user: EndUser, services: None
) -> None:
    fields = {"organization": organization.pk, "name": "Nightly", "scopes": ["read"], "people": "ann, ben"}
    asked = governing.post("/console/keys", fields)
    assert asked.status_code == 422
    assert "Nobody is known yet by the name “ben”." in asked.content.decode()
    assert not ApiKey.objects.exists()
    governing.post("/console/keys", {**fields, "allows_unknown": "on"})
    own = f"/console/key-{ApiKey.objects.get().pk}"
    assert "not known yet: <bdi>ben</bdi>" in governing.get(own).content.decode()


def make_key(governing: Console, organization: Organization, **more: str) -> tuple[ApiKey, str]:
    fields = {"organization": organization.pk, "name": "Nightly", "scopes": ["read"], **more}
    governing.post("/console/keys", fields)
    [plain] = KEY.findall(governing.get("/console/keys").content.decode())
    return ApiKey.objects.latest("pk"), plain


def test_a_key_is_renamed_and_its_end_moved(
    governing: Console, organization: Organization, user: EndUser, services: None
) -> None:
    row, plain = make_key(governing, organization, people="ann", days="3")
    own = f"/console/key-{row.pk}"
    page = governing.post(own, {"action": "name", "name": "Ann’s robot"}, follow=True).content.decode()
    assert "The key is called Ann’s robot from now on." in page
    assert governing.post(own, {"action": "name", "name": " "}).status_code == 422
    # A name may be that of a person who is erased one day: no event has it.
    assert not AuditEvent.objects.filter(details__icontains="robot").exists()

    # What stands in the field already is not moved to the last moment of its day.
    assert row.expires_at is not None
    governing.post(own, {"action": "end", "ends": f"{row.expires_at:%Y-%m-%d}"})
    assert ApiKey.objects.get(pk=row.pk).expires_at == row.expires_at
    governing.post(own, {"action": "end", "ends": f"{timezone.now() + timedelta(days=40):%Y-%m-%d}"})
    assert authenticate(plain, now=timezone.now() + timedelta(days=39)) is not None
    assert authenticate(plain, now=timezone.now() + timedelta(days=41)) is None
    assert "Choose a day to come." in governing.post(own, {"action": "end", "ends": "2020-01-01"}).content.decode()
    governing.post(own, {"action": "end", "ends": ""})
    assert ApiKey.objects.get(pk=row.pk).expires_at is None
    changes = governing.get(own).content.decode()
    assert ("Key renamed" in changes, "End of a key changed" in changes) == (True, True)


@pytest.mark.parametrize(("old_for", "days_left"), [("24", 1), ("168", 7), ("", 99), ("0", 0)])
def test_a_key_is_rotated_and_the_old_one_works_as_long_as_was_said(
    governing: Console, organization: Organization, user: EndUser, services: None, old_for: str, days_left: int
) -> None:
    row, old = make_key(governing, organization, people="ann", requests_per_second="5", days="100")
    assert '<option value="24" selected>' in governing.get(f"/console/key-{row.pk}").content.decode()
    sent = governing.post(f"/console/key-{row.pk}", {"action": "rotate", "old_for": old_for})
    assert sent.headers["Location"] == "/console/keys"
    page = governing.get("/console/keys").content.decode()
    [plain] = KEY.findall(page)
    assert f"The old key {row.hint}… " in page
    now = timezone.now()
    made = ApiKey.objects.latest("pk")
    assert (made.name, made.scopes, made.user_ids, made.requests_per_second) == ("Nightly", ["read"], ["ann"], 5)
    assert authenticate(plain, now=now + timedelta(days=99)) is not None
    # It ends when the old one was to end: no client gets in longer by it.
    assert authenticate(plain, now=now + timedelta(days=101)) is None
    assert (authenticate(old, now=now + timedelta(days=days_left - 0.5)) is not None) == bool(days_left)
    assert authenticate(old, now=now + timedelta(days=days_left + 0.5)) is None or days_left == 99
    assert "Key replaced by another" in governing.get(f"/console/key-{row.pk}").content.decode()


def test_a_key_that_opens_nothing_is_neither_rotated_nor_changed(
    governing: Console, organization: Organization, user: EndUser, services: None
) -> None:
    row, _plain = make_key(governing, organization)
    ApiKey.objects.filter(pk=row.pk).update(expires_at=row.created_at)
    own = f"/console/key-{row.pk}"
    assert "Make the new key" not in governing.get(own).content.decode()
    assert governing.post(own, {"action": "rotate", "old_for": "24"}).status_code == 422
    governing.post(own, {"action": "revoke"})
    governing.post(own, {"action": "name", "name": "Other"})
    governing.post(own, {"action": "end", "ends": ""})
    governing.post(own, {"action": "rotate", "old_for": "24"})
    [left] = ApiKey.objects.all()
    assert (left.name, left.expires_at) == ("Nightly", row.created_at)


def test_a_form_that_is_refused_counts_as_no_key(
    governing: Console, organization: Organization, user: EndUser, services: None
) -> None:
    for _number in range(21):
        assert governing.post("/console/keys", {"organization": organization.pk, "name": ""}).status_code == 422
    make_key(governing, organization)
