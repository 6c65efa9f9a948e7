"""Whose claim a clause is: the person's own, somebody's close to them, a thing of theirs, or nobody's they speak of."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.lexicon import MARK, load_small_words
from memory.claims.taxonomy import ANIMALS, KIN, PERSONS
from memory.guard.annotation import Sentence, Span
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.hebrew import is_hebrew
from memory.language.names import load_given_names

# The subject of a clause that goes on about what the sentence before it named.
PRONOUN: Final = "it"
THE_ONES: Final = ("child", "twins", "dog", "cat", "landlord", "boss", "car")
# All nouns together; the reader puts them beside the single ones.
NOUNS: Final = MARK + "nouns"
PERSON_NOUNS: Final = MARK + "persons"
# People of whom a fact is nobody's business unless it touches the person.
STRANGERS: Final = "strangers"
# Words that may stand between a subject and its phrase: "I have never been able to", "my sister still".
REACH: Final = 3
REACH_NAME: Final = 5
GERUND: Final = "ndo"
# By which a clause says that the person speaks of themselves.
SPOKEN_BY: Final = (MARK + "i", MARK + "i am", MARK + "self", MARK + "have", MARK + "verb ending")


def find_subject(
    sentence: Sentence,
    heads: Span,
    phrase: Span,
    end: int,
    mentions: frozenset[str],
    *,
    is_third: bool,
    drops: bool,
) -> str | None:
    """Whose claim a phrase is, or None where it is nobody's that the person speaks of."""
    head, first = heads[1], phrase[0]
    if is_third and any(head <= at and 0 <= first - after <= 1 for at, after in sentence.spans(MARK + "i")):
        return SPEAKER
    if not is_third and is_of_speaker(sentence, heads, phrase, end, mentions, drops=drops):
        return SPEAKER
    owner = find_owned_noun(sentence, head, first)
    if owner is not None and first - owner[1] <= REACH_NAME and not is_of_another(sentence, owner[1], first):
        name = next((sentence.words[at] for at in range(owner[1], first) if at in sentence.capitals), "")
        return name or name_owned(sentence, owner)
    named = find_name_before(sentence, head, first, mentions) if drops and not is_third else ""
    # Of a Hebrew name its slot alone tells: "נועה צמחונית" has no verb, and the phrase is the value.
    if named and not is_hebrew(named):
        return named
    for at in range(head, min(first, head + REACH_NAME)):
        if is_third and sentence.words[at] in mentions:
            return sentence.words[at]
    if is_third and drops and heads[0] <= first <= head:
        return PRONOUN
    spoken = (span for span in sentence.spans(MARK + "third") if is_pronoun_at(sentence, span[0]))
    if is_third and any(head <= at < first and first - after <= REACH for at, after in spoken):
        return PRONOUN
    return None


def is_pronoun_at(sentence: Sentence, place: int) -> bool:
    """ "Él se fue", and not "el Beto se fue": without its accent the word is the article."""
    is_plain = sentence.words[place] == fold_letters(sentence.words[place])
    return sentence.has_at(place, MARK + "third") and not (is_plain and sentence.has_at(place, MARK + "the"))


def find_subject_of_is(sentence: Sentence, place: int) -> str:
    """Whose a predicate is that "is" leads to: "my neighbour Tom is diabetic and allergic to bees"; else nobody's.

    Of what has a name or is somebody close: "my diet is vegan" tells of the person.
    """
    link = max((at for at, _ in sentence.spans(MARK + "link") if at < place), default=-1)
    speaking = sentence.spans(MARK + "i", MARK + "i am", MARK + "self")
    if link < 0 and place == 1 and begins_with_name(sentence, 0):
        # "נועה צמחונית": Hebrew says no "is".
        link = place
    if link < 0 or any(link < at <= place for at, _ in speaking):
        return ""
    # "A Inês é alérgica".
    first = int(link == 2 and sentence.has_at(0, MARK + "the"))
    if link == first + 1 and is_single_subject(sentence, first, speaking):
        return sentence.words[first]
    owned = find_owned_noun(sentence, 0, link)
    if owned is not None and is_being_at(sentence, owned):
        return name_owner(sentence, owned, link)
    # A sentence begins with a capital whatever it names.
    return sentence.words[link - 1] if link > 1 and link - 1 in sentence.capitals else ""


