"""How changes of settings are told. Pure: an event in, words out."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models.administration import AuditAction
from memory.web.labels import describe_actor

CHANGES: Final[Mapping[str, str | Promise]] = {
    AuditAction.KEY_ISSUED: gettext_lazy("Key made"),
    AuditAction.KEY_LIMITED: gettext_lazy("Limit of a key changed"),
    AuditAction.KEY_RENAMED: gettext_lazy("Key renamed"),
    AuditAction.KEY_END_CHANGED: gettext_lazy("End of a key changed"),
    AuditAction.KEY_ROTATED: gettext_lazy("Key replaced by another"),
    AuditAction.KEY_REVOKED: gettext_lazy("Key revoked"),
    AuditAction.MEMBER_ADDED: gettext_lazy("Member added"),
    AuditAction.MEMBER_CHANGED: gettext_lazy("Role changed"),
    AuditAction.MEMBER_REMOVED: gettext_lazy("Member removed"),
    AuditAction.ORGANIZATION_CREATED: gettext_lazy("Organisation made"),
    AuditAction.ORGANIZATION_RENAMED: gettext_lazy("Organisation renamed"),
    AuditAction.WEBHOOK_CREATED: gettext_lazy("Webhook made"),
    AuditAction.WEBHOOK_CHANGED: gettext_lazy("Webhook changed"),
    AuditAction.WEBHOOK_ROTATED: gettext_lazy("Webhook given another secret"),
    AuditAction.WEBHOOK_DELETED: gettext_lazy("Webhook deleted"),
    AuditAction.MEMORIES_DELETED: gettext_lazy("Memories deleted together"),
    AuditAction.LINK_MADE: gettext_lazy("Link to a person’s own page made"),
    AuditAction.PERSON_ERASED: gettext_lazy("Person erased"),
    AuditAction.REINDEX_STARTED: gettext_lazy("Rebuilding of the index started"),
    AuditAction.REINDEX_CHANGED: gettext_lazy("Rebuilding of the index changed"),
    AuditAction.CHECK_STARTED: gettext_lazy("Index compared with the rows"),
    AuditAction.BACKUP_STARTED: gettext_lazy("Backup started"),
    AuditAction.MEASURING_STARTED: gettext_lazy("Measuring of everybody started"),
    AuditAction.MEASURING_ENDED: gettext_lazy("Measuring of everybody ended"),
    AuditAction.ROW_CHANGED: gettext_lazy("Row changed by hand"),
}


def describe_change(action: str, details: Mapping[str, Any]) -> str:
    """The kind of change, and what it was before where that is one value."""
    name = str(CHANGES.get(action, action))
    if "link_by" in details:
        maker = describe_actor(details["link_by"])
        return _("%(name)s through the link that %(maker)s made") % {"name": name, "maker": maker}
    if "before" not in details:
        return name
    before, after = details["before"], next((details[key] for key in details if key not in {"before", "key"}), None)
    usual = _("as the installation allows")
    told = {"name": name, "before": before or usual, "after": after or usual}
    return _("%(name)s: %(before)s, now %(after)s") % told
