"""The prompt of the personality in force, for every context. Whatever fails, a turn goes on."""

import threading
from collections import OrderedDict
from functools import lru_cache
from typing import Final

import structlog

from memory.access.scope import user_scope
from memory.access.users import fetch_row, is_stranger
from memory.conf import memory_conf
from memory.models import EndUser
from memory.platform import metrics
from personality.models import ActivePersonality
from personality.presets import DEFAULT, digest_content, load_presets
from personality.validation import check_template
from personality.wording import BUILT_IN, render_prompt

logger = structlog.get_logger(__name__)


class RenderedPrompts:
    """Prompts by the digest of their template, of this process.

    The template itself is read for every turn, so that a change holds at once in all processes. Kept is what is made of
    it, which took .2 ms of the process for a preset.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._prompts: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def render(self, content: str) -> str:
        """Raises TemplateRefused."""
        digest = digest_content(content)
        with self._lock:
            if (known := self._prompts.get(digest)) is not None:
                self._prompts.move_to_end(digest)
                return known
        prompt = render_prompt(check_template(content).values)
        with self._lock:
            self._prompts[digest] = prompt
            if len(self._prompts) > self._most:
                self._prompts.popitem(last=False)
        return prompt


RENDERED: Final = RenderedPrompts(512)


def load_prompt(user: EndUser) -> str:
    """What the contexts of a person begin with; empty where they chose no personality and the installation none."""
    content = read_active(user)
    if content is None:
        chosen = memory_conf().context.default_personality
        return render_preset(chosen) if chosen else ""
    try:
        return RENDERED.render(content)
    except Exception as error:  # noqa: BLE001 -- whatever is wrong with it, the turn goes on
        logger.warning("personality unreadable, using the default one", user_id=user.pk, reason=type(error).__name__)
        metrics.count("fallbacks", "personality")
        return render_preset(DEFAULT)


def load_name(user: EndUser) -> str:
    """What the assistant is called with this person; empty where neither they nor the installation chose."""
    chosen = memory_conf().context.default_personality
    try:
        content = read_active(user)
        if content is None:
            content = load_presets()[chosen].content if chosen else None
        return read_name(content) if content is not None else ""
    except Exception as error:  # noqa: BLE001 -- a name is no reason to show no page
        logger.warning("name of the assistant unreadable", user_id=user.pk, reason=type(error).__name__)
        return ""


@lru_cache(maxsize=64)
def read_name(content: str) -> str:
    """Raises TemplateRefused."""
    return check_template(content).name


def read_active(user: EndUser) -> str | None:
    if is_stranger(user):
        return None
    with user_scope(user):
        # By hand, as every turn asks: the ORM took half of the time.
        row = fetch_row(ActivePersonality, "user_id = %s", user.pk)
    return row.content if row else None


def render_preset(name: str) -> str:
    """The prompt of a preset; should its file be broken or gone, the one built in."""
    try:
        return RENDERED.render(load_presets()[name].content)
    except Exception as error:  # noqa: BLE001 -- as above
        logger.error("preset unreadable", preset=name, reason=repr(error))
        return BUILT_IN
