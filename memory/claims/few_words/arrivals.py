"""A new place of work or a new home that is told without a verb: "heute letzter Arbeitstag, ab Montag bei Trumpf",
"got the keys! new house in Howden, finally ours"; and where somebody is, told by the way: "I'm in Leeds btw"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from memory.claims.claim import Claim
from memory.claims.dates.agenda import MARK, WORD, is_of_time, list_frame_words
from memory.claims.few_words.brief import BriefSentence
from memory.claims.few_words.names import (
    Stretch,
    begins_with_in,
    cut_words,
    is_name,
    is_plain,
    is_told_town,
    is_town,
    names_another,
    names_day,
    take_name,
)
from memory.claims.frames.places import is_known_place, is_no_home
from memory.claims.frames.words import load_hot_words
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import load_phrases, load_small_words, load_words
from memory.claims.slots.nouns import find_known_noun
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_IN
from memory.language.loader import read_entries

YEAR: Final = re.compile(r"(?:19|20)\d\d")
# Before who one works for; "in" and "at" stand before beds as well.
OF_FIRMS: Final = frozenset({"bei", "beim", "chez", "presso"})
# "From Monday I'm with Rowntree" is no courtship behind a last day.
REPLACED: Final = frozenset({ABOUT, "time", "dating", "studies"})
# "Ci hanno dato le chiavi": what goes on longer tells more than that.
MOST_WORDS_OF_KEYS: Final = 6
SENTENCE: Final = re.compile(r"[.!?…\n]")
# "Deputy head at Thornbury Primary".
NEW_WORK: Final = re.compile(
    r"([^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,3}?) ([^\W\d_]{2,5}) ([A-ZÀ-Þ]\w{1,30}(?: [A-ZÀ-Þ]\w{1,30}){0,3})\b"
)
# What tells that somebody has left, what they have instead, and the word before it.
LEAVING: Final = (("quit work", "works_at", "at work"), ("moved house", "lives_in", "in place"))


@dataclass(frozen=True, slots=True)
class Arrival:
    """The slot, the name that fills it, and where its words stand in the sentence."""

    relation: str
    name: str
    span: tuple[int, int]
    language: str
    is_new: bool = True
    is_over: bool = False


def add_arrivals(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence with what it tells to be new."""
    has_got = any(load_phrases(code, "got job").search(one.raw) for code in one.languages)
    claims = [claim for claim in claims if not (has_got and claim.relation == "has")]
    elsewhere = next((found for code in one.languages for found in find_elsewhere(one.raw, code)), None)
    if elsewhere is not None and not any(claim.relation == elsewhere.relation and claim.polarity for claim in claims):
        # "Renuncié en Iberia y ya estoy en Renfe" tells both.
        return [*(told for told in claims if told.relation != ABOUT and told.object), claim_arrival(elsewhere, one)]
    left = [claim for claim in claims if claim.relation == "works_at" and claim.tense == "over"]
    if one.ends_asking or any(claim.relation not in REPLACED for claim in claims if claim not in left):
        return claims
    if work := claim_new_work(one):
        return work
    arrivals = [found for code in one.languages for found in find_arrivals(one.raw, one.text, code)]
    if not arrivals:
        return [claim for claim in claims if not is_joy(claim, one) and not hands_keys(claim, one)]
    # "Non sono più al Maggiore, ho vinto il concorso al Rizzoli": what is over, and what takes its place.
    new = next((found for found in arrivals if not found.is_over), None)
    over = next((found for found in arrivals if found.is_over and not left), None)
    return left + [claim_arrival(found, one) for found in (over, new) if found is not None]


def claim_arrival(found: Arrival, one: BriefSentence) -> Claim:
    told = one.make_claim(found.relation, found.name, found.language, within=found.span)
    if found.is_over:
        return replace(told, tense="over", polarity=False)
    return replace(told, tense="new") if found.is_new else told


