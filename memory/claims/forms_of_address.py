"""What somebody wants to be called: "call me Bea" wishes how to be answered, and tells a name."""

from dataclasses import replace
from itertools import dropwhile
from typing import Final

from memory.claims.claim import Claim
from memory.claims.constraints import STYLE
from memory.claims.frames.languages import find_turn_languages
from memory.claims.slots.framed import read_frames
from memory.claims.slots.matching import load_small_words

# Not the person's name: "My name is Beatrice but call me Bea" would end Beatrice.
GOES_BY: Final = "goes_by"


def find_wished_name(wish: str) -> str:
    """The name in a wish about answers, folded; empty where it has none."""
    languages = find_turn_languages(wish)
    slots = read_frames(wish, (), frozenset(languages)).slots
    named = next((slot for slot in slots if slot.relation == "name" and not slot.is_denied), None)
    if named is None:
        return ""
    # "Nenn mich bitte Bea", "nenn mich ruhig Bine": a name has a capital, where anything here has.
    said = wish[slice(*named.object_span)].split()
    has_capitals = any(word[:1].isupper() for word in said)
    small = load_small_words(languages[0])
    kept = dropwhile(lambda word: word.islower() and (has_capitals or word in small), said)
    return " ".join(kept).casefold() or named.object


def name_address(claim: Claim) -> Claim:
    """The claim as one of the name, where it wishes for one."""
    name = find_wished_name(claim.statement) if claim.relation == STYLE and claim.polarity else ""
    return replace(claim, relation=GOES_BY, object=name) if name else claim
