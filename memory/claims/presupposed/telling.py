"""Claims of the words of a phrase."""

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import write_sentence
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.presupposed.phrases import SpokenSentence
from memory.claims.taxonomy import HAVING
from memory.language.folding import normalise_text
from memory.language.hebrew import HEBREW
from memory.language.kinds import list_kinds


def claim_words(
    sentence: SpokenSentence, relation: str, spoken: str, span: tuple[int, int], place: int, subject: str = SPEAKER
) -> Claim:
    """``span`` are the words that tell it, as places among the tokens; ``place`` is where the sentence begins."""
    start, end = span
    # "Il mio capo"; the Hebrew "את" is no article.
    start -= (
        sentence.language != HEBREW
        and start > 0
        and sentence.says(start - 1, "det")
        and not sentence.says(start - 1, "prep", "of")
    )
    said = sentence.cut(start, end).replace(TITLE_DOT, ".")
    said += ")" * (said.count("(") - said.count(")"))
    around = place + sentence.tokens[start].start, place + sentence.tokens[end - 1].end
    value = " ".join(spoken.replace(TITLE_DOT, ".").casefold().split())
    return Claim(
        subject.casefold(), relation, value, write_sentence(said), around, lang=sentence.language, is_sure=True
    )


def names_mere_kind(claim: Claim) -> bool:
    """Whether it says of a thing no more than whose it is: "my bicycle", and not "my Brompton" or "my old bicycle".

    As a memory of its own it stood before the one that told where the bicycle is.
    """
    is_bare = len(claim.statement.split()) == 2 and claim.object in claim.statement.casefold()
    return claim.relation in HAVING and is_bare and not list_kinds(normalise_text(claim.object))
