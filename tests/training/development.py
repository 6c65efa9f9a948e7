"""Where the development halves of conversations and months stand, by author."""

from collections.abc import Iterable

MONTHS = ("", "commuter_", "flatmate_", "parent_")


def list_development(authors: Iterable[str]) -> tuple[str, ...]:
    """The conversations of these authors, each named as the file begins, and every month."""
    names = (*(f"{author}changes" for author in authors), *(f"{author}month" for author in MONTHS))
    return tuple(f"memory/evaluation/facts/{name}.dev.jsonl" for name in names)
