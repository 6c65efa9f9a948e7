"""axe-core against a page: what keeps somebody from reading or using it."""

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
HINDERING = {"serious", "critical"}
# The page is the same in light and dark but for its colours; every rule twice would cost as much again.
# Copies of the style sheets are read by no rule that runs and hinders; to make them took a sixth of the time.
EVERY_RULE: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
COLOURS: dict[str, Any] = {
    **EVERY_RULE,
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}


def load_with_each_page(page: Page) -> None:
    """For who looks at many: its half megabyte goes to the browser once, and not, for 40 ms, with every page."""
    page.add_init_script(AXE)


def find_hindrances(page: Page, options: dict[str, Any]) -> list[str]:
    """Findings that are serious or critical, each with the elements it is about."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{violation['impact']} {violation['id']}: {node['html'][:160]}"
        for violation in found["violations"]
        if violation["impact"] in HINDERING
        for node in violation["nodes"]
    ]
