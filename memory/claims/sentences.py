"""A turn and its sentences as the reader of claims takes them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from memory.claims.corrected import CorrectedText
from memory.claims.dates.rescheduling import put_values_right
from memory.claims.fillers import blank_fillers
from memory.claims.frames.appositions import join_appositions, open_brackets, put_nouns_first
from memory.claims.frames.contractions import restore_apostrophes
from memory.claims.frames.unmarked_questions import mark_questions
from memory.claims.lexicon import list_nouns, load_claim_words, strip_marks
from memory.claims.slots.framed import FramedText, read_frames
from memory.claims.subjectless_questions import mark_subjectless_questions
from memory.claims.subjects import NOUNS, PERSON_NOUNS, is_person
from memory.claims.voices.others import mask_inner_dots, mask_other_voices
from memory.claims.voices.suppositions import drop_letter, mark_may
from memory.guard import speech
from memory.guard.annotation import AnnotatedText, Sentence, annotate_text
from memory.guard.lexicon import WORD
from memory.guard.spelling import normalise_text

# Words of a sentence that are read: 2,000 characters without a full stop took 180 ms when all were.
MOST_WORDS: Final = 100
# Characters of a text that are read: what goes on longer is pasted, and often somebody else's.
READ: Final = 2000


def prepare_sentence(sentence: Sentence) -> Sentence:
    """With all nouns under one kind, and no longer than a person speaks: clauses look at all words of a kind."""
    sentence = mark_may(drop_letter(sentence))
    kinds = sentence.spans_by_kind
    nouns = [kind for kind in list_nouns() if kind in kinds]
    if nouns:
        persons = [kind for kind in nouns if is_person(strip_marks(kind))]
        kinds = {**kinds, NOUNS: sentence.spans(*nouns), PERSON_NOUNS: sentence.spans(*persons)}
    if len(sentence.words) <= MOST_WORDS:
        return replace(sentence, spans_by_kind=kinds) if nouns else sentence
    short = {kind: [span for span in spans if span[1] <= MOST_WORDS] for kind, spans in kinds.items()}
    ends = [match.end() for match in islice(WORD.finditer(sentence.raw), MOST_WORDS)]
    words = sentence.words[:MOST_WORDS]
    known = {kind: spans for kind, spans in short.items() if spans}
    return replace(sentence, raw=sentence.raw[: ends[-1]], words=words, spans_by_kind=known)


def mask_turn(text: str) -> tuple[str, str, tuple[int, ...]]:
    """The text without its laughter, the same with blanks for other voices, and where the laughter stood."""
    quiet, laughs = speech.blank_laughter(mark_questions(restore_apostrophes(normalise_text(text[:READ]))))
    normal = mark_subjectless_questions(join_appositions(open_brackets(put_nouns_first(blank_fillers(quiet)))))
    return normal, mask_other_voices(normal), laughs


def frame_turn(
    normal: str, masked: str, whole: AnnotatedText, previous: Sequence[str]
) -> tuple[str, str, AnnotatedText, FramedText, CorrectedText]:
    """The turn as it was meant: one that puts a value right is read as the sentence that it means."""
    framed = read_frames(masked, previous, whole.languages)
    corrected = put_values_right(masked, framed.amendment, previous, whole.languages)
    if corrected.text != masked:
        masked = normal = mask_inner_dots(corrected.text)
        whole = annotate_text(masked, load_claim_words())
        framed = read_frames(masked, previous, whole.languages)
    return normal, masked, whole, framed, corrected
