"""Whether a statement may end what is known, on top of the judge's verdict.

The judge compares two statements; a person has hundreds, nearly all of which have nothing to do with each other, so
that a verdict that is wrong once in a hundred pairs ends more than it should: in two months of conversations nine of
fourteen endings were wrong by the verdict alone. So an ending also needs the slot, the words, or the turn.
"""

import re
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.dates.endings import list_weekdays
from memory.claims.frames.partings import tells_end_of_work
from memory.claims.relations import is_single_valued
from memory.claims.slots.nouns import is_person_or_animal, names_kin
from memory.claims.taxonomy import ANIMALS, CHILDREN, DEPARTING, KIN, PARTNERS
from memory.facts.diets import ends_diet
from memory.facts.displacing import ends_told_thing, moves_arrangement, replaces_thing
from memory.facts.drafts import FactDraft
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.pairs.lexicon import MARK, load_pair_words
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import READ, PairStatement
from memory.guard.annotation import annotate_text
from memory.language.analysis import extract_terms
from memory.language.folding import WORD, fold_text
from memory.language.loader import list_codes
from memory.language.names import find_names
from memory.language.stems import DEFAULT_LANGUAGE
from memory.models import Fact

ANNOUNCES: Final = frozenset({"new", "over"})
# A person has one name and it does not change in passing: "was kann das sein" is none.
NEEDS_ANNOUNCEMENT: Final = frozenset({"name", "surname", "born_in", "birthday", "native_language", "blood_type"})
# What somebody may have several of: a new one ends none, unless it names it.
MAY_BE_SEVERAL: Final = frozenset(
    {"has", "owns", "likes", "dislikes", "hobby", "speaks", "takes", "allergic_to", "has_condition", "friend_of", "is"}
    | {"studies", "learning", "project", "goal", "interest", "struggles_with", "style", "sees", "colleague"}
)
LEAST_WORD: Final = 3
CONDITION: Final = "has_condition"
WORKS_AT, LIVES_IN = "works_at", "lives_in"
COUPLE: Final = frozenset({"partner"})
# A value of an axis: of a pregnancy.
OVER: Final = "over"
HOSPITAL: Final = "hospital"
# One mark and no run of them: a line of question marks was read from each of them on (2 s for 32 KB).
CLAUSES: Final = re.compile(r"[,;:.!?]\s|\s[–—-]\s")
STAYS: Final = frozenset({f"{MARK}still", f"{MARK}stays"})
TEMPORARY: Final = "temporary"
DENIES: Final = frozenset({f"{MARK}not", f"{MARK}ended", f"{MARK}closed"})


def says_still(fact: Fact, draft: FactDraft) -> bool:
    """Whether a clause of the same turn says that the old value goes on: of "the trial is over. I'm staying at the
    Atlas" the second; not what goes on for somebody else."""
    value = {word for word in WORD.findall(fact.object_key or fold_text(fact.statement)) if len(word) >= LEAST_WORD}
    for clause in CLAUSES.split((draft.turn or draft.statement)[:READ]):
        if value.isdisjoint(WORD.findall(fold_text(clause))):
            continue
        kinds = {kind for one in annotate_text(clause, load_pair_words()).own_sentences for kind in one.spans_by_kind}
        if STAYS.isdisjoint(kinds) or not DENIES.isdisjoint(kinds):
            continue
        if not read_pair_statement(PairStatement(clause)).kin:
            return True
    return False


def may_end(fact: Fact, draft: FactDraft, keys: tuple[str, str, str], thread_id: str) -> bool:
    """``keys`` are the draft's subject, relation and object, folded."""
    if is_spared(fact, draft, keys) or is_away_for_a_while(fact, draft):
        return False
    if ends_state(fact, draft):
        return True
    is_over = fact.subject_key == keys[0] and is_axis_over(fact, draft)
    is_announced = draft.tense in ANNOUNCES or bool(draft.replaces) or draft.is_correction or is_over
    if fills_same_slot(fact, keys, is_announced=is_announced):
        return True
    if not (is_announced or draft.is_remark) or are_others_apart(fact, keys) or is_lasting_tie(fact, draft):
        return False
    # A second dog ends no first one, though it is new: what may stand side by side has to be named. Nor does what is
    # over end a matter it does not name, or what somebody else does: with "my allergist retired" the allergy was over,
    # with "Cian moved out" the home he was told to share.
    is_ending = draft.is_correction or (is_single_valued(fact.relation) and draft.tense != "over")
    is_own = fact.subject_key == keys[0]
    is_open = not OPEN_RELATIONS.isdisjoint({fact.relation, draft.relation})
    if is_announced and is_ending and is_own and is_open and not names_another(fact, draft):
        return True
    is_named = is_over or names_matter(fact, draft)
    return is_named or (draft.is_remark and bool(thread_id) and fact.thread_id == thread_id)


