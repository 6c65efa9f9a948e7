"""Reads one sentence of a statement: whose, which slots, which words, and how often it is turned round."""

from functools import cache
from typing import Final

from memory.claims.lexicon import MARK as CLAIM
from memory.claims.lexicon import NOUN
from memory.claims.taxonomy import PARTNER_NOUNS
from memory.facts.pairs.content import ContentReader, is_figure, is_grammar
from memory.facts.pairs.lexicon import AXIS, CONTEXT, MARK, SAME, SLOT, SUBJECT, TOPIC, TURNED, WEAK_SLOT
from memory.facts.pairs.spans import OWNERS, SentenceSpans, drop_inner, is_within, overlaps
from memory.facts.pairs.words import PairWord, form_stems, strip_mark
from memory.guard.annotation import Sentence
from memory.language.concepts import find_english_name
from memory.language.folding import fold_text, strip_accents
from memory.language.loader import list_codes, read_entries
from memory.language.names import load_given_names
from memory.language.stems import DEFAULT_LANGUAGE

# People whom a statement about "the user's ..." is about; the others are slots of the person: a boss, a dentist.
KIN: Final = frozenset(
    {"mother", "father", "parent", "sister", "brother", "sibling", "son", "daughter", "child", "ex", "aunt", "uncle"}
    | {"cousin", "nephew", "niece", "grandmother", "grandfather", "grandparent", "grandson", "granddaughter", "twins"}
    | {"mother_in_law", "father_in_law", "sister_in_law", "brother_in_law", "son_in_law", "daughter_in_law", "friend"}
    | {"stepmother", "stepfather", "stepson", "stepdaughter", "half_brother", "half_sister", "godmother", "godfather"}
    | {"godson", "goddaughter", "godchild", "colleague", "neighbor", "roommate", "student", "coach", "teacher"}
    | PARTNER_NOUNS
)
ROLES: Final = frozenset({"boss", "dentist", "doctor", "therapist", "vet", "hairdresser", "landlord", "babysitter"})
# A fiancée who becomes a wife is the same person.
PLAIN_PARTNERS: Final = dict.fromkeys(PARTNER_NOUNS, "partner")
# Words that the owner's word may stand apart from what is owned: "the user's younger brother".
REACH: Final = 3
# Kinds of claims' words that say how a statement is meant.
MANNERS: Final = ("change", "over", "plan", "temporary", "frame", "hedge")


