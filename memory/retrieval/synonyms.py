"""A user's imported synonyms, which expand the words of a search.

They change rarely and every search needs them, so a process caches them for a minute. It sees its own changes at once,
those of other processes after that minute.
"""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from memory.language import build_query_groups, build_tsquery
from memory.models import EndUser, MemoryItem
from memory.retrieval.query import Query
from memory.signals import items_changed
from memory.tiers import Tier

TAG = "synonyms"
KEPT_S = 60.0
MOST_USERS = 10_000
MOST_GROUPS = 1_000

_kept: OrderedDict[int, tuple[float, tuple[tuple[str, ...], ...]]] = OrderedDict()


def load_synonyms(user: EndUser) -> tuple[tuple[str, ...], ...]:
    """The groups of a user's terms, inside the user's scope."""
    known = _kept.get(user.pk)
    now = time.monotonic()
    if known is None or known[0] < now:
        known = (now + KEPT_S, read_synonym_groups(user))
        _kept[user.pk] = known
        while len(_kept) > MOST_USERS:
            _kept.popitem(last=False)
    return known[1]


def read_synonym_groups(user: EndUser) -> tuple[tuple[str, ...], ...]:
    """The groups of terms that mean the same. Their tag is found by the index of words: tags have none."""
    (forms,) = build_query_groups(TAG)
    rows = MemoryItem.objects.for_user(user).active().filter(tier=Tier.PATTERNS, tags__contains=[TAG])
    tagged = rows.extra(where=["lexemes @@ %s::tsquery"], params=[build_tsquery(forms, user.pk)])
    found = tagged.order_by("pk").values_list("metadata", flat=True)[:MOST_GROUPS]
    return tuple(terms for metadata in found if len(terms := parse_synonyms(metadata)) > 1)


def parse_synonyms(metadata: dict[str, Any]) -> tuple[str, ...]:
    terms = metadata.get("synonyms")
    return tuple(term for term in terms if isinstance(term, str)) if isinstance(terms, list) else ()


@receiver(items_changed)
def forget_synonyms(sender: object, user: EndUser, items: Sequence[tuple[object, Tier]], **about: object) -> None:
    if any(tier == Tier.PATTERNS for _, tier in items):
        transaction.on_commit(lambda: _kept.pop(user.pk, None))


def expand_query(query: Query, groups: Sequence[Sequence[str]]) -> Query:
    """The question with the terms that mean the same as one it holds whole."""
    words = [dict.fromkeys(forms) for forms in query.words]
    added: dict[str, None] = {}
    for group in groups:
        parts = {term: build_query_groups(term) for term in group}
        for term in group:
            places = [find_place(forms, query.words) for forms in parts[term]]
            if not places or None in places:
                continue
            others = [other for other in group if other != term]
            added.update(dict.fromkeys(others))
            same = dict.fromkeys(form for other in others for forms in parts[other] for form in forms)
            for place in places:
                words[place or 0].update(same)
    if not added:
        return query
    return replace(
        query, words=tuple(tuple(forms) for forms in words), search_text=" ".join([query.search_text, *added])
    )


def find_place(forms: Sequence[str], words: Sequence[tuple[str, ...]]) -> int | None:
    """Where a word of a term stands in the question, itself or by a word of the same meaning."""
    return next((place for place, known in enumerate(words) if forms[0] in known), None)
