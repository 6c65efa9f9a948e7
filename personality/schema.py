"""The fields of a template: what each may hold, and what the assistant is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class FieldKind(StrEnum):
    TEXT = "text"
    LIST = "list"
    CHOICE = "choice"
    FLAG = "flag"


class PromptPlace(StrEnum):
    """Where in the prompt a field is told; identity and instructions have places of their own."""

    OWN = "own"
    STYLE = "style"
    BEHAVIOR = "behavior"


FieldValue = str | bool | tuple[str, ...]
# What a template says, by path: {"communication.tone": "warm"}.
FieldValues = dict[str, FieldValue]

IDENTITY: Final = "identity"
COMMUNICATION: Final = "communication"
NAME: Final = "identity.name"
ROLE: Final = "identity.role"
EXPERTISE: Final = "identity.expertise"
BACKGROUND: Final = "identity.background"
INSTRUCTIONS: Final = "custom_instructions"
TRAITS: Final = "personality_traits"
# Without them a template says too little to be one; the others may be missed and are warned of.
REQUIRED_SECTIONS: Final = (IDENTITY, COMMUNICATION)
EXPECTED_SECTIONS: Final = ("response_behavior", "memory_usage")
MOST_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class TemplateField:
    """``words``: what the prompt says of each value; of a flag, of ``true`` alone. ``longest``: characters of a text,
    or of an entry of a list."""

    path: str
    kind: FieldKind
    label: str
    line: PromptPlace = PromptPlace.OWN
    longest: int = 0
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def section(self) -> str:
        return self.path.partition(".")[0] if "." in self.path else ""

    @property
    def key(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.words) if self.kind == FieldKind.CHOICE else ()


def describe_text(path: str, label: str, longest: int) -> TemplateField:
    return TemplateField(path, FieldKind.TEXT, label, longest=longest)


def describe_list(path: str, label: str, longest: int) -> TemplateField:
    return TemplateField(path, FieldKind.LIST, label, longest=longest)


def describe_choice(path: str, label: str, line: PromptPlace, words: Mapping[str, str]) -> TemplateField:
    return TemplateField(path, FieldKind.CHOICE, label, line, words=words)


def describe_flag(path: str, label: str, line: PromptPlace, words: str) -> TemplateField:
    return TemplateField(path, FieldKind.FLAG, label, line, words={"true": words})


STYLE, BEHAVIOR = PromptPlace.STYLE, PromptPlace.BEHAVIOR
# In the order in which the prompt tells them.
FIELDS: Final = (
    describe_text(NAME, "Name", 80),
    describe_text(ROLE, "Role", 200),
    describe_list(EXPERTISE, "Expertise", 100),
    describe_text(BACKGROUND, "Background", 2_000),
    # A tenth of a small model's window: four characters are about a token.
    describe_text(INSTRUCTIONS, "Instructions", 8_000),
    describe_choice(
        "communication.tone",
        "Tone",
        STYLE,
        {name: f"{name} tone" for name in ("warm", "professional", "direct", "enthusiastic")},
    ),
    describe_choice(
        "communication.verbosity",
        "Length",
        STYLE,
        {"concise": "concise answers", "balanced": "answers of balanced length", "detailed": "detailed answers"},
    ),
    describe_choice(
        "communication.formality",
        "Formality",
        STYLE,
        {"casual": "casual wording", "professional": "professional wording", "formal": "formal wording"},
    ),
    describe_flag("communication.use_analogies", "Analogies", STYLE, "use analogies"),
    describe_flag("communication.use_examples", "Examples", STYLE, "give examples"),
    describe_flag("communication.use_humor", "Humor", STYLE, "light humor is welcome"),
    describe_choice(
        "formatting.structure",
        "Structure",
        STYLE,
        {"mixed": "paragraphs and lists as they fit", "bullets": "bullet points"},
    ),
    describe_choice("formatting.code_blocks", "Code", STYLE, {"separate": "code in blocks of its own"}),
    describe_choice(
        "formatting.emphasis", "Emphasis", STYLE, {"markdown": "Markdown for emphasis", "plain": "plain text"}
    ),
    describe_flag(
        "response_behavior.show_reasoning",
        "Show reasoning",
        BEHAVIOR,
        "Where it helps, show your reasoning between <think> and </think> before the answer.",
    ),
    describe_flag("response_behavior.step_by_step", "Step by step", BEHAVIOR, "Explain step by step."),
    describe_choice(
        "response_behavior.clarification",
        "When unclear",
        BEHAVIOR,
        {
            "ask_questions": "Ask where a request is unclear.",
            "make_assumptions": "Where a request is unclear, take what is most likely, say so, and go on.",
        },
    ),
    describe_choice(
        "response_behavior.prioritize",
        "Priority",
        BEHAVIOR,
        {"accuracy": "Rather be right than quick.", "speed": "Rather be quick than thorough."},
    ),
    describe_choice(
        "response_behavior.citation_style",
        "Sources",
        BEHAVIOR,
        {
            "always_cite": "Say of everything you recall where it comes from.",
            "cite_patterns": "Say where you rely on what worked before.",
            "conversational": "Use what you recall without naming sources.",
        },
    ),
    describe_choice(
        "memory_usage.priority",
        "Use of memory",
        BEHAVIOR,
        {
            "when_relevant": "Come back to what you remember where it matters.",
            "frequently": "Come back often to what you remember.",
            "always_reference": "Begin every answer from what you remember of the user.",
        },
    ),
    describe_choice(
        "memory_usage.pattern_trust",
        "What worked before",
        BEHAVIOR,
        {
            "balanced": "Weigh what worked before against new ideas.",
            "heavily_favor": "Prefer what worked before to new ideas.",
        },
    ),
    describe_choice(
        "memory_usage.historical_context",
        "Earlier conversations",
        BEHAVIOR,
        {
            "reference_past": "Refer to earlier conversations.",
            "current_only": "Keep to this conversation unless asked about earlier ones.",
        },
    ),
    describe_list(TRAITS, "Traits", 200),
)
FIELD_AT: Final[Mapping[str, TemplateField]] = {one.path: one for one in FIELDS}
SECTIONS: Final = frozenset(one.section for one in FIELDS if one.section)
