"""What of a turn the person says in their own voice: neither a text to work on, a part, a quotation nor a supposition.

For whoever asks whose words something is, and not what they claim.
"""

from functools import lru_cache
from typing import Final

from memory.claims.clauses.cutting import cut_clauses
from memory.claims.constraints import find_constraint
from memory.claims.lexicon import MARK, load_claim_words
from memory.claims.subjects import SPOKEN_BY
from memory.claims.voices.others import TAKEN_OUT, gives_parts, mask_other_voices, quotes_after_colon, speaks_for_others
from memory.claims.voices.suppositions import opens_with_condition
from memory.guard import speech
from memory.guard.annotation import Sentence, annotate_text
from memory.guard.spelling import normalise_text
from memory.language.text import blank_match

# Characters that are read: what goes on longer is pasted, and often somebody else's.
READ: Final = 2_000
COLON: Final = ":"
# Words before an order for a scene ("please", "can you"), from it to what is ordered, on to where it is set, and from
# there to who plays.
BEFORE_ORDER: Final = 3
TO_STORY: Final = 4
TO_WHERE: Final = 5
TO_SELF: Final = 2


@lru_cache(maxsize=4096)
def keep_own_words(text: str) -> str:
    """The sentences in the person's own voice; of an order for a text the order alone.

    What stands before an order is the person's own, what comes behind it is most likely what to work on. "My doctor
    says I'm allergic to latex" is the person's own as well: it is they who tell it.
    """
    # A secret that was taken out leaves its sentence the person's own.
    normal = TAKEN_OUT.sub(blank_match, normalise_text(text[:READ]))
    masked = mask_other_voices(normal)
    whole = annotate_text(masked, load_claim_words())
    if speech.is_exchange(whole):
        return ""
    languages = tuple(sorted(whole.languages or ()))
    is_framed, is_quoting = speaks_for_others(whole), masked != normal
    kept: list[str] = []
    # What is pasted is often in another language than the order for it, and longer.
    for sentence, in_any_language in zip(whole.own_sentences, whole.sentences, strict=True):
        is_order = orders_text(sentence)
        head, colon, pasted = sentence.raw.partition(COLON)
        is_foreign = orders_text(in_any_language) or quotes_after_colon(in_any_language) or heads_story(in_any_language)
        if colon and (is_order or is_foreign):
            kept.append(head)
            # A quotation is blank here and ends by itself; what has no marks goes on to the end.
            if pasted.strip() or not is_quoting:
                break
        elif (part := find_ordered_part(in_any_language)) is not None:
            kept.append(in_any_language.raw[: cut_clauses(in_any_language).starts[part]])
        elif not is_supposed(sentence, languages):
            kept.append(sentence.raw)
            if is_order and is_framed:
                break
    return " ".join(kept)


def orders_text(sentence: Sentence) -> bool:
    """A translation, a story, a part to play. Irony is no order: what follows it is the person's own."""
    return sentence.has("text work", MARK + "frame") or gives_parts(sentence)


def heads_story(sentence: Sentence) -> bool:
    """ "For a novel: my name is Silas"; not "my favourite book: I liked the end", nor "big letters: fair on Monday"."""
    colon = next((at for at, word in enumerate(sentence.words) if word == COLON), 0)
    own = sentence.spans(MARK + "i", MARK + "my", MARK + "remember", MARK + "self")
    is_story = any(at < colon for at, _ in sentence.spans(MARK + "story"))
    return is_story and bool(own) and all(at > colon for at, _ in own)


def find_ordered_part(sentence: Sentence) -> int | None:
    """Where the part begins that a scene is ordered for: "write a scene where I am a captain called Red Nell".

    Not in "the film where I met Tom", which nobody orders.
    """
    spoken = [at for at, _ in sentence.spans(MARK + "role i", *SPOKEN_BY, "me")]
    for opening, ordered in sentence.spans(MARK + "scene order"):
        if not any(0 <= opening - start <= BEFORE_ORDER for start in (0, *sentence.breaks)):
            continue
        stories = [after for at, after in sentence.spans(MARK + "story") if 0 <= at - ordered <= TO_STORY]
        for at, after in sentence.spans(MARK + "scene where"):
            is_of_story = any(0 <= at - told <= TO_WHERE for told in stories)
            if is_of_story and any(at <= one <= after + TO_SELF for one in spoken):
                return at
    return None


@lru_cache(maxsize=4096)
def count_self(text: str) -> int:
    """How often somebody says "I" in it."""
    return sum(len(sentence.spans(MARK + "i")) for sentence in annotate_text(text, load_claim_words()).sentences)


def is_supposed(sentence: Sentence, languages: tuple[str, ...]) -> bool:
    """ "If I lived in Hull, I would sail"; not "if I eat nuts, I would choke", which limits all the same, nor
    "maybe I'll take up the clarinet", which is a plan of their own."""
    is_condition = sentence.has("would") and (sentence.has("if i") or opens_with_condition(sentence, languages))
    if not is_condition and not sentence.begins_clause("suppose", "wish"):
        return False
    return not find_constraint(sentence.raw)
