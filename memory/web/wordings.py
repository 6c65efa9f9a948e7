"""Words of the interface that stand in code: translated when they are shown, in the language of whoever looks."""

from typing import cast

from django.utils.translation import gettext_lazy


def translate(text: str) -> str:
    """The words in the language of the request that shows them; outside of the interface in English."""
    # A lazy text answers to all that a text does but joining, so it is typed as one.
    return cast("str", gettext_lazy(text))
