"""What of everything found fits the budget, and which part of it is the same in every turn of a thread."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.context.blocks import (
    ContextSection,
    KnownLine,
    build_instructions,
    build_section,
    render_hit_block,
    render_hit_line,
    render_insight_block,
    render_known_block,
    render_known_line,
    render_stage_block,
)
from memory.context.budget import TokenBudget, select_fitting
from memory.language.framing import quote_as_data
from memory.language.text import estimate_tokens
from memory.retrieval.results import SearchHit
from memory.retrieval.turns import HandedSection

RETRIEVED = "retrieved_memories"
# The two fences around a block, with their characters.
FRAME_TOKENS = 24


@dataclass(frozen=True, slots=True)
class StablePart:
    """What is told in every turn of a thread: the instructions, and the lines that stand whatever is asked.

    The instructions are there even when a turn has nothing to say: a prompt that changes its beginning is cached anew.
    """

    lines: list[KnownLine]
    sections: list[ContextSection]

    @classmethod
    def of(cls, known: Sequence[KnownLine], budget: TokenBudget, fence: str) -> "StablePart":
        instructions = build_instructions()
        lines = sorted((line for line in known if line.is_lasting), key=lambda line: line.lasting_place)
        rendered = [render_known_line(line, fence) for line in lines]
        room = budget.tokens - instructions.tokens
        if budget.is_hard and count_line_tokens(rendered) > room:
            # Which of them such a client gets is chosen for each question.
            lines, rendered = [], []
        block = build_section("known_context", render_known_block(rendered, fence))
        fits = not budget.is_hard or room >= 0
        return cls(lines, [part for part in (instructions, block) if part.text] if fits else [])


@dataclass(frozen=True, slots=True)
class ContextSelection:
    """What of everything found fits the budget, best first, with its rendered lines. ``rest`` are those of the known
    lines that belong to this turn alone."""

    known: list[KnownLine]
    hits: list[SearchHit]
    lines: dict[str, list[str]]
    rest: list[str]
    fence: str

    @classmethod
    def of(
        cls,
        stable: StablePart,
        known: Sequence[KnownLine],
        hits: Sequence[SearchHit],
        insights: Sequence[str],
        budget: TokenBudget,
        fence: str,
    ) -> "ContextSelection":
        """Who the person is comes first, then experience, then what was found. A soft budget only bounds the last."""
        room = budget.tokens - build_instructions().tokens
        kept = select_known_lines(stable, known, room, budget, fence)
        known_lines = [render_known_line(line, fence) for line in kept]
        rest = [text for line, text in zip(kept, known_lines, strict=True) if line not in stable.lines]
        # As two blocks, which they are where the halves are placed apart.
        room -= count_line_tokens(known_lines) + (FRAME_TOKENS if 0 < len(rest) < len(known_lines) else 0)
        # All or nothing under a hard limit: advice of which the second half is missing may read as its opposite.
        insight_lines = [quote_as_data(line.replace("\n", " "), fence) for line in insights]
        if budget.is_hard and count_line_tokens(insight_lines) > room:
            insight_lines = []
        room -= count_line_tokens(insight_lines)
        shown, statements = list_shown_ids(kept, hits), {line.key for line in kept}
        places = select_fitting_lines([render_hit_line(hit, fence, shown, statements) for hit in hits], room, budget)
        # Numbered as they are told: of what the search placed before them some stands elsewhere or did not fit.
        told = [replace(hits[place], position=number) for number, place in enumerate(places, start=1)]
        found_lines = [render_hit_line(hit, fence, shown, statements) for hit in told]
        lines = {"known": known_lines, "advice": insight_lines, "found": found_lines}
        return cls(kept, told, lines, rest, fence)

    def sections(self) -> list[ContextSection]:
        """The whole context; none where there is nothing to say."""
        if not any(self.lines.values()):
            return []
        return [build_instructions(), *self._blocks(self.lines["known"])]

    def turn_sections(self) -> list[ContextSection]:
        """Without what every turn of the thread tells."""
        return self._blocks(self.rest)

    def list_handed(self, sections: Sequence[ContextSection]) -> list[HandedSection]:
        """All sections as a turn keeps them, each with the memories it told."""
        told = {
            "known_context": tuple(line.memory_id for line in self.known if line.memory_id),
            **{name: tuple(hit.item.pk for hit, _ in found) for name, found in self._list_found().items()},
        }
        return [HandedSection(section.name, section.tokens, told.get(section.name, ())) for section in sections]

    def order_positions(self, found: Sequence[SearchHit]) -> list[tuple[uuid.UUID, str]]:
        """What an outcome names by number: the hits as they are told, then what else the search found, with tiers."""
        return list({hit.item.pk: hit.item.tier for hit in (*self.hits, *found)}.items())

    def _blocks(self, known: Sequence[str]) -> list[ContextSection]:
        blocks = [
            build_section("known_context", render_known_block(known, self.fence)),
            build_section("contextual_memory", render_insight_block(self.lines["advice"], self.fence)),
            *(build_section(name, self._render(name, found)) for name, found in self._list_found().items()),
        ]
        return [block for block in blocks if block.text]

    def _list_found(self) -> dict[str, list[tuple[SearchHit, str]]]:
        """Hits with their lines by section: one for all, or one for each stage."""
        sections: dict[str, list[tuple[SearchHit, str]]] = {}
        for hit, line in zip(self.hits, self.lines["found"], strict=True):
            sections.setdefault(hit.stage or RETRIEVED, []).append((hit, line))
        return sections

    def _render(self, name: str, found: Sequence[tuple[SearchHit, str]]) -> str:
        lines = [line for _, line in found]
        return render_hit_block(lines, self.fence) if name == RETRIEVED else render_stage_block(name, lines, self.fence)


def select_known_lines(
    stable: StablePart, known: Sequence[KnownLine], room: int, budget: TokenBudget, fence: str
) -> list[KnownLine]:
    """Those of the stable part, and as many others as a hard limit has room for; in their order."""
    if not budget.is_hard:
        return list(known)
    others = [line for line in known if line not in stable.lines]
    room -= count_line_tokens([render_known_line(line, fence) for line in stable.lines])
    places = select_fitting_lines([render_known_line(line, fence) for line in others], room, budget)
    kept = [*stable.lines, *(others[place] for place in places)]
    return [line for line in known if line in kept]


def list_shown_ids(known: Sequence[KnownLine], hits: Sequence[SearchHit]) -> set[uuid.UUID]:
    """The memories that stand in other blocks, which insights need not quote again."""
    return {line.memory_id for line in known if line.memory_id} | {hit.item.pk for hit in hits}


def count_section_tokens(sections: Sequence[ContextSection]) -> int:
    return sum(part.tokens for part in sections)


def count_line_tokens(lines: Sequence[str]) -> int:
    return sum(map(estimate_tokens, lines)) + FRAME_TOKENS if lines else 0


def select_fitting_lines(lines: Sequence[str], room: int, budget: TokenBudget) -> list[int]:
    """The best memory is handed over even where it is larger than what was planned for, unless the client forbade."""
    return select_fitting(map(estimate_tokens, lines), room - FRAME_TOKENS, keeps_first=not budget.is_hard)
