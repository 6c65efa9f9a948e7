"""Reads what a person claims: text in, `Claim`s out. Pure: words of the guard and the languages, no framework.

A turn is cut into clauses; a clause claims something if a subject that belongs to the person stands before a phrase
of a relation, or if it tells of their body, home, people, animals or habits. The phrases stand in
`memory/language/<code>/claims.txt`; the clause reader is `reader`, what is kept apart `voices`, requests to remember
`requests`, where an object ends `objects`. May import the guard and the language room only.
"""

from memory.claims.claim import Claim
from memory.claims.reader import read_claims
from memory.claims.relations import SINGLE_VALUED, is_single_valued

__all__ = ["SINGLE_VALUED", "Claim", "is_single_valued", "read_claims"]
