"""Template tags of the console: names, moments, bars. They return escaped text or render a template of ours."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple, TypedDict
from uuid import uuid4

from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import get_language, ngettext_lazy, pgettext

from knowledge_graph.hotmem.replay import list_hot_threads
from memory.access.confinement import RowScope
from memory.access.members import is_owner, list_owners
from memory.console.acting import open_facade
from memory.console.explanations import STAGES
from memory.console.fact_lines import word_day
from memory.console.glossary import TERMS
from memory.console.inbox.wordings import WORDINGS
from memory.console.reason_wordings import word_reason
from memory.console.session import THEME_COOKIE, THEMES
from memory.console.settings import wordings
from memory.guard.redaction.texts import MARK
from memory.language.text import SMUGGLED
from memory.models import AuditEvent, Operator, Organization
from memory.models.inbox import MatterKind
from memory.web.conversation_addresses import SaidInThread, write_conversation_query
from memory.web.labels import describe_actor, draw_arrow, name_secret, name_tier, name_word
from memory.web.notices import UndoOffer, take_undo_offer
from memory.web.quantities import say_number, say_quantity
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson, can_see_everybody
from memory.web.wordings import translate as _
from memory.web.wordings import translate_shipped
from personality.prompts import load_name

register = template.Library()
LOWER_CASE_DAYS: Final = frozenset({"es", "fr", "it"})
CURRENT: Final = format_html(' aria-current="{}"', "page")
REMARK: Final = re.compile(r" (\([^()\n]{1,120}\))$", re.MULTILINE)
register.filter("shipped", translate_shipped)
# Drawings that point the way one reads.
TURNING: Final = frozenset({"right", "restore", "recall", "conversations"})
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
# The size of a unit, up to when it is told in, and how it is told of the past and of the future.
SPANS: Final = (
    (
        MINUTE_S,
        HOUR_S,
        ngettext_lazy("%(count)d minute ago", "%(count)d minutes ago", "count"),
        ngettext_lazy("in %(count)d minute", "in %(count)d minutes", "count"),
    ),
    (
        HOUR_S,
        DAY_S,
        ngettext_lazy("%(count)d hour ago", "%(count)d hours ago", "count"),
        ngettext_lazy("in %(count)d hour", "in %(count)d hours", "count"),
    ),
    (
        DAY_S,
        7 * DAY_S,
        ngettext_lazy("%(count)d day ago", "%(count)d days ago", "count"),
        ngettext_lazy("in %(count)d day", "in %(count)d days", "count"),
    ),
)


class InboxChip(NamedTuple):
    kind: str
    name: str
    waiting: int
    address: str


class BarLevel(TypedDict):
    percent: float
    css: str
    label: str


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """One of the drawings in icons.svg, hidden from screen readers: its text stands beside it."""
    css = "icon turns" if name in TURNING else "icon"
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"></use></svg>', css, static("img/icons.svg"), name
    )


@register.simple_tag
def arrow() -> str:
    return draw_arrow()


@register.filter
def conversation_query(row: SaidInThread, how: str = "") -> str:
    """``"exact"`` where no other conversation of that name may be shown in its stead."""
    return write_conversation_query(row, is_exact=how == "exact")


@register.filter
def plain(value: object) -> str:
    """What somebody wrote, without the invisible characters that turn or hide the text around them."""
    # Such characters can make a text read differently from what is stored.
    return SMUGGLED.sub("", str(value))


@register.filter
def label_secrets(text: str) -> SafeString:
    """What somebody wrote, with a small label in place of each mark of a secret that was taken out."""
    pieces = MARK.split(text)
    if len(pieces) == 1:
        return escape(text)
    return format_html_join(
        "",
        '{}<bdi class="redacted" title="{}">{}</bdi>',
        (
            (
                before,
                _("A secret was taken out before this was stored."),
                _("{kind} removed").format(kind=name_secret(kind)),
            )
            for before, kind in zip(pieces[:-1:2], pieces[1::2], strict=True)
        ),
    ) + escape(pieces[-1])


@register.filter
def isolate_remarks(text: str) -> SafeString:
    """What stands in brackets at the end of a line by itself: " (told on 3 May)" behind a sentence in Hebrew."""
    pieces = REMARK.split(text)
    isolated = zip(pieces[:-1:2], pieces[1::2], strict=True)
    return format_html_join("", '{} <bdi class="remark">{}</bdi>', isolated) + escape(pieces[-1])


@register.filter
def tier_name(tier: str) -> str:
    return name_tier(tier)


@register.filter
def word(code: str) -> str:
    return name_word(code)


@register.filter
def stage(code: str) -> str:
    """A stage of a search or a context by its title."""
    return str(STAGES.get(code, code))


@register.filter("scopes")
def word_scopes(names: Iterable[str]) -> str:
    """What a key may do, in words."""
    return ", ".join(name_word(name) for name in names)


@register.filter
def count(number: int) -> str:
    return say_number(number)


@register.filter
def quantity(number: int, unit: str) -> str:
    return say_quantity(number, unit)


@register.filter
def reason(text: str) -> str:
    return word_reason(text)


@register.filter
def refusal(text: str) -> str:
    return word_refusal(text)


@register.filter
def actor(name: str) -> str:
    return plain(describe_actor(name))


@register.simple_tag
def moment(value: datetime | None, now: datetime | None = None) -> SafeString | str:
    """A time as people say it, with the exact one behind it."""
    if value is None:
        return str(_("never"))
    now = now or timezone.now()
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        value.isoformat(),
        format_local(value, "Y-m-d H:i e"),
        format_time_ago(value, now),
    )


@register.inclusion_tag("console/_term.html")
def term(name: str, word: str = "") -> dict[str, object]:
    """A word that the glossary explains, as it stands on the page; without one, as the glossary has it."""
    found = TERMS[name]
    # A word may stand on a page more than once, and a part that is swapped in has words of its own.
    return {"id": f"term-{uuid4().hex[:12]}", "term": found, "word": word or found.word}


@register.inclusion_tag("console/_terms.html")
def terms(*names: str) -> dict[str, object]:
    return {"names": names}


@register.filter
def has_hot_turns(person: ViewedPerson, conversation: SaidInThread) -> bool:
    """Whether turns of the conversation are kept that a client sent before the answer: only seven days, or none."""
    place = RowScope.of(conversation)
    return any(RowScope.of(one) == place for one in list_hot_threads(person.user, conversation.thread_id))


@register.simple_tag
def describe_change(event: AuditEvent) -> str:
    return wordings.describe_change(event.action, event.details)


@register.filter
def governs(operator: Operator, organization: Organization) -> bool:
    return is_owner(operator, organization.pk)


@register.simple_tag
def owners(organization: Organization) -> str:
    """Whom to ask, by name: "vera, kim"."""
    return ", ".join(list_owners(organization))


@register.filter
def may_see_everybody(operator: Operator) -> bool:
    return can_see_everybody(operator)


@register.filter
def weekday(value: date) -> str:
    """A day as a heading: "Monday, 30 November 2026", in Italian "Lunedì 30 novembre 2026"."""
    written = date_format(value, pgettext("a day as a heading", "l, j F Y"))
    # Django has names of days in capitals where the language has none within a line.
    return capfirst(written.lower()) if get_language() in LOWER_CASE_DAYS else written


@register.filter
def full_day(value: date) -> str:
    """ "30 November 2026", in German "30. November 2026"."""
    return word_day(value, get_language())


@register.filter
def exact(value: datetime) -> str:
    return format_local(value, pgettext("a day with its time", "j M Y, H:i e"))


@register.filter
def zone_city(zone: str) -> str:
    """As people call it: the last part of its name."""
    return zone.rpartition("/")[2].replace("_", " ")


def format_local(value: datetime, form: str) -> str:
    """In the zone of whoever looks; ``form`` is written as Django's date filter reads it."""
    return date_format(timezone.localtime(value), form)


