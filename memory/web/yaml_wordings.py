"""What is wrong with a YAML file, in the words of the page: its parser knows only English, and terms of its own.

Pure. The parser in C and the one in Python say the same in other words: a problem is known by what both of them name.
"""

from typing import Final

from memory.web.wordings import translate as _

# The more special of two stands first.
PROBLEMS: Final = (
    (("',' or ']'",), _("a comma or the closing ] of a list is missing")),
    (("',' or '}'",), _("a comma or the closing } is missing")),
    (("tab character", "'\\t'"), _("lines are indented with spaces, not with tabs")),
    (("cannot start any token",), _("no value begins with this character unless it stands in quotes")),
    (
        ("values are not allowed", "keys are not allowed"),
        _("no colon may stand here: put the text in quotes, or mend the indentation"),
    ),
    (("expected ':'",), _("a colon is missing")),
    (("end of stream",), _("a quotation mark is not closed")),
    (("directive", "incompatible", "version number", "digit"), _("lines that begin with % are not allowed")),
    (("document",), _("something stands outside of the one document")),
    (("escape", "hexdecimal"), _("there is no such escape after a backslash")),
    (
        ("line break", "chomping", "indentation indicator"),
        _("after | or > the line must end"),
    ),
    (("anchor", "alias", "alphabetic or numeric"), _("anchors and aliases are not allowed: write the value out")),
    (("tag", "'>'", "'!'", "' '", "URI"), _("tags are not allowed")),
    (("node content",), _("a value is missing")),
    (
        ("<block end>", "expected key", "'-' indicator", "entries are not allowed", "indentation", "block collection"),
        _("the line does not fit those above it: look at its indentation and its quotes"),
    ),
)
UNKNOWN: Final = _("it cannot be read from here on")


def word_yaml_problem(problem: str) -> str:
    """The parser's own words in those of the page."""
    return str(next((said for signs, said in PROBLEMS if any(sign in problem for sign in signs)), UNKNOWN))
