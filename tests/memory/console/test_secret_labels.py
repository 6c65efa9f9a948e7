"""Where a secret was taken out of a text, pages show a small label with what it was, and not the mark."""

import inspect
import re

import pytest
from django.utils import timezone, translation

from memory.console.tags import label_secrets
from memory.facade import MemoryFacade
from memory.guard.redaction import codes, passwords, told
from memory.guard.redaction.forms import FORMS
from memory.models import EndUser
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.web.labels import name_secret
from outcomes.exchanges.storing import NewExchange
from tests.memory.console.conftest import Console

LABEL = re.compile(r'<bdi class="redacted" title="[^"]+">wifi password removed</bdi>')
# How the guard's finders write the kind of what they find.
WRITTEN = re.compile(
    r'(?:(?:SecretSpan|find_digits|find_number_before)\(.*?, |return |kind = |else |get\(name, )"([a-z ]+)"'
)
# A name of what a question asks for, and no kind.
ASKED_FOR = "door code"
TOLD = "The wifi password at the cabin is Larch-tree-77, near the lake."


def test_a_mark_becomes_a_label_and_the_rest_is_escaped() -> None:
    shown = label_secrets("<b>pin</b> [redacted: pin], [redacted: <i>] & [redacted: github token]")
    assert shown.startswith("&lt;b&gt;pin&lt;/b&gt; <bdi")
    assert "PIN removed</bdi>, [redacted: &lt;i&gt;] &amp; <bdi" in shown
    assert shown.endswith(">GitHub token removed</bdi>")
    assert label_secrets("<i>") == "&lt;i&gt;"


def test_every_kind_the_guard_takes_out_has_a_name() -> None:
    kinds = {form.kind for form in FORMS} | set(told.ASKED.values()) | set(told.KIND_OF_NAME.values())
    for module in (codes, passwords, told):
        kinds |= set(WRITTEN.findall(inspect.getsource(module)))
    assert {"one time code", "national number", "pin", "seed phrase", "wifi password"} <= kinds
    with translation.override("de"):
        # A noun of German begins with a capital: none is left as the guard writes it.
        assert [kind for kind in sorted(kinds - {ASKED_FOR}) if name_secret(kind) == kind] == []


@pytest.mark.parametrize(
    ("language", "shown"),
    [("de", "GitHub-Token entfernt"), ("fr", "Retiré : jeton GitHub"), ("he", "הוסר: אסימון של GitHub")],
)
def test_what_was_taken_out_is_named_in_the_language_of_the_page(language: str, shown: str) -> None:
    with translation.override(language):
        assert f">{shown}</bdi>" in label_secrets("[redacted: github token]")
        assert ">{}</bdi>".format(shown.replace(name_secret("github token"), "alibi")) in label_secrets(
            "[redacted: alibi]"
        )


@pytest.mark.usefixtures("services")
def test_memories_facts_and_exchanges_show_labels(console: Console, user: EndUser, place: str) -> None:
    facade, now = MemoryFacade(), timezone.now()
    item = facade.store(user, NewMemory(TOLD, tier=Tier.HISTORY), now=now).item
    fact = facade.state_fact(user, TOLD, now=now).fact
    facade.store_exchange(user, NewExchange("cabin", TOLD, "I will not keep it."), now=now)
    assert fact is not None
    for page in ("/memories", f"/memories/{item.pk}", f"/facts/{fact.pk}", "/conversations?thread=cabin"):
        shown = console.get(place + page).content.decode()
        assert LABEL.search(shown), page
        assert "Larch-tree" not in shown