def is_single_subject(sentence: Sentence, place: int, speaking: Collection[Span]) -> bool:
    """ "Greta is allergic to nuts": one word before "is" that is neither the person's nor points to something."""
    first = sentence.words[place]
    is_small = sentence.has_at(place, MARK + "third", MARK + "the", MARK + "my", MARK + "not", MARK + "joint")
    return first.isalpha() and not (
        is_small or first in load_small_words() or any(at <= place + 1 for at, _ in speaking)
    )


def find_kin_before(sentence: Sentence, place: int) -> str:
    """The kin or animal that the sentence names before a place without a word for the person between; else nobody."""
    # "Papa a arrêté l'aspirine": at the beginning without an owner.
    bare = [span for span in sentence.spans(NOUNS) if span[0] == 0 and span[1] <= place]
    owned = find_owned_noun(sentence, 0, place) or next(iter(bare), None)
    if owned is None or any(owned[1] <= at < place for at, _ in sentence.spans(MARK + "i", "me")):
        return ""
    return name_owner(sentence, owned, place) if is_noun_at(sentence, owned, KIN | ANIMALS) else ""


def name_owner(sentence: Sentence, owned: Span, end: int) -> str:
    """Who is spoken of, by the name behind the noun, or else by the noun."""
    is_named = owned[1] < end and owned[1] in sentence.capitals
    return sentence.words[owned[1]] if is_named else name_owned(sentence, owned)


def is_of_speaker(
    sentence: Sentence, heads: Span, phrase: Span, end: int, mentions: frozenset[str], *, drops: bool
) -> bool:
    """Whether the person is the subject: named before or behind the phrase, or by its form alone."""
    start, head = heads
    first, last = phrase
    if start <= first <= head or is_within_change(sentence, head, first):
        return True
    speakers = [span for span in sentence.spans(MARK + "i") if head <= span[0]]
    if any(0 <= first - after <= REACH or (at in {last, last + 1} and last < end) for at, after in speakers):
        return True
    # "חברה שלי אוהבת": whose she is stands behind her.
    is_owned = sentence.has_at(head, PERSON_NOUNS) and sentence.has_at(head + 1, MARK + "my")
    if not is_owned and any(head <= at and after == first for at, after in sentence.spans(MARK + "my")):
        return True
    # "אתה רופא שעובד בחיפה", "תן לי מתכון טבעוני" speak to somebody.
    names_another = sentence.has_at(head, MARK + "my", MARK + "the", MARK + "third", "you", "request")
    names_another = names_another or is_owned or bool(find_name_before(sentence, head, first, mentions))
    return drops and first - head <= REACH_NAME and not names_another


def find_name_before(sentence: Sentence, head: int, first: int, mentions: frozenset[str]) -> str:
    """Who is named where the verb alone would be the person's: "Carla tiene alergia a", "a Bia tem"; else nobody."""
    # "A Bia", "la Chiara", "o Pedro".
    at = head + sentence.has_at(head, MARK + "the")
    if not 0 < first - at <= REACH_NAME:
        return ""
    name = sentence.words[at]
    is_known = name in mentions or fold_name(name) in load_given_names()
    return name if is_known or (at > head and at in sentence.capitals) else ""


def begins_with_name(sentence: Sentence, place: int) -> bool:
    """Where no letter is a capital: of a name of several meanings nobody knows."""
    return is_hebrew(sentence.words[place]) and fold_name(sentence.words[place]) in load_given_names()


def is_within_change(sentence: Sentence, head: int, first: int) -> bool:
    """ "First week at Northlight": the words before the phrase only announce the change."""
    return any(at == head and first < after for at, after in sentence.spans(MARK + "change"))


def find_owned_noun(sentence: Sentence, start: int, end: int) -> Span | None:
    """ "my sister", "our old dog", "meine Schwester": from the owner to the noun."""
    owners = [span for span in sentence.spans(MARK + "my", "mine") if start <= span[0] < end]
    nouns = sentence.spans(NOUNS, "kin", "workmate")
    owners += [
        span for span in sentence.spans(MARK + "the") if start <= span[0] < end and is_the_one(sentence, span[1])
    ]
    near = [
        (min(owner[0], noun[0]), noun[0], -max(owner[1], noun[1]))
        for owner in owners
        for noun in nouns
        if noun[1] <= end and (0 <= noun[0] - owner[1] <= 2 or 0 <= owner[0] - noun[1] <= 1 or owner[0] == noun[0])
    ]
    # The longest noun at its place: a mother-in-law is no mother.
    start, _, last = min(near, default=(0, 0, 0))
    return (start, -last) if near else None


