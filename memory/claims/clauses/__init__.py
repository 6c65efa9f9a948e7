"""From a sentence to claims: its clauses, what opens a statement, where its object ends, and what makes it none.

`cutting` finds the clauses, `openings` those that begin with a known phrase, `grouping` what belongs to one statement,
`rejection` what tells nothing that lasts, `objects` where the object ends, and `building` makes the claim. `general`
and `stretches` keep what no phrase knows, `completion` what stands beside a claim.
"""
