"""What the names in a turn were told as, maybe weeks ago in another conversation: "Vega is seven now".

Who Vega is stands in a fact. Its statement is read before the turn, as an earlier turn of the conversation would be. So
is the dose of a medicine that "the doctor upped it to 850" raises and does not name.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.db import connection

from memory.access.scope import user_scope
from memory.claims.claim import SPEAKER
from memory.claims.dates.arrangements import TIME, shares_matter, tells_arrangement
from memory.claims.few_words.losses import LOSABLE, find_lost, tells_loss
from memory.claims.frames.languages import find_turn_languages
from memory.claims.health.denials import LIMITS
from memory.claims.health.doses import TAKES_DOSE, Number, may_follow
from memory.claims.health.moved_doses import is_clipped, read_new_dose
from memory.claims.health.prescriptions import TAKES
from memory.claims.questions import PETS
from memory.claims.relations import ABOUT
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.subjects import HAS, THINGS
from memory.claims.succession import LEARNS, switches_language
from memory.facts.keys import fold_key
from memory.facts.subjects import OF_PERSONS
from memory.language.folding import WORD
from memory.language.hebrew import BEFORE_A_NAME, is_hebrew
from memory.language.loader import collect_entries
from memory.language.names import load_possible_names
from memory.language.stopwords import load_all_stop_words
from memory.models import EndUser, Fact

# Relations whose object is somebody or something that is spoken of by its name.
NAMING: Final = OF_PERSONS | PETS | THINGS | {"works_at", "bank", "provider", "school"}
# Of the newest facts that name something, so many; of what they were told as, so many statements, each so long.
MOST_READ: Final = 200
MOST_STATEMENTS: Final = 2
LONGEST_STATEMENT: Final = 200
READ_OF_TURN: Final = 1000
# Of towns the person's own alone is meant: "I'm in York now, no longer in Leeds". What limits somebody is named by whom
# it limits: "Jodie isn't lactose intolerant after all". By hand: the ORM took .5 ms to compose it.
FIND_INTRODUCTIONS: Final = f"""
SELECT relation, subject_key, object_key, statement FROM fact
WHERE user_id = %(user)s AND state = 'active' AND (
    relation = ANY(%(naming)s) OR (relation = 'lives_in' AND subject_key = '{SPEAKER}')
    OR (relation = ANY(%(limits)s) AND subject_key = ANY(%(names)s))
)
ORDER BY last_seen DESC, id LIMIT {MOST_READ}
"""  # noqa: S608 -- names of our own
LEAST_WORD: Final = 3


def list_antecedents(user: EndUser, text: str, previous: Sequence[str]) -> list[str]:
    """The statements that a turn goes on about, where the conversation itself did not tell them."""
    told = [*list_doses(user, text), *list_learnt(user, text), *list_lost(user, text)]
    told += list_introductions(user, text, previous)
    # What was arranged stands last: what moves it speaks of nothing else.
    return list(dict.fromkeys(map(restore_case, [*told, *list_arranged(user, text, previous)])))


def restore_case(statement: str) -> str:
    """Who writes no capitals writes none in a name: the only one in "Meine freundin lea" is the statement's."""
    rest = statement[1:]
    return statement if rest != rest.lower() else f"{statement[:1].lower()}{rest}"


def list_arranged(user: EndUser, text: str, previous: Sequence[str]) -> list[str]:
    """What told of the appointment that a turn moves or cancels."""
    read = text[:READ_OF_TURN]
    language = next(iter(find_turn_languages(read, previous[-1:])), "en")
    if not tells_arrangement(read, language):
        return []
    with user_scope(user):
        facts = Fact.objects.for_user(user).active().filter(relation=TIME).order_by("-last_seen", "pk")
        rows = list(facts.values_list("subject", "statement")[:MOST_READ])
    said = " ".join(previous)
    told = (
        statement
        for subject, statement in rows
        if shares_matter(subject, read, language) and not shares_matter(subject, said, language)
    )
    return [one for one in told if len(one) <= LONGEST_STATEMENT][:1]


