"""Every setting as it is in force, from whatever put the installation together."""

from collections.abc import Mapping
from typing import Any

from django.utils.module_loading import import_string

from memory.conf import memory_conf


def list_configuration() -> list[Mapping[str, Any]]:
    """With value, default, source and what each is for; secrets by whether they are set."""
    listed: list[Mapping[str, Any]] = import_string(memory_conf().installation["settings"])()
    return listed
