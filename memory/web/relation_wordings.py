"""Whom a fact is about and its relation, in the language of whoever looks: "You", "lives in", "no longer works at".

Verbs and qualities stand here; what people, animals and things are to somebody has its noun in the language's data.
Pure: codes in, words out.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.text import capfirst
from django.utils.translation import get_language, pgettext_lazy

from memory.claims.claim import SPEAKER
from memory.facts.keys import OPEN_RELATIONS
from memory.language.loader import list_codes
from memory.language.relation_nouns import name_relation
from memory.web.wordings import translate as _

FAVORITE: Final = "favorite_"
# "I don't like tea" is kept as dislikes, denied: its denial is in the word.
DENYING: Final = "dislikes"
VERBS: Final[Mapping[str, object]] = {
    "afraid_of": pgettext_lazy("relation", "afraid of"),
    "allergic_to": pgettext_lazy("relation", "allergic to"),
    "born_in": pgettext_lazy("relation", "born in"),
    "dating": pgettext_lazy("relation", "dating"),
    "dislikes": pgettext_lazy("relation", "dislikes"),
    "drinks": pgettext_lazy("relation", "drinks"),
    "eats": pgettext_lazy("relation", "eats"),
    "engaged_to": pgettext_lazy("relation", "engaged to"),
    "friend_of": pgettext_lazy("relation", "friend of"),
    "goes_by": pgettext_lazy("relation", "goes by"),
    "goes_to": pgettext_lazy("relation", "goes to"),
    "has": pgettext_lazy("relation", "has"),
    "is": pgettext_lazy("relation", "is"),
    "learns": pgettext_lazy("relation", "learns"),
    "likes": pgettext_lazy("relation", "likes"),
    "lives_in": pgettext_lazy("relation", "lives in"),
    "married_to": pgettext_lazy("relation", "married to"),
    "member_of": pgettext_lazy("relation", "member of"),
    "moved_from": pgettext_lazy("relation", "moved from"),
    "name": pgettext_lazy("relation", "is called"),
    "owns": pgettext_lazy("relation", "owns"),
    "participated_in": pgettext_lazy("relation", "took part in"),
    "pays": pgettext_lazy("relation", "pays"),
    "plays": pgettext_lazy("relation", "plays"),
    "plays_for": pgettext_lazy("relation", "plays for"),
    "reports_to": pgettext_lazy("relation", "reports to"),
    "sees": pgettext_lazy("relation", "sees"),
    "smokes": pgettext_lazy("relation", "smokes"),
    "speaks": pgettext_lazy("relation", "speaks"),
    "studies": pgettext_lazy("relation", "studies"),
    "struggles_with": pgettext_lazy("relation", "struggles with"),
    "takes": pgettext_lazy("relation", "takes"),
    "takes_dose": pgettext_lazy("relation", "takes a dose of"),
    "uses": pgettext_lazy("relation", "uses"),
    "went_to": pgettext_lazy("relation", "went to"),
    "works_as": pgettext_lazy("relation", "works as"),
    "works_at": pgettext_lazy("relation", "works at"),
}
QUALITIES: Final[Mapping[str, object]] = {
    "age": pgettext_lazy("relation", "Age"),
    "bank": pgettext_lazy("relation", "Bank"),
    "blood_type": pgettext_lazy("relation", "Blood type"),
    "diet": pgettext_lazy("relation", "Diet"),
    "door": pgettext_lazy("relation", "Door"),
    "duration": pgettext_lazy("relation", "Duration"),
    "goal": pgettext_lazy("relation", "Goal"),
    "gym": pgettext_lazy("relation", "Gym"),
    "has_condition": pgettext_lazy("relation", "Health"),
    "hobby": pgettext_lazy("relation", "Hobby"),
    "interest": pgettext_lazy("relation", "Interest"),
    "learning": pgettext_lazy("relation", "Being learned"),
    "locker": pgettext_lazy("relation", "Locker"),
    "mortgage": pgettext_lazy("relation", "Mortgage"),
    "parking_space": pgettext_lazy("relation", "Parking space"),
    "pension": pgettext_lazy("relation", "Pension"),
    "pet": pgettext_lazy("relation", "Pet"),
    "project": pgettext_lazy("relation", "Project"),
    "provider": pgettext_lazy("relation", "Provider"),
    "quantity": pgettext_lazy("relation", "Number"),
    "religion": pgettext_lazy("relation", "Religion"),
    "rent": pgettext_lazy("relation", "Rent"),
    "routine": pgettext_lazy("relation", "Habit"),
    "salary": pgettext_lazy("relation", "Salary"),
    "shoe_size": pgettext_lazy("relation", "Shoe size"),
    "size": pgettext_lazy("relation", "Size"),
    "skill": pgettext_lazy("relation", "Skill"),
    "style": pgettext_lazy("relation", "Style"),
    "surname": pgettext_lazy("relation", "Surname"),
    "time": pgettext_lazy("relation", "Time"),
}


def name_subject(subject: str) -> str:
    """Subjects are kept as they were read, mostly without capitals."""
    return _("You") if subject.lower() in {"", SPEAKER} else subject[:1].upper() + subject[1:]


def word_relation(relation: str, *, is_denied: bool, is_over: bool) -> str:
    """Nothing of a relation that says no more than the statement."""
    if relation in OPEN_RELATIONS:
        return ""
    said = say_relation(relation)
    if is_over:
        return choose_form(relation, _("no longer {relation}"), _("{noun} no longer")).format(relation=said, noun=said)
    if is_denied and relation != DENYING:
        return choose_form(relation, _("not {relation}"), _("{noun} not")).format(relation=said, noun=said)
    return said


def choose_form(relation: str, of_verb: str, of_noun: str) -> str:
    """What is denied of a noun is its value: "Boss: not Tom"."""
    return of_verb if relation in VERBS else of_noun


def say_relation(relation: str) -> str:
    """A verb before its object, or a noun with a colon: "Boss: Tom" needs no case and no article in any language."""
    if relation in VERBS:
        return str(VERBS[relation])
    noun = QUALITIES.get(relation) or capfirst(name_relation(relation.removeprefix(FAVORITE), choose_language()))
    return (_("Favourite: {noun},") if relation.startswith(FAVORITE) else _("{noun}:")).format(noun=noun)


def choose_language() -> str:
    language = (get_language() or "").partition("-")[0]
    return language if language in list_codes() else list_codes()[0]
