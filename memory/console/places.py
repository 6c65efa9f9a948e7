"""The pages of the console, each once: by what it is found in the palette, and what the settings hub says of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise

from memory.models import Operator
from memory.web.viewing import list_owned_organizations
from memory.web.wordings import translate as _


@dataclass(frozen=True, slots=True)
class ConsolePlace:
    """A page that can be found by its name and by ``also``, other words that it is looked for by; ``line`` says what it
    is good for, where it governs something and so stands in the hub. With ``is_for_owners`` it opens to nobody else."""

    view: str
    icon: str
    name: str | Promise
    also: str | Promise = ""
    line: str | Promise = ""
    is_for_owners: bool = False

    def answers_to(self, words: list[str]) -> bool:
        names = f"{self.name} {self.also}".casefold().split()
        return all(any(name.startswith(word) for name in names) for word in words)


def list_open(places: Iterable[ConsolePlace], operator: Operator) -> list[ConsolePlace]:
    """Those that answer this operator with a page and not with whom to ask."""
    owns = list_owned_organizations(operator).exists()
    return [place for place in places if owns or not place.is_for_owners]


OF_PERSON: Final = (
    ConsolePlace("overview", "overview", _("Overview"), _("home start")),
    ConsolePlace("search", "search", _("Search"), _("ask query")),
    ConsolePlace("context", "search", _("Context"), _("prompt assistant")),
    ConsolePlace("recall", "recall", _("Recall"), _("records journal")),
    ConsolePlace("memories", "memories", _("Memories"), _("list")),
    ConsolePlace("bank", "pin", _("Memory bank"), _("statements tags")),
    ConsolePlace("facts", "facts", _("Facts"), _("profile")),
    ConsolePlace("record", "facts", _("Record"), _("print summary")),
    ConsolePlace("nights", "facts", _("Nights"), _("consolidation")),
    ConsolePlace("inbox", "compare", _("Review"), _("inbox decide duplicates contradictions suspected")),
    ConsolePlace("conversations", "conversations", _("Conversations"), _("exchanges threads outcomes chats")),
    ConsolePlace("hot", "conversations", _("Turn by turn"), _("hot path")),
    ConsolePlace("books", "book", _("Books"), _("documents upload")),
    ConsolePlace("timeline", "recall", _("Timeline"), _("history day as of undo changes")),
    ConsolePlace("graph", "graph", _("Graph"), _("concepts entities")),
    ConsolePlace("measure", "measure", _("Measure"), _("questions quality")),
    ConsolePlace("replay", "restore", _("Replay"), _("ranking settings trace debug")),
    ConsolePlace(
        "connect",
        "key",
        _("Connect"),
        _("client api key mcp"),
        _("A client for this person alone, with a block to paste."),
    ),
    ConsolePlace("spaces", "people", _("Spaces"), _("share members"), _("What this person shares, and with whom.")),
    ConsolePlace(
        "transfer",
        "archive",
        _("Export and import"),
        _("download upload chats transfer"),
        _("A file to take out, a file to add."),
    ),
    ConsolePlace(
        "links",
        "people",
        _("Their own page"),
        _("personal link"),
        _("A link by which this person sees and corrects it."),
    ),
    ConsolePlace(
        "personality",
        "personality",
        _("Personality"),
        _("tone template"),
        _("Who the assistant is for this person."),
    ),
)
OF_ORGANIZATIONS: Final = (
    ConsolePlace("settings", "settings", _("Settings"), _("hub configuration audit changes")),
    ConsolePlace(
        "keys",
        "key",
        _("Keys"),
        _("api tokens limits revoke"),
        _("Make, limit and revoke what lets a client in, and see when it was last used."),
    ),
    ConsolePlace("changes", "recall", _("Changes"), _("audit log who did history")),
    ConsolePlace(
        "members",
        "people",
        _("Members"),
        _("roles owners accounts sign"),
        _("Who signs in here, as an owner or a member."),
    ),
    ConsolePlace(
        "data",
        "archive",
        _("Data"),
        _("index rebuild backup erase delete forget remove person"),
        _("Rebuild and compare the index, back up, erase a person."),
        is_for_owners=True,
    ),
    ConsolePlace(
        "mcp",
        "info",
        _("MCP"),
        _("tools sessions diagnostics try"),
        _("Address, tools, sessions and calls of assistants, and a try."),
    ),
    ConsolePlace("people", "people", _("People"), _("users persons"), _("Everybody of whom something is remembered.")),
    ConsolePlace(
        "webhooks",
        "info",
        _("Webhooks"),
        _("events endpoints"),
        _("Programs that are told of changes, and what they were sent."),
    ),
    ConsolePlace(
        "vocabulary", "book", _("Vocabulary"), _("topics labels"), _("The topics that messages are labelled with.")
    ),
    ConsolePlace("glossary", "info", _("Glossary"), _("words help meaning explained")),
)
OF_OPERATOR: Final = (
    ConsolePlace(
        "password",
        "key",
        _("Password"),
        _("change account sign"),
        _("Choose another password than the one you were given."),
    ),
    ConsolePlace(
        "display",
        "settings",
        _("Language and time"),
        _("zone locale translation"),
        _("The language of the console, and the time zone of its times."),
    ),
)
OF_INSTALLATION: Final = (
    ConsolePlace(
        "system_health",
        "good",
        _("Health"),
        _("status installation"),
        _("Each part, breakers, drift and the last two weeks."),
    ),
    ConsolePlace(
        "operations",
        "operations",
        _("Operations"),
        _("index rebuild queues installation"),
        _("The vector index: collections, rebuilds, comparisons."),
    ),
    ConsolePlace(
        "configuration",
        "settings",
        _("Configuration"),
        _("flags limits environment values"),
        _("Flags and limits in force, and where each comes from."),
    ),
    ConsolePlace(
        "model_calls",
        "measure",
        _("Model calls"),
        _("language model cost tokens"),
        _("What the language model was asked, and what it cost."),
    ),
    ConsolePlace(
        "prompts",
        "conversations",
        _("Prompts"),
        _("language model cost"),
        _("What a language model is asked, in which words."),
    ),
)