def claim_new_work(one: BriefSentence) -> list[Claim]:
    """What somebody is to do and where, behind "I got the job!!", which by itself says neither."""
    found = NEW_WORK.match(one.raw.strip())
    if found is None:
        return []
    for language in one.languages:
        got = load_phrases(language, "got job").search(one.text)
        if got is None or names_another(one.text[: got.start()], language):
            continue
        first = found[1].split()[0]
        kinds = load_hot_words(language).classify(first.casefold())
        begins = {word for one in load_words(language, "begins") for word in one.split()}
        is_verb = first.casefold() in begins or bool(kinds & {"verb", "frame", "participle", "i"})
        is_trade = not (is_verb or is_plain(first, language) or find_known_noun([first], language))
        if is_trade and fold_letters(found[2]) in load_words(language, "at work"):
            told = replace(one.make_claim("works_at", found[3].casefold(), language), tense="new")
            return [replace(told, relation="works_as", object=found[1].casefold()), told]
    return []


def is_joy(claim: Claim, one: BriefSentence) -> bool:
    """ "Finally ours": of what, the sentence before it says."""
    said = claim.statement.rstrip(".")
    found = (load_phrases(code, "own at last").fullmatch(said) for code in one.languages)
    return claim.relation == ABOUT and any(found)


def hands_keys(claim: Claim, one: BriefSentence) -> bool:
    """ "Got the keys!" beside "new house in Howden": of which home, that says."""
    if claim.relation != ABOUT or claim.statement.count(" ") >= MOST_WORDS_OF_KEYS:
        return False
    return any(
        load_phrases(code, "keys").search(claim.statement)
        and any(True for part in SENTENCE.split(one.text) for _ in find_arrivals(part, one.text, code))
        for code in one.languages
    )


def find_arrivals(raw: str, text: str, language: str) -> Iterator[Arrival]:
    told = load_phrases(language, "last day").search(raw)
    is_theirs = told is not None and names_another(raw[: told.start()], language)
    if told is not None and not is_theirs and is_last_at_work(raw, told.end(), language):
        yield from find_in_pieces(raw, told.end(), "works_at", language)
    is_own = any(load_phrases(language, one).search(text) for one in ("keys", "own at last"))
    if is_own and not names_another(text, language):
        yield from find_in_pieces(raw, 0, "lives_in", language)
    yield from find_begun(raw, language)
    yield from find_here(raw, language)
    yield from find_settled(raw, language)
    yield from find_hired(raw, language)
    yield from find_returned(raw, language)


def find_begun(raw: str, language: str) -> Iterator[Arrival]:
    """ "Seit Montag bin ich bei Bosch": where somebody is since a day is where they work, unless it is a town or at
    somebody's."""
    words = [fold_letters(one[0]) for one in WORD.finditer(raw)]
    since, here = load_words(language, "since when"), load_words(language, "am here")
    is_dated = any(word in since and names_day(behind, language) for word, behind in pairwise(words))
    is_far = any(word in since and names_day(behind, language) for word, behind in zip(words, words[2:], strict=False))
    if here.isdisjoint(words) or not (is_dated or is_far) or names_another(raw, language):
        return
    for one in find_in_pieces(raw, 0, "works_at", language):
        at = raw.casefold().find(one.name)
        is_led = bool(raw[:at].split()) and fold_letters(raw[:at].split()[-1]) in OF_FIRMS
        if (is_led or raw[at : at + 1].isupper()) and not (is_known_place(one.name) or is_no_home(one.name)):
            # "Da dicembre non sono più al Maggiore".
            denials = load_words(language, "denial")
            yield replace(one, is_over=not denials.isdisjoint(fold_letters(word) for word in raw[:at].split()))


def find_here(raw: str, language: str) -> Iterator[Arrival]:
    """ "I'm in Leeds btw": nobody says by the way where they only are for an hour, and nothing else stands there."""
    aside = load_phrases(language, "by the way").search(raw)
    if aside is None:
        return
    rest = f"{raw[: aside.start()]}{' ' * len(aside[0])}{raw[aside.end() :]}"
    words = list(WORD.finditer(rest))
    folded = [fold_letters(one[0]) for one in words]
    into, here = load_words(language, "in place"), load_words(language, "am here")
    light = here | list_frame_words(language, "i", "adv", "now")
    at = next((at for at, word in enumerate(folded) if word in into or begins_with_in(folded[at], language)), 0)
    if not at or here.isdisjoint(folded[:at]) or not light.issuperset(folded[:at]):
        return
    place = words[at if language == HEBREW else at + 1 :]
    if place and is_name(place, raw, language) and is_town(cut_words(place, rest), language):
        name = cut_words(place, rest).casefold()
        name = name.removeprefix(HEBREW_IN) if language == HEBREW else name
        yield Arrival("lives_in", name, (0, len(raw)), language, is_new=False)


