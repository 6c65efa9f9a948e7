"""What the graphs tell a search before it begins.

``routing`` looks up the query in one statement (the setting ``adviser``), ``boosts`` turns what it found into ranking
signals (the setting ``boosts``). The weight of a boost is in ``boosts``.
"""
