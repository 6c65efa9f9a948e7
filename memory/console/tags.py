"""Template tags of the console: names, moments, bars. They return escaped text or render a template of ours."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypedDict

from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from memory.console.acting import open_facade
from memory.console.inbox.wordings import WORDINGS
from memory.console.session import THEME_COOKIE, THEMES
from memory.console.settings import wordings
from memory.guard.redaction.texts import MARK
from memory.language.text import SMUGGLED
from memory.models import AuditEvent, Operator
from memory.models.inbox import MatterKind
from memory.tiers import Tier
from memory.web.labels import TIER_NAMES, describe_actor
from memory.web.notices import UndoOffer, take_undo_offer
from memory.web.viewing import ViewedPerson, can_see_everybody

register = template.Library()


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
def icon(name: str) -> SafeString:
    """One of the drawings in icons.svg, hidden from screen readers: its text stands beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static("img/icons.svg"), name
    )


@register.filter
def plain(value: object) -> str:
    """What somebody wrote, without the invisible characters that turn or hide the text around them."""
    # Such characters can make a text read differently from what is stored.
    return SMUGGLED.sub("", str(value))


@register.filter
def label_secrets(text: str) -> SafeString:
    """What somebody wrote, with a small label in place of each mark of a secret that was taken out."""
    pieces = MARK.split(text)
    return format_html_join(
        "",
        '{}<bdi class="redacted" title="A secret was taken out before this was stored.">{}</bdi>',
        zip(pieces[:-1:2], (f"{kind} removed" for kind in pieces[1::2]), strict=True),
    ) + escape(pieces[-1])


@register.filter
def tier_name(tier: str) -> str:
    return TIER_NAMES[Tier(tier)] if tier in set(Tier) else tier


@register.filter
def count(number: int) -> str:
    return f"{number:,}"


@register.filter
def actor(name: str) -> str:
    return plain(describe_actor(name))


@register.simple_tag
def moment(value: datetime | None, now: datetime | None = None) -> SafeString | str:
    """A time as people say it, with the exact one behind it."""
    if value is None:
        return "never"
    now = now or timezone.now()
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        value.isoformat(),
        f"{value:%Y-%m-%d %H:%M} UTC",
        format_time_ago(value, now),
    )


@register.simple_tag
def describe_change(event: AuditEvent) -> str:
    return wordings.describe_change(event.action, event.details)


@register.filter
def may_see_everybody(operator: Operator) -> bool:
    return can_see_everybody(operator)


@register.filter
def exact(value: datetime) -> str:
    return f"{value.day} {value:%b %Y, %H:%M} UTC"


def format_time_ago(value: datetime, now: datetime) -> str:
    """Minutes, hours and days around now in words, farther away the date."""
    gap = now - value
    seconds = abs(gap.total_seconds())
    if seconds < 60:
        return "just now"
    for size, unit, limit in ((60, "minute", 3600), (3600, "hour", 86_400), (86_400, "day", 7 * 86_400)):
        if seconds < limit:
            count = int(seconds // size)
            words = f"{count} {unit}" + ("" if count == 1 else "s")
            return f"{words} ago" if gap > timedelta(0) else f"in {words}"
    return f"{value.day} {value:%b %Y}"


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
    return {"percent": round(100 * min(1.0, share), 1), "css": css, "label": f"{held:,} of {capacity:,} places taken"}


@register.inclusion_tag("console/_bar.html")
def progress_bar(done: int, total: int) -> BarLevel:
    return {"percent": round(100 * done / max(1, total), 1), "css": "", "label": f"{done:,} of {total:,} done"}


@register.inclusion_tag("console/_bar.html")
def score_bar(score: float) -> BarLevel:
    css = "good" if score >= 0.7 else "bad" if score < 0.3 else "watch" if score < 0.5 else ""
    return {"percent": round(100 * score, 1), "css": css, "label": f"outcome score {score:.2f} of 1"}


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
def current(context: dict[str, Any], *names: str) -> SafeString | str:
    """Marks the link of the page that is open."""
    match = getattr(context.get("request"), "resolver_match", None)
    return format_html(' aria-current="{}"', "page") if match and match.url_name in names else ""
