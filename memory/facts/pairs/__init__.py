"""One judge of two statements about a person: the same, both true, contradicting, or nothing to do with each other.

Merging, contradiction, evidence and the bank's dedup ask it. Pure: texts and a cosine in, a verdict out, no framework.
What a statement says is read once (`reading`) and kept; two readings are held against each other in `judging`. The
words stand in `memory/language/<code>/pairs.txt`.
"""

from memory.facts.pairs.judging import judge_pair
from memory.facts.pairs.statement import PairStatement, PairVerdict, read_statement

__all__ = ["PairStatement", "PairVerdict", "judge_pair", "read_statement"]