def find_settled(raw: str, language: str) -> Iterator[Arrival]:
    """ "I've been in York since 2019", "bin aber seit 2019 in Bremen": whoever is in a town for years lives there."""
    words = list(WORD.finditer(raw))
    folded = [fold_letters(one[0]) for one in words]
    since, here = load_words(language, "since when"), load_words(language, "am here") | load_words(language, "stays")
    years = (at for at, pair in enumerate(pairwise(folded)) if pair[0] in since and YEAR.fullmatch(pair[1]))
    at = next(years, None)
    if at is None or names_another(raw, language):
        return
    into = load_words(language, "in place")
    prepositions = [one for one, word in enumerate(folded) if word in into or begins_with_in(word, language)]
    for place in prepositions:
        named = words[place if language == HEBREW else place + 1 : at if place < at else None]
        start = min(at, place)
        is_beside = place < at or place == at + 2
        name = cut_words(named, raw) if named and is_beside and is_name(named, raw, language) else ""
        told = list_clause_before(raw, words[:start], language)
        if (
            name
            and not here.isdisjoint(told)
            and tells_only_of_self(" ".join(told), language)
            and is_town(name, language)
        ):
            name = name.casefold().removeprefix(HEBREW_IN) if language == HEBREW else name.casefold()
            yield Arrival("lives_in", name, (0, len(raw)), language, is_new=False)


def list_clause_before(raw: str, words: Stretch, language: str) -> list[str]:
    """The folded words of a clause up to a place: behind the last mark, or the joint behind which somebody speaks."""
    told: list[str] = []
    end, joints = len(raw), load_words(language, "joint")
    for word in reversed(words):
        plain = fold_letters(word[0])
        if (told and MARK.search(raw[word.end() : end])) or (plain in joints and len(told) > 1):
            break
        told.insert(0, plain)
        end = word.start()
    return told


def find_elsewhere(raw: str, language: str) -> Iterator[Arrival]:
    """ "Renuncié y ya estoy en Renfe", "moved house, we're in Hull now": behind what somebody left, where they are."""
    for left, relation, led in LEAVING:
        told = load_phrases(language, left, is_folded=True).search(fold_letters(raw))
        if told is None or raw.rstrip().endswith("?") or names_another(raw, language):
            continue
        words = list(WORD.finditer(raw, told.end()))
        folded = [fold_letters(one[0]) for one in words]
        light = list_frame_words(language, "adv", "now", "the") | load_words(language, "adverb")
        at = next((at for at, word in enumerate(folded) if word in load_words(language, "am here")), len(words))
        at = next((one for one in range(at + 1, len(words)) if folded[one] not in light), len(words))
        named = take_name(words[at + 1 :], language) if at < len(words) else []
        is_led = bool(named) and folded[at] in load_words(language, led)
        if is_led and is_name(named, raw, language) and (relation == "works_at" or is_told_town(named, raw, language)):
            yield Arrival(relation, cut_words(named, raw).casefold(), (0, len(raw)), language)


def find_hired(raw: str, language: str) -> Iterator[Arrival]:
    """ "I got the job at Siemens!", "mi hanno preso alla Siemens": the name right behind says where."""
    got = load_phrases(language, "got job").search(raw)
    if got is None or names_another(raw[: got.start()], language):
        return
    words = list(WORD.finditer(raw, got.end()))
    is_led = bool(words) and fold_letters(words[0][0]) in load_words(language, "at work")
    named = take_name(words[1 if is_led else 0 :], language)
    is_joined = bool(named) and language == HEBREW and named[0][0].startswith(HEBREW_IN)
    if (is_led or is_joined) and named and is_name(named, raw, language):
        name = cut_words(named, raw).casefold()
        yield Arrival("works_at", name[1:] if is_joined else name, (0, len(raw)), language)


def find_returned(raw: str, language: str) -> Iterator[Arrival]:
    """ "I'm back in Leeds for good", "sono tornata a Torino": where nothing says for how long, it is home."""
    back = load_phrases(language, "back in").search(raw)
    if back is None or names_another(raw, language) or not tells_only_of_self(raw[: back.start()], language):
        return
    words = list(WORD.finditer(raw, back.end()))
    named = take_name(words, language)
    behind = [fold_letters(one[0]) for one in words[len(named) :]]
    light = list_frame_words(language, "adv", "now", "also") | load_words(language, "for good")
    if named and is_town(cut_words(named, raw), language) and light.issuperset(behind):
        name = cut_words(named, raw).casefold()
        is_for_good = not load_words(language, "for good").isdisjoint(behind)
        yield Arrival("lives_in", name, (0, len(raw)), language, is_new=is_for_good)