def is_axis_over(fact: Fact, draft: FactDraft) -> bool:
    """ "The baby is here", "c'est une fausse couche": the pregnancy is over in whatever words."""
    known, told = (read_pair_statement(PairStatement(one.statement)).axes for one in (fact, draft))
    return any(OVER in told[axis] - known[axis] for axis in known.keys() & told.keys())


def ends_state(fact: Fact, draft: FactDraft) -> bool:
    """Whether a statement of another slot ends how somebody is: a birth, what is eaten again, being home; one of work
    without an employer's name that of the employer, or an appointment and a thing what it takes the place of."""
    return any(ends(fact, draft) for ends in ENDINGS)


def ends_unnamed(fact: Fact, draft: FactDraft) -> bool:
    """ "I was laid off", "me jubilé", "bin zuhause ausgezogen": whoever the employer was, or wherever it was."""
    is_over = draft.tense == OVER and draft.relation in {WORKS_AT, LIVES_IN} and not draft.object
    is_held = fact.relation == draft.relation and fact.polarity and fact.tense != OVER
    return is_over and is_held and fact.subject_key == fold_key(draft.subject) and fact.last_seen <= draft.occurred_at


def tells_birth(fact: Fact, draft: FactDraft) -> bool:
    """ "Our daughter Ines was born this morning" ends the pregnancy of the person, or of whom they are with."""
    if draft.relation not in CHILDREN or fold_key(draft.subject) != SPEAKER or fact.relation != CONDITION:
        return False
    is_theirs = fact.subject_key == SPEAKER or read_pair_statement(PairStatement(fact.statement)).kin == COUPLE
    is_held = fact.polarity and fact.last_seen <= draft.occurred_at
    return is_theirs and is_held and is_axis_over(fact, draft)


def ends_stay(fact: Fact, draft: FactDraft) -> bool:
    """ "Mum's home from hospital" ends that she is in one, whatever she was called when it was told."""
    if not OPEN_RELATIONS.issuperset({fact.relation, draft.relation}) or fact.last_seen > draft.occurred_at:
        return False
    known, told = (read_pair_statement(PairStatement(one.statement)) for one in (fact, draft))
    is_back = OVER in told.axes.get(HOSPITAL, ()) and OVER not in known.axes.get(HOSPITAL, (OVER,))
    return is_back and known.kin == told.kin and bool(told.kin or fact.subject_key == fold_key(draft.subject))


ENDINGS: Final = (tells_birth, ends_diet, ends_stay, ends_unnamed, moves_arrangement, replaces_thing, ends_told_thing)


