"""Query understanding from words alone. Pure: text and names in, a Query out."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.language import build_query_groups, gloss_in_english, intents, query_cues
from memory.language.figures import DayOfYear, find_codes, find_days, find_numbers
from memory.language.folding import WORD, fold_text
from memory.language.hebrew import is_hebrew
from memory.language.kin import find_relations
from memory.language.names import ROLES, find_names
from memory.language.periods import TimeWindow, find_months, find_window, find_years
from memory.language.spellings import is_same_name
from memory.language.text import SPACES
from memory.language.times import find_times

# Read for cues, names and words. A search may ask no more; the query of a context may be eight times as long, and the
# model that embeds it reads its first 256 tokens.
MAX_QUERY_CHARS = 4_000
SHORTEST_NAME = 2
SHORTEST_QUESTION = 3
# Words of a remark; fewer, as in a search box, name what is looked for.
SHORTEST_REMARK = 6
QUESTION_MARKS = frozenset("?？؟")
# Each part is embedded and searched on its own.
MOST_PARTS = 3
# Memories that a question needs: one fact, a how-to or several facts, "everything about". Five hold the answer of 95 %
# of `scenarios-v1`, ten the evidence of 85 % of the questions to conversations.
FEW, SOME, ALL = 5, 12, 20


@dataclass(frozen=True, slots=True)
class Query:
    """``embedded`` is what the vector is made of, ``words`` what a memory is looked through for.

    ``gloss`` is in English, for models that read nothing else.
    """

    text: str
    # The text as cues read it.
    bare: str = ""
    embedded: str = ""
    gloss: str = ""
    # What the lexical index searches for.
    search_text: str = ""
    words: tuple[tuple[str, ...], ...] = ()
    # Speakers of the user's store that the question names, case-folded.
    named: frozenset[str] = frozenset()
    # Of several the one named first, which is mostly who did or said it.
    first_named: str = ""
    # Tells something and asks for nothing: what fits it was said of the same matter, seldom in the same words.
    is_remark: bool = False
    # For what the assistant said, rather than for what it was told.
    asks_assistant: bool = False
    asks_when: bool = False
    asks_why: bool = False
    # For somebody or some place, as far as the question word tells.
    asks_name: bool = False
    # For a number: how many, how much, at what price.
    asks_amount: bool = False
    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    # The stretch of time that it names relative to now.
    window: TimeWindow | None = None
    # The questions it is made of, where it is made of several.
    parts: tuple[str, ...] = ()
    # How many memories such a question needs.
    limit: int = FEW
    codes: frozenset[str] = frozenset()
    days: frozenset[DayOfYear] = frozenset()
    # Times of day, see `clock`.
    times: frozenset[int] = frozenset()
    numbers: frozenset[float] = frozenset()
    # What looks like a name and is no speaker's.
    names: tuple[str, ...] = ()
    relations: frozenset[int] = frozenset()
    # Tells one bearer of a name from others: "Robin from the club".
    is_qualified: bool = False
    wants_latest: bool = False
    wants_earlier: bool = False
    wants_failures: bool = False
    # What somebody did, rather than how things are.
    asks_deed: bool = False
    wants_own_view: bool = False
    is_about_me: bool = False
    is_about_identity: bool = False
    is_about_books: bool = False
    is_negated: bool = False

    def text_to_embed(self, *, is_glossed: bool) -> str:
        return f"{self.embedded} ({self.gloss})" if is_glossed and self.gloss else self.embedded

    @property
    def has_date(self) -> bool:
        return bool(self.months or self.years or self.window)


CUE_FLAGS = {
    "asks_assistant": query_cues.SAID_BY_ASSISTANT,
    "wants_latest": query_cues.LATEST,
    "wants_earlier": query_cues.EARLIER,
    "wants_failures": intents.ASKS_FAILURE,
    "wants_own_view": query_cues.OWN_VIEW,
    "is_about_identity": query_cues.WHO_AM_I,
    "is_about_books": query_cues.IN_BOOKS,
}


def normalise_query(text: str) -> str:
    return SPACES.sub(" ", text).strip()


def cut_query(text: str) -> str:
    """The beginning and the end of a long text, which is a question with something pasted behind or before it."""
    if len(text) <= MAX_QUERY_CHARS:
        return text
    half = MAX_QUERY_CHARS // 2
    return f"{text[:half]} {text[-half:]}"


def understand_query(text: str, speakers: Collection[str], now: datetime) -> Query:
    """Read a question. ``speakers`` are the names that ever spoke in the user's store."""
    question = cut_query(normalise_query(text))
    bare = fold_text(question)
    speakers_named = find_named_speakers(bare, speakers) or find_meant_speakers(question, speakers)
    parts = split_questions(question)
    newest = strip_words(question, query_cues.NEWEST_WORDS) if query_cues.LATEST.search(bare) else question
    search_text = strip_words(newest, query_cues.NAMING_WORDS)
    embedded = strip_names(newest, speakers_named) or question
    return Query(
        text=question,
        bare=bare,
        embedded=embedded,
        gloss=gloss_in_english(embedded),
        search_text=search_text,
        words=tuple(build_query_groups(search_text)),
        named=frozenset(name for name, _ in speakers_named),
        first_named=min(speakers_named, key=lambda found: bare.find(found[1]), default=("", ""))[0],
        is_remark=is_remark(question, bare),
        asks_why=intents.ASKS_WHY.search(bare) is not None,
        asks_name=intents.ASKS_NAME.search(bare) is not None,
        asks_amount=intents.ASKS_AMOUNT.search(bare) is not None,
        is_negated=is_negated(bare),
        asks_when=intents.ASKS_WHEN.search(bare) is not None,
        months=find_months(bare),
        years=find_years(bare),
        window=find_window(bare, now),
        parts=parts,
        limit=ALL if intents.WANTS_ALL.search(bare) else SOME if parts or intents.WANTS_SOME.search(bare) else FEW,
        codes=find_codes(question),
        days=find_days(question),
        times=find_times(question),
        numbers=find_numbers(question) - find_years(bare),
        names=tuple(name for name in find_names(question) if name not in {spelling for _, spelling in speakers_named}),
        relations=find_relations(bare),
        is_qualified=query_cues.QUALIFIED_NAME.search(question) is not None,
        asks_deed=query_cues.PAST_DEED.search(bare) is not None,
        is_about_me=is_about_me(bare),
        **{name: pattern.search(bare) is not None for name, pattern in CUE_FLAGS.items()},
    )


