"""The graphs: what verdicts and memories teach, and what that says before the next search.

``extraction`` reads concepts, entities and the kind of work from a text. ``content`` keeps who and what the memories
name, ``learning`` what verdicts teach of tiers, actions and solutions; both run in the worker. ``queries`` reads the
graphs for pages and answers, ``advice`` tells the search which tiers and memories to prefer, ``insights`` tells a
client what is known before it searches. Beside the rooms: ``models`` (the tables), ``rates`` (what counts say),
``work`` (which memories wait), ``tasks``, ``receivers`` and ``rebuilding``; ``api`` (its endpoints), ``console`` with
``graph_layout`` (its page).

To change a boost of the search, see ``advice``; a rule for names, ``extraction/entities.py``; what an answer of
insights holds, ``insights/findings.py``. The graphs read the ledger of ``outcomes``; nothing there imports the graphs.
"""
