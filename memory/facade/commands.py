"""Carrying out what a person orders the memory to do: goals, values, lessons, things to remember."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.claims.clauses.building import word_ordered
from memory.claims.requests import load_pointing
from memory.facade.facts import FactVerbs
from memory.facade.forgetting import Forgettable, find_asked, find_meant, find_said
from memory.facade.memories import MemoryVerbs
from memory.facade.person import PersonVerbs
from memory.facade.turns import TurnVerbs
from memory.facts.profile.facts import DEFAULT_IMPORTANCE, IMPORTANCE, TAGS, ProfileField
from memory.facts.queries import FactFilter
from memory.language.analysis import extract_terms
from memory.language.commands import (
    CommandAction,
    MemoryCommand,
    drop_wanting,
    has_reply,
    is_all_of_person,
    read_intent,
    word_question,
    word_reply,
)
from memory.language.folding import fold_text
from memory.models import EndUser, Fact, MemoryItem
from memory.models.facts import FactState
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.store.listing import ItemFilter
from memory.tiers import SCORED_TIERS, Outcome, Tier

MOST_LISTED: Final = 50
MOST_COMPARED: Final = 1_000
# "The marathon goal" means "run a marathon": one of its two terms.
LEAST_SHARED: Final = 0.5
REMEMBERED_TAG: Final = "context"
AIMS: Final[dict[CommandAction, ProfileField]] = {
    CommandAction.ADD_GOAL: "goals",
    CommandAction.LIST_GOALS: "goals",
    CommandAction.REMOVE_GOAL: "goals",
    CommandAction.ADD_VALUE: "values",
    CommandAction.LIST_VALUES: "values",
    CommandAction.REMOVE_VALUE: "values",
}
# What is said of each once it is kept.
KEPT_IN_BANK: Final = {
    CommandAction.ADD_GOAL: "goal added",
    CommandAction.ADD_VALUE: "value added",
    CommandAction.REMEMBER: "remembered",
}
KEEPING: Final = frozenset({*KEPT_IN_BANK, CommandAction.SAVE_LEARNING})
# "Remember that": what is meant stands in a message that is not here.
TELLS_NOTHING: Final = "say what is to be kept in the order itself"
# What storing the exchange teaches anyway: kept here as well it would be known twice, in two wordings.
READ_WITH_THE_TURN: Final = frozenset({CommandAction.REMEMBER})
# In a chat "forget the old plan" is mostly said to the assistant.
NOT_OF_A_CHAT: Final = READ_WITH_THE_TURN | {CommandAction.FORGET}


@dataclass(frozen=True, slots=True)
class DraftedCommand:
    """An order ready to be carried out. ``similar_to`` is the bank item that says the same; ``refusal`` a rule."""

    command: MemoryCommand
    new: NewMemory | None = None
    similar_to: UUID | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """``message`` is for the person, in the language of the order; ``items`` are what it lists, or was done to.

    ``facts`` are those that were rejected, or could be meant.
    """

    command: MemoryCommand
    done: bool
    message: str
    items: tuple[MemoryItem, ...] = ()
    facts: tuple[Fact, ...] = ()


class CommandVerbs(MemoryVerbs, PersonVerbs, TurnVerbs, FactVerbs):
    def draft_commands(
        self, user: EndUser | None, text: str, *, leave_out: frozenset[CommandAction] = frozenset()
    ) -> list[DraftedCommand]:
        """What a message orders, part by part, for ``run_commands``.

        Asks the embedder for what the bank says already, so call it outside any transaction. None is a person nobody
        wrote to yet.
        """
        commands = [part.command for part in read_intent(text) if part.command]
        if user is not None and any(one.action is CommandAction.FORGET for one in commands):
            # What was said a moment ago is kept as well, though nobody has read it yet.
            self.read_exchanges(user)
        return [self._draft(user, one) for one in commands if one.action not in leave_out]

    def run_commands(self, user: EndUser, drafted: Sequence[DraftedCommand], *, now: datetime) -> list[CommandResult]:
        """A refused order keeps no other from being carried out; one said again changes nothing more."""
        return [self._run_command(user, one, now) for one in drafted]

    def _draft(self, user: EndUser | None, command: MemoryCommand) -> DraftedCommand:
        if command.action in KEEPING and load_pointing().fullmatch(fold_text(command.what)):
            return DraftedCommand(command, refusal=TELLS_NOTHING)
        if command.action not in KEPT_IN_BANK:
            return DraftedCommand(command)
        new = build_bank_item(command)
        try:
            return DraftedCommand(command, new, self.find_duplicate(user, validate_memory(new)))
        except WriteRefused as error:
            return DraftedCommand(command, refusal=error.rule)

    def _run_command(self, user: EndUser, drafted: DraftedCommand, now: datetime) -> CommandResult:
        match drafted.command.action:
            case CommandAction.HELP:
                return answer(drafted.command, "help text")
            case CommandAction.LIST_GOALS | CommandAction.LIST_VALUES:
                return self._list_aims(user, drafted.command)
            case CommandAction.REMOVE_GOAL | CommandAction.REMOVE_VALUE:
                return self._remove_aim(user, drafted.command, now)
            case CommandAction.FORGET:
                return self._forget(user, drafted.command, now)
            case _:
                return self._keep(user, drafted, now)

    def _keep(self, user: EndUser, drafted: DraftedCommand, now: datetime) -> CommandResult:
        command = drafted.command
        if drafted.refusal:
            return refuse(command, drafted.refusal)
        try:
            if drafted.new is None:
                self.record_outcome(user, Outcome.UNKNOWN, now=now, key_takeaway=command.what)
                return answer(command, "learned")
            stored = self.store(user, drafted.new, now=now, similar_to=drafted.similar_to)
        except WriteRefused as error:
            return refuse(command, error.rule)
        kind = "already" if stored.duplicate_of is not None else KEPT_IN_BANK[command.action]
        return answer(command, kind, [stored.item])

    def _list_aims(self, user: EndUser, command: MemoryCommand) -> CommandResult:
        field = AIMS[command.action]
        items = self._find_aims(user, field)
        if not items:
            return answer(command, f"no {field}")
        lines = [f"{place}. {item.text}" for place, item in enumerate(items, 1)]
        message = "\n".join([word_reply(field, command.language), *lines])
        return CommandResult(command, done=True, message=message, items=tuple(items))

    def _remove_aim(self, user: EndUser, command: MemoryCommand, now: datetime) -> CommandResult:
        field = AIMS[command.action]
        meant = choose_meant(command.what, self._find_aims(user, field))
        if not meant:
            return answer(command, "unknown", done=False)
        if len(meant) > 1:
            lines = [f"- {item.text}" for item in meant]
            message = "\n".join([word_reply("several", command.language), *lines])
            return CommandResult(command, done=False, message=message, items=tuple(meant))
        archived = self.archive_aim(user, TAGS[field][-1], meant[0].pk, now=now)
        return answer(command, "removed", [archived] if archived else meant)

    def _forget(self, user: EndUser, command: MemoryCommand, now: datetime) -> CommandResult:
        """Archives statements of the bank and rejects facts, all of which can be taken back; else names what fits.

        Where neither tells it, what was said or imported may: a context would go on telling that.
        """
        if is_all_of_person(command.what):
            return answer(command, "erase all", done=False)
        items = self.list_items(user, ItemFilter(tier=Tier.MEMORY_BANK), limit=MOST_COMPARED)
        facts = self.list_facts(user, FactFilter(state=FactState.ACTIVE), now=now, limit=MOST_COMPARED)
        asked = find_asked(word_question(command), command.what, items, facts)
        meant = asked if asked.is_sure else find_meant(command.what, items, facts)
        if not meant.texts:
            # A goal is kept without the wish it is told as.
            meant = find_meant(drop_wanting(command.what), self._find_aims(user, "goals"), ())
        if not meant.texts:
            meant = asked
        if not meant.texts:
            meant = find_said(command.what, self._find_said(user, command.what))
        if not meant.is_sure:
            return name_candidates(command, meant)
        # The fact first: so its own restoring brings the bank's statement back with it.
        # Nobody asked for what it had replaced.
        rejected = [self.reject_fact(user, fact.pk, now=now, gives_back=False) for fact in meant.facts]
        archived = [self.archive(user, item.pk, now=now) for item in meant.items]
        message = word_reply("removed", command.language, meant.texts[0])
        return CommandResult(
            command,
            done=True,
            message=message,
            items=tuple(filter(None, archived)),
            facts=tuple(filter(None, rejected)),
        )

    def _find_said(self, user: EndUser, what: str) -> list[MemoryItem]:
        """What was said, stored or imported in words of the order; books are no words of the person's."""
        found = self.list_items(user, ItemFilter(words=what, has_passages=False), limit=MOST_COMPARED)
        return [item for item in found if item.tier in SCORED_TIERS]

    def _find_aims(self, user: EndUser, field: ProfileField) -> list[MemoryItem]:
        return self.list_items(user, ItemFilter(tier=Tier.MEMORY_BANK, tag=TAGS[field][-1]), limit=MOST_LISTED)


