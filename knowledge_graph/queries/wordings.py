"""What a node and an edge of the picture say of themselves, in the language of whoever looks; programs read English."""

from typing import Final

from django.utils.translation import gettext, ngettext, pgettext_lazy

from memory.web.labels import name_word

EDGE_NAMES: Final = {
    "together": pgettext_lazy("between two names", "named together"),
    "part_of": pgettext_lazy("between two names", "part of"),
    "used_in": pgettext_lazy("between two names", "used for"),
    "has_dataset": pgettext_lazy("between two names", "has data in"),
    "influences": pgettext_lazy("between two names", "influences"),
    "builds_upon": pgettext_lazy("between two names", "builds upon"),
    "supports": pgettext_lazy("between two names", "supports"),
    "contradicts": pgettext_lazy("between two names", "contradicts"),
    "evolves_from": pgettext_lazy("between two names", "evolves from"),
    "connects_to": pgettext_lazy("between two names", "connects to"),
    "causes": pgettext_lazy("between two names", "causes"),
    "leads_to": pgettext_lazy("between two names", "leads to"),
    "triggers": pgettext_lazy("between two names", "triggers"),
    "prevents": pgettext_lazy("between two names", "prevents"),
}


def name_edge(kind: str) -> str:
    code = kind.lower()
    return str(EDGE_NAMES.get(code) or code.replace("_", " "))


def describe_asking(uses: int) -> str:
    return ngettext("asked about %(count)d time", "asked about %(count)d times", uses) % {"count": uses}


def describe_naming(kind: str, mentions: int) -> str:
    said = ngettext("%(kind)s, named %(count)d time", "%(kind)s, named %(count)d times", mentions)
    return said % {"kind": name_word(kind), "count": mentions}


def describe_action(action: str, context_type: str, uses: int, rate: float) -> str:
    said = ngettext(
        "%(action)s in %(kind)s: %(count)d time, %(share)s helped",
        "%(action)s in %(kind)s: %(count)d times, %(share)s helped",
        uses,
    )
    return said % {"action": action, "kind": name_word(context_type), "count": uses, "share": f"{rate:.0%}"}


def add_name(detail: str, name: str) -> str:
    return gettext("{detail}; also {name}").format(detail=detail, name=name)
