"""``/api/admin/v1``: organisations and what governs them, as nouns that are listed, filtered and changed.

`callers` says who asks and which organisations are theirs, `problems` how a refusal reads, `serializers` and `filters`
what is shown and asked for, `organizations`, `people`, `installation` answer, `urls` names the nouns.
"""
