"""Asks a person's questions under two settings, or once more, and adds up what came of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memory.access.confinement import confine_to, current_scope
from memory.measuring.intervals import compare_measure
from memory.measuring.labels import LabelledQuestion, LabelSource
from memory.measuring.metrics import JudgedRanking, find_first_place, list_personal_measures
from memory.models import EndUser
from memory.retrieval.variants import AS_CONFIGURED, SearchSettings, search_variant

# As deep as the deepest measure, unless a setting says otherwise.
DEPTH: Final = 10
SHOWN: Final = 5
MEASURES: Final = list_personal_measures()


@dataclass(frozen=True, slots=True)
class SettingsPair:
    before: SearchSettings
    after: SearchSettings

    @property
    def is_unchanged(self) -> bool:
        """Nothing differs from the search as configured: what may differ is what is remembered since an earlier run."""
        return self.before == self.after == AS_CONFIGURED


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What a question found under one setting. ``place`` is that of the first expected memory, None for none."""

    figures: Mapping[str, float]
    place: int | None
    found: tuple[str, ...]
    fallbacks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        figures = {name: round(value, 5) for name, value in self.figures.items()}
        told = {"fallbacks": list(self.fallbacks)} if self.fallbacks else {}
        return {"place": self.place, "found": list(self.found[:SHOWN]), **figures, **told}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> "AskedQuestion | None":
        """None for what another version kept, with other measures."""
        if not MEASURES.keys() <= kept.keys():
            return None
        figures = {name: float(kept[name]) for name in MEASURES}
        return cls(figures, kept["place"], tuple(kept["found"]), tuple(kept.get("fallbacks", ())))


# What questions came to in an earlier run, by their `name_question`.
EarlierAnswers = Mapping[str, AskedQuestion]


def name_question(case_id: object, turn_id: object) -> str:
    """Where a question is from: a saved case, else a turn with an outcome. One key in a run and in the next."""
    return str(case_id or turn_id or "")


@dataclass(frozen=True, slots=True)
class QuestionComparison:
    question: LabelledQuestion
    before: AskedQuestion
    after: AskedQuestion

    def as_json(self) -> dict[str, Any]:
        """Ids and numbers; the words stay where the question is from."""
        named = {"case_id": self.question.case_id, "turn_id": self.question.turn_id}
        return {
            "source": self.question.source.value,
            **{name: str(value) for name, value in named.items() if value},
            "is_named": self.question.is_named,
            "expected": [str(item_id) for item_id in self.question.expected],
            "a": self.before.as_json(),
            "b": self.after.as_json(),
        }


def ask_question(user: EndUser, question: LabelledQuestion, settings: SearchSettings, now: datetime) -> AskedQuestion:
    """In the agent and project it was asked in, as of when it was."""
    scope = current_scope().narrow(question.scope.agent_id, question.scope.project_id)
    with confine_to(scope):
        result = search_variant(user, question.question, settings, limit=DEPTH, as_of=question.asked_at, now=now)
    ranking = [str(hit.item.pk) for hit in result.hits]
    expected = {str(item_id): 1 for item_id in question.expected}
    judged = JudgedRanking(ranking, expected, {str(hit.item.pk): hit.item.text for hit in result.hits})
    figures = {name: measure(judged) for name, measure in MEASURES.items()}
    return AskedQuestion(
        figures, find_first_place(ranking, expected), tuple(ranking), tuple(result.debug.fallbacks_used)
    )


def compare_questions(
    user: EndUser, questions: Iterable[LabelledQuestion], pair: SettingsPair, earlier: EarlierAnswers, now: datetime
) -> Iterator[QuestionComparison]:
    """Outside any transaction. Without a change each is asked once and compared with what it came to before."""
    for question in questions:
        after = ask_question(user, question, pair.after, now)
        if pair.is_unchanged:
            # What was not asked before is the same as itself, and says nothing of a difference.
            before = earlier.get(name_question(question.case_id, question.turn_id), after)
        else:
            before = ask_question(user, question, pair.before, now)
        yield QuestionComparison(question, before, after)


def summarise(results: Sequence[Mapping[str, Any]], left_out: Mapping[str, int]) -> dict[str, Any]:
    """The figures of what questions came to, of one person or of many, as JSON."""
    fallbacks = Counter(name for one in results for side in ("a", "b") for name in one[side].get("fallbacks", ()))
    return {
        "questions": len(results),
        "of_turns": sum(one["source"] == LabelSource.OUTCOME for one in results),
        "saved": sum(one["source"] == LabelSource.SAVED for one in results),
        "named": sum(one["is_named"] for one in results),
        "left_out": dict(left_out),
        "fallbacks": dict(fallbacks),
        "measures": {
            name: compare_measure(name, [one["a"][name] for one in results], [one["b"][name] for one in results])
            for name in MEASURES
        },
    }
