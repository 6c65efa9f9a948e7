"""Reads a turn of the hot path: text in, language, intent and canonical triples out. Pure, and fast: no framework.

It stands on the reader of claims (`memory/claims`) and puts what that finds into the closed set of relations of
`taxonomy`. Words stand in the language files.
"""

from knowledge_graph.hotmem.reading.triples import DroppedTriple, HotReading, HotTriple
from knowledge_graph.hotmem.reading.turn import read_turn

__all__ = ["DroppedTriple", "HotReading", "HotTriple", "read_turn"]
