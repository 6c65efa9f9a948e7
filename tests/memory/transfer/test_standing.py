"""What stands beside conversations is cut into statements, whatever a person or a model wrote."""

import time
from itertools import product

import pytest

from memory.transfer.chats.standing import split_statements, strip_fence


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        ("I live in Kiel. Dr. Levi is my doctor.", ["I live in Kiel.", "Dr. Levi is my doctor."]),
        ("I like:\n\n1. tea\n2. boats\nRain is bad.", ["I like: tea", "I like: boats", "Rain is bad."]),
        ("# Work\n**Top of mind**\n__Likes__\n---\n- **Role:** engineer", ["Role: engineer"]),
        ("**I live in Kiel.**", ["I live in Kiel."]),
        ("Role: engineer\n#hashtags bore me\nThe file is my__name__here.\n2 ** 3 is 8", None),
        ("2024 was my year", ["2024 was my year"]),
        ("אני גר בחיפה. יש לי כלב.", ["אני גר בחיפה.", "יש לי כלב."]),
        ("我住在上海。我喜欢茶。", ["我住在上海。", "我喜欢茶。"]),
    ],
)
def test_each_sentence_and_each_line_of_a_list_is_told_by_itself(text: str, statements: list[str] | None) -> None:
    assert list(split_statements(text)) == (text.split("\n") if statements is None else statements)


def test_words_of_the_product_around_a_fence_are_left_out() -> None:
    assert strip_fence("They said:\n```\nI live in Kiel.\n```\nMind it.") == "I live in Kiel."
    assert strip_fence("They said:\n```I live in Kiel.") == "I live in Kiel."
    assert strip_fence("I live in Kiel.") == "I live in Kiel."


@pytest.mark.parametrize("pair", list(product("*_#-.: \na`", repeat=2)), ids=repr)
def test_no_text_takes_long(pair: tuple[str, str]) -> None:
    """Of 32,768 characters none takes a second; patterns that go back over a text take many."""
    text = "".join(pair) * 16_384
    began = time.process_time()
    list(split_statements(text))
    strip_fence(text)
    assert time.process_time() - began < 1
