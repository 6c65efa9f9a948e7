"""Reads a turn of the hot path: text in, language, intent and canonical triples out. Pure, and fast: no framework.

What it finds is put into the closed set of relations of `taxonomy`. Words stand in `memory/language/<code>/frames.txt`.
"""

from memory.claims.frames.triples import DroppedTriple, HotReading, HotTriple
from memory.claims.frames.turn import read_framed

__all__ = ["DroppedTriple", "HotReading", "HotTriple", "read_framed"]