class SentenceReader:
    """What one sentence says. ``kin`` are those whom it is about, ``people`` all whom it names."""

    def __init__(self, sentence: Sentence, languages: tuple[str, ...]) -> None:
        self.sentence = sentence
        self.languages = languages
        self.spans = SentenceSpans(sentence, languages)
        self.owners = self.spans.list_places(*OWNERS)
        self.is_of_user = self.spans.has(*OWNERS, CLAIM + "my", CLAIM + "self")
        self.tags = self.find_tags()
        self.contexts = {kind.removeprefix(CONTEXT) for kind in self.spans.list_kinds(CONTEXT)}
        self.axes = self.find_axes()
        self.turns = self.count_turns()
        self.verb = self.find_verb()
        self.owned_places = self.find_owned()
        self.find_people()
        self.slots = self.list_slots(SLOT, TOPIC)
        self.weak_slots = self.list_slots(WEAK_SLOT)
        self.placed = tuple(ContentReader(self.spans).read_words())
        self.words = tuple(word for _, word in self.placed)
        self.owned = tuple(word for place, word in self.placed if place in self.owned_places)
        self.opening_name = self.find_opening_name()
        self.leading = self.find_leading()
        self.replaced_words = self.find_replaced()
        ranks = load_ranks()
        self.ranks = frozenset(ranks[word] for word in map(strip_accents, sentence.words) if word in ranks)

    def find_tags(self) -> set[str]:
        tags = {kind.removeprefix(MARK) for kind in self.spans.list_kinds(MARK)}
        tags |= {f"c {kind}" for kind in MANNERS if self.spans.has(CLAIM + kind)}
        # "Was painted by", "was born" are past in form alone.
        passives = self.spans.of(MARK + "passive")
        if all(any(overlaps(one, whole) for whole in passives) for one in self.spans.of(MARK + "past")):
            tags.discard("past")
        # "The gym got too crowded" tells of no second one.
        degrees = self.spans.of(MARK + "degree")
        if all(any(is_within(one, whole) for whole in degrees) for one in self.spans.of(MARK + "second")):
            tags.discard("second")
        return tags

    def list_slots(self, *marks: str) -> frozenset[str]:
        idioms = self.spans.list_places(MARK + "idiom")
        return frozenset(kind.split(" ")[-1] for kind, span in self.spans.iterate(*marks) if span[0] not in idioms)

    def find_axes(self) -> list[tuple[str, str]]:
        """Axes and their values; "never married" is one value and holds no other."""
        found = list(self.spans.iterate(AXIS))
        wholes = drop_inner([span for _, span in found])
        values = (kind.removeprefix(AXIS).split(" ", 1) for kind, span in found if span in wholes)
        return [(axis, value) for axis, value in values]

    def count_turns(self) -> int:
        """How often what is said is turned round: by denials, which count once, by dislike, by phrases that deny."""
        wholes = [span for _, span in self.spans.iterate(SAME, AXIS)] + self.spans.of(MARK + "bad")
        denials = self.spans.of(MARK + "not")
        # "n'a jamais été marié": what the phrase has of a denial takes the rest of it along.
        denying = [whole for whole in wholes if any(is_within(one, whole) for one in denials)]
        is_denied = any(not any(overlaps(one, whole, 2) for whole in denying) for one in denials)
        is_turned = any(kind.endswith(TURNED) for kind in self.spans.list_kinds(SAME))
        return is_denied + self.spans.has(MARK + "bad") + is_turned

    def find_verb(self) -> str:
        """What the person does: the first word behind them that is more than a copula; empty for what happened once."""
        user = self.spans.of(MARK + "user")
        behind = next((end for _, end in user or self.spans.of(CLAIM + "i")), None)
        if behind is None:
            return ""
        pasts = (span for span in self.spans.of(MARK + "past") if span[1] - span[0] > 1)
        passed = self.spans.list_places(MARK + "copula", MARK + "not") | {at for one in pasts for at in range(*one)}
        place = next((at for at in range(behind, len(self.sentence.words)) if at not in passed), None)
        if place is None or place in self.spans.list_places(MARK + "chance", MARK + "vague"):
            return ""
        word = self.sentence.words[place]
        if place > behind and (is_grammar(word, self.languages) or is_figure(word, self.languages)):
            return ""
        is_english = self.languages[0] == DEFAULT_LANGUAGE and word.isascii()
        if place == behind and user and is_english and not word.endswith("s"):
            return ""
        return strip_mark(form_stems(word, self.languages)[0])

    def find_owned(self) -> frozenset[int]:
        """Places of the words that the owner's word makes theirs, up to what is told of them."""
        size = len(self.sentence.words)
        places = {at for _, end in self.spans.of(MARK + "of you before") for at in range(end, min(size, end + REACH))}
        places |= {at for at, _ in self.spans.of(MARK + "of you behind") for at in range(max(0, at - REACH), at)}
        links = (at for at, _ in self.spans.of(CLAIM + "link") if places and at > min(places))
        first = min(links, default=size)
        return frozenset(place for place in places if place < first)

    def find_people(self) -> None:
        nouns = [(start, kind.removeprefix(NOUN)) for kind, (start, _) in self.spans.iterate(NOUN)]
        # "Mum takes 40 mg" needs no "my".
        owned = {noun for start, noun in nouns if start in self.owned_places or (start == 0 and noun in KIN)}
        if any(start in self.owned_places for start, _ in self.spans.of(SLOT + "partner")):
            owned.add("partner")
        self.has_beings = bool(nouns)
        self.people = frozenset(PLAIN_PARTNERS.get(noun, noun) for _, noun in nouns)
        self.kin = frozenset(PLAIN_PARTNERS.get(noun, noun) for noun in owned & KIN)
        self.roles = frozenset(owned & ROLES)

    def find_opening_name(self) -> str:
        """Whom a statement that begins with a name is about."""
        if not self.sentence.raw[:1].isupper() or 0 in self.owned_places | self.owners:
            return ""
        word = self.sentence.words[0]
        if fold_text(word) in load_given_names():
            return strip_accents(word)
        if self.is_of_user or self.spans.covers(0) or is_grammar(word, self.languages):
            return ""
        is_known = find_english_name(form_stems(word, self.languages)) is not None
        return "" if is_known else strip_accents(word)

    def find_leading(self) -> tuple[str, ...]:
        """What stands before the person: "with clients the user ...", "morgens trinkt die Nutzerin"."""
        users = self.spans.of(MARK + "user")
        if not users or self.spans.has(MARK + "of you before", MARK + "of you behind"):
            return ()
        return self.sentence.words[: min(users)[0]]

    def find_replaced(self) -> tuple[PairWord, ...]:
        """The words behind "instead of", "statt", and within "from ... to", which name what is replaced."""
        behind = [(end, end + REACH) for _, end in self.spans.of(MARK + "instead", MARK + "replaces")]
        # "From York to Leeds" is a journey as well: it counts where the words say that something changes.
        within = self.spans.of(MARK + "out") if self.tags & {"changed", "c change", "closed", "ended", "c over"} else []
        places = {at for start, end in (*behind, *within) for at in range(start, end)}
        return tuple(word for place, word in self.placed if place in places)


@cache
def load_ranks() -> dict[str, int]:
    """Words for ranks, a language's in their order."""
    return {
        strip_accents(word): number + 1
        for code in list_codes()
        for number, word in enumerate(read_entries(code, SUBJECT, "ordinal"))
    }
