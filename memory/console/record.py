"""What is held true of a person, on one page to be read through or printed."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.access.scope import user_scope
from memory.console.acting import open_facade
from memory.console.fact_lines import FactLine, build_fact_lines
from memory.console.facts import ONLY_CURRENT, FactGroup, list_groups
from memory.facts.queries import FactFilter
from memory.models import Fact, MemoryItem
from memory.models.facts import FactState
from memory.tiers import Tier
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson

# Some ten printed pages. What is left out is counted at its place.
MOST_FACTS = 300
MOST_STATEMENTS = 200
MOST_ENDED = 40


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    memory, now = open_facade(person), timezone.now()
    groups, total = list_groups(person, ONLY_CURRENT, 0, MOST_FACTS)
    ended = memory.list_facts(person.user, FactFilter(state=FactState.SUPERSEDED), now=now, limit=MOST_ENDED)
    context = {
        "person": person,
        "now": now,
        "groups": list(tell_groups_once(groups)),
        "more_facts": total - sum(len(group.lines) for group in groups),
        "ended": tell_lines_once(build_fact_lines(ended, memory.find_successors(person.user, ended), now), set()),
        "changed": list_changed_sentences(groups, ended),
        "statements": list_other_statements(person),
    }
    return render(request, "console/record/page.html", context)


def tell_groups_once(groups: Iterable[FactGroup]) -> Iterator[FactGroup]:
    """A sentence tells several facts, of two people perhaps; it is read once, where it stands first."""
    told: set[str] = set()
    for group in groups:
        if lines := tell_lines_once(group.lines, told):
            yield replace(group, lines=lines)


def tell_lines_once(lines: Iterable[FactLine], told: set[str]) -> list[FactLine]:
    """``told`` grows by the sentences of the lines."""
    first = []
    for line in lines:
        if line.fact.statement not in told:
            told.add(line.fact.statement)
            first.append(line)
    return first


def list_changed_sentences(groups: Iterable[FactGroup], ended: Iterable[Fact]) -> set[str]:
    """Those of which a part holds and another has ended: beside them stands which."""
    return {line.fact.statement for group in groups for line in group.lines} & {fact.statement for fact in ended}


def list_other_statements(person: ViewedPerson) -> list[MemoryItem]:
    """Those of the bank that no fact says already, the newest first, with what the page tells of them."""
    with user_scope(person.user):
        bank = MemoryItem.objects.for_user(person.user).active().filter(tier=Tier.MEMORY_BANK, review=False)
        # Of forty-four columns four: 200 whole rows took 8 ms of the page's time.
        told_of = bank.only("text", "tags", "always_inject").order_by("-occurred_at", "pk")
        items = list(told_of[:MOST_STATEMENTS])
        facts = Fact.objects.for_user(person.user).filter(bank_item_id__in=[item.pk for item in items])
        told = set(facts.values_list("bank_item_id", flat=True))
    return [item for item in items if item.pk not in told]
