"""What an outcome does, in one short transaction on the memories of one user.

``recording`` is the way in: it finds what the outcome is about and applies it. ``ledger`` decides which earlier verdict
gives way and moves the scores. ``withdrawal`` reverses one verdict, ``actions`` keeps the tool runs of a turn with
its outcome. Learning from verdicts happens later, in ``knowledge_graph.learning``.
"""
