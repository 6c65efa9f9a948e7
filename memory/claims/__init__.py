"""Reads what a person claims: text in, `Claim`s out. Pure: words of the guard and the languages, no framework.

Begin at `reader`, which goes through a turn sentence by sentence; `sentence_claims` reads one of them.

A turn is cut into clauses (room `clauses`). A clause claims something if a subject that belongs to the person stands
before a phrase of a relation, or if it tells of their life and nothing sets it aside; other voices and what is only
supposed are dropped before (`voices`), requests to remember are kept whatever their grammar (`requests`), and small
trained models say how likely the rest tells what lasts (`judgement`). Then the words of each claim are read for the
slots they fill (`slots`; `succession` says what they replace), so that a claim carries subject, relation and object.
Beside them `health` and `dates` read medicines and appointments, `few_words` what needs no verb, `presupposed` what
"my ..." takes for granted within a question, and `replies` what answers the assistant.
`statements` reads what is said of "the user". `frames` reads the same turn by frames of verbs into a closed set of
relations, with whom pronouns mean; `slots.framed` puts what it finds beside the templates, and `turns` gives it to the
hot path by itself.
May import the guard and the language room only.
"""

from memory.claims.claim import Claim
from memory.claims.reader import read_claims
from memory.claims.relations import SINGLE_VALUED, is_single_valued

__all__ = ["SINGLE_VALUED", "Claim", "is_single_valued", "read_claims"]
