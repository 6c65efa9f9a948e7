"""What the first sentence of a turn says as a reply to what the assistant asked just before.

A value, a yes and a no are read for what they tell. A reply of few words of which nothing else is known is kept with
the question it answers ("How old is Theo? nine."): alone nobody could read it, and taken for the person's it gave them
the medicine of their mother.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.languages import find_turn_languages
from memory.claims.questions import read_question
from memory.claims.readings import SentenceReading, TurnReading
from memory.claims.relations import ABOUT
from memory.claims.replies.answering import (
    ANSWERED,
    LIMITING,
    PLAIN,
    SUBJECT,
    WORD,
    asks_of_third,
    claim_answer,
    find_kin_noun,
    replace_answered,
    speaks_of_others,
    spell_out,
)
from memory.claims.replies.confirming import begins_polar, claim_confirmed
from memory.claims.replies.follow_ups import Read, claim_follow_up, find_told
from memory.claims.replies.told_questions import addresses_person, asks_still
from memory.claims.slots.matching import load_small_words, load_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.subjects import PRONOUN
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries

# Words of a reply that says little without its question.
MOST_OF_REPLY: Final = 14
# Characters of talk that are told with a question.
LONGEST_LEAD: Final = 80
# What a bare reply may not give the person where somebody else is asked about.
OF_SOMEBODY: Final = ANSWERED | LIMITING | {"takes_dose", "dose", "boss", "doctor", "time", "married_to"}


@dataclass(frozen=True, slots=True)
class Reply:
    """The first sentence of a turn, with what it answers, the talk that led to that, and the sentence behind it."""

    first: SentenceReading
    asked: str
    lead: str
    behind: str
    language: str
    # All of the turn, where it is of few words and asks nothing; else its first sentence.
    raw: str

    @property
    def said(self) -> str:
        return " ".join(self.raw.split()).rstrip(" .!?…,;:")

    @property
    def span(self) -> tuple[int, int]:
        return self.first.place, self.first.place + len(self.raw)

    @property
    def is_bare(self) -> bool:
        """Whether it is of few words and asks nothing."""
        words = WORD.findall(self.said)
        return 0 < len(words) <= MOST_OF_REPLY and not self.first.sentence.is_question


@dataclass(frozen=True, slots=True)
class AskedOwner:
    """Whom a question is about: the person, or somebody else, by the word for them where one is known."""

    is_other: bool
    noun: str = ""
    # Whether the question itself says so, and need not be told with what led to it.
    is_told: bool = True


def add_reply(
    claims: Sequence[Claim],
    reading: TurnReading,
    asked: str,
    lead: str,
    previous: Sequence[str],
    read: Callable[..., list[Claim]],
) -> list[Claim]:
    """The claims of a turn with those of its reply, in place of what its first sentence was taken to tell.

    ``read`` reads a sentence's claims, in the light of the turns before where it is given them.
    """
    if not asked or not reading.sentences or not reading.sentences[0].is_open:
        return list(claims)
    first, behind = reading.sentences[0], "".join(one.sentence.raw for one in reading.sentences[1:2])
    language = next(iter(find_turn_languages(f"{asked} {first.sentence.raw}", (lead,))), "en")
    reply = Reply(first, asked, lead, behind, language, choose_said(reading))
    if told := claim_reply(reply, read):
        return replace_answered(claims, told)
    owner = find_owner(reply)
    if told := speak_of_owner(reply, owner, partial(read, previous=previous)):
        return replace_answered(claims, told)
    pair = claim_pair(reply, owner)
    if pair is None or any(stands_alone(one, reply, owner) for one in claims):
        return list(claims)
    return [pair, *(one for one in claims if not begins_within(one, reply))]


def claim_reply(reply: Reply, read: Read) -> list[Claim]:
    """By a value that the question names the relation of, by one that the turn before left open, or by yes and no."""
    sentence, place = reply.first.sentence, reply.first.place
    return (
        claim_answer(sentence, place, reply.asked, reply.lead, reply.behind)
        or claim_follow_up(sentence, place, reply.asked, reply.lead, reply.behind, read)
        or claim_confirmed(sentence, place, reply.asked, reply.lead, read)
    )


def choose_said(reading: TurnReading) -> str:
    """ "Discs. ribble cgr" is one answer."""
    first, *rest = reading.sentences
    end = rest[-1].place + len(rest[-1].sentence.raw) if rest else 0
    whole = reading.whole.text[first.place : end] if rest else first.sentence.raw
    is_short = len(WORD.findall(whole)) <= MOST_OF_REPLY and "?" not in whole and all(one.is_open for one in rest)
    return whole if is_short else first.sentence.raw


def speak_of_owner(reply: Reply, owner: AskedOwner, read_on: Read) -> list[Claim]:
    """ "How's Biscuit?" "oh she died last week": read with the one who is asked about in the pronoun's place."""
    said = cut_polar(reply.said, reply.language)
    found = next((one for one in WORD.finditer(said) if is_pronoun(one[0], reply.language)), None)
    if not (owner.is_other and owner.noun and found) or reply.first.sentence.is_question:
        return []
    # "She's" is "my cat's".
    clipped = "".join(found[0].partition("'")[1:])
    meant = f"{said[: found.start()]}{word_owner(owner, reply.language)}{clipped}{said[found.end() :]}"
    told = f"{meant[:1].upper()}{meant[1:]}."
    claims = [one for one in read_on(meant) if one.relation != ABOUT or one.tense == "over"]
    # Whoever is asked about, the rest of the turn may be the person's.
    claims = [one for one in claims if one.subject != SPEAKER or one.tense == "over"]
    return [replace(one, statement=told, span=reply.span, is_sure=True) for one in claims]