def name_owned(sentence: Sentence, owned: Span) -> str:
    """The noun in its words, of which it may have several, and as they were written: "mother-in-law"."""
    nouns = [span for span in sentence.spans(NOUNS) if owned[0] <= span[0] and span[1] <= owned[1]]
    # "אמא שלי": whose she is may stand behind her.
    last = max((end for _, end in nouns), default=owned[1])
    words = sentence.words[slice(*min((span for span in nouns if span[1] == last), default=(last - 1, last)))]
    written = re.search(r"[-\s]".join(map(re.escape, words)), sentence.raw, re.IGNORECASE)
    return written[0].casefold() if written else " ".join(words)


def find_people(sentence: Sentence, start: int, end: int) -> str:
    """What those are to the person who are spoken of between two places."""

    def names(*kinds: str) -> bool:
        return any(start <= at < end for at, _ in sentence.spans(*kinds))

    if names(MARK + "noun neighbor"):
        return STRANGERS
    if names("workmate", MARK + "noun boss", MARK + "noun colleague"):
        return "colleagues"
    return "family" if names("kin", PERSON_NOUNS) else ""


def is_the_one(sentence: Sentence, place: int) -> bool:
    """ "The kids", "der Hund": there is one of them, or all are the person's."""
    return sentence.has_at(place, *(f"{MARK}noun {name}" for name in THE_ONES))


def is_of_another(sentence: Sentence, start: int, end: int) -> bool:
    """Whether somebody else comes before what is said: "my friend's cousin" is nobody close."""
    return any(start <= at < end for at, _ in sentence.spans("kin", "stranger", "workmate"))


def is_person(relation: str) -> bool:
    return relation in PERSONS


def is_person_at(sentence: Sentence, span: Span) -> bool:
    is_noun = any(span[0] <= at < span[1] for at, _ in sentence.spans(NOUNS))
    return not is_noun or any(span[0] <= at < span[1] for at, _ in sentence.spans(PERSON_NOUNS))


def is_being_at(sentence: Sentence, span: Span) -> bool:
    return is_person_at(sentence, span) or is_noun_at(sentence, span, ANIMALS)


def is_noun_at(sentence: Sentence, span: Span, relations: Collection[str]) -> bool:
    """Whether one of its words is a noun of these relations: "dog", "sister"."""
    kinds = [f"{MARK}noun {name}" for name in relations]
    return any(span[0] <= at < span[1] for at, _ in sentence.spans(*kinds))


def find_apposed_subject(sentence: Sentence, segments: Sequence[Span], place: int) -> str:
    """Of whom a clause goes on that names nobody, behind "Zeus, our shepherd": in languages whose verb alone would say
    that it is the person.

    ``segments`` are the stretches between marks, ``place`` a word of the clause. Empty where the verb is the person's.
    """
    at = next((number for number, (start, end) in enumerate(segments) if start <= place < end), 0)
    spoken = [one for one, _ in sentence.spans(*SPOKEN_BY) if segments[at][0] <= one < segments[at][1]]
    # "Anda tomando" ends as a first person does.
    if not at or any(not sentence.words[one].endswith(GERUND) for one in spoken):
        return ""
    start, end = segments[at - 1]
    owned = find_owned_noun(sentence, start, end)
    if owned is None or not is_being_at(sentence, owned) or owned[0] != start:
        return ""
    is_named = at > 1 and segments[at - 2][1] - segments[at - 2][0] == 1
    return sentence.words[segments[at - 2][0]] if is_named else name_owned(sentence, owned)


def find_people_of(subject: str, relation: str, category: str) -> str:
    """What a claim keeps of the kind of people that its clause names: of the person's own slots nothing."""
    return "" if subject == SPEAKER and not is_person(relation) and category in {"family", "colleagues"} else category
