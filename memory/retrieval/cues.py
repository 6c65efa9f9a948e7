"""Words that tell how a question is meant or a memory is said, in English, Spanish, French, German, Italian, Hebrew.

Patterns are matched against `plain` text: case and accents folded, marks of Hebrew off.
"""

import re
from typing import Final

from memory.words.calendar import MONTHS
from memory.words.folding import clean, without_accents

WORD: Final = re.compile(r"[^\W_]+")


def plain(text: str) -> str:
    """The text as the patterns expect it."""
    folded = clean(text).casefold()
    return folded if folded.isascii() else " ".join(without_accents(word) for word in folded.split(" "))


def any_of(*phrases: str) -> re.Pattern[str]:
    """A pattern for any of these phrases as whole words; phrases are given in lines, parted by commas."""
    found = [phrase.strip() for line in phrases for phrase in line.split(",") if phrase.strip()]
    return re.compile(rf"\b(?:{'|'.join(sorted(found, key=len, reverse=True))})\b")


ASKS_WHEN: Final = re.compile(
    r"^\W*(?:(?:since|until|from|for) )?(?:when|how long|how often|what (?:date|day|month|year|time)|"
    r"which (?:date|day|month|year)|in (?:what|which) (?:month|year)|"
    r"cuando|hace cuanto|desde cuando|quand|depuis quand|combien de temps|wann|seit wann|wie lange|quando|da quando|"
    r"quanto tempo|מתי|ממתי|כמה זמן|באיזה יום|באיזו שנה)\b"
)

TIME_WORDS: Final = any_of(
    "yesterday,today,tonight,tomorrow,last,next,ago,weeks?,weekends?,months?,years?,morning,since,recently,days?",
    "mondays?,tuesdays?,wednesdays?,thursdays?,fridays?,saturdays?,sundays?",
    "ayer,hoy,manana,semanas?,mes,meses,anos?,hace,pasad[oa],proxim[oa]",
    "hier,aujourd'hui,demain,semaines?,mois,ans?,annees?,dernier,derniere,prochaine?",
    "gestern,heute,morgen,wochen?,monate?n?,jahre?n?,letzte[nrsm]?,nachste[nrsm]?",
    "ieri,oggi,domani,settiman[ae],mes[ei],ann[oi],scors[oa],prossim[oa]",
    "אתמול,היום,מחר,שבוע,שבועות,חודש,חודשים,שנה,שנים,שעבר,שעברה,הבא,הבאה,לפני",
    ",".join(name for name in MONTHS if len(name) > 3),
)

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
# "May" and "mars" and their like are ordinary words more often than months, unless something of a date is beside them.
_UNSURE_MONTHS: Final = frozenset({"may", "mar", "mars", "march", "dec", "sept", "ago", "set", "jan", "sep", "out"})
_BESIDE_MONTH: Final = r"(?:\d{1,4}(?:st|nd|rd|th)?(?: of)?|in|on|since|until|of|during|last|next|this|en|im|le|el|al)"


def months_in(bare: str) -> frozenset[int]:
    """The months a plain question names."""
    found = set()
    for word in set(WORD.findall(bare)) & MONTHS.keys():
        if word in _UNSURE_MONTHS and not re.search(rf"\b{_BESIDE_MONTH} {word}\b|\b{word},? \d", bare):
            continue
        found.add(int(MONTHS[word].removeprefix("month:")))
    return frozenset(found)


def years_in(bare: str) -> frozenset[int]:
    return frozenset(int(year) for year in _YEAR.findall(bare))
