"""Reads the graphs and writes nothing.

``statistics`` looks up records by key, ``browsing`` pages lists and composes details, ``paths`` finds the way between
two entities, ``graph_view`` selects the nodes and edges that the console draws and ``GET .../graph/picture`` answers.
"""
