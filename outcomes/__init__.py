"""Exchanges, the outcomes recorded of them, and the scores of memories that outcomes move.

``verdicts`` records an outcome and moves scores, ``exchanges`` stores and lists what was said, ``detection`` looks for
an outcome that nobody reported. Beside the rooms: ``models`` (the tables), ``signals`` (what others may listen to),
``work`` (which users have something pending), ``tasks`` and ``receivers`` (Celery and Django conventions);
``api`` and ``schemas`` (its endpoints), ``console`` (its pages).

To change by how much an outcome moves a score, see ``ScoringConf`` in ``memory/conf.py``; which outcome replaces which
is in ``verdicts/ledger.py``. This app imports ``memory`` below its doors and never ``knowledge_graph``: the graphs
read the ledger, the ledger does not know them.
"""
