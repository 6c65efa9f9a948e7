"""The only reader of the process environment.

Every reader takes a variable name and a default; a value that cannot be read as its type raises
ImproperlyConfigured with the variable's name, so that a typing mistake stops the start instead of guessing.
A secret may be given in a file: with ``NAME_FILE`` set, the file's content is the value of ``NAME``.
"""

import math
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

EXIT_SETTINGS = 2
BASE_DIR = Path(__file__).resolve().parent.parent
TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}


class SettingSource(StrEnum):
    """Where a value comes from."""

    ENVIRONMENT = "environment"
    FILE = "file"
    DATA_DIR = "data directory"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class ReadSetting:
    """A variable as it was read. Of a secret ``value`` is an address or empty: the secret itself is not kept here."""

    kind: str
    value: object
    default: object
    source: SettingSource
    is_secret: bool = False


# What this process has read, for the page that shows it.
READ: dict[str, ReadSetting] = {}


def note_setting(name: str, kind: str, default: object) -> None:
    """Keep what a variable is set to, as it is written there."""
    given = os.environ.get(name, "").strip()
    keep_setting(
        name,
        ReadSetting(kind, given or default, default, SettingSource.ENVIRONMENT if given else SettingSource.DEFAULT),
    )


def keep_setting(name: str, read: ReadSetting) -> None:
    # Read again later, it is still the data directory that answers.
    if name not in READ or (READ[name].source, read.source) != (SettingSource.DATA_DIR, SettingSource.DEFAULT):
        READ[name] = read


def note_secret(name: str) -> None:
    given = os.environ.get(name, "").strip()
    named = os.environ.get(f"{name}_FILE", "").strip()
    source = SettingSource.FILE if named else SettingSource.ENVIRONMENT if given else SettingSource.DEFAULT
    # An address is shown by where it leads; whatever else it is stays where it was read.
    is_address = name.endswith("_URL") and "://" in given
    keep_setting(name, ReadSetting("secret", given if is_address else "", "", source, is_secret=True))


def note_from_data_dir(name: str, value: str = "") -> None:
    """That the data directory answers where the environment is silent."""
    read = READ.get(name)
    if read is not None and read.source == SettingSource.DEFAULT:
        READ[name] = ReadSetting(read.kind, value, "", SettingSource.DATA_DIR, read.is_secret)


def report_bad_settings(run: Callable[[], int]) -> int:
    """The exit code of ``run``; where a setting stops it, one line names the variable and the rule it breaks."""
    try:
        return run()
    except ImproperlyConfigured as error:
        # The message alone: the thirty lines of a traceback would say where it was read, which helps nobody.
        sys.stderr.write(f"error: {' '.join(str(error).split())}\n")
        return EXIT_SETTINGS


def env_str(name: str, default: str = "") -> str:
    note_setting(name, "text", default)
    return read_text(name, default)


def read_text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def env_secret(name: str, default: str = "") -> str:
    note_secret(name)
    path = os.environ.get(f"{name}_FILE", "").strip()
    if not path:
        return read_text(name, default)
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ImproperlyConfigured(f"{name}_FILE names {path}, which cannot be read: {reason}") from error


def env_address(name: str, schemes: Iterable[str] = ("http", "https", "unix"), *, is_secret: bool = True) -> str:
    """The address of a service, empty for none; what is refused is not told, as it may hold a password."""
    value = env_secret(name) if is_secret else env_str(name)
    allowed = [f"{scheme}://" for scheme in schemes]
    if value and not value.startswith(tuple(allowed)):
        raise ImproperlyConfigured(f"{name} must begin with {' or '.join(allowed)}")
    try:
        # The port is read when it is asked for.
        _ = urlsplit(value).port
    except ValueError:
        raise ImproperlyConfigured(f"{name} is no address: its host or its port cannot be read") from None
    return value


def env_bool(name: str, *, default: bool) -> bool:
    note_setting(name, "flag", "true" if default else "false")
    value = read_text(name).lower()
    if not value:
        return default
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}")


def env_int(name: str, default: int, *, minimum: int | None = None) -> int:
    note_setting(name, "number", default)
    value = read_text(name)
    try:
        number = int(value) if value else default
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from error
    if minimum is not None and number < minimum:
        raise ImproperlyConfigured(f"{name} must be at least {minimum}, not {number}")
    return number


def env_float(name: str, default: float, *, minimum: float | None = None, maximum: float | None = None) -> float:
    note_setting(name, "number", default)
    value = read_text(name)
    try:
        number = float(value) if value else default
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a number, not {value!r}") from error
    if not math.isfinite(number):
        raise ImproperlyConfigured(f"{name} must be a finite number, not {value!r}")
    if (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
        raise ImproperlyConfigured(f"{name} must lie between {minimum} and {maximum}, not {number}")
    return number


def env_list(name: str, default: Iterable[str] = ()) -> list[str]:
    """Comma-separated values, blanks dropped."""
    usual = list(default)
    value = env_str(name, ",".join(usual))
    if not read_text(name):
        return usual
    return [part.strip() for part in value.split(",") if part.strip()]


def env_sizes(name: str) -> tuple[tuple[str, int], ...]:
    """``name=number`` pairs with commas between them, in their order."""
    pairs = []
    for part in env_list(name):
        key, mark, size = part.partition("=")
        if not key.strip() or not mark or not size.strip().isdecimal() or int(size) < 1:
            raise ImproperlyConfigured(f"{name} must be name=number pairs with commas, not {part!r}")
        pairs.append((key.strip(), int(size)))
    return tuple(pairs)


def env_choice(name: str, default: str, choices: Iterable[str]) -> str:
    value = env_str(name, default)
    allowed = list(choices)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def env_path(name: str, default: Path) -> Path:
    value = read_text(name)
    note_setting(name, "text", default)
    return Path(value).expanduser().resolve() if value else default.resolve()


# glibc hands the memory of each statement back to the system and asks for it anew with the next, which was a fifth of
# the time of a statement of milliseconds. With these a process keeps so many bytes of it, and only blocks as large as
# that are mapped for themselves. Other C libraries don't read them.
# It took 1.3 off the 6.4 ms of an insights statement, and a batch of 500 is stored in 270 ms instead of 570. A
# Postgres session may hold 32 MB more.
ALLOCATOR_VARIABLES = {"MALLOC_TRIM_THRESHOLD_": str(32 << 20), "MALLOC_MMAP_THRESHOLD_": str(16 << 20)}


def copy_environment(**changes: str) -> dict[str, str]:
    """This process's variables, some of them changed, for a process to be started."""
    return {**ALLOCATOR_VARIABLES, **os.environ, **changes}
