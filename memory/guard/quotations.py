"""What a text quotes: words between marks are somebody else's, or are only spoken of."""

import re

from memory.guard.annotation import AnnotatedText, annotate_text

QUOTED = re.compile(
    # Not within a word: Hebrew writes its abbreviations with the same mark.
    r"(?<!\w)\"[^\"\n]{1,300}\"(?!\w)|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|‘[^’\n]{3,300}’(?!\w)"
    r"|(?<!\w)'[^'\n]{3,300}'(?!\w)"
)
# Words that must stand around a quotation for it to be one: a text in marks is only a text.
LEAST_AROUND = 3
# Words from which a quotation is a sentence and no title.
LEAST_QUOTED = 5


def is_mostly_quoted(annotated: AnnotatedText) -> bool:
    """Whether most of the text is quoted, and what is around it names nobody whose words they are."""
    quoted = sum(len(found[0].split()) for found in QUOTED.finditer(annotated.text))
    around = annotate_text(QUOTED.sub(" ", annotated.text), languages=annotated.languages)
    told = sum(len(sentence.words) for sentence in around.sentences)
    is_theirs = any(sentence.has("me", "my", "kin", "user") for sentence in around.own_sentences)
    return quoted >= LEAST_QUOTED and quoted >= told and not is_theirs


def read_around_quotations(annotated: AnnotatedText) -> AnnotatedText | None:
    """The text without what it quotes, or None where it quotes nothing or says too little besides."""
    around = QUOTED.sub(" ", annotated.text)
    if around == annotated.text:
        return None
    read = annotate_text(around, languages=annotated.languages)
    told = sum(len(sentence.words) for sentence in read.sentences)
    return read if told >= LEAST_AROUND else None
