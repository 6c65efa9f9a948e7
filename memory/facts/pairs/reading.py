"""What a statement says, as the judge of pairs compares it: whom, which slot, which words, values, side and time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.lexicon import MARK as CLAIM
from memory.claims.voices.others import load_titles
from memory.facts.pairs.lexicon import list_all_slots, load_domains, load_pair_words
from memory.facts.pairs.sentence import KIN, SentenceReader
from memory.facts.pairs.statement import READ, PairStatement
from memory.facts.pairs.values import PairValue, find_values
from memory.facts.pairs.words import PairWord, find_shared_words
from memory.guard.annotation import annotate_text
from memory.language.folding import fold_text, strip_accents
from memory.language.stems import DEFAULT_LANGUAGE, LANGUAGES

# Relations of claims and the slots they fill.
SLOT_OF_RELATION: Final = {
    "lives_in": "home",
    "works_at": "employer",
    "works_as": "job",
    "studies": "course",
    "reports_to": "boss",
    "married_to": "partner",
    "wife": "partner",
    "husband": "partner",
    "girlfriend": "partner",
    "boyfriend": "partner",
    "fiance": "partner",
    "phone_number": "phone",
    "blood_type": "blood",
    "takes_dose": "medication",
    "allergic_to": "allergy",
    "speaks": "language",
    "born_in": "origin",
}


# Slots that leave open which other one a statement is about: a gym opens at six, a first day may be at a bank.
BESIDE: Final = frozenset({"departure", "bank", "job", "employer", "school", "course"})
# The end of a phone number: "it ends in 518".
LEAST_PHONE: Final = 100
# How a statement is meant, among its tags.
CHANGED: Final = frozenset({"changed", "c change", "new"})
ENDING: Final = frozenset({"ended", "closed", "c over", "over"})
PASSING: Final = frozenset({"plan", "temporary", "c plan", "c temporary", "c hedge", "c frame"})
PETS: Final = frozenset({"dog", "cat", "pet"})
OF_BEINGS: Final = frozenset({"name", "age", "height", "weight", "eyes", "hair", "birthday", "origin", "sleep"})


@dataclass(frozen=True, slots=True)
class PairReading:
    """``owned`` are the words of the thing that the statement is about: "the user's *bike* was stolen"."""

    folded: str
    kin: frozenset[str]
    names: frozenset[str]
    # Everybody close that it names, and those whom it is about but who are no kin: a boss, a dentist.
    people: frozenset[str]
    roles: frozenset[str]
    leading: tuple[str, ...]
    is_english: bool
    # Whether it is written with capitals, so that a name shows.
    has_capitals: bool
    opening_name: str
    said: frozenset[str]
    is_of_user: bool
    owned: tuple[PairWord, ...]
    words: tuple[PairWord, ...]
    slots: frozenset[str]
    weak_slots: frozenset[str]
    # Those that words name, beside the one that the reader of claims found.
    named_slots: frozenset[str]
    axes: Mapping[str, frozenset[str]]
    contexts: frozenset[str]
    values: frozenset[PairValue]
    polarity: bool
    # Whether it sets one thing above another, and does not add it: "prefers tea to coffee".
    is_choice: bool
    has_feeling: bool
    tags: frozenset[str]
    domains: frozenset[str]
    verbs: frozenset[str]
    # What the reader of claims says besides: its slot, and an old value.
    subject: str
    claimed: str
    relation: str
    replaces: str
    replaced_words: tuple[PairWord, ...]
    # The words of the claim's object.
    told: frozenset[str]

    @property
    def tells_change(self) -> bool:
        return not self.tags.isdisjoint(CHANGED)

    @property
    def tells_end(self) -> bool:
        return not self.tags.isdisjoint(ENDING)

    @property
    def is_passing(self) -> bool:
        """Whether it is a plan, a guess, or so for a while."""
        return not self.tags.isdisjoint(PASSING)

    @property
    def time(self) -> str:
        """`plan`, `ended`, `past` or `present`."""
        return next((name for name in ("plan", "ended", "past") if name in self.tags), "present")


def measure_overlap(one: PairReading, other: PairReading) -> float:
    """How much of the shorter of two readings the other says as well, 0..1."""
    shared = find_shared_words(one.words, other.words)
    return len(shared) / max(1, min(len(one.words), len(other.words)))


@lru_cache(maxsize=8192)
def read_pair_statement(statement: PairStatement) -> PairReading:
    # The dot of a title ends no sentence.
    text = load_titles().sub(lambda found: found[0][:-1], statement.statement[:READ])
    return combine(read_sentences(text), text, statement)


@lru_cache(maxsize=512)
def read_sentences(text: str) -> tuple[SentenceReader, ...]:
    """A sentence is read for each fact that it tells, and for what it ends: its words once, a tenth of such a turn."""
    whole = annotate_text(text, load_pair_words())
    languages = tuple(code for code in LANGUAGES if whole.languages and code in whole.languages) or (DEFAULT_LANGUAGE,)
    return tuple(SentenceReader(sentence, languages) for sentence in whole.own_sentences)


def find_slots(parts: Sequence[SentenceReader], relation: str) -> frozenset[str]:
    """Weak ones where nothing else names a slot; a name is the person's own only where nothing else bears it."""
    found = frozenset(slot for part in parts for slot in part.slots)
    # To work early shifts is no employer, and "soy alérgica" is no profession.
    is_other = (relation == "employer" and found & {"home", "shift"}) or (relation in {"job", "age"} and found)
    if relation in list_all_slots() and not is_other:
        found |= {relation}
    if found & PETS:
        # The age of a dog is not the person's.
        return found - OF_BEINGS
    weak = find_weak_slots(parts)
    if "partner" in found and found != {"partner"}:
        # What a wife or husband does is told of them.
        found -= {"partner"}
    numbers = {value for part in parts for kind, value in find_values(part.sentence.raw) if kind == "number"}
    if numbers and max(numbers) < LEAST_PHONE:
        weak -= {"phone"}
    has_others = any(part.has_beings or part.owned_places for part in parts)
    if not any(part.is_of_user for part in parts) or has_others:
        weak -= {"name"}
    return found or weak