def format_time_ago(value: datetime, now: datetime) -> str:
    """Minutes, hours and days around now in words, farther away the date."""
    gap = now - value
    seconds = abs(gap.total_seconds())
    if seconds < 60:
        return str(_("just now"))
    for size, limit, before, after in SPANS:
        if seconds < limit:
            return (before if gap > timedelta(0) else after) % {"count": int(seconds // size)}
    return format_local(value, pgettext("a day", "j M Y"))


@register.simple_tag
def percent(share: float) -> str:
    return f"{share:.0%}"


@register.inclusion_tag("console/_bar.html")
def bar(value: float, label: str, css: str = "") -> BarLevel:
    """A level between 0 and 1 as a bar, with its meaning for those who do not see it."""
    return {"percent": round(100 * min(1.0, max(0.0, value)), 1), "css": css, "label": label}


@register.inclusion_tag("console/_bar.html")
def room_bar(held: int, capacity: int) -> BarLevel:
    share = held / max(1, capacity)
    css = "bad" if share >= 1 else "watch" if share >= 0.9 else ""
    return {
        "percent": round(100 * min(1.0, share), 1),
        "css": css,
        "label": _("{held} of {capacity} places taken").format(held=say_number(held), capacity=say_number(capacity)),
    }


@register.inclusion_tag("console/_bar.html")
def progress_bar(done: int, total: int) -> BarLevel:
    return {
        "percent": round(100 * done / max(1, total), 1),
        "css": "",
        "label": _("{done} of {total} done").format(done=say_number(done), total=say_number(total)),
    }


@register.inclusion_tag("console/_bar.html")
def score_bar(score: float) -> BarLevel:
    css = "good" if score >= 0.7 else "bad" if score < 0.3 else "watch" if score < 0.5 else ""
    return {
        "percent": round(100 * score, 1),
        "css": css,
        "label": _("outcome score {score:.2f} of 1").format(score=score),
    }


@register.simple_tag(takes_context=True)
def theme(context: dict[str, Any]) -> str:
    """The theme this browser asked for: system, light or dark."""
    request: HttpRequest | None = context.get("request")
    # From a cookie and not the account: a theme belongs to a screen.
    chosen = request.COOKIES.get(THEME_COOKIE, "") if request else ""
    return chosen if chosen in THEMES else "system"


@register.simple_tag(takes_context=True)
def open_reviews(context: dict[str, Any], person: ViewedPerson) -> int:
    """How much waits for a decision about a person: told on each of their pages."""
    return sum(count_waiting(context, person).values())


@register.simple_tag
def assistant_name(person: ViewedPerson) -> str:
    """Who the person talks to, told on each of their pages."""
    return load_name(person.user)


def count_waiting(context: dict[str, Any], person: ViewedPerson) -> Mapping[MatterKind, int]:
    """A page that counted them has them in its context."""
    counts: Mapping[MatterKind, int] | None = context.get("waiting_counts")
    return open_facade(person).count_waiting(person.user, now=timezone.now()) if counts is None else counts


@register.simple_tag(takes_context=True)
def list_inbox_kinds(context: dict[str, Any], person: ViewedPerson) -> list[InboxChip]:
    return [
        InboxChip(kind.value, WORDINGS[kind].name, waiting, reverse("console:inbox", args=[*person.path, kind.value]))
        for kind, waiting in count_waiting(context, person).items()
    ]


@register.simple_tag(takes_context=True)
def undo_offer(context: dict[str, Any]) -> UndoOffer | None:
    """The form beside the message of a change; shown once."""
    return take_undo_offer(context["request"])


@register.simple_tag(takes_context=True)
def current(context: dict[str, Any], *names: str, is_narrow: bool = True) -> SafeString | str:
    """Marks the link of the page that is open. Not ``is_narrow``: a phone has no room for it."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or match.url_name not in names:
        return ""
    request.is_place_shown = is_narrow
    return CURRENT


@register.simple_tag(takes_context=True)
def current_elsewhere(context: dict[str, Any]) -> SafeString | str:
    """Marks the link to all pages, behind the others, where none of those that a phone shows is marked."""
    return "" if getattr(context.get("request"), "is_place_shown", False) else CURRENT
