"""Ranking signals: each is a function from a query and a pool to a number per candidate.

The setting ``BOOSTS`` lists them in order; with an empty list only the fused relevance counts. Other applications add
signals in the same way. Each module ends with its signals and their weights, which come from one
fit (`docs/ranking.md`): to change one by hand is to leave the others fitted to the old one.
"""
