"""A text as the guard reads it: sentences, and in each the places of the words it knows.

`annotate_text` is where every rule and the classifier begin. What a word means stands in `lexicon`; nothing here knows
a language.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat

from memory.guard.conditionals import settle_conditionals
from memory.guard.lexicon import FOREIGN, Lexicon, load_lexicon
from memory.guard.spelling import normalise_text
from memory.language.names import capitalises_nouns

ADDRESS = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}|\b(?:https?://|www\.)[^\s<>\"]{3,}"
    # A host needs no scheme, but an ending: "see evil.example" is an address, "end.Then" is none.
    r"|(?:(?<![\w.-])|(?<=[א-ת]-))(?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|info|biz|example|test|ru|cn|co|shop|app|ai|dev|xyz|site|"
    r"online|de|fr|es|it|il|eu|uk|link|click|top)\b(?:/\S*)?",
    re.IGNORECASE,
)
# Of the private use area: no text has it, so an address stays one word whatever dots and slashes it had.
ADDRESS_MARK = "\ue000"
SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\s\"')\]»]+(?=\S)|\n+|;\s|(?<=[.!?])(?=[A-ZÀ-ÝÄÖÜא-ת¿¡])")
TOKEN = re.compile(r"[^\W_]+|->|[:=]|\ue000|[,;—–(\"«“]|\s-+\s")
BREAKS = frozenset(',;—–("«“')
# A language with at least this share of the likeliest one's votes counts as the text's own too.
LANGUAGE_SHARE = 0.7
# Votes of a small word for its language; any other known word has one.
SMALL_WORD = 3

# Small words that mean something else in another language; they count in the text's own languages only.
GRAMMAR = frozenset(
    {"me", "my", "you", "must", "may", "any", "auto", "passive", "adverb", "not", "want", "kin", "link", "be"}
)

# Behind these a capital begins a name.
BEFORE_NAME = frozenset({"kin", "c:named"})
ARTICLES = frozenset({"c:the", "c:article"})

LONGEST_NAME = 3
# Characters of a sentence that are read at once, and how many of them again with what follows. Rules compare the words
# of a sentence with one another: 32 KB without a full stop took eight times as long as 8 KB. No rule looks further than
# eight words, so the overlap hides nothing.
LONGEST_SENTENCE, OVERLAP = 1200, 200

# Characters up to which a sentence that comes again is read again. No rule asks how often one is said, and 32 KB of one
# mark took .9 s to read, 2,000 characters of one-letter lines .2 s where each is read for what it claims.
REPEATS_READ, MOST_REPEATS = 1_000, 2

Span = tuple[int, int]
# Text, words, where a capital stands, where a clause begins.
DraftSentence = tuple[str, tuple[str, ...], frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class Sentence:
    """Words in lower case, where each kind of word stands, and where a clause begins."""

    raw: str
    words: tuple[str, ...]
    capitals: frozenset[int]
    breaks: frozenset[int]
    spans_by_kind: Mapping[str, Sequence[Span]]

    @property
    def is_question(self) -> bool:
        return self.raw.rstrip("\"' )»”").endswith(("?", "？", "؟")) or self.raw.startswith("¿")

    def spans(self, *kinds: str) -> list[Span]:
        if len(kinds) == 1:
            return list(self.spans_by_kind.get(kinds[0], ()))
        return sorted(span for kind in kinds for span in self.spans_by_kind.get(kind, ()))

    def has(self, *kinds: str) -> bool:
        return not self.spans_by_kind.keys().isdisjoint(kinds)

    def find_following(self, first: str, second: str, gap: int) -> Span | None:
        """The place of a word of the second kind at most ``gap`` words behind one of the first, or None."""
        if first not in self.spans_by_kind or second not in self.spans_by_kind:
            return None
        places = self.spans_by_kind[second]
        starts = [start for start, _ in places]
        for _, end in self.spans_by_kind[first]:
            at = bisect_left(starts, end)
            if at < len(starts) and starts[at] - end <= gap:
                return places[at]
        return None

    def are_near(self, one: str, other: str, gap: int) -> bool:
        return self.find_following(one, other, gap) is not None or self.find_following(other, one, gap) is not None

    def has_before(self, place: int, gap: int, *kinds: str) -> bool:
        """Whether a word of the kinds ends at most ``gap`` words before a place."""
        return any(0 <= place - end <= gap for kind in kinds for _, end in self.spans_by_kind.get(kind, ()))

    def has_after(self, place: int, gap: int, *kinds: str) -> bool:
        """Whether a word of the kinds begins at most ``gap`` words behind a place."""
        return any(0 <= start - place <= gap for kind in kinds for start, _ in self.spans_by_kind.get(kind, ()))

    def has_at(self, place: int, *kinds: str) -> bool:
        """Whether a word of the kinds begins at a place."""
        return any(start == place for kind in kinds for start, _ in self.spans_by_kind.get(kind, ()))

    @cached_property
    def appositions(self) -> frozenset[int]:
        """Behind a name put beside somebody's: "Dana's manager, Priya, signs" begins no clause with "signs"."""
        # In an order to the reader a name between commas may be a company: what stands behind it is still an order.
        if self.has("you", "assistant"):
            return frozenset()
        return frozenset(
            end
            for start, end in pairwise(sorted(self.breaks))
            if start > 1
            and end - start <= LONGEST_NAME
            and all(at in self.capitals for at in range(start, end))
            and (self.has_before(start, 4, "kin", "user", "my") or any(at < start for at in self.capitals))
        )

    @cached_property
    def clause_starts(self) -> frozenset[int]:
        """Where a clause begins, behind words like "please" and "always"."""
        open_places = {0} | (self.breaks - self.appositions)
        for start, end in sorted(self.spans_by_kind.get("adverb", ())):
            if start in open_places:
                open_places.add(end)
        return frozenset(open_places)

    @cached_property
    def sentence_starts(self) -> frozenset[int]:
        """Where the sentence begins, behind greetings and words like "please"."""
        places = {0}
        for start, end in self.spans("adverb", "greeting"):
            if start in places:
                places.add(end)
        return frozenset(places)

    def begins_clause(self, *kinds: str) -> bool:
        return any(start in self.clause_starts for kind in kinds for start, _ in self.spans_by_kind.get(kind, ()))

    def has_name(self, place: int = 0) -> bool:
        """Whether a capital that begins no clause stands behind a place: a name or brand, in German any noun."""
        return any(at >= place and at not in self.breaks for at in self.capitals)


