"""Every setting as it is in force: what it is, what it would be, and who said so; secrets by whether there is one.

Values are noted by the readers of `config.env` as they read them; what each is for stands in ``.env.example``.
"""

import re
from functools import cache
from typing import Final, TypedDict
from urllib.parse import urlsplit

from config.env import BASE_DIR, READ, SettingSource, env_str

COMMENTED: Final = re.compile(r"#([A-Z][A-Z0-9_]*)=(.*)")
# Whatever reads it: a name like these is of something nobody may see.
SECRET: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)(_PREVIOUS)?$")


class ConfigurationLine(TypedDict):
    """``value`` and ``default`` as they are written in the environment; of a secret whether it is set."""

    name: str
    kind: str
    value: str
    default: str
    source: str
    about: str
    is_secret: bool


@cache
def read_descriptions() -> dict[str, tuple[str, str]]:
    """What each variable is for, and the default that is told of it; nothing where the file is not shipped."""
    try:
        lines = (BASE_DIR / ".env.example").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    found: dict[str, tuple[str, str]] = {}
    about: list[str] = []
    for line in lines:
        if variable := COMMENTED.fullmatch(line):
            found[variable[1]] = (" ".join(about), variable[2])
            about = []
        else:
            about = [*about, line.removeprefix("#").strip()] if line.startswith("# ") else []
    return found


def list_settings() -> list[ConfigurationLine]:
    """By name. What only another process reads is looked up here, as they share one environment."""
    described = read_descriptions()
    for name in described.keys() - READ.keys():
        env_str(name, described[name][1])
    return [describe_setting(name, *described.get(name, ("", ""))) for name in sorted(READ)]


def describe_setting(name: str, about: str, told_default: str) -> ConfigurationLine:
    read = READ[name]
    is_secret = read.is_secret or SECRET.search(name) is not None
    value, default = str(read.value), str(read.default) or told_default
    if is_secret:
        default = ""
        is_set = value or read.source != SettingSource.DEFAULT
        value = mask_secret(value) if value and name.endswith("_URL") else "set" if is_set else ""
    return ConfigurationLine(
        name=name,
        kind="secret" if is_secret else read.kind,
        value=hide_credentials(value),
        default=hide_credentials(default),
        source=read.source.value,
        about=about,
        is_secret=is_secret,
    )


def mask_secret(value: str) -> str:
    """Of an address where it leads, which says nothing of the password in it; of anything else that it is set."""
    try:
        parts = urlsplit(value)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "set"
    return f"{parts.scheme}://{parts.hostname}{port}" if parts.scheme and parts.hostname else "set"


def hide_credentials(value: str) -> str:
    """An address without the name and password that may stand in it."""
    return re.sub(r"(?<=://)[^/\s@]*@", "", value)