def is_remark(question: str, bare: str) -> bool:
    """Whether a text neither asks nor requests: a whole sentence with no question mark and no such beginning."""
    if not QUESTION_MARKS.isdisjoint(question) or len(bare.split()) < SHORTEST_REMARK:
        return False
    return intents.OPENS_ASKING.search(bare) is None and query_cues.OPENS_REQUEST.search(bare) is None


def is_about_me(bare: str) -> bool:
    """Whether the user is the matter; "how do I" asks for a way that anybody may go."""
    if intents.HOW_ANYBODY.search(bare) is not None and query_cues.WHO_AM_I.search(bare) is None:
        return False
    return query_cues.ABOUT_ME.search(bare) is not None or query_cues.SAYS_I.search(bare) is not None


def is_negated(bare: str) -> bool:
    """Asks for what is not, or not yet. "Why is it not" asks for a reason, which is."""
    if intents.ASKS_WHY.search(bare) is not None:
        return False
    return query_cues.NEGATED.search(bare) is not None or query_cues.UNDONE.search(bare) is not None


def strip_words(question: str, told: re.Pattern[str]) -> str:
    """The question without "last time", which tells which of several is meant, or "called", which asks for a name: what
    it is about they do not tell."""
    words = question.split(" ")
    bare = [fold_text(word).strip("?!.,;:") for word in words]
    masked = told.sub(lambda match: "\0" * len(match[0]), " ".join(bare))
    kept_words, start = [], 0
    for word, form in zip(words, bare, strict=True):
        if not form or "\0" not in masked[start : start + len(form)]:
            kept_words.append(word)
        start += len(form) + 1
    return normalise_query(" ".join(kept_words)) if any(WORD.search(word) for word in kept_words) else question


def split_questions(question: str) -> tuple[str, ...]:
    """The single questions of "When did we move, and who helped?"; nothing for a question that is one."""
    pieces = [piece.strip(" ,;") for piece in intents.BETWEEN_QUESTIONS.split(question)]
    questions = [piece for piece in pieces if len(piece.split()) >= SHORTEST_QUESTION or is_short_question(piece)]
    return tuple(questions[:MOST_PARTS]) if len(questions) > 1 else ()


def is_short_question(piece: str) -> bool:
    """ "Who helped?" and "¿Dónde vivo?" are whole questions."""
    return len(piece.split()) == SHORTEST_QUESTION - 1 and intents.OPENS_ASKING.search(fold_text(piece)) is not None


def find_named_speakers(bare: str, speakers: Collection[str]) -> list[tuple[str, str]]:
    """The speakers a plain text names, each with the spelling it uses: the whole name or the first of its parts."""
    present = set(WORD.findall(bare))
    found = []
    for speaker in speakers:
        name = fold_text(speaker)
        first = name.partition(" ")[0]
        if name in ROLES or len(first) < SHORTEST_NAME or first not in present:
            continue
        whole = re.search(rf"\b{re.escape(name)}\b", bare)
        found.append((speaker.casefold(), name if whole else first))
    return found


def find_meant_speakers(question: str, speakers: Collection[str]) -> list[tuple[str, str]]:
    """The speaker whom a name in the question may be meant for, where it is nobody's and only one is like it."""
    firsts = {speaker: fold_text(speaker).partition(" ")[0] for speaker in speakers}
    firsts = {speaker: first for speaker, first in firsts.items() if first not in ROLES}
    for written in find_written_names(question):
        meant = [speaker for speaker, first in firsts.items() if is_same_name(written, first)]
        if len(meant) == 1:
            return [(meant[0].casefold(), written)]
    return []


def find_written_names(question: str) -> list[str]:
    """What may be a name: capitals inside a sentence; of a script without them, every word."""
    words = [word for name in find_names(question) for word in WORD.findall(name)]
    return words + [word for word in WORD.findall(fold_text(question)) if is_hebrew(word)]


def strip_names(question: str, found: Sequence[tuple[str, str]]) -> str:
    """The question without the speakers' names: every turn of theirs has the name in front, so it tells none apart."""
    for _, spelling in found:
        question = re.sub(rf"\b{re.escape(spelling)}\b(?:['’]s)?", "", question, flags=re.IGNORECASE)
    remainder = normalise_query(question)
    return remainder if WORD.search(remainder) else ""
