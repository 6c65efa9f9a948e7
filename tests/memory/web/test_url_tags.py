"""Addresses in pages are kept; each still has to be the one that Django would write."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from django.template import engines
from django.urls import NoReverseMatch, get_script_prefix, reverse, set_script_prefix

from memory.web import url_tags


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    url_tags.write_address.cache_clear()
    yield
    url_tags.write_address.cache_clear()


def draw(source: str, **values: Any) -> str:
    return engines["django"].from_string(source).render(values)


def test_an_address_is_asked_of_django_once() -> None:
    page = '{% for one in three %}{% url "console:memories" organization="acme" external_id=person %} {% endfor %}'
    with patch.object(url_tags, "reverse", wraps=reverse) as asked:
        drawn = draw(page, three=range(3), person="ana")
    assert drawn.split() == [reverse("console:memories", args=["acme", "ana"])] * 3
    assert asked.call_count == 1


def test_values_that_are_equal_and_written_differently_are_kept_apart() -> None:
    drawn = [
        draw('{% url "console:memories" organization="acme" external_id=person %}', person=person)
        for person in ("1", 1, True)
    ]
    assert drawn == [reverse("console:memories", args=["acme", person]) for person in ("1", 1, True)]
    assert drawn[1] != drawn[2]


def test_an_address_follows_where_the_site_is_mounted() -> None:
    before = get_script_prefix()
    at_the_root = draw('{% url "console:home" %}')
    try:
        set_script_prefix("/memory/")
        assert draw('{% url "console:home" %}') == f"/memory{at_the_root}"
    finally:
        set_script_prefix(before)


def test_an_address_is_escaped_where_the_page_is() -> None:
    link = '{% url "console:memories" organization="acme" external_id=person %}'
    assert "&#x27;" in draw(link, person="o'neil")
    assert draw("{% autoescape off %}" + link + "{% endautoescape %}", person="o'neil") == reverse(
        "console:memories", args=["acme", "o'neil"]
    )


def test_a_view_that_is_not_there_is_an_error_unless_it_was_asked_for() -> None:
    with pytest.raises(NoReverseMatch):
        draw('{% url "console:nowhere" %}')
    assert draw('{% url "console:nowhere" as found %}[{{ found }}]') == "[]"
