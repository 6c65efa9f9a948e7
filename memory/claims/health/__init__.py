"""What a person says of their health: medicines and whatever is taken with them, doses, what somebody who heals bids or
forbids. Where one is told, others may be joined to it.

A dose is read beside its medicine (`named_doses`), without its unit (`doses`), or as moved to a number (`moved_doses`,
by the phrases of `dose_changes`; `asked_doses` where a question follows). `prescriptions` joins further medicines,
`reactions`, `findings` and `denials` tell of allergies and illnesses.
"""
