"""Ranking signals: each is a function from a query and a pool to a number per candidate.

The setting ``BOOSTS`` lists them in order; with an empty list only the fused relevance counts. Other applications add
signals in the same way. Each module ends with its signals and their weights, and beside each weight stands what is lost
without it. Figures are from `docs/ranking.md`: on conversations R@10, MRR and R@1 (with all signals .851, .706, .528),
on the public scenarios and on `scenarios-v1` Top-1, MRR and trap@1 (.760, .856, .020 and .726, .832, .165; of trap@1
less is better). All weights come from one fit (see there): to change one by hand is to leave the others fitted to the
old one.
"""
