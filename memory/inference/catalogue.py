"""Every prompt of the product: what goes into it, who asks it and when, and what happens where no model answers.

The wording of each is a file in templates/prompts; the console and docs/prompts.md show both side by side.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class InputKind(StrEnum):
    """How a value stands in a prompt.

    ``text`` and ``texts`` are words of people: fenced, and only in the lower half, so that they are data and never
    rules. ``texts`` are numbered. ``number`` and ``word`` come from settings and lists of the product. ``block`` was
    framed by the product already.
    """

    TEXT = "text"
    TEXTS = "texts"
    NUMBER = "number"
    WORD = "word"
    BLOCK = "block"


FENCED: Final = frozenset({InputKind.TEXT, InputKind.TEXTS})


@dataclass(frozen=True, slots=True)
class PromptInput:
    """``is_needed``: a wording that leaves it out asks about nothing, and is not used."""

    name: str
    kind: InputKind = InputKind.TEXT
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """``task`` is all that a model is told where neither the override nor the shipped file can be read; ``asked_by`` is
    the part of the product, ``module`` where in its code or API it asks."""

    name: str
    task: str
    asked_by: str
    module: str
    asked_when: str
    when_off: str
    inputs: tuple[PromptInput, ...]

    @property
    def is_question(self) -> bool:
        """Whether a model is asked by it; else it is a frame around what the product says."""
        return any(one.kind in FENCED for one in self.inputs)

    @property
    def input_kinds(self) -> dict[str, InputKind]:
        return {one.name: one.kind for one in self.inputs}


ENTRIES: Final = (
    PromptEntry(
        "profile_update_detection",
        "List what the user states of themselves that will still hold in months.",
        "Facts",
        "memory.facts.profile",
        "In the background, for each message of the person",
        "The rules of the product's languages find facts",
        (PromptInput("message"),),
    ),
    PromptEntry(
        "outcome_detection",
        "Judge by the conversation whether the marked answer worked, failed or helped in part.",
        "Outcomes",
        "outcomes.detection",
        "In the background, after later messages of a thread",
        "The outcome stays unknown until somebody tells it",
        (PromptInput("conversation"),),
    ),
    PromptEntry(
        "label_message",
        "Label the message with the terms that are listed, by what it means and not by the words in it.",
        "Enrichment",
        "memory.enrichment",
        "In the background, for each message of the last 30 days",
        "The vocabulary's aliases and the cues of the product's languages label it",
        (PromptInput("message"), PromptInput("terms", InputKind.BLOCK)),
    ),
    PromptEntry(
        "query_intent",
        "Say what a question looks for, with the terms that are listed.",
        "Retrieval in stages",
        "memory.enrichment.intent_by_model",
        "While a context in stages waits, 0.8 seconds at most; kept for ten minutes",
        "The vocabulary's aliases and the shapes of what a question names say it",
        (PromptInput("question"), PromptInput("terms", InputKind.BLOCK)),
    ),
    PromptEntry(
        "knowledge_graph_analysis",
        "List the concepts that the note names and how they are tied together.",
        "Graphs",
        "knowledge_graph.content",
        "In the background, for memories in patterns and in the memory bank",
        "The rules find names, tools and places",
        (PromptInput("note"),),
    ),
    PromptEntry(
        "contextual_prefix",
        "Say in one to three short sentences what kind of note this is and what it is about.",
        "Indexing",
        "memory.indexing",
        "In the background, before a memory is embedded",
        "The memory is embedded without a prefix",
        (PromptInput("about"), PromptInput("before", is_needed=False), PromptInput("note")),
    ),
    PromptEntry(
        "fragment_rating",
        "Rate from 0 to 1 how useful each note is for answering the question.",
        "Search",
        "memory.retrieval.rating",
        "While a search waits, for its best candidates; off unless it is taken out of MEMORY_PROMPTS_OFF",
        "The order is that of words, meaning and signals",
        (PromptInput("query"), PromptInput("fragments", InputKind.TEXTS)),
    ),
    PromptEntry(
        "tool_decision",
        "Decide whether the memory has to be searched before the message is answered, and for what.",
        "Gateway",
        "memory.gateway.deciding",
        "Before an answer, four seconds at most, for models that take no tools, unless what was found is sure",
        "The model answers from the context alone",
        (PromptInput("message"), PromptInput("found", is_needed=False)),
    ),
    PromptEntry(
        "system_prompt",
        "The system message of the gateway: what the memory tells in every turn, in a frame of your own.",
        "Gateway",
        "memory.gateway.turns",
        "In every turn of a model behind the gateway; no call of its own",
        "It is the memory's part as it is",
        (PromptInput("memory", InputKind.BLOCK), PromptInput("model", InputKind.WORD, is_needed=False)),
    ),
    PromptEntry(
        "extract_content",
        "List the quotes, concepts, insights and technical terms of a long text.",
        "Graphs",
        "knowledge_graph.content.extracting; POST /texts/extract",
        "In the background, for memories of 800 characters and more; and when somebody asks for it",
        "The rules find names, tools and places",
        (PromptInput("content"),),
    ),
    PromptEntry(
        "blend_inputs",
        "Make one text of several sources for a question, with the number of the source behind each statement.",
        "Context",
        "memory.context.blending; POST /texts/blend",
        "When somebody asks for it",
        "The sources stand one under the other, the memory's first",
        (PromptInput("query"), PromptInput("sources", InputKind.TEXTS)),
    ),
    PromptEntry(
        "map_chunk",
        "Sum up one part of a document, with its quotes, concepts, tone and style.",
        "Books",
        "books.digests",
        "In the background, for each part of a book once it can be found",
        "The book is found and read, and has no digest",
        (PromptInput("chunk"),),
    ),
    PromptEntry(
        "book_extraction",
        "List quotes, models and summaries of a part of a document, each with a category.",
        "Books",
        "books.digests",
        "In the background, for each part of a book once it can be found",
        "The book is found and read, and has no digest",
        (PromptInput("categories", InputKind.WORD), PromptInput("title"), PromptInput("content")),
    ),
    PromptEntry(
        "reduce_summaries",
        "Make one summary of those of a document's parts, with themes and insights.",
        "Books",
        "books.digests",
        "In the background, when all parts of a book were read",
        "The digest has the summaries of the parts one after the other",
        (PromptInput("summaries", InputKind.TEXTS),),
    ),
    PromptEntry(
        "history_summary",
        "Sum up the older part of a conversation in a few points of what was told, decided and tried.",
        "Conversations",
        "outcomes.exchanges.digests",
        "In the background, for threads of more than eight messages, and every four exchanges after",
        "The context has no summary; the client cuts its oldest messages",
        (
            PromptInput("bullets", InputKind.NUMBER),
            PromptInput("before", is_needed=False),
            PromptInput("conversation"),
        ),
    ),
    PromptEntry(
        "tone_inference",
        "Say in which tone a person would like to be answered.",
        "Conversations",
        "outcomes.exchanges.digests",
        "In the background, from the third exchange of a thread on, and every four exchanges after",
        "The context says nothing of a tone",
        (PromptInput("messages", InputKind.TEXTS),),
    ),
    PromptEntry(
        "fact_pairs",
        "Decide for each pair of statements about one person whether they say the same, contradict, or both stand.",
        "Facts",
        "memory.lifecycle.arbitration",
        "In the nightly consolidation, for pairs that wait for a decision",
        "The pairs wait for a person",
        (PromptInput("pairs"),),
    ),
    PromptEntry(
        "debate_prompt",
        "Say what speaks for each of two statements that contradict, and what would settle it.",
        "Facts",
        "memory.lifecycle.debating",
        "In the nightly consolidation, for contradictions that wait in the review",
        "The pair waits without arguments",
        (PromptInput("earlier"), PromptInput("later")),
    ),
    PromptEntry(
        "fragment_replay",
        "Word a note anew so that it can be understood by itself, with every name and number and nothing added.",
        "Memories",
        "memory.lifecycle.rewording",
        "In the nightly consolidation, for memories that failed and are about to be let go",
        "The note stays as it is, and is archived when it fails again",
        (PromptInput("fragment"),),
    ),
    PromptEntry(
        "merge_cluster",
        "Make one note of several that tell the same matter, or none where they do not.",
        "Memories",
        "memory.lifecycle.clusters",
        "In the nightly consolidation, for new patterns and bank items that lie near others",
        "Both stay; the bank merges by rule what is nearly word for word the same",
        (PromptInput("fragments", InputKind.TEXTS),),
    ),
)
CATALOGUE: Final[Mapping[str, PromptEntry]] = MappingProxyType({entry.name: entry for entry in ENTRIES})
