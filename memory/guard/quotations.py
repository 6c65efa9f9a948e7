"""What a text quotes: words between marks are somebody else's, or are only spoken of."""

import re
from dataclasses import replace

from memory.guard.annotation import AnnotatedText, annotate_text

QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|‘[^’\n]{3,300}’(?!\w)"
    r"|(?<!\w)'[^'\n]{3,300}'(?!\w)"
)
# Words that must stand around a quotation for it to be one: a text in marks is only a text.
LEAST_AROUND = 3


def read_around_quotations(annotated: AnnotatedText) -> AnnotatedText | None:
    """The text without what it quotes, or None where it quotes nothing or says too little besides."""
    around = QUOTED.sub(" ", annotated.text)
    if around == annotated.text:
        return None
    read = annotate_text(around, languages=annotated.languages)
    told = sum(len(sentence.words) for sentence in read.sentences)
    return replace(read) if told >= LEAST_AROUND else None
