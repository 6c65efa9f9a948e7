"""What a process loads before its first question, so that nobody waits for it."""

from collections.abc import Callable

import pytest

from knowledge_graph.hotmem import turn
from memory.language import times
from memory.retrieval import search


@pytest.mark.parametrize("warm_up", [search.warm_up, turn.warm_up])
def test_the_phrases_of_the_clock_are_loaded_before_the_first_that_is_asked(warm_up: Callable[[], None]) -> None:
    times._compile_phrases.cache_clear()
    times.find_times.cache_clear()
    warm_up()
    loaded = times._compile_phrases.cache_info().misses
    assert times.find_times("we met at a quarter past nine") == {9 * 60 + 15}
    assert (loaded, times._compile_phrases.cache_info().misses) == (1, 1)