def name_candidates(command: MemoryCommand, meant: Forgettable) -> CommandResult:
    texts = meant.texts
    if not texts:
        return answer(command, "unknown", done=False)
    heading = word_reply("several" if len(texts) > 1 else "unsure", command.language)
    message = "\n".join([heading, *(f"- {text}" for text in texts[:MOST_LISTED])])
    items, facts = meant.items[:MOST_LISTED], meant.facts[:MOST_LISTED]
    return CommandResult(command, done=False, message=message, items=items, facts=facts)


def build_bank_item(command: MemoryCommand) -> NewMemory:
    field = AIMS.get(command.action)
    return NewMemory(
        word_ordered(command.what, command.clause) if command.action is CommandAction.REMEMBER else command.what,
        tier=Tier.MEMORY_BANK,
        tags=list(TAGS[field]) if field else [REMEMBERED_TAG],
        importance=IMPORTANCE.get(field, DEFAULT_IMPORTANCE) if field else DEFAULT_IMPORTANCE,
        is_requested=True,
    )


def choose_meant(what: str, items: Sequence[MemoryItem]) -> list[MemoryItem]:
    """The items that an order names: by place in the list, by their text, else by the words they share."""
    if what.isdecimal():
        return [item for place, item in enumerate(items, 1) if place == int(what)]
    if same := [item for item in items if fold_text(item.text) == fold_text(what)]:
        return same
    said = set(extract_terms(what))
    shares = [(share_terms(said, set(extract_terms(item.text))), item) for item in items]
    best = max((share for share, _ in shares), default=0.0)
    return [item for share, item in shares if share == best >= LEAST_SHARED]


def share_terms(said: set[str], kept: set[str]) -> float:
    """The part of the shorter one's terms that the other has: stems, without stop words."""
    return len(said & kept) / max(1, min(len(said), len(kept)))


def answer(command: MemoryCommand, kind: str, items: Sequence[MemoryItem] = (), *, done: bool = True) -> CommandResult:
    what = items[0].text if items else command.what
    if kind == "remembered" and command.clause and has_reply(f"{kind} clause", command.language):
        kind, what = f"{kind} clause", command.clause
    return CommandResult(command, done, word_reply(kind, command.language, what), tuple(items))


def refuse(command: MemoryCommand, rule: str) -> CommandResult:
    return CommandResult(command, done=False, message=word_reply("refused", command.language, rule))
