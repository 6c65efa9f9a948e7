"""Numbers and dates of the interface; see config/formats/__init__.py."""

from config.formats import DECIMAL_POINT, ISO_DATES

DECIMAL_SEPARATOR = DECIMAL_POINT
THOUSAND_SEPARATOR = "\u202f"
NUMBER_GROUPING = 3
DATE_INPUT_FORMATS = ISO_DATES
