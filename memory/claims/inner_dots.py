"""What stands for a dot within a sentence, so that none is split there: of "Dr", of "am 2.12."."""

from typing import Final

TITLE_DOT: Final = "\ue001"
NUMERIC_DATE: Final = rf"\d{{1,2}}{TITLE_DOT}\d{{1,2}}"
