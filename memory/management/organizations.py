"""Which organisation, and whose memories, a command is about."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from memory.access.users import EXTERNAL_ID_PATTERN, find_user
from memory.models import EndUser, Organization


def add_user_argument(parser: ArgumentParser) -> None:
    """For a command about one user."""
    parser.add_argument("--user", required=True, help="the user's id as your client names it")
    add_organization_argument(parser, "slug of the organisation; not needed when there is only one")


def add_users_argument(parser: ArgumentParser) -> None:
    """For a command about everybody that may be limited to one user."""
    parser.add_argument("--user", help="only this user, by the id your client uses")
    add_organization_argument(parser, "slug of the user's organisation; not needed when there is only one")


def add_organization_argument(
    parser: ArgumentParser, text: str = "slug of the organisation; not needed when there is only one"
) -> None:
    # The long form was the only one of some commands.
    parser.add_argument("--org", "--organization", dest="org", help=text)


def validate_external_id(external_id: str) -> None:
    """For a command that makes the user it names."""
    if not EXTERNAL_ID_PATTERN.fullmatch(external_id):
        raise CommandError("a user id is 1-128 of A-Z a-z 0-9 _ . @ : + | -")


def resolve_organization(slug: str | None) -> Organization:
    """The organisation of that slug, or the only one there is when none is named."""
    if slug:
        found = Organization.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"there is no organisation {slug!r}; there are: {_list_slugs()}")
        return found
    # Most installations have one; with several, guessing would import into somebody else's.
    several = list(Organization.objects.order_by("slug")[:2])
    if not several:
        raise CommandError("there is no organisation yet; create_key creates one with its first key")
    if len(several) > 1:
        raise CommandError(f"name the organisation with --org; there are: {_list_slugs()}")
    return several[0]


def resolve_user(external_id: str, slug: str | None) -> EndUser:
    """The user a client calls so, of the organisation of that slug or the only one there is."""
    organization = resolve_organization(slug)
    user = find_user(organization, external_id)
    if user is None:
        raise CommandError(f"{organization.slug} has no user {external_id!r}")
    return user


def resolve_users(external_id: str | None, slug: str | None) -> list[EndUser]:
    """One user, those of an organisation, or everybody."""
    if external_id:
        return [resolve_user(external_id, slug)]
    users = EndUser.objects.select_related("organization").order_by("pk")
    return list(users.filter(organization=resolve_organization(slug)) if slug else users)


def _list_slugs() -> str:
    return ", ".join(Organization.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none"
