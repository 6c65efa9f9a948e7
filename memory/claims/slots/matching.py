"""Finds what fills the slots of a sentence: subject, relation and object by the templates of its languages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.health.diets import AGAIN, EATS
from memory.claims.health.diets import load_phrases as load_phrases_of_diets
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.slots.templates import PARTINGS, SUBJECT, SlotTemplate, index_templates, join_words, shares_subjects
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW_THE
from memory.language.kinds import is_medicine
from memory.language.loader import list_codes, read_entries, read_sections
from memory.language.names import capitalises_nouns

TOKEN: Final = re.compile(r"\d{1,8}(?:[.,:/\ue001]\d{1,8})+|[א-ת]+\"[א-ת]+|[^\W_]+|\ue001|[,;:—–()\"«»“”.!?]|\s-+\s")
# Words of a sentence that are read for slots.
MOST_TOKENS: Final = 60
# Letters of a denial that is read without its accents too: "nao", "jamas", but not Italian "ne".
SHORTEST_PLAIN: Final = 2
PARTING: Final = re.compile(f"[{PARTINGS}]")
SMALL: Final = ("stop", "adverb", "he", "article", "my", "i", "with he", "with i")
EATEN: Final = frozenset({EATS, "drinks"})
# Languages in which "I eat" is "as" and "how" as well.
COMO: Final = frozenset({"es", "pt"})
MAKING: Final = frozenset({"food", "animals"})
NO_MORE: Final = r"(?![\d:]|[.,]\d)"
DAY: Final = re.compile(
    r"\b(?:[12]?\d|3[01])(?:st|nd|rd|th)\b"
    rf"|(?<=\b(?:el|il|le|em|am|al|on|au) )(?:[12]?\d|3[01]){NO_MORE}(?!\s?(?:am|pm|uhr|hs|h|%|€)\b)"
    rf"|(?<=\b(?:dia|den) )(?:[12]?\d|3[01]){NO_MORE}",
    re.IGNORECASE,
)
# By whether an object ends before a word, and whether it is an adverb.
MARKS: Final = {(False, False): " ", (True, False): "|", (False, True): "~", (True, True): "!"}


@dataclass(frozen=True, slots=True)
class SlotMatch:
    """``start`` and ``end`` are places in the raw sentence."""

    relation: str
    subject: str
    object: str
    start: int
    end: int
    is_over: bool = False
    replaces: str = ""
    is_third: bool = False
    is_denied: bool = False
    # Whether its words say whose it is, by a pronoun or a form of the verb.
    is_explicit: bool = False
    is_correction: bool = False
    # Whether its clause says the same of somebody else: "my brother and I live in Kiel".
    is_shared: bool = False
    weight: int = 0
    object_span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class TokenString:
    """The folded words of a sentence in one string, and the place of each of its characters in the sentence."""

    text: str
    raw: str
    places: tuple[int, ...]

    def cut(self, start: int, end: int) -> str:
        """The words as they were written."""
        while start < end and self.text[start] in PARTINGS:
            start += 1
        if start >= end:
            return ""
        return self.raw[self.places[start] : self.places[end - 1] + 1].replace(TITLE_DOT, ".")


def read_tokens(raw: str, language: str) -> TokenString:
    """The folded words of a sentence as one string for templates; the character before a word tells what it is."""
    stops, adverbs = load_words(language, "stop"), load_words(language, "adverb")
    # Accents count: "è" joins nothing.
    joints = frozenset(read_entries(language, SUBJECT, "joint"))
    text: list[str] = []
    places: list[int] = []
    owners = load_words(language, "my")
    gap, before, count = ",", "", 0
    for match in TOKEN.finditer(raw):
        word = match[0]
        if not word[0].isalnum():
            if word != TITLE_DOT:
                gap = ":" if word == ":" else ","
            continue
        if (count := count + 1) > MOST_TOKENS:
            break
        # The comma of "1,250" parts nothing.
        folded = fold_letters(word).replace(",", ".")
        is_joint = word.casefold() in joints
        is_name = is_named(word, language, is_first=count == 1) or (
            before in owners and folded in load_nouns_said(language)
        )
        is_stop = is_joint or (folded in stops and not is_name)
        before = folded
        text.append(MARKS[is_stop, folded in adverbs] if gap == " " else gap)
        places.append(match.start())
        for at, char in enumerate(folded):
            text.append(char)
            places.append(match.start() + min(at, len(word) - 1))
        places[-1] = match.end() - 1
        gap = ";" if is_joint else " "
    return TokenString("".join(text), raw, tuple(places))


def is_named(word: str, language: str, *, is_first: bool) -> bool:
    """ "My husband Will takes ramipril": what is written as a name ends no subject, where nouns have no capital."""
    return not is_first and len(word) > 1 and word.istitle() and not capitalises_nouns(language)


@cache
def load_nouns_said(language: str) -> frozenset[str]:
    """ "Il mio vicino": behind whose it is, what means "near" elsewhere is a noun."""
    sections = read_sections(language, "claims")
    return frozenset(
        fold_letters(one)
        for kind in sections
        if kind.startswith("noun ")
        for one in read_entries(language, "claims", kind)
    )


@cache
def load_words(language: str, section: str, subject: str = SUBJECT) -> frozenset[str]:
    return frozenset(fold_letters(word) for word in read_entries(language, subject, section))


@cache
def load_phrases(language: str, section: str, subject: str = SUBJECT, *, is_folded: bool = False) -> re.Pattern[str]:
    """Any entry of a section as whole words; ``is_folded``: in a text whose letters are folded. Of none, nothing."""
    words = join_entries(language, section, subject, is_folded=is_folded)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def join_entries(language: str, section: str, subject: str = SUBJECT, *, is_folded: bool = False) -> str:
    """Any entry of a section, as a part of a pattern; of none what matches nothing."""
    entries = read_entries(language, subject, section)
    return "|".join(re.escape(fold_letters(one) if is_folded else one) for one in entries) or "(?!)"


@cache
def load_small_words(language: str) -> frozenset[str]:
    """Every word that names nothing by itself: articles, pronouns, helpers. None of an unknown language."""
    if language not in list_codes():
        return frozenset()
    return frozenset(word for kind in SMALL for one in load_words(language, kind) for word in one.split())


def ends_same(over: SlotMatch, slot: SlotMatch) -> bool:
    """ "I quit smoking two weeks ago" tells of no smoking."""
    is_within = over.start <= slot.start < over.end
    return over.is_over and not slot.is_over and over.relation == slot.relation and is_within and not over.object


def find_slots(raw: str, languages: frozenset[str] | None) -> list[SlotMatch]:
    """The slots of a sentence, the longest template first where two read the same words."""
    found: list[SlotMatch] = []
    for language in list_codes():
        if languages is None or language in languages:
            tokens = read_tokens(raw, language)
            for template in choose_templates(tokens, language):
                found += match_template(template, tokens, language)
    kept: list[SlotMatch] = []
    # "Wir sind weggezogen und wohnen jetzt in Zug": what may be the person's is of nobody who was left out.
    for slot in sorted(found, key=lambda one: (one.is_third and not one.subject, -one.weight, one.is_third, one.start)):
        if not any(overlaps(slot.object_span, other.object_span) for other in kept):
            kept.append(slot)
    told = (slot for slot in kept if not any(ends_same(other, slot) for other in kept))
    return sorted(told, key=lambda one: one.start)


def share_subject(slot: SlotMatch, before: Sequence[SlotMatch], language: str) -> SlotMatch | None:
    """ "My dad has diabetes and takes metformin": of whom the sentence told before, where it leaves out who it is."""
    if not slot.is_third or slot.subject or not shares_subjects(language):
        return slot
    last = before[-1] if before else None
    # "My sister Mia lives in York": where she is named she is no object of a clause.
    return None if last is None or last.subject == SPEAKER else replace(slot, subject=last.subject)


def choose_templates(tokens: TokenString, language: str) -> list[SlotTemplate]:
    by_word, others = index_templates(language)
    words = dict.fromkeys(PARTING.split(tokens.text))
    found = dict.fromkeys(template for word in words for template in by_word.get(word, ()))
    return [*found, *others]


def overlaps(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def match_template(template: SlotTemplate, tokens: TokenString, language: str) -> Iterator[SlotMatch]:
    """The slots that a template finds in a sentence, each value cut to what is said of it."""
    for match in template.pattern.finditer(tokens.text):
        groups = match.groupdict()
        start = match.start()
        span = trim_object(tokens, *match.span("o"), language) if groups.get("o") else match.span()
        span = trim_again(tokens, *span) if template.relation == EATS else span
        if template.relation == EATS and is_said_of_doing(tokens.text[slice(*span)], language):
            continue
        span = add_making(tokens, *span, language) if template.relation in EATEN else span
        span, is_lacking = skip_denial(tokens, span, language) if groups.get("o") else (span, False)
        if span[0] >= span[1] or (groups.get("o") and says_nothing(tokens.text[slice(*span)], language)):
            continue
        spoken = tokens.cut(*span) if groups.get("o") else ""
        if groups.get("d"):
            spoken = f"{tokens.cut(*match.span('d'))} {spoken}"
        named = next((name for name in ("s", "x") if groups.get(name)), "")
        subject = tokens.cut(*match.span(named)) if named else ("" if template.is_third else SPEAKER)
        if subject == SPEAKER and is_behind_determiner(tokens.text, start, language):
            continue
        if template.is_first and start and capitalises_nouns(language) and begins_with_capital(tokens, start):
            # "Erzähl mir vom Leben in Kiel".
            continue
        if template.is_third and fold_letters(subject) in load_words(language, "i"):
            continue
        yield SlotMatch(
            template.relation,
            subject,
            spoken.casefold(),
            tokens.places[min(start + 1, len(tokens.places) - 1)],
            tokens.places[match.end() - 1] + 1,
            is_over=template.is_ending or is_ended(tokens.text, match, language),
            replaces=tokens.cut(*match.span("old")).casefold() if groups.get("old") else "",
            is_third=template.is_third,
            is_denied=not says_unable(template, match) and (is_lacking or is_denied(tokens, match, language)),
            is_explicit=template.is_first,
            weight=template.weight,
            object_span=(tokens.places[span[0]], tokens.places[span[1] - 1] + 1),
        )


def says_nothing(spoken: str, language: str) -> bool:
    """Whether an object is made of small words alone: "it's the one", "I am here"."""
    kinds = ("stop", "adverb", "he", "article", "my")
    if spoken.strip(PARTINGS) in load_words(language, "weekday"):
        return False
    return all(any(word in load_words(language, kind) for kind in kinds) for word in PARTING.split(spoken) if word)


def is_behind_determiner(text: str, start: int, language: str) -> bool:
    """ "Mi trabajo en Ávila": behind an article what looks like a verb is a noun."""
    before = re.split(f"[{PARTINGS}]", text[max(0, start - 20) : start])[-1]
    return before in load_words(language, "article") or before in load_words(language, "my")


def begins_with_capital(tokens: TokenString, start: int) -> bool:
    return tokens.raw[tokens.places[min(start + 1, len(tokens.places) - 1)]].isupper()


def trim_object(tokens: TokenString, start: int, end: int, language: str) -> tuple[int, int]:
    """Where an object begins and ends without the articles before it and the adverbs behind it."""
    articles = load_words(language, "article") | load_words(language, "my")
    adverbs = load_words(language, "adverb")
    while True:
        while start < end and tokens.text[start] in PARTINGS:
            start += 1
        word = re.match(f"[^{PARTINGS}]+", tokens.text[start:end])
        if word is None or word[0] not in articles or start + len(word[0]) >= end:
            break
        start += len(word[0])
    while True:
        last = max(tokens.text.rfind(" ", start, end), tokens.text.rfind("~", start, end))
        if last <= start or tokens.text[last + 1 : end] not in adverbs:
            return start, end
        end = last


def trim_again(tokens: TokenString, start: int, end: int) -> tuple[int, int]:
    """Of "pescado otra vez" what is eaten; the last word has gone before, with the adverbs."""
    for phrase in load_phrases_of_diets(AGAIN):
        behind = re.search(rf"[{PARTINGS}]{PARTING.sub(f'[{PARTINGS}]', phrase)}(?![^{PARTINGS}])", tokens.text[start:])
        if behind is not None and start + behind.end() >= end > start + behind.start() > start:
            end = start + behind.start()
    return start, end


def is_said_of_doing(spoken: str, language: str) -> bool:
    """ "Como soy celíaca no puedo comer pan", "como trabajo de noche duermo": "como" is "because" before a verb."""
    word = next((one for one in PARTING.split(spoken) if one), "")
    return language in COMO and word in load_doings()


@cache
def load_doings() -> frozenset[str]:
    kinds = [("frames", one) for one in ("be 1", "be 3", "have 1", "have 3", "verb", "clitic")]
    kinds += [("slots", one) for one in ("asked", "asked of oneself", "asked by nobody")]
    kinds.append(("claims", "self"))
    return frozenset().union(*(load_words(code, kind, subject) for code in COMO for subject, kind in kinds))


def add_making(tokens: TokenString, start: int, end: int, language: str) -> tuple[int, int]:
    """ "Carne de cerdo", "pane di grano": what it is made of says which is eaten."""
    made = load_making(language).match(tokens.text, end) if start < end else None
    is_made = made is not None and find_topic_words(made[1]).topics & MAKING
    return (start, made.end(1)) if made is not None and is_made else (start, end)


@cache
def load_making(language: str) -> re.Pattern[str]:
    links = join_entries(language, "genitive", "frames", is_folded=True)
    return re.compile(rf"[ |~!](?:{links}) ([^{PARTINGS}]{{3,30}})(?=[{PARTINGS}]|$)")


def says_unable(template: SlotTemplate, match: re.Match[str]) -> bool:
    """ "I can't stand coriander" denies nothing, "I don't dislike it" does."""
    spoken = PARTING.sub(" ", match[0])
    return any(words in spoken for words in template.denials)


def skip_denial(tokens: TokenString, span: tuple[int, int], language: str) -> tuple[tuple[int, int], bool]:
    """ "J'ai pas de voiture": the object behind the denial that it begins with."""
    start, end = span
    head = PARTING.split(tokens.text[start:end])[0] if start < end else ""
    if head not in load_words(language, "denial") or start + len(head) >= end:
        return span, False
    return trim_object(tokens, start + len(head), end, language), True


def is_ended(text: str, match: re.Match[str], language: str) -> bool:
    """Whether the clause says that it is no longer so."""
    until = re.search(r"[,;:]", text[match.end() :])
    end = match.end() + until.start() if until else len(text)
    start = max(text.rfind(mark, 0, match.start() + 1) for mark in ",;:")
    found = load_ended(language).search(text, max(0, start), end)
    # "Je bois plus d'eau qu'avant": more of it.
    than = load_words(language, "more than")
    return found is not None and than.isdisjoint(PARTING.split(text[found.end() : end]))


def is_denied(tokens: TokenString, match: re.Match[str], language: str) -> bool:
    """Whether a denial stands in what was matched, or right before its object: "I don't live in Leeds"."""
    text = tokens.text
    end = match.start("o") if "o" in match.groupdict() and match["o"] else match.end()
    start = max(0, *(text.rfind(mark, 0, match.start() + 1) for mark in ",;:"))
    # "No como gluten desde que me diagnosticaron celiaquía": nor does a denial reach behind "since".
    start = max(start, *(one.start() for one in load_since(language).finditer(text, start, match.start() + 1)), 0)
    # "Theo won't sleep since we moved to Hove": what stands before the person denies nothing of theirs. Elsewhere the
    # person is as often left out, or "on".
    said = [one.start() for one in load_first_person().finditer(text, start, end)] if language == "en" else []
    found = load_denial(language).finditer(text, said[-1] if said else start, end)
    return any(is_as_written(tokens.cut(*one.span()), language) for one in found)


def is_as_written(word: str, language: str) -> bool:
    """Whether it is a denial with its accents: "je suis né à Oran" denies nothing, "ne fa 84" neither."""
    written = word.casefold()
    is_typed_plainly = written.isascii() and len(written) > SHORTEST_PLAIN
    return is_typed_plainly or written in read_entries(language, SUBJECT, "denial")


@cache
def load_first_person() -> re.Pattern[str]:
    return re.compile(rf"[{PARTINGS}](?:{join_words('en', 'i')})(?=[{PARTINGS}])")


@cache
def load_since(language: str) -> re.Pattern[str]:
    return re.compile(rf"[{PARTINGS}](?:{join_words(language, 'since when')})")


@cache
def load_ended(language: str) -> re.Pattern[str]:
    return re.compile(rf"[{PARTINGS}](?:{join_words(language, 'ended')})")


@cache
def load_denial(language: str) -> re.Pattern[str]:
    return re.compile(rf"[{PARTINGS}](?:{join_words(language, 'denial')})")


def find_drug(spoken: str) -> str:
    """The first word that ends as drugs do in some language, or is one of those that do not."""
    # "את האספירין": the article is written onto it.
    forms = (form for word in spoken.split() for form in dict.fromkeys((word.removeprefix(HEBREW_THE), word)))
    return next((form for form in forms if is_drug(fold_letters(form.strip(",.")))), "")


@cache
def is_drug(word: str) -> bool:
    return is_medicine(word) or any(re.fullmatch(join_words(code, "drug"), word) for code in list_codes())


@cache
def load_days(language: str) -> re.Pattern[str]:
    days = "|".join(re.escape(one) for one in sorted(read_entries(language, SUBJECT, "weekday"), key=len, reverse=True))
    return re.compile(rf"(?<!\w)[בל]?(?:{days or '(?!)'})(?!\w)", re.IGNORECASE)
