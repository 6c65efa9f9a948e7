"""The language somebody speaks, where a turn is too short to tell its own: "che sport pratico?" may be of two."""

from collections.abc import Sequence
from typing import Final

from django.db import connection

from memory.claims.frames.languages import find_turn_languages
from memory.models import EndUser

# Of the facts that were told last, by an index of them.
LAST: Final = """
SELECT lang FROM fact WHERE user_id = %s AND state = 'active' AND lang <> '' ORDER BY last_seen DESC, id LIMIT 1
"""


def find_own_language(user: EndUser, text: str, previous: Sequence[str] = ()) -> str:
    """What the person told something in last, if neither the turn nor those before it tell. In the user's scope."""
    if len(find_turn_languages(text, previous)) == 1:
        return ""
    with connection.cursor() as cursor:
        cursor.execute(LAST, [user.pk])
        found = cursor.fetchone()
    return str(found[0]) if found else ""
