"""From a sentence to claims: its clauses, what opens a statement, where its object ends, and what makes it none."""
