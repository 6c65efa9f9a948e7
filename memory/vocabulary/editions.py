"""An organisation's own vocabulary: a preset, what was changed of it, and every version.

A change takes effect at once; labels made by an older version are made anew in the background
(`memory.enrichment.tasks`).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from django.db import transaction

from memory.language.concepts import list_terms
from memory.models import VocabularyChange, VocabularyEdition, VocabularyTerm
from memory.models.vocabulary import MEANS_CHARS, TERM_CHARS
from memory.store.admission import WriteRefused, validate_field_text
from memory.vocabulary.presets import DEFAULT_PRESET, list_presets, load_preset
from memory.vocabulary.terms import ControlledVocabulary, Term, TermKind, TermState

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,59}")
MOST_TERMS: Final = 200
MOST_ALIASES: Final = 60


@dataclass(frozen=True, slots=True)
class NewTerm:
    """``aliases`` are words or phrases of any language; one may go on at a star."""

    kind: TermKind
    name: str
    means: str = ""
    aliases: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class TermChanges:
    """None leaves what it was."""

    means: str | None = None
    aliases: Sequence[str] | None = None
    is_retired: bool | None = None
    replaced_by: str | None = None


def read_vocabulary(organization_id: int) -> ControlledVocabulary:
    edition = VocabularyEdition.objects.filter(pk=organization_id).first()
    preset = load_preset(edition.preset if edition else DEFAULT_PRESET)
    if edition is None:
        return preset
    own = {
        (row.kind, row.name): row
        for row in VocabularyTerm.objects.filter(organization_id=organization_id).order_by("pk")
    }
    terms = [apply_change(term, own.pop((term.kind.value, term.name), None)) for term in preset.terms]
    added = [apply_change(Term(TermKind(row.kind), row.name), row) for row in own.values()]
    return ControlledVocabulary(edition.preset, edition.number, (*added, *terms))


def apply_change(term: Term, row: VocabularyTerm | None) -> Term:
    if row is None:
        return term
    return replace(
        term,
        means=row.means or term.means,
        aliases={**term.aliases, "": tuple(row.aliases)},
        # A word that is a meaning of the languages counts in all of them.
        meanings=(*term.meanings, *(alias for alias in row.aliases if list_terms(alias))),
        state=TermState.RETIRED if row.is_retired else TermState.ACTIVE,
        replaced_by=row.replaced_by,
    )


def choose_preset(organization_id: int, preset: str, *, now: datetime, actor: str) -> ControlledVocabulary:
    if preset not in list_presets():
        raise WriteRefused("preset", f"must be one of {', '.join(list_presets())}")
    with transaction.atomic():
        edition = lock_edition(organization_id)
        if edition.preset != preset:
            edition.preset = preset
            keep_change(edition, f"builds on {preset}", now, actor)
    return read_vocabulary(organization_id)


def add_term(organization_id: int, new: NewTerm, *, now: datetime, actor: str) -> Term:
    check_name(new.name)
    aliases = check_aliases(new.aliases)
    with transaction.atomic():
        edition = lock_edition(organization_id)
        known = read_vocabulary(organization_id)
        if known.find_term(new.kind, new.name):
            raise WriteRefused("name", f"is a {new.kind} already; change it instead")
        if VocabularyTerm.objects.filter(organization_id=organization_id).count() >= MOST_TERMS:
            raise WriteRefused("name", f"would be one of more than {MOST_TERMS} terms")
        VocabularyTerm.objects.create(
            organization_id=organization_id,
            kind=new.kind.value,
            name=new.name,
            means=check_means(new.means),
            aliases=aliases,
            created_at=now,
        )
        keep_change(edition, f"added {new.kind} {new.name}", now, actor)
    return require_term(organization_id, new.kind, new.name)


def change_term(
    organization_id: int, kind: TermKind, name: str, changes: TermChanges, *, now: datetime, actor: str
) -> Term | None:
    """None where there is no such term."""
    with transaction.atomic():
        edition = lock_edition(organization_id)
        vocabulary = read_vocabulary(organization_id)
        if vocabulary.find_term(kind, name) is None:
            return None
        row, _ = VocabularyTerm.objects.get_or_create(
            organization_id=organization_id, kind=kind.value, name=name, defaults={"created_at": now}
        )
        said = set_changes(row, changes, vocabulary)
        if said:
            row.save()
            keep_change(edition, f"{kind} {name}: {', '.join(said)}", now, actor)
    return require_term(organization_id, kind, name)


def set_changes(row: VocabularyTerm, changes: TermChanges, vocabulary: ControlledVocabulary) -> list[str]:
    said = []
    if changes.means is not None and (means := check_means(changes.means)) != row.means:
        row.means = means
        said.append("told anew")
    if changes.aliases is not None and (aliases := check_aliases(changes.aliases)) != row.aliases:
        row.aliases = aliases
        said.append(f"{len(aliases)} aliases")
    if changes.replaced_by is not None and changes.replaced_by != row.replaced_by:
        check_successor(row, changes.replaced_by, vocabulary)
        row.replaced_by = changes.replaced_by
        said.append(f"replaced by {row.replaced_by or 'nothing'}")
    if changes.is_retired is not None and changes.is_retired != row.is_retired:
        row.is_retired = changes.is_retired
        said.append("retired" if row.is_retired else "in use again")
    return said


def check_successor(row: VocabularyTerm, name: str, vocabulary: ControlledVocabulary) -> None:
    kind = TermKind(row.kind)
    if name and (name == row.name or name not in vocabulary.list_names(kind)):
        raise WriteRefused("replaced_by", f"must be another {kind} that is in use")


def list_changes(organization_id: int, *, before: int | None = None, limit: int) -> list[VocabularyChange]:
    """The latest first."""
    rows = VocabularyChange.objects.filter(organization_id=organization_id)
    if before is not None:
        rows = rows.filter(version__lt=before)
    return list(rows.order_by("-version")[:limit])


def lock_edition(organization_id: int) -> VocabularyEdition:
    """One change after another: two at once would be the same version."""
    VocabularyEdition.objects.get_or_create(pk=organization_id, defaults={"preset": DEFAULT_PRESET})
    return VocabularyEdition.objects.select_for_update().get(pk=organization_id)


def keep_change(edition: VocabularyEdition, change: str, now: datetime, actor: str) -> None:
    edition.number += 1
    edition.changed_at = now
    edition.save()
    VocabularyChange.objects.create(
        organization_id=edition.pk, version=edition.number, change=change[:MEANS_CHARS], actor=actor[:100], at=now
    )


def require_term(organization_id: int, kind: TermKind, name: str) -> Term:
    found = read_vocabulary(organization_id).find_term(kind, name)
    assert found is not None  # noqa: S101 -- it was written in this transaction or the one before
    return found


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise WriteRefused("name", f"must be a word of a-z, 0-9 and _ that begins with a letter, at most {TERM_CHARS}")


def check_means(means: str) -> str:
    return validate_field_text(means, MEANS_CHARS, "means") if means.strip() else ""


def check_aliases(aliases: Iterable[str]) -> list[str]:
    kept = list(dict.fromkeys(" ".join(alias.split()).casefold() for alias in aliases if alias.strip()))
    if len(kept) > MOST_ALIASES:
        raise WriteRefused("aliases", f"must be at most {MOST_ALIASES}")
    for alias in kept:
        validate_field_text(alias, TERM_CHARS, "aliases")
        if not any(char.isalnum() for char in alias):
            raise WriteRefused("aliases", "must each hold a letter or a digit")
    return kept
