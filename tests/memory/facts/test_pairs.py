"""The judge of pairs: subject, slot, value, polarity and time decide, in every language."""

from memory.facts.pairs import judge_pair, read_statement


def judge(a: str, b: str, cosine: float | None = None, *, is_ordered: bool = False) -> str:
    return judge_pair(read_statement(a), read_statement(b), cosine, is_ordered=is_ordered)


def test_the_same_statement_is_merged() -> None:
    assert judge("I live in Leeds.", "I live in Leeds.") == "merge"


def test_a_slot_of_one_value_holds_one() -> None:
    assert judge("I live in Leeds.", "I live in York.", is_ordered=True) == "contradiction"
