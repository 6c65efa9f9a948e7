"""What may end what is known: the matter has to be named, the more of it the more is known."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.facts.drafts import FactDraft
from memory.facts.pairs import PairStatement, read_statement
from memory.facts.pairs.likelihood import adds_another
from memory.facts.replacement import MANY, NEAR, EarlierStatement, LikelyReplacement, estimate_all
from memory.facts.succession import is_away_for_a_while, names_matter, says_still
from memory.models import Fact

SAID = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
OTHERS = 0.1


def estimate(old: str, new: str, *, cosine: float, others: int = 0) -> LikelyReplacement:
    """How likely the new statement takes the place of the old one, beside so many that are further away."""
    at = SAID - timedelta(days=3)
    known = [EarlierStatement(read_statement(old), at, is_same_thread=False, cosine=cosine)]
    known += [
        EarlierStatement(PairStatement(f"Tin {n}."), at, is_same_thread=False, cosine=OTHERS) for n in range(others)
    ]
    return estimate_all(known, read_statement(new), SAID)[0]


def build_fact(statement: str, value: str = "") -> Fact:
    return Fact(subject_key="you", relation="about", object=value, object_key=value, statement=statement)


def test_among_many_what_is_only_the_nearest_is_replaced_by_nothing() -> None:
    old, new = "The rent is 780 a month.", "The rent has gone up, it's 820 now."
    assert estimate(old, new, cosine=NEAR + 0.1, others=MANY).ends
    assert estimate(old, new, cosine=NEAR - 0.2, others=1).chance > 0
    assert estimate(old, new, cosine=NEAR - 0.2, others=MANY).chance == 0


def test_among_many_a_doubt_needs_a_word_of_change() -> None:
    assert LikelyReplacement(0.8).is_doubtful
    assert not LikelyReplacement(0.8, is_among_many=True).is_doubtful
    assert LikelyReplacement(0.8, may_end=True, is_among_many=True).is_doubtful


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("O Tiago não come queijo.", "O Tiago mudou de carro."),
        ("My brother Colm sings bass.", "Colm's back on night shifts now."),
    ],
)
def test_whom_it_is_about_is_not_the_matter(old: str, new: str) -> None:
    assert not estimate(old, new, cosine=0.6).may_end
    assert not names_matter(build_fact(old), FactDraft(new, SAID, 0.9, is_remark=True))


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("We share the house with Biscuit.", "", "Biscuit died in the night."),
        ("My accountant is called Mrs Doyle.", "mrs doyle", "I left Doyle for somebody cheaper."),
        ("The barn is let to a potter.", "", "The barn is empty now."),
    ],
)
def test_what_has_ended_is_named_by_its_name_its_value_or_its_matter(old: str, value: str, new: str) -> None:
    assert names_matter(build_fact(old, value), FactDraft(new, SAID, 0.9, is_remark=True))


@pytest.mark.parametrize(
    ("turn", "goes_on"),
    [
        ("The trial is over, too loud for me. I'm staying at the Forge", True),
        ("se acabó la prueba, me aburría. sigo en el Forge", True),
        ("The trial is over, too loud for me. My sister still goes to the Forge", False),
        ("The trial is over, too loud for me.", False),
    ],
)
def test_another_clause_of_the_turn_says_that_it_goes_on(turn: str, goes_on: bool) -> None:
    draft = FactDraft("The trial is over.", SAID, 0.9, tense="over", turn=turn)
    assert says_still(build_fact("I train at the Forge.", "forge"), draft) is goes_on


def test_another_value_is_no_matter_where_the_statement_names_its_own() -> None:
    bowls = "We play bowls on Fridays on the green."
    assert not estimate(bowls, "I do pottery at the studio by the quay on Saturdays now.", cosine=0.5).may_end
    assert estimate(bowls, "It's on Saturdays now.", cosine=0.5).may_end


@pytest.mark.parametrize(
    ("remark", "is_back"),
    [
        ("Clive left early today.", True),
        ("Clive ist heute früher gegangen.", True),
        ("Clive se fue temprano.", True),
        ("Clive left in March.", False),
        ("Clive retired.", False),
    ],
)
def test_who_leaves_early_comes_back(remark: str, *, is_back: bool) -> None:
    boss = Fact(subject_key="you", relation="boss", object="clive", object_key="clive", statement="My boss is Clive.")
    assert is_away_for_a_while(boss, FactDraft(remark, SAID, 0.9, is_remark=True)) == is_back


@pytest.mark.parametrize(
    ("told", "is_one_more"),
    [
        ("Climbing at Boulder Barn now, PureGym got too crowded.", False),
        ("Ms Baptiste does my suits, Olins was too dear.", False),
        ("We've a rabbit too, Duchess.", True),
        ("I've a dog too, and the flat is too small for both.", True),
    ],
)
def test_too_much_of_something_is_not_one_more(told: str, is_one_more: bool) -> None:
    assert adds_another(PairStatement(told)) == is_one_more
