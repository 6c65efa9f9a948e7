"""Who and what was spoken of, so that "she" and "there" mean somebody and some place."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from memory.claims.frames.triples import HotTriple
from memory.claims.taxonomy import ANIMALS, ATTRIBUTES, FAVORITE, GROUPS, PEOPLE, THINGS, find_gender

Kind = Literal["person", "animal", "thing", "place", "event"]
# Mentions of a person that are remembered.
MOST: Final = 20
PLACES: Final = frozenset({"lives_in", "went_to", "works_at", "moved_from", "born_in"})
NAMED: Final = frozenset({"friend_of", "married_to"})


@dataclass(frozen=True, slots=True)
class HotMention:
    """``relation`` is what it is to the person: "sister" of Clémence."""

    text: str
    kind: Kind
    gender: str = ""
    relation: str = ""
    is_group: bool = False
    # Whether its text is a noun that a name may yet take the place of.
    is_noun: bool = False
    # Whose it is where it is not the person's.
    owner: str = ""


@dataclass(slots=True)
class MentionStack:
    found: list[HotMention] = field(default_factory=list)
    told: list[HotTriple] = field(default_factory=list)
    # The texts of what earlier turns mentioned.
    earlier: frozenset[str] = frozenset()

    def add(self, mention: HotMention) -> None:
        if mention.text and mention.text != "you":
            self.earlier -= {mention.text}
            self.found = [one for one in self.found if one.text != mention.text][-MOST:]
            self.found.append(mention)

    def add_triple(self, triple: HotTriple) -> None:
        self.told.append(triple)
        for mention in list_mentions(triple):
            known = self.find(mention.text)
            is_more = known is None or (mention.relation and not known.relation)
            if mention.text == triple.subject and not is_more and known is not None:
                self.add(known)
            else:
                self.add(mention if is_more or known is None else known)

    def find(self, text: str) -> HotMention | None:
        return next((one for one in reversed(self.found) if one.text == text), None)

    def name_of(self, relation: str) -> str:
        """The name that somebody of the person's was told by, where only one was."""
        meant = "friend_of" if relation == "friend" else relation
        names = {one.object for one in self.told if one.subject == "you" and one.relation == meant}
        return names.pop() if len(names) == 1 and relation not in THINGS else ""

    def resolve(self, pronoun: str) -> HotMention | None:
        """The latest that a pronoun fits, of this turn before those of earlier ones; a person before an animal.

        "We've got a whippet, Doris, she's afraid of lorries" tells nothing of the mother of the turn before.
        """
        known = [one for one in reversed(self.found) if fits(pronoun, one)]
        fitting = [one for one in known if one.text not in self.earlier and not one.is_noun] or known
        persons = [one for one in fitting if one.kind == "person"]
        return next(iter(persons or fitting), None)

    def find_latest(self) -> HotMention | None:
        """Of whom a relative clause tells: "a note to my landlord; I've got a puppy who hates the cold"."""
        return next((one for one in reversed(self.found) if fits("any", one)), None)


def fits(pronoun: str, mention: HotMention) -> bool:
    if pronoun == "there":
        return mention.kind == "place"
    if pronoun == "it":
        return mention.kind in {"animal", "thing", "event"}
    if pronoun == "they":
        return mention.kind in {"person", "animal"} and mention.is_group
    if mention.kind not in {"person", "animal", "thing"} or mention.is_group:
        return False
    if pronoun == "any":
        return True
    return mention.kind != "thing" and mention.gender in {"", "f" if pronoun == "she" else "m"}


def list_mentions(triple: HotTriple) -> Iterable[HotMention]:
    subject, relation, spoken = triple.subject, triple.relation, triple.object
    if subject != "you" and relation not in {"time", "duration", "quantity"}:
        yield HotMention(subject, "person")
    if relation in PEOPLE:
        yield HotMention(spoken, "person", find_gender(relation), relation)
    elif relation in ANIMALS:
        yield HotMention(spoken, "animal", "", relation)
    elif relation in THINGS:
        yield HotMention(spoken, "thing", "", relation)
    elif relation in NAMED:
        yield HotMention(spoken, "person")
    elif relation in PLACES:
        yield HotMention(spoken, "place")
    elif relation == "time":
        yield HotMention(subject, "event", is_noun=True)
    elif relation.startswith(FAVORITE) or relation in ATTRIBUTES:
        return


def is_group(relation: str) -> bool:
    return relation in GROUPS
