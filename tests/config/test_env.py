"""How variables of the environment are read, and what a wrong one says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env import (
    copy_environment,
    env_bool,
    env_choice,
    env_float,
    env_int,
    env_list,
    env_path,
    env_secret,
    env_sizes,
    env_str,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("TRUE", True), (" on ", True), ("yes", True), ("0", False), ("No", False), ("off", False)],
)
def test_a_boolean_is_read_in_any_common_spelling(monkeypatch: pytest.MonkeyPatch, value: str, expected: bool) -> None:
    monkeypatch.setenv("SWITCH", value)
    assert env_bool("SWITCH", default=not expected) is expected


@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("THING", value)
    assert env_str("THING", "x") == "x"
    assert env_bool("THING", default=True) is True
    assert env_int("THING", 3) == 3
    assert env_float("THING", 0.5) == 0.5
    assert env_list("THING", ("a",)) == ["a"]
    assert env_choice("THING", "a", ("a", "b")) == "a"
    assert env_secret("THING", "s") == "s"
    assert env_path("THING", Path("/x/../y")) == Path("/y")


@pytest.mark.parametrize(
    ("read_it", "value"),
    [
        (lambda: env_bool("THING", default=True), "maybe"),
        (lambda: env_int("THING", 1), "1.5"),
        (lambda: env_int("THING", 1), "ten"),
        (lambda: env_int("THING", 1, minimum=1), "0"),
        (lambda: env_float("THING", 1.0), "1,5"),
        (lambda: env_float("THING", 1.0, minimum=0), "-0.1"),
        (lambda: env_float("THING", 1.0, maximum=1), "1.1"),
        (lambda: env_float("THING", 1.0, minimum=0), "nan"),
        (lambda: env_float("THING", 1.0, minimum=0), "inf"),
        (lambda: env_choice("THING", "a", ("a", "b")), "c"),
    ],
)
def test_a_value_of_the_wrong_kind_stops_the_start_and_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, read_it: Callable[[], object], value: str
) -> None:
    monkeypatch.setenv("THING", value)
    with pytest.raises(ImproperlyConfigured, match="THING"):
        read_it()


def test_a_list_is_split_at_commas_and_loses_its_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTS", " a.example , ,b.example,")
    assert env_list("HOSTS") == ["a.example", "b.example"]


def test_sizes_are_pairs_of_a_name_and_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env_sizes("WINDOWS") == ()
    monkeypatch.setenv("WINDOWS", " small- = 8192, large-=200000 ")
    assert env_sizes("WINDOWS") == (("small-", 8_192), ("large-", 200_000))
    for broken in ("small-", "small-=many", "=8192", "small-=0"):
        monkeypatch.setenv("WINDOWS", broken)
        with pytest.raises(ImproperlyConfigured, match="WINDOWS must be name=number pairs"):
            env_sizes("WINDOWS")


def test_a_secret_comes_from_the_file_that_name_file_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    monkeypatch.setenv("TOKEN", "from the variable")
    monkeypatch.setenv("TOKEN_FILE", str(file))
    assert env_secret("TOKEN") == "from the file"


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_secret_file_that_cannot_be_read_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("TOKEN_FILE", str(file))
    with pytest.raises(ImproperlyConfigured, match="TOKEN_FILE"):
        env_secret("TOKEN")


def test_a_path_is_absolute_and_knows_the_home_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLACE", "~/in/../here")
    assert env_path("PLACE", Path("x")) == tmp_path / "here"


def test_a_child_gets_this_processs_variables_with_the_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "kept")
    environment = copy_environment(CHANGED="yes")
    assert (environment["KEPT"], environment["CHANGED"]) == ("kept", "yes")