@dataclass(frozen=True)
class AnnotatedText:
    """``sentences`` know the words of every language, small ones aside; ``own`` those of the text's own languages."""

    text: str
    sentences: tuple[Sentence, ...]
    own_sentences: tuple[Sentence, ...]
    languages: frozenset[str] | None


def annotate_text(text: str, words: Lexicon | None = None, languages: frozenset[str] | None = None) -> AnnotatedText:
    """``languages`` says what a piece of a longer text is written in, where that is known."""
    text = normalise_text(text)
    marked = ADDRESS.sub(f" {ADDRESS_MARK} ", text)
    pieces = (piece for raw in SENTENCE_END.split(marked) for piece in cut_sentence(raw))
    drafts = [one for piece in drop_repeats(pieces, len(text)) if (one := tokenise_sentence(piece))]
    lexicon = words or load_lexicon()
    entries = [
        drop_name_homographs(
            settle_conditionals(
                drop_denials_of_names(find_entries(tokens, lexicon), capitals), tokens, capitals, breaks
            ),
            capitals - breaks,
        )
        for _, tokens, capitals, breaks in drafts
    ]
    languages = languages or detect_languages(entries)
    every, own = [], []
    for (raw, tokens, capitals, breaks), found in zip(
        drafts, map(drop_foreign_homographs, entries, repeat(languages)), strict=True
    ):
        spoken = [one for one in found if languages is None or one[1] in languages]
        # Words of every language count against harm: an order may be written half in one language and half in another.
        known = spoken if languages is None else [one for one in found if one[1] in languages or one[0] not in GRAMMAR]
        every.append(Sentence(raw, tokens, capitals, breaks, group_by_kind(known)))
        own.append(Sentence(raw, tokens, capitals, breaks, group_by_kind(spoken)))
    return AnnotatedText(text, tuple(every), tuple(own), languages)


def drop_foreign_homographs(
    found: list[tuple[str, str, Span]], languages: frozenset[str] | None
) -> list[tuple[str, str, Span]]:
    """Without words of another language that are small words of the text's own: Spanish "tan" is no number by SMS."""
    if languages is None:
        return found
    small = {span for kind, language, span in found if kind == "language" and language in languages}
    return [one for one in found if one[1] in languages or one[2] not in small]