def is_spared(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether the draft's own words say that the fact goes on, so that nothing else in them ends it."""
    return ends_another(fact, draft, keys) or says_still(fact, draft) or is_of_another_day(fact, draft)


def is_of_another_day(fact: Fact, draft: FactDraft) -> bool:
    """ "On Mondays I have choir now" moves no "I swim on Thursdays": another day, and not a word of the same matter."""
    if draft.replaces or draft.is_correction or draft.tense == "over":
        return False
    known, told = find_weekdays(fact.statement), find_weekdays(draft.statement)
    if not (known and told) or not known.isdisjoint(told):
        return False
    of_known, of_told = (set(extract_terms(one.statement)) - load_day_terms() for one in (fact, draft))
    return bool(of_known and of_told) and of_known.isdisjoint(of_told)


def find_weekdays(statement: str) -> frozenset[int]:
    """The days of the week that the words name, from Monday on, in whatever language."""
    days = load_spoken_weekdays()
    return frozenset(days[word] for word in WORD.findall(fold_text(statement)) if word in days)


@cache
def load_spoken_weekdays() -> dict[str, int]:
    """With the plural that some languages say every week with: "thursdays", "donnerstags".

    With the Hebrew and the short Portuguese ones too, which `pairs` does not know: to it they are ordinals.
    """
    named = ((word, day) for code in list_codes() for day, word in enumerate(list_weekdays(code)))
    return {form: day for word, day in named for form in (word, f"{word}s")}


@cache
def load_day_terms() -> frozenset[str]:
    return frozenset(term for word in load_spoken_weekdays() for term in extract_terms(word))


def is_away_for_a_while(fact: Fact, draft: FactDraft) -> bool:
    """ "Clive left early today", "Clive is on holiday" end no boss: by all the judge reads as passing, of which the
    early hour, that frames know too, is a part."""
    tie = fact.relation in PARTNERS | DEPARTING
    return tie and TEMPORARY in read_pair_statement(PairStatement(draft.statement)).tags


def is_lasting_tie(fact: Fact, draft: FactDraft) -> bool:
    """Kin stay kin when they move, retire or die: "we left Jude at nursery" ends no son. Only a correction does.

    Nor does "Tanya took me off the late shift" end a boss: what parts with one names the tie by its words.
    """
    is_of_work = fact.relation in PARTNERS and tells_end_of_work(draft.statement, draft.lang)
    is_tie = fact.relation in KIN - PARTNERS or is_of_work
    is_free = draft.tense == "over" and draft.relation in OPEN_RELATIONS and not draft.is_remark
    if draft.is_correction or not (is_tie or (is_free and fact.relation in PARTNERS | DEPARTING)):
        return False
    is_parted = fact.relation in PARTNERS and read_pair_statement(PairStatement(draft.statement)).tells_end
    return is_tie or not is_parted or names_kin(draft.statement, draft.lang or DEFAULT_LANGUAGE)


def ends_another(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether the draft says of another value of the slot that it is over: Tiger's death ends no Minka, though one
    sentence told of both."""
    subject, relation, value = keys
    if draft.replaces and relation in MAY_BE_SEVERAL and relation == fact.relation:
        # "They've swapped the citalopram for sertraline": the medicine beside it goes on.
        return set(fact.object_key.split()).isdisjoint(fold_key(draft.replaces).split())
    if draft.tense != "over" or not value or relation in OPEN_RELATIONS:
        return False
    is_same_slot = (fact.subject_key, fact.relation) == (subject, relation)
    return is_same_slot and set(fact.object_key.split()).isdisjoint(value.split())


def fills_same_slot(fact: Fact, keys: tuple[str, str, str], *, is_announced: bool) -> bool:
    subject, relation, value = keys
    if relation in OPEN_RELATIONS or not value or (fact.subject_key, fact.relation) != (subject, relation):
        return False
    if is_single_valued(relation):
        return is_announced or relation not in NEEDS_ANNOUNCEMENT
    if fact.object_key == value:
        # "Lotte non è celiaca" names the Zöliakie in no word of its own.
        return is_announced
    return is_announced and relation not in MAY_BE_SEVERAL and not is_person_or_animal(relation)


def are_others_apart(fact: Fact, keys: tuple[str, str, str]) -> bool:
    """Of two people, neither the person: what one of them does says nothing of the other."""
    return SPEAKER not in (fact.subject_key, keys[0]) and fact.subject_key != keys[0]


def names_matter(fact: Fact, draft: FactDraft) -> bool:
    """Whether the draft names the old value or what it is about; whom it is about alone says nothing of the matter."""
    shared = list_shared(fact, draft)
    if not ends_something(draft) or fact.relation not in OPEN_RELATIONS:
        shared -= list_other_names(fact, shared, is_end_of_tie=draft.relation in ANIMALS | PARTNERS)
    return bool(shared) or (len(fact.object_key) >= LEAST_WORD and fact.object_key in fold_key(draft.statement))


def names_another(fact: Fact, draft: FactDraft) -> bool:
    """Whether both speak of somebody who is not what the fact tells, and of nothing else: of "I work for Elettrotec, my
    boss is Bonetti" the one who comes in Bonetti's place ends no work."""
    shared = list_shared(fact, draft)
    return bool(shared) and shared <= list_other_names(fact, shared)


def list_shared(fact: Fact, draft: FactDraft) -> set[str]:
    told = set(extract_terms(draft.statement)) | set(extract_terms(draft.replaces))
    known = set(extract_terms(fact.statement)) | set(extract_terms(fact.object))
    return {word for word in told & known if len(word) >= LEAST_WORD or not word.isascii() or word.isdigit()}


def list_other_names(fact: Fact, terms: set[str], *, is_end_of_tie: bool = False) -> set[str]:
    """Of terms those that name somebody in the fact's sentence who is not its value.

    Whom a fact is about counts only where they themselves have gone: "Clover's off the meloxicam" ends not her allergy.
    """
    spoken = [word for name in find_names(fact.statement) for word in fold_text(name).split()]
    kept = f"{fact.object_key} {fact.subject_key}" if is_end_of_tie else fact.object_key
    others = [word for word in spoken if word not in kept.split()]
    # A stem is of its statement's language; a name alone is of none.
    return {one for one in terms if any(word.startswith(one.rpartition(":")[2]) for word in others)}


def ends_something(draft: FactDraft) -> bool:
    """Whether its words say that something is over: "Schnitzel died in the night"."""
    return draft.tense == "over" or read_pair_statement(PairStatement(draft.statement)).tells_end
