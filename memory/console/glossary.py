"""What the uncommon words of the console mean, for who meets them first: for all pages, and a page of its own.

`{% term "drift" %}` puts a word on a page as a button that opens what stands here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.web.pages import OperatorRequest, operator_page
from memory.web.wordings import translate as _


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    word: str
    meaning: str


TERMS: Final[Mapping[str, GlossaryTerm]] = {
    "memory": GlossaryTerm(
        _("Memory"), _("One thing that is kept: a question with its answer, a statement, or a passage of a book.")
    ),
    "tier": GlossaryTerm(
        _("Tier"),
        _(
            "Where a memory stands, by how well it proved itself. Working memory holds a day, history a month, "
            "patterns what worked repeatedly; the memory bank holds lasting statements, books what was uploaded."
        ),
    ),
    "pattern": GlossaryTerm(
        _("Pattern"), _("A memory that helped so often that it stays without a time limit. It is found before others.")
    ),
    "promotion": GlossaryTerm(
        _("Promotion"), _("The move of a memory to the next tier, once outcomes say often enough that it helped.")
    ),
    "dormant": GlossaryTerm(
        _("Dormant"),
        _("Past its time in its tier. A search still finds it, no answer is given it unasked, and a success wakes it."),
    ),
    "superseded": GlossaryTerm(
        _("Superseded"), _("It was true until something newer took its place. It is kept for questions about the past.")
    ),
    "memory bank": GlossaryTerm(
        _("Memory bank"), _("Lasting statements about a person. They stay until somebody changes or archives them.")
    ),
    "fact": GlossaryTerm(
        _("Fact"), _("A statement that is held true of somebody, from a day on, with what it was read from.")
    ),
    "evidence": GlossaryTerm(_("Evidence"), _("Where a fact was read or said. Without any left it is not believed.")),
    "confidence": GlossaryTerm(
        _("Confidence"),
        _("How sure a fact is, from 0 to 1: by how often and by whom it was said, and how long ago that was."),
    ),
    "trust": GlossaryTerm(
        _("Trust"),
        _(
            "Whose words these are: a person's, an assistant's, or from outside, such as a document. Only a person "
            "raises it."
        ),
    ),
    "outcome": GlossaryTerm(
        _("Outcome"),
        _("Whether an answer helped: worked, partly or failed. It moves the score of what was used."),
    ),
    "score": GlossaryTerm(
        _("Score"), _("How well a memory served, from 0 to 1. It starts at 0.5; each outcome raises or lowers it.")
    ),
    "context": GlossaryTerm(
        _("Context"), _("The text that an assistant is handed before it answers: what is known and fits the question.")
    ),
    "token": GlossaryTerm(
        _("Token"), _("A piece of a word, by which language models count and charge. Three words are about four.")
    ),
    "turn": GlossaryTerm(_("Turn"), _("One question with all that was found and handed over for it.")),
    "ranking": GlossaryTerm(
        _("Ranking"), _("The order of what was found, best first: by meaning, by words, and by signals such as a date.")
    ),
    "reranker": GlossaryTerm(
        _("Reranker"), _("A second, slower model that looks at the best hits again and puts them in order.")
    ),
    "vector": GlossaryTerm(
        _("Vector"), _("Numbers that stand for what a text means. Texts that mean the same lie near each other.")
    ),
    "index": GlossaryTerm(
        _("Index"), _("What makes memories quick to find by meaning and by words. It can be built again at any time.")
    ),
    "drift": GlossaryTerm(
        _("Drift"), _("Differences between the index and the rows it was made of. The rows decide; a rebuild mends it.")
    ),
    "breaker": GlossaryTerm(
        _("Breaker"), _("A switch that leaves a failing service alone for a while, so that nothing waits for it.")
    ),
    "percentile": GlossaryTerm(
        _("95th percentile"), _("95 of 100 were at most this long. It shows what the slow ones are like.")
    ),
    "recall": GlossaryTerm(
        _(
            "Recall",
        ),
        _("Personal records, such as a journal and to-dos, found by what they mean."),
    ),
    "concept": GlossaryTerm(
        _("Concept"), _("A word or name that questions are about, with what was tried for it and whether it helped.")
    ),
    "personality": GlossaryTerm(
        _("Personality"), _("Who the assistant is and how it speaks with this person. It opens every context.")
    ),
    "space": GlossaryTerm(_("Space"), _("Memories that several people share, each by the rights of their role.")),
    "scope": GlossaryTerm(
        _("Agent and project"),
        _("Where a memory is kept for one assistant or project alone, and not for all of them."),
    ),
    "consolidation": GlossaryTerm(
        _("Consolidation"), _("The nightly tidying up: doubles are merged, contradictions found, and old facts fade.")
    ),
    "hot path": GlossaryTerm(
        _("Hot path"), _("What is read from each message at once, and the few facts that are told back for it.")
    ),
    "guard": GlossaryTerm(
        _("Guard"),
        _("What checks a text before it is kept: it takes out secrets and refuses orders to the assistant."),
    ),
    "webhook": GlossaryTerm(_("Webhook"), _("The address of a program that is told as soon as something changes.")),
    "mcp": GlossaryTerm(_("MCP"), _("The protocol by which assistants such as Claude use a memory as a tool.")),
    "key": GlossaryTerm(
        _("API key"), _("A password for programs. It says what a program may read and write, and can be revoked.")
    ),
    "hit rate": GlossaryTerm(
        _("R@k, MRR, hit@1"),
        _(
            "How well memories are found: R@k is the share of the expected ones among the first k, MRR how near to "
            "the top the first one stands, hit@1 how often it is the very first."
        ),
    ),
}


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    terms = sorted(TERMS.items(), key=lambda one: str(one[1].word).casefold())
    return render(request, "console/glossary/page.html", {"terms": terms})