def cut_polar(said: str, language: str) -> str:
    """The words behind a yes or no, and behind what only opens speech: "oh", "sadly"."""
    words = list(WORD.finditer(said))
    light = load_words(language, "agrees", SUBJECT) | load_words(language, "no", SUBJECT)
    light |= load_words(language, "yes", SUBJECT) | load_words(language, "adverb")
    at = next((at for at, word in enumerate(words) if fold_letters(word[0]) not in light), 0)
    return said[words[at].start() :] if words else said


def is_pronoun(word: str, language: str) -> bool:
    third = load_words(language, "others", SUBJECT) - load_words(language, "their")
    own = {"her"} if language == "en" else set[str]()
    return fold_letters(word.partition("'")[0]) in third | own


def word_owner(owner: AskedOwner, language: str) -> str:
    """ "My cat", or a name."""
    if find_known_noun([owner.noun], language) is None:
        return owner.noun.title()
    my = next(iter(read_entries(language, "slots", "my")))
    return f"ה{owner.noun} שלי" if language == HEBREW else f"{my} {owner.noun}"


def begins_within(claim: Claim, reply: Reply) -> bool:
    low, high = reply.span
    return low <= claim.span[0] < high


def stands_alone(claim: Claim, reply: Reply, owner: AskedOwner) -> bool:
    """Whether what the first sentence tells says by itself of whom it is, or is nobody's but the person's."""
    if not begins_within(claim, reply) or claim.relation == ABOUT:
        return False
    if not owner.is_other or claim.subject != SPEAKER or claim.relation not in OF_SOMEBODY:
        return True
    own = (load_words(reply.language, "i") | load_words(reply.language, "my")) - load_words(reply.language, "their")
    return any(fold_letters(part) in own for part in PLAIN.findall(reply.said))


def find_owner(reply: Reply) -> AskedOwner:
    """Of "what dose?" the talk before says whose; of "do you take anything?" the question itself."""
    language = reply.language
    kin = find_kin_noun(reply.asked, language)
    if kin is not None:
        return AskedOwner(is_other=True, noun=kin[0])
    before = find_kin_noun(reply.lead, language)
    noun = before[0] if before is not None else ""
    if speaks_of_others(reply.asked, language) or asks_of_third(reply.asked, "", language):
        return AskedOwner(is_other=True, noun=noun, is_told=False)
    words = {fold_letters(word) for word in PLAIN.findall(reply.asked)}
    is_addressed = not words.isdisjoint(load_words(language, "addressed", SUBJECT))
    if is_addressed or addresses_person(reply.asked, language):
        return AskedOwner(is_other=False)
    named = read_question(reply.asked).subjects - {SPEAKER} - load_small_words(language)
    if named:
        return AskedOwner(is_other=True, noun=min(named))
    is_other = bool(noun) or speaks_of_others(reply.lead, language)
    return AskedOwner(is_other=is_other, noun=noun, is_told=False)


def claim_pair(reply: Reply, owner: AskedOwner) -> Claim | None:
    """The question and its reply as one statement; None where the question asks for nothing of anybody's life."""
    if not reply.is_bare or not asks_of_life(reply, owner) or says_nothing(reply):
        return None
    told = f"{reply.asked} {reply.said}."
    told = f"{word_lead(reply, owner)}{told}" if reply.lead and not owner.is_told else told
    subject = (owner.noun or PRONOUN) if owner.is_other else SPEAKER
    return Claim(subject, ABOUT, "", f"{told[:1].upper()}{told[1:]}", reply.span, lang=reply.language, is_sure=True)


def word_lead(reply: Reply, owner: AskedOwner) -> str:
    """What says of whom a question is: the talk before, or where that is long the one noun in it."""
    if len(reply.lead) <= LONGEST_LEAD:
        return f"{reply.lead.rstrip(' .!?…,;:')}. "
    return f"{owner.noun.capitalize()}: " if owner.noun else ""


def asks_of_life(reply: Reply, owner: AskedOwner) -> bool:
    """Whether a question is about somebody: by a relation, or by whom it names; an offer is about the moment."""
    spoken = spell_out(reply.asked)
    offers = load_words(reply.language, "me") | load_words(reply.language, "offers", SUBJECT)
    if any(f" {one} " in spoken for one in offers):
        return False
    is_known = owner.is_other or asks_still(reply.asked, reply.language)
    return is_known or bool(read_question(reply.asked).relations) or is_followed_up(reply)


def is_followed_up(reply: Reply) -> bool:
    return find_told(reply.asked, reply.lead, reply.language) is not None


def says_nothing(reply: Reply) -> bool:
    """ "No idea", "we'll see": no answer. A bare yes or no is one, where it may be told with its question."""
    words = [fold_letters(word) for word in WORD.findall(reply.said)]
    empty = load_words(reply.language, "denies", SUBJECT) | load_small_words(reply.language)
    return all(word in empty for word in words) and not begins_polar(reply.said)
