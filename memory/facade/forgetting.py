"""Which of what is kept an order to forget means: only what surely is, as nobody is asked before it goes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memory.claims.claim import SPEAKER
from memory.claims.questions import read_question
from memory.facts.keys import fold_key
from memory.facts.pairs import read_statement
from memory.language.analysis import list_stems
from memory.language.commands import CommandAction, read_intent
from memory.language.exchanges import take_question
from memory.models import Fact, MemoryItem

# Of what an order of a single word ("forget my address") may mean: a word of two is not yet what it is about.
LEAST_OF_ONE_WORD = 0.5
# Of what a question may be answered by, what is itself asked for: a flatmate is no part of an address.
ASKED_ALONE = frozenset({"lives_in", "address", "works_at", "works_as", "name", "age", "birthday", "boss"})


@dataclass(frozen=True, slots=True)
class Forgettable:
    """What the words of an order fit. ``is_sure`` where all of it says the same, and the order clearly means it."""

    items: tuple[MemoryItem, ...]
    facts: tuple[Fact, ...]
    is_sure: bool

    @property
    def texts(self) -> list[str]:
        said = [take_question(item.text) for item in self.items]
        return list(dict.fromkeys(said + [fact.statement for fact in self.facts]))


def find_meant(what: str, items: Sequence[MemoryItem], facts: Sequence[Fact]) -> Forgettable:
    """Those that hold every word of the order, narrowed to those that say no more where there are any."""
    said = list_stems(what)
    kept = [(item, terms) for item in items if (terms := list_fitting(said, item.text))]
    held = [(fact, terms) for fact in facts if (terms := list_fitting(said, fact.statement))]
    fitting = {terms for _, terms in (*kept, *held)}
    meant = {said} if said in fitting else fitting
    return Forgettable(
        tuple(item for item, terms in kept if terms in meant),
        tuple(fact for fact, terms in held if terms in meant),
        is_sure=len(meant) == 1 and all(is_clear(said, terms) for terms in meant),
    )


def find_asked(question: str, what: str, items: Sequence[MemoryItem], facts: Sequence[Fact]) -> Forgettable:
    """ "Forget my address", "forget where I live": what answers it as a question, where the order says no more."""
    asked = read_question(f"{question}?")
    wanted = asked.relations & ASKED_ALONE
    if not question or not wanted or len(list_stems(what)) > 1 or asked.is_past:
        return Forgettable((), (), is_sure=False)
    told = tuple(fact for fact in facts if fact.subject_key == SPEAKER and fact.relation in wanted)
    behind = {fact.bank_item_id for fact in facts}
    kept = tuple(item for item in items if item.pk not in behind and tells_of_person(item.text, wanted))
    found = Forgettable(kept, told, is_sure=False)
    return replace(found, is_sure=len(found.texts) == 1)


def tells_of_person(text: str, relations: Collection[str]) -> bool:
    """Of a statement that was kept a moment ago, before it is a fact."""
    read = read_statement(text)
    return read.relation in relations and fold_key(read.subject or SPEAKER) == SPEAKER


def list_fitting(said: frozenset[str], text: str) -> frozenset[str]:
    """The stems of a text that holds every word of the order; none of one that is such an order itself and was kept."""
    terms = list_stems(text)
    return terms if said and said <= terms and not orders_forgetting(text) else frozenset()


def orders_forgetting(text: str) -> bool:
    return any(part.command and part.command.action is CommandAction.FORGET for part in read_intent(text))


def find_said(what: str, items: Sequence[MemoryItem]) -> Forgettable:
    """Of memories that are no statements those whose words of the person's hold every word of the order.

    Sure only where they say little else: a whole conversation goes with them.
    """
    said = list_stems(what)
    kept = [(item, list_stems(take_question(item.text))) for item in items]
    fitting = [(item, terms) for item, terms in kept if said and said <= terms and not orders_forgetting(item.text)]
    is_sure = bool(fitting) and all(len(said) > LEAST_OF_ONE_WORD * len(terms) for _, terms in fitting)
    meant = Forgettable(tuple(item for item, _ in fitting), (), is_sure=is_sure)
    return replace(meant, is_sure=is_sure and len(meant.texts) == 1)


def is_clear(said: frozenset[str], kept: frozenset[str]) -> bool:
    """ "Forget the milk" is no order to forget an allergy to it."""
    return len(said) > 1 or len(said) > LEAST_OF_ONE_WORD * len(kept)
