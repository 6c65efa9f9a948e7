"""Under which ids the rows of a file are written.

A file keeps its ids, which clients may know: a person who moves to another installation is found there by the same
ones. Where they are somebody else's here (the file of one person is imported for another), every id is replaced by
one that follows from it and the person, so that the same file adds nothing the second time. It begins as the old one
does: what goes by the order of ids, such as a search among equals, finds the same in the copy.
"""

import re
import uuid
from typing import Any, Final

from memory.models import EndUser
from memory.portability.tables import PortableTable

UUID_TEXT: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Identities:
    """What each id of a file is called here."""

    def __init__(self, user: EndUser, *, has_own_ids: bool) -> None:
        self.space = uuid.uuid5(uuid.NAMESPACE_OID, f"commonplace person {user.pk}")
        self.has_own_ids = has_own_ids
        # Rows that are here under another id: imported before for this person, or the same message of a chat.
        self.aliases: dict[uuid.UUID, uuid.UUID] = {}

    def derive(self, given: uuid.UUID) -> uuid.UUID:
        # Half of each: ids that begin with the same 64 bits still differ by 62 of the digest.
        return uuid.UUID(bytes=given.bytes[:8] + uuid.uuid5(self.space, given.bytes.hex()).bytes[8:])

    def translate(self, given: uuid.UUID) -> uuid.UUID:
        if given in self.aliases:
            return self.aliases[given]
        return self.derive(given) if self.has_own_ids else given

    @property
    def is_plain(self) -> bool:
        return not self.has_own_ids and not self.aliases

    def translate_row(self, table: PortableTable, values: dict[str, Any]) -> dict[str, Any]:
        if self.is_plain:
            return values
        return {
            name: value if name in table.foreign_json else self.translate_value(value) for name, value in values.items()
        }

    def translate_value(self, value: Any) -> Any:  # noqa: ANN401 -- of any column
        if isinstance(value, uuid.UUID):
            return self.translate(value)
        if isinstance(value, list):
            return [self.translate_value(one) for one in value]
        if isinstance(value, dict):
            return {name: self.translate_value(one) for name, one in value.items()}
        if isinstance(value, str) and len(value) == 36 and UUID_TEXT.fullmatch(value):
            return str(self.translate(uuid.UUID(value)))
        return value
