"""The prompts page: each prompt with its wording, its caller, its last calls and what they cost."""

from html import unescape
from pathlib import Path

from memory.conf import change_settings
from memory.inference.catalogue import CATALOGUE
from memory.models import ModelCall
from tests.factories import OperatorFactory
from tests.memory.console.conftest import Console, console_for

NAME = "fact_pairs"


def test_prompts_are_shown_to_who_may_see_everybody(
    console: Console, outsider: Console, nobody: Console, tmp_path: Path
) -> None:
    for path in ("/console/prompts", f"/console/prompt-{NAME}"):
        # Each sees one of the two organisations.
        assert console.get(path).status_code == outsider.get(path).status_code == 404
        assert nobody.get(path).status_code == 302
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    assert root.get("/console/prompt-unheard_of").status_code == 404
    for outcome, cost in (("ok", "0.002"), ("late", "0")):
        ModelCall.objects.create(
            purpose=NAME, model="stub/chat", outcome=outcome, prompt_tokens=1_200, answer_tokens=34, ms=812, cost=cost
        )
    (tmp_path / f"{NAME}.txt").write_text("Broken", encoding="utf-8")
    with change_settings(PROMPTS={"folder": str(tmp_path), "off": frozenset({NAME, "tone_inferrence"})}):
        listed = unescape(root.get("/console/prompts").content.decode())
        shown = unescape(root.get(f"/console/prompt-{NAME}").content.decode())
    assert all(name in listed and entry.when_off in listed for name, entry in CATALOGUE.items())
    for text in ("MEMORY_PROMPTS_OFF names tone_inferrence", "switched off", "passed over", "2, 1 answered", "2,468"):
        assert text in listed
    for text in ("no line of three dashes", "Keep both rather than merge", "stub/chat", "too late", "812 ms", "0.0020"):
        assert text in shown