def find_weak_slots(parts: Sequence[SentenceReader]) -> frozenset[str]:
    return frozenset(slot for part in parts for slot in part.weak_slots)


def combine(parts: Sequence["SentenceReader"], text: str, statement: PairStatement) -> PairReading:
    tags = frozenset(tag for part in parts for tag in part.tags) | ({statement.tense} & {"over", "new"})
    words = tuple(word for part in parts for word in part.words)
    relation, is_theirs = find_relation(statement, text, words)
    slots = find_slots(parts, "" if is_theirs else relation)
    names = frozenset(word.key for word in words if word.is_name)
    return PairReading(
        folded=fold_text(text).strip(" ."),
        kin=find_kin(parts, statement.subject),
        names=names,
        people=frozenset(one for part in parts for one in part.people),
        # "The user's boss is Hilary" tells of the person; "the user's boss is vegan" of the boss.
        roles=frozenset(one for part in parts for one in part.roles if not names),
        leading=parts[0].leading if parts else (),
        has_capitals=text[:1].isupper() and text[:1].lower() != text[:1],
        is_english=bool(parts) and parts[0].languages[0] == DEFAULT_LANGUAGE and fold_text(text).isascii(),
        opening_name=parts[0].opening_name if parts else "",
        said=frozenset(strip_accents(word) for part in parts for word in part.sentence.words),
        is_of_user=any(part.is_of_user for part in parts),
        owned=tuple(word for part in parts for word in part.owned),
        words=words,
        slots=slots,
        named_slots=slots & frozenset(slot for part in parts for slot in (*part.slots, *part.weak_slots)),
        weak_slots=find_weak_slots(parts) if slots <= BESIDE else frozenset(),
        axes=group_axes(parts),
        contexts=frozenset(context for part in parts for context in part.contexts),
        values=find_values(text) | {("rank", float(rank)) for part in parts for rank in part.ranks},
        polarity=sum(part.turns for part in parts) % 2 == 0,
        is_choice="good" in tags and not any(part.spans.has(CLAIM + "joint") for part in parts) and "," not in text,
        has_feeling=bool(tags & {"good", "bad"}),
        tags=tags,
        domains=find_domains(words, slots),
        subject=fold_text(statement.subject),
        claimed="" if is_theirs else statement.relation,
        relation=relation,
        replaces=fold_text(statement.replaces),
        replaced_words=tuple(word for part in parts for word in part.replaced_words),
        told=frozenset(fold_text(statement.object).split()),
        verbs=frozenset(part.verb for part in parts if part.verb),
    )


def find_relation(statement: PairStatement, text: str, words: Sequence[PairWord]) -> tuple[str, bool]:
    """The slot of the claim's relation, and whether it is another's: their name or age is no slot of the person."""
    is_of_other = statement.subject not in {"", SPEAKER}
    relation = SLOT_OF_RELATION.get(statement.relation, statement.relation)
    if relation == "course" and is_of_other:
        relation = "school"
    # "It's boiling" is read as a name by its form; a name has a capital where the text has any.
    is_no_name = relation == "name" and text[:1].isupper() and not any(word.is_name for word in words)
    return relation, is_no_name or (relation in OF_BEINGS and is_of_other)


def find_kin(parts: Sequence[SentenceReader], subject: str) -> frozenset[str]:
    return frozenset(one for part in parts for one in part.kin) | ({subject} & KIN)


def group_axes(parts: Sequence[SentenceReader]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for part in parts:
        for axis, value in part.axes:
            found[axis] = found.get(axis, frozenset()) | {value}
    return found


def find_domains(words: Sequence[PairWord], slots: frozenset[str]) -> frozenset[str]:
    domains = load_domains()
    members = {*slots, *(word.key.casefold() for word in words), *(one for word in words for one in word.slots)}
    return frozenset().union(*(domains.get(member, frozenset()) for member in members))
