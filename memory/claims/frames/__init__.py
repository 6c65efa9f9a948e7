"""Reads a turn of the hot path: text in, language, intent and canonical triples out. Pure, and fast: no framework.

What it finds is put into the closed set of relations of `taxonomy`. Words stand in `memory/language/<code>/frames.txt`.

`turn` is the way through: `tokens` and `clauses` cut the text, `subjects` and `mentions` say whom a clause is about,
`matching` with `telling`, `having`, `predicates` and `naming` read what it tells, `status` says which clauses tell
nothing, and `settling`, `corrections` and `retractions` what is taken back. All else reads one manner of speaking.
"""

from memory.claims.frames.triples import DroppedTriple, HotReading, HotTriple
from memory.claims.frames.turn import read_framed

__all__ = ["DroppedTriple", "HotReading", "HotTriple", "read_framed"]
