"""What outcomes teach: counts for concepts and tiers, for solutions and documents, for actions; and their reversal.

``verdicts`` learns from the ledger, ``actions`` from tool runs, ``counters`` writes both, ``forgetting`` removes
deleted memories and questions from the evidence. Each batch is one transaction together with its marks, so nothing
counts twice.
"""
