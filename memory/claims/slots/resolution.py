"""What the slots of a sentence mean: whose they are, which relation a noun names, what the last turns told of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.ages import blank_pregnancies
from memory.claims.frames.numerals import read_spoken
from memory.claims.health.named_doses import find_doses, list_plain_doses, split_dose
from memory.claims.health.prescriptions import drop_taken, find_further_slots
from memory.claims.slots.kinds import is_deed
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import (
    SlotMatch,
    find_drug,
    find_slots,
    load_days,
    load_small_words,
    load_words,
    overlaps,
    share_subject,
)
from memory.claims.slots.nouns import (
    LONGEST_NAME,
    WORDS,
    ends_in_name,
    find_appositions,
    find_known_noun,
    find_noun,
    is_model,
    is_name_word,
    is_person_or_animal,
    is_predicate_word,
    name_all,
    name_beside,
)
from memory.claims.slots.spoken import drop_article
from memory.claims.slots.subjects import HAS, find_last_subject, find_subject_name, is_somebody
from memory.claims.subjects import is_person
from memory.claims.taxonomy import PARTNERS
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import list_codes
from memory.language.names import load_given_names
from memory.language.numbers import find_written_numbers

# Templates whose relation is a noun that the sentence names.
POSSESSED: Final = "possessed"
FAVORITE: Final = "favorite"
# Templates that name somebody or something.
NAMING: Final = frozenset({"named", "name", "nickname"})
SWAPPED: Final = "swapped"
YEARS: Final = frozenset({"ans", "anos", "anni", "jahre", "years", "mois", "meses", "mesi", "monate", "months"})
SUCCESSOR: Final = "successor"
SEES: Final = "sees"
# Whom somebody goes to: "I see Dr Okafor" names one of them.
CARE: Final = frozenset({"doctor", "dentist", "therapist", "vet", "physio", "hairdresser"})
# Slots whose value stands beside a pronoun: "it's on Thursdays now".
VALUED: Final = frozenset({"time", "takes_dose"})
# Turns of which the slots are known, and characters of each.
LAST_TURNS: Final = 4
READ_OF_TURN: Final = 300
SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n")


def read_slots(raw: str, languages: frozenset[str] | None, known: Sequence[KnownSlot]) -> list[SlotMatch]:
    """All slots that a sentence fills, with the subject and the relation they mean."""
    spoken = [code for code in list_codes() if languages is None or code in languages]
    language = next(iter(spoken), "en")
    found = find_slots(blank_pregnancies(raw), languages)
    for code in spoken:
        names = list(find_appositions(raw, code))
        found = [slot for slot in found if not any(overlaps(slot.object_span, one.object_span) for one in names)]
        found += names
    resolved: list[SlotMatch] = []
    for read_slot in sorted(found, key=lambda one: one.start):
        slot = share_subject(read_slot, resolved, language)
        if slot is None:
            continue
        told = [*known, *(KnownSlot(one.subject, one.relation, one.object) for one in resolved)]
        meant = resolve_slot(slot, raw, language, told)
        resolved += meant
        for one in meant:
            if one.subject == SPEAKER and is_person_or_animal(one.relation) and not one.replaces:
                resolved += name_beside(one, raw)
    taken = [one.object_span for one in resolved]
    dosed = find_doses(raw, language)
    resolved += [one for one in dosed if not any(overlaps(one.object_span, span) for span in taken)]
    read = drop_taken(resolved, list(dict.fromkeys(find_further_slots(raw, spoken, resolved))))
    return [*read, *list_plain_doses(raw, language, read)]


def resolve_slot(slot: SlotMatch, raw: str, language: str, known: Sequence[KnownSlot]) -> list[SlotMatch]:
    if slot.relation in {FAVORITE, POSSESSED}:
        return resolve_noun(slot, raw, language)
    # "He dejado de comer carne" leaves no employer.
    if slot.relation == "works_at" and slot.is_over and is_deed(slot.object, language):
        return []
    # "Me han cambiado el enalapril por losartán 50": medicines have rules of their own.
    if slot.relation == SWAPPED and find_drug(f"{slot.replaces} {slot.object}".casefold()):
        return []
    if slot.relation == SUCCESSOR:
        return find_successor(slot, known)
    is_event = slot.relation == "time" and slot.subject.count(" ") == 1
    spoken = drop_article(slot.subject, language) if is_event else slot.subject
    subject = find_subject_name(spoken, language, known)
    # "We're calling her Duchess": whom the person names is whoever was told of last.
    if slot.relation == "named" and subject == SPEAKER:
        subject = find_last_subject(language, known)
    # "Her sister Anna is a nurse": whoever was told of last may be Anna herself.
    if subject is None or subject == slot.object or not means_name(slot, subject, raw, language):
        return []
    is_food = slot.relation == "drinks" and slot.is_over and is_eaten(slot.object)
    # "I gave up meat".
    slot = replace(slot, subject=subject, relation="eats" if is_food else slot.relation)
    if slot.relation == "works_at" and any(one.subject == subject and one.relation == "school" for one in known):
        slot = replace(slot, relation="school")
    return resolve_relation(slot, subject, raw, language, known)


def resolve_relation(
    slot: SlotMatch, subject: str, raw: str, language: str, known: Sequence[KnownSlot]
) -> list[SlotMatch]:
    """The slots of a template that says only in part which relation it is."""
    if slot.relation in NAMING and subject != SPEAKER:
        return resolve_naming(slot, language, known)
    # "Elle a trois ans" is an age.
    if slot.relation == HAS and fold_letters(slot.object) in YEARS:
        return []
    if slot.relation == HAS:
        return [slot, *name_all(slot, raw, language)]
    if slot.relation == SEES:
        return [replace(slot, relation=find_care(known))]
    # "The standup moved to ten".
    if slot.relation == "lives_in" and read_spoken(fold_letters(slot.object).split(), language):
        return []
    if slot.relation == "age" and not is_thing(subject, language):
        return [replace(slot, object=write_digits(slot.object, language))]
    if slot.relation == "works_as" and subject == SPEAKER and slot.object in load_given_names():
        return [replace(slot, relation="name")]
    if slot.relation == "works_as" and not is_somebody(subject, language, known):
        return [replace(slot, relation="is")]
    if slot.relation == "age" or (slot.relation == "time" and subject == SPEAKER):
        return []
    return split_dose(slot, raw)


def is_eaten(spoken: str) -> bool:
    topics = find_topic_words(spoken).topics
    return "food" in topics and "drink" not in topics


def means_name(slot: SlotMatch, subject: str, raw: str, language: str) -> bool:
    """ "It's Helena Crosse" and "I go to PureFit" name somebody or something, "it's late" and "I go to bed" do not."""
    spoken = WORDS.findall(raw[slot.object_span[0] : slot.object_span[1]])
    if (is_person_or_animal(slot.relation) or slot.relation in PARTNERS) and spoken:
        return is_name_word(spoken[0], language) if language == HEBREW else not is_predicate_word(spoken[0], language)
    is_capital = all(word[0].isupper() for word in spoken[:LONGEST_NAME])
    if slot.relation == "goes_to":
        return is_capital
    if slot.relation == "name" and subject == SPEAKER and not slot.is_explicit:
        return is_capital and 1 < len(spoken) <= LONGEST_NAME + 1
    return True


def find_successor(slot: SlotMatch, known: Sequence[KnownSlot]) -> list[SlotMatch]:
    """ "Her chair went to Ingrid Vance": whoever was told of last has somebody in their place."""
    told = next((one for one in reversed(known) if one.subject == SPEAKER and is_person(one.relation)), None)
    if told is None:
        return []
    return [replace(slot, subject=SPEAKER, relation=told.relation, replaces=told.object)]


def resolve_noun(slot: SlotMatch, raw: str, language: str) -> list[SlotMatch]:
    """ "My dentist is Dr Ruiz", "my favourite film is Local Hero": the noun is the relation."""
    words = WORDS.findall(slot.subject.casefold())
    noun = None if ends_in_name(words) and find_known_noun(words, language) is None else find_noun(words, language)
    if noun is None or not slot.object or fold_letters(slot.object) in load_words(language, "he"):
        return []
    # "Il camper è nostro da una vita" is told by no noun "da".
    is_small = noun[1] == noun[0] and fold_letters(noun[0]) in load_small_words(language)
    if is_small or is_theirs(noun[0], raw, language):
        return []
    is_event = is_person_or_animal(noun[1]) or noun[1] == noun[0] or noun[1] in CARE
    if slot.relation != FAVORITE and is_event and load_days(language).match(slot.object):
        # "Mi fisio es los miércoles": when they see them, and not who it is.
        return [replace(slot, subject=noun[0].casefold(), relation="time")]
    if slot.relation == POSSESSED and any(char.isdigit() for char in noun[1]):
        model = replace(slot, subject=SPEAKER, relation=HAS, object=noun[1].replace("_", " "))
        return [model] if is_model(noun[1], language) else []
    if slot.relation == FAVORITE:
        return [replace(slot, subject=SPEAKER, relation=f"favorite_{noun[1].removeprefix('favorite_')}")]
    spoken = WORDS.findall(raw[slot.object_span[0] : slot.object_span[1]])
    is_hebrew_name = language == HEBREW and bool(spoken) and is_name_word(spoken[0], language)
    is_named = is_hebrew_name or any(word[0].isupper() or word[0].isdigit() for word in spoken)
    if is_person_or_animal(noun[1]) and (not (is_named or raw == raw.casefold()) or len(spoken) > LONGEST_NAME + 1):
        return []
    # "My screen is black": a noun that no list knows says too little to make a claim by itself.
    is_known = find_known_noun(WORDS.findall(slot.subject), language) is not None
    return [replace(slot, subject=SPEAKER, relation=noun[1], weight=slot.weight if is_known else 0)]


def is_theirs(noun: str, raw: str, language: str) -> bool:
    """ "Oban's his ex": of somebody else's, and none of the person's own."""
    owners = "|".join(re.escape(one) for one in load_words(language, "their"))
    return re.search(rf"(?<!\w)(?:{owners or '(?!)'})\s{re.escape(noun)}(?!\w)", raw, re.IGNORECASE) is not None


def resolve_naming(slot: SlotMatch, language: str, known: Sequence[KnownSlot]) -> list[SlotMatch]:
    """ "He's called Bruno": the name of what was told of, in its own slot."""
    told = next((one for one in reversed(known) if one.object == slot.subject and one.relation != HAS), None)
    noun = find_known_noun(WORDS.findall(slot.subject), language)
    if told is not None:
        return [replace(slot, subject=told.subject, relation=told.relation, replaces=told.object)]
    if noun is not None:
        return [replace(slot, subject=SPEAKER, relation=noun[1])]
    return [replace(slot, relation="name")]


def find_care(known: Sequence[KnownSlot]) -> str:
    """Whom somebody sees who is only named: whoever they saw before, else a doctor."""
    return next((one.relation for one in reversed(known) if one.relation in CARE), "doctor")


def write_digits(spoken: str, language: str) -> str:
    folded = fold_letters(spoken)
    words = folded.split()
    found = read_spoken(words, language)
    if found is not None and found[1] == len(words):
        return str(found[0])
    return next((f"{number:g}" for number in find_written_numbers(folded)), spoken)


def is_thing(subject: str, language: str) -> bool:
    """Whether a noun names something that has no age as people and animals do: a rent, a phone."""
    noun = find_known_noun(subject.split(), language)
    return noun is not None and not is_person_or_animal(noun[1])


def collect_known(previous: Iterable[str], languages: frozenset[str] | None) -> list[KnownSlot]:
    """The slots that the last turns of the person fill."""
    known: list[KnownSlot] = []
    for turn in list(previous)[-LAST_TURNS:]:
        for raw in SENTENCES.split(turn[:READ_OF_TURN]):
            known += [KnownSlot(one.subject, one.relation, one.object) for one in read_slots(raw, languages, known)]
    return known
