"""`manage.py create_key` and `create_operator`: what they print is all that is ever shown."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.access.keys import authenticate
from memory.models import ApiKey, Operator, Organization


def run_command(command: str, *args: str, **options: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(command, *args, stdout=out, stderr=err, **options)
    return out.getvalue().strip(), err.getvalue()


def test_the_printed_key_opens_what_it_was_made_for(organization: Organization) -> None:
    key, said = run_command("create_key", "--org=acme", "--name=phone", "--scopes=read", "--user-ids=ann, ben")
    principal = authenticate(key, now=timezone.now())
    assert principal is not None
    assert principal.organization_id == organization.pk
    assert principal.scopes == {"read"}
    assert principal.may_act_for("ben")
    assert not principal.may_act_for("cyd")
    assert key not in said
    assert not ApiKey.objects.filter(digest=key).exists()


def test_a_first_key_makes_its_organisation(db: None) -> None:
    _, said = run_command("create_key", "--org=fresh", "--name=server")
    assert "created organisation fresh" in said
    assert ApiKey.objects.get().scopes == ["read", "write"]
    _, said = run_command("create_key", "--org=fresh", "--name=second")
    assert "made" not in said


def test_a_key_ends_when_it_was_told_to(organization: Organization) -> None:
    before = timezone.now()
    key, _ = run_command("create_key", "--org=acme", "--name=visit", "--expires=12h")
    assert authenticate(key, now=before) is not None
    end = ApiKey.objects.get().expires_at
    assert end is not None
    assert authenticate(key, now=end) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"--scopes": "read,everything"}, "--scopes"),
        ({"--scopes": ","}, "--scopes"),
        ({"--user-ids": "ann,b/c"}, "--user-ids"),
        ({"--user-ids": ","}, "--user-ids"),
        ({"--expires": "90"}, "--expires"),
        ({"--expires": "0d"}, "--expires"),
        ({"--expires": "999999w"}, "--expires"),
        ({"--org": "two words"}, "--org"),
        ({"--org": "x" * 65}, "--org"),
        ({"--name": " "}, "--name"),
        ({"--requests-per-second": "0"}, "--requests-per-second"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(db: None, change: dict[str, str], reason: str) -> None:
    given = {"--org": "acme", "--name": "key"} | change
    with pytest.raises(CommandError, match=reason):
        run_command("create_key", *(f"{name}={value}" for name, value in given.items()))
    assert not ApiKey.objects.exists()
    assert not Organization.objects.exists()


def test_a_generated_password_signs_its_operator_in(organization: Organization) -> None:
    password, said = run_command("create_operator", "vera", "--org=acme")
    operator = Operator.objects.get(username="vera")
    assert operator.check_password(password)
    assert re.fullmatch(r"[\w-]{20}", password)
    assert list(operator.organizations.all()) == [organization]
    assert not operator.is_superuser
    assert "vera sees acme" in said


def test_a_superuser_needs_no_organisation(db: None) -> None:
    run_command("create_operator", "root", "--superuser", "--generate")
    assert Operator.objects.get().is_superuser


def test_an_operator_without_sight_a_bad_name_or_a_taken_one_is_refused(organization: Organization) -> None:
    run_command("create_operator", "vera", "--org=acme")
    for args in (["otto"], ["otto", "--org=nowhere"], ["bad name", "--org=acme"], ["vera", "--org=acme"]):
        with pytest.raises(CommandError):
            run_command("create_operator", *args)
    assert list(Operator.objects.values_list("username", flat=True)) == ["vera"]


def test_a_typed_password_is_asked_for_until_it_is_good(
    organization: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["one thing", "another", "short", "short", "tall yellow lighthouse", "tall yellow lighthouse"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(typed))
    out, said = run_command("create_operator", "vera", "--org=acme")
    assert out == ""
    assert "not the same" in said
    assert Operator.objects.get().check_password("tall yellow lighthouse")


def test_a_new_organisation_is_told_beside_those_there_are(organization: Organization) -> None:
    _, said = run_command("create_key", f"--org={organization.slug}x", "--name=typo")
    assert f"created organisation {organization.slug}x beside {organization.slug}" in said