def list_doses(user: EndUser, text: str) -> list[str]:
    """What told of the one medicine whose dose may have become the turn's; of two, nobody knows which it is."""
    moved = read_new_dose(text[:READ_OF_TURN])
    if moved is None:
        return []
    number, name = moved
    with user_scope(user):
        facts = Fact.objects.for_user(user).active()
        own = facts.filter(relation=TAKES, subject_key=SPEAKER).values("object_key")
        doses = facts.filter(relation=TAKES_DOSE, subject_key__in=own).order_by("-last_seen", "pk")
        rows = list(doses.values_list("subject_key", "object", "statement")[:MOST_READ])
    meant = [one for one in reversed(rows) if is_raised(one[1], number) and (not name or is_clipped(name, one[0]))]
    told = {drug: statement for drug, _, statement in meant}
    return [one for one in told.values() if len(told) == 1 and len(one) <= LONGEST_STATEMENT]


def list_lost(user: EndUser, text: str) -> list[str]:
    """What told of a thing, a pursuit or an animal that a turn says to be over, by its kind or a part of its name."""
    read = text[:READ_OF_TURN]
    spoken = [language for language in find_turn_languages(read, ()) if tells_loss(read, language)]
    if not spoken:
        return []
    with user_scope(user):
        facts = Fact.objects.for_user(user).active().filter(relation__in=LOSABLE | {ABOUT}, polarity=True)
        named = facts.order_by("-last_seen", "pk").values_list("subject_key", "relation", "object_key", "statement")
        rows = list(named[:MOST_READ])[::-1]
    # "I have a Samsung" stands as it was said: of what make that is nobody knows.
    told = {
        KnownSlot(
            subject, HAS if relation == ABOUT else relation, fold_key(statement) if relation == ABOUT else value
        ): statement
        for subject, relation, value, statement in rows
    }
    lost = [told[one] for language in spoken for one, _ in find_lost(read, language, list(told))]
    return [one for one in dict.fromkeys(lost) if len(one) <= LONGEST_STATEMENT][:MOST_STATEMENTS]


def is_raised(dose: str, number: Number) -> bool:
    """Whether a dose may be what the number has changed, in the same unit or in none that is told."""
    return may_follow(dose, number) and dose.casefold().replace(" ", "").endswith(number.unit)


def list_learnt(user: EndUser, text: str) -> list[str]:
    """What told of the language that somebody learns, for "I've switched to Portuguese"."""
    if not switches_language(text[:READ_OF_TURN]):
        return []
    with user_scope(user):
        facts = Fact.objects.for_user(user).active().filter(relation__in=LEARNS, subject_key=SPEAKER)
        told = list(facts.order_by("-last_seen", "pk").values_list("statement", flat=True)[:1])
    return [one for one in told if len(one) <= LONGEST_STATEMENT]


def list_introductions(user: EndUser, text: str, previous: Sequence[str]) -> list[str]:
    """The statements that introduced who or what the turn names."""
    said = " ".join(previous)
    words = set(fold_key(text[:READ_OF_TURN]).split()) - set(fold_key(said).split())
    # "In the garage till Tuesday" was what a car was told as, and "it's on the 11th" of a race was that car's.
    # "Someone new" names no new phone.
    light = load_all_stop_words() | frozenset(map(fold_key, collect_entries("slots", "new one")))
    # Mia is somebody, and a word of Italian.
    light -= {fold_key(word) for word in WORD.findall(text[:READ_OF_TURN]) if word.istitle()} & load_possible_names()
    names = {word for word in words - light if len(word) >= LEAST_WORD}
    names |= {bare for word in names if is_hebrew(word) and len(bare := word.lstrip(BEFORE_A_NAME)) >= LEAST_WORD}
    if not names:
        return []
    values: dict[str, Any] = {
        "user": user.pk,
        "naming": sorted(NAMING),
        "limits": sorted(LIMITS),
        "names": sorted(names),
    }
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(FIND_INTRODUCTIONS, values)
        rows = cursor.fetchall()
    told = dict.fromkeys(
        statement
        for relation, subject, value, statement in rows
        if names & set((subject if relation in LIMITS else value).split()) and len(statement) <= LONGEST_STATEMENT
    )
    return list(told)[:MOST_STATEMENTS][::-1]