def drop_denials_of_names(found: list[tuple[str, str, Span]], capitals: frozenset[int]) -> list[tuple[str, str, Span]]:
    """ "Trabalho no Itaú": before a name what is "in the" in one language is nothing in another, of which the sentence
    has no small word of its own."""
    small = {(language, span) for kind, language, span in found if kind == "language"}
    for contracting, place in [(one[1], one[2]) for one in found if one[0] == "c:contracted" and one[2][1] in capitals]:
        own = {span for language, span in small if language == contracting} - {place}
        others = {language for language, span in small if span not in own and span != place}
        if own:
            found = [one for one in found if one[2] != place or one[1] == contracting or one[1] in others]
    return found


def drop_name_homographs(found: list[tuple[str, str, Span]], capitals: frozenset[int]) -> list[tuple[str, str, Span]]:
    """Without what a name would be as a word: "my sister Hope", "he's called Will".

    Not where every noun has a capital.
    """
    behind = {span[1] for kind, language, span in found if kind in BEFORE_NAME and not capitalises_nouns(language)}
    # "A bakery called The Crusty Cob".
    articles = {span[0] for kind, _, span in found if kind in ARTICLES}
    names = {(place, place + 1) for place in (behind & capitals) - articles}
    return [one for one in found if one[2] not in names] if names else found


def drop_repeats(pieces: Iterator[str], length: int) -> Iterator[str]:
    """The pieces of a long text, each at most twice: what comes a third time tells nothing new."""
    seen: Counter[str] = Counter()
    for piece in pieces:
        seen[piece] += 1
        if length <= REPEATS_READ or seen[piece] <= MOST_REPEATS:
            yield piece


def cut_sentence(raw: str) -> Iterator[str]:
    for start in range(0, max(1, len(raw) - OVERLAP), LONGEST_SENTENCE - OVERLAP):
        yield raw[start : start + LONGEST_SENTENCE]


def tokenise_sentence(raw: str) -> DraftSentence | None:
    raw = raw.strip()
    words: list[str] = []
    capitals, breaks = set(), set()
    for match in TOKEN.finditer(raw):
        token = match.group()
        # A dash with space around it begins a clause, one within a word does not.
        if token[0] in BREAKS or token[0].isspace():
            if not is_within_number(raw, match):
                breaks.add(len(words))
            continue
        # The first word of a sentence has a capital whatever it is.
        if token[0].isupper() and words:
            capitals.add(len(words))
        words.append(token.casefold())
        if match.group() == ":":
            breaks.add(len(words))
    return (raw, tuple(words), frozenset(capitals), frozenset(breaks)) if words else None


def is_within_number(raw: str, mark: re.Match[str]) -> bool:
    """ "1,250", "3,5 km"."""
    return (
        mark.group() == ","
        and raw[mark.start() - 1 : mark.start()].isdigit()
        and raw[mark.end() : mark.end() + 1].isdigit()
    )


def find_entries(words: tuple[str, ...], lexicon: Lexicon) -> list[tuple[str, str, Span]]:
    """Kind, language and place of each entry of the lexicon that the words contain."""
    found = []
    for place, word in enumerate(words):
        if word == ADDRESS_MARK:
            found.append(("address", FOREIGN, (place, place + 1)))
            continue
        for entry in lexicon.find_anchored(word):
            start = place - entry.anchor
            # An entry of one word is known to fit where its word stands.
            if start >= 0 and (len(entry.parts) == 1 or entry.fits(words, start)):
                found.append((entry.kind, entry.language, (start, start + len(entry.parts))))
    return found


def detect_languages(entries: list[list[tuple[str, str, Span]]]) -> frozenset[str] | None:
    """The languages the text seems to be written in, or None when nothing tells."""
    votes: Counter[str] = Counter()
    for kind, language, _ in {one for found in entries for one in found if one[1] != FOREIGN}:
        votes[language] += SMALL_WORD if kind == "language" else 1
    if not votes:
        return None
    most = max(votes.values())
    return frozenset({language for language, count in votes.items() if count >= LANGUAGE_SHARE * most} | {FOREIGN})


def group_by_kind(entries: list[tuple[str, str, Span]]) -> dict[str, list[Span]]:
    spans_by_kind: dict[str, set[Span]] = {}
    for kind, _, span in entries:
        spans_by_kind.setdefault(kind, set()).add(span)
    return {kind: sorted(spans) for kind, spans in spans_by_kind.items()}
