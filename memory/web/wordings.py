"""Words of the interface that stand in code: translated when they are shown, in the language of whoever looks."""

from typing import cast

from django.utils.translation import gettext, gettext_lazy


def translate(text: str) -> str:
    """The words in the language of the request that shows them; outside of the interface in English."""
    # A lazy text answers to all that a text does but joining, so it is typed as one.
    return cast("str", gettext_lazy(text))


def translate_shipped(text: str) -> str:
    """What is shipped as data and written in English (what a setting is for, say), in the language of whoever looks."""
    # gettext answers the header of the catalogue for nothing.
    return gettext(text) if text else ""
