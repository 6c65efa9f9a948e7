"""What current facts name, in whatever case it was written: "wohne in bonn" names a place, "my dog biscuit" a dog.

A text in lower case shows no name by its capitals. What was read of it as a fact is known to be one.
"""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from knowledge_graph.extraction import announcements
from knowledge_graph.extraction.entities import (
    MOST_NAME_WORDS,
    ORGANISATION,
    PERSON,
    PLACE,
    ExtractedEntity,
    is_part_of_another,
)
from memory.claims.frames.places import is_no_home
from memory.claims.taxonomy import ANIMALS, PEOPLE
from memory.language.folding import fold_name, strip_accents
from memory.language.vocabulary import load_places
from memory.models import EndUser, Fact

# Animals are of the kind that "my dog Biscuit" is read as in a text.
KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(PEOPLE | ANIMALS | {"married_to", "dating", "friend_of"}, PERSON),
    **dict.fromkeys(("lives_in", "born_in", "moved_from", "went_to"), PLACE),
    **dict.fromkeys(("works_at", "school"), ORGANISATION),
}


def read_told_names(user: EndUser, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[ExtractedEntity]]:
    """By the bank item that tells the fact. In the user's scope."""
    facts = Fact.objects.for_user(user).active().filter(bank_item_id__in=list(ids), polarity=True, relation__in=KINDS)
    found: dict[uuid.UUID, list[ExtractedEntity]] = defaultdict(list)
    for item_id, relation, told in facts.order_by("pk").values_list("bank_item_id", "relation", "object"):
        if item_id is not None and is_name(told, KINDS[relation]):
            key = fold_name(told)
            found[item_id].append(ExtractedEntity(told, load_places().get(key, (key, False))[0], KINDS[relation]))
    return found


def is_name(told: str, kind: str) -> bool:
    """Whether it may be called by that: no description such as "a teacher" or "shared flat"."""
    words = [strip_accents(word.casefold()) for word in told.split()]
    if not 0 < len(words) <= MOST_NAME_WORDS or any(character.isdigit() for character in told):
        return False
    return not announcements.is_function_word(words[0]) and not (kind == PLACE and is_no_home(told))


def add_told_names(found: Sequence[ExtractedEntity], told: Sequence[ExtractedEntity]) -> list[ExtractedEntity]:
    """Those a reading of the text missed; not the first name of somebody whom it found in full."""
    keys = {one.key for one in found} | {one.key for one in told}
    known = {one.key for one in found}
    added = {one.key: one for one in told if one.key not in known and not is_part_of_another(one, keys)}
    return [*found, *added.values()]
