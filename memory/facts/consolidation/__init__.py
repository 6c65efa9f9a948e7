"""What a nightly run does with a person's facts: their pairs, the evidence of episodes, and its own record.

`candidates` finds which facts lie near each other, `pairing` decides what becomes of two (nothing is written there),
`evidence` holds facts against episodes, `runs` keeps the record that a run goes on from. The stages themselves, and
that the bank follows, are `memory.lifecycle.consolidation`.
"""
