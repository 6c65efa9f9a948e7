"""The write path: the only place that writes a memory's text, status and versions.

A new rule for what may be stored goes into `admission`, a new column into `rows`. `writing` stores and revises,
`archiving` is how memories leave and come back; how two bank items that say the same become one is in `merging`, what a
memory inherits from its parents in `lineage`. Every operation is one transaction in the user's scope that leaves an
event and announces the change (`memory.signals`).

May import `access`, `models`, `guard`, `language` and what lies below them. Knows no index and no model: who keeps
something beside the rows hears of a change and catches up.
"""
