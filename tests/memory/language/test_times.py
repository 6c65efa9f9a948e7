"""Times of day in a text, in digits and in words."""

import pytest

from memory.language.figures import find_numbers
from memory.language.times import find_times
from memory.retrieval.signals import exact
from tests.memory.retrieval.pools import signal_values, text


@pytest.mark.parametrize(
    ("expected", "hour", "minutes"),
    [
        ("leaves at 6:45", 6, 45),
        ("leaves at 18:45", 6, 45),
        ("a quarter to seven", 6, 45),
        ("half past five", 5, 30),
        ("7 pm", 7, 0),
        ("at eleven o'clock", 11, 0),
        ("um halb sieben", 6, 30),
        ("Viertel vor acht", 7, 45),
        ("um 19.30 Uhr", 7, 30),
        ("a las siete y media", 7, 30),
        ("a la una menos cuarto", 0, 45),
        ("à 8h30", 8, 30),
        ("sept heures et demie", 7, 30),
        ("alle sette e mezza", 7, 30),
        ("רבע לשבע", 6, 45),
        ("בשבע וחצי", 7, 30),
    ],
)
def test_a_time_of_day_is_read(expected: str, hour: int, minutes: int) -> None:
    assert find_times(expected) == {60 * hour + minutes}


@pytest.mark.parametrize("expected", ["6.45 euros", "version 2:30:11", "three hours", "half of them", "room 7", ""])
def test_other_figures_are_no_time_of_day(expected: str) -> None:
    assert find_times(expected) == frozenset()


def test_the_same_time_is_met_in_other_words() -> None:
    items = (text("A quarter to seven: the slow one"), text("The 5:46 is full of skiers"), text("No trains today"))
    assert signal_values(exact.CLOCK, "Which train leaves at 6:45?", *items) == [1.0, exact.OTHER, 0.0]
    assert signal_values(exact.CLOCK, "Which train leaves at noon?", *items) == [0.0, 0.0, 0.0]


def test_hebrew_numbers_carry_their_particles() -> None:
    assert find_numbers("הנוף נמכר בשלוש מאות וחמישים") == {350.0}