def tells_only_of_self(before: str, language: str) -> bool:
    """Of "Helen and the family have moved back to Leeds" the words before tell whose home it is."""
    light = list_frame_words(language, "i", "adv", "now", "also", "be 1", "have 1", "got", "conj", "but")
    light |= load_words(language, "i") | load_words(language, "with i") | load_words(language, "joint")
    light |= load_words(language, "am here")
    return light.issuperset(fold_letters(one[0]) for one in WORD.finditer(before))


def is_last_at_work(raw: str, end: int, language: str) -> bool:
    """Of a holiday there is a last day too: up to the mark no other noun follows."""
    mark = MARK.search(raw, end)
    words = [fold_letters(one[0]) for one in WORD.finditer(raw, end, mark.start() if mark else len(raw))]
    known = load_words(language, "of work") | load_small_words(language)
    known |= list_frame_words(language, "prep", "det", "be 1", "be 3", "adv")
    at = next((at for at, word in enumerate(words) if word in load_words(language, "at work")), len(words))
    return mark is not None and all(word in known or is_of_time(word, language) for word in words[:at])


def find_in_pieces(raw: str, start: int, relation: str, language: str) -> Iterator[Arrival]:
    cuts = [match.span() for match in MARK.finditer(raw, start)]
    for low, high in zip([start, *(end for _, end in cuts)], [*(at for at, _ in cuts), len(raw)], strict=True):
        words = list(WORD.finditer(raw, low, high))
        place = find_work(words, language) if relation == "works_at" else find_home(words, language)
        if place is not None and is_name(place, raw, language):
            name = cut_words(place, raw)
            is_joined = language == HEBREW and name.startswith(HEBREW_IN)
            yield Arrival(relation, name.casefold()[1 if is_joined else 0 :], (low, high), language)


def find_work(words: Stretch, language: str) -> Stretch | None:
    """ "Ab Montag bei Trumpf", "at Rowntree from Monday": a day, a name behind "at", and nothing else."""
    at_work = load_words(language, "at work")
    begins = {part for kind in ("begins", "since when") for one in load_words(language, kind) for part in one.split()}
    timed = [
        is_of_time(one[0], language) or is_plain(one[0], language) or fold_letters(one[0]) in begins for one in words
    ]
    for at, word in enumerate(words):
        is_led = fold_letters(word[0]) in at_work
        is_joined = language == HEBREW and word[0].startswith(HEBREW_IN) and not timed[at]
        first = at + 1 if is_led else at
        last = next((end for end in range(first, len(words)) if timed[end]), len(words))
        rest = [*range(at), *range(last, len(words))]
        if (is_led or is_joined) and first < last and all(timed[one] for one in rest):
            return words[first:last] if any(names_day(words[one][0], language) for one in rest) else None
    return None


def find_home(words: Stretch, language: str) -> Stretch | None:
    """ "New house in Howden", "casa nuova a Prato": a new home, where it is, and nothing else."""
    nouns, into = load_words(language, "home noun"), load_words(language, "in place")
    folded = [fold_letters(one[0]) for one in words]
    noun = next((at for at, word in enumerate(folded) if word in nouns), None)
    if noun is None or not any(is_new_word(word, language) for word in folded):
        return None
    is_joined = language == HEBREW
    at = next(
        (at for at in range(noun + 1, len(words)) if folded[at] in into or begins_with_in(folded[at], language)), None
    )
    if at is None:
        return None
    first = at if is_joined else at + 1
    beside = [word for one, word in enumerate(folded[:at]) if one != noun]
    is_all = all(is_new_word(word, language) or is_plain(word, language) for word in beside)
    return words[first:] if is_all and first < len(words) else None


def is_new_word(word: str, language: str) -> bool:
    entries = map(fold_letters, read_entries(language, "slots", "new home"))
    return any(word.startswith(one[:-1]) if one.endswith("*") else word == one for one in entries)
