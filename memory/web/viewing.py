"""Where an operator may look. The one access funnel of the console: what it does not return does not exist."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404

from memory.access.users import find_user
from memory.models import EndUser, Operator, Organization
from memory.models.people import OperatorRole


@dataclass(frozen=True, slots=True)
class ViewedPerson:
    """One remembered person of one organisation, as one operator looks at them."""

    operator: Operator
    organization: Organization
    user: EndUser

    @property
    def actor(self) -> str:
        """Who the events of the operator's changes name."""
        return self.operator.actor

    @property
    def path(self) -> tuple[str, str]:
        """What the URLs of their pages are made of."""
        return self.organization.slug, self.user.external_id


def list_visible_organizations(operator: Operator) -> QuerySet[Organization]:
    """Superusers see all organisations, others those they are a member of."""
    everything = Organization.objects.order_by("name", "pk")
    return everything if operator.is_superuser else everything.filter(members=operator)


def can_see_everybody(operator: Operator) -> bool:
    """Whether there is no organisation this operator may not look at."""
    return operator.is_superuser or not Organization.objects.exclude(members=operator).exists()


def list_owned_organizations(operator: Operator) -> QuerySet[Organization]:
    """Those this operator governs: makes keys for, appoints members of, erases people of."""
    seen = list_visible_organizations(operator)
    if operator.is_superuser:
        return seen
    # In one filter with the member, or it would ask whether anybody is an owner.
    owned = {"membership__operator": operator, "membership__role": OperatorRole.OWNER.value}
    return Organization.objects.order_by("name", "pk").filter(**owned)


def governs_everything(operator: Operator) -> bool:
    """Whether there is no organisation this operator does not govern: the installation itself is then theirs to run."""
    if operator.is_superuser:
        return True
    owned = list_owned_organizations(operator).values("pk")
    return not Organization.objects.exclude(pk__in=owned).exists()


def find_viewed_person(operator: Operator, organization_slug: str, external_id: str) -> ViewedPerson:
    """Raises Http404 alike for what does not exist and for what this operator may not see."""
    # Looked for among those the operator may see, so a foreign slug and an unknown one are answered alike.
    organization = list_visible_organizations(operator).filter(slug=organization_slug).first()
    user = find_user(organization, external_id) if organization else None
    if organization is None or user is None:
        raise Http404("no such person")
    return ViewedPerson(operator, organization, user)
