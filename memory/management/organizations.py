"""Which organisation a command is about."""

from django.core.management.base import CommandError

from memory.models import Organization


def named_organization(slug: str | None) -> Organization:
    """The organisation of that slug, or the only one there is when none is named."""
    if slug:
        found = Organization.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"there is no organisation {slug!r}; there are: {_all_slugs()}")
        return found
    several = list(Organization.objects.order_by("slug")[:2])
    if not several:
        raise CommandError("there is no organisation yet; create_key makes one with its first key")
    if len(several) > 1:
        raise CommandError(f"name the organisation with --org; there are: {_all_slugs()}")
    return several[0]


def _all_slugs() -> str:
    return ", ".join(Organization.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none"
