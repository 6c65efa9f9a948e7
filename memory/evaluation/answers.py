"""Whether an accepted answer stands in a text, as the sets of facts define it."""

import re
import unicodedata
from collections.abc import Iterable


def any_text_holds(texts: Iterable[str], accepted: Iterable[str]) -> bool:
    answers = list(accepted)
    return any(holds_any(text, answers) for text in texts)


def holds_any(text: str, accepted: Iterable[str]) -> bool:
    """Whether an accepted substring stands in the text; digits beside digits are another number."""
    folded = fold_case(text)
    return any(is_within(fold_case(answer), folded) for answer in accepted)


def fold_case(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def is_within(answer: str, text: str) -> bool:
    before = r"(?<!\d)(?<!\d[.,])" if answer[:1].isdigit() else ""
    after = r"(?![.,]?\d)" if answer[-1:].isdigit() else ""
    return re.search(before + re.escape(answer) + after, text) is not None
