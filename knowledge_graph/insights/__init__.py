"""Insights: what is known about a query before any search; no embedding, two or three statements, a few ms.

``gathering`` is the way in. ``experience`` asks the memories and ``graphs`` the graphs, one statement each;
``conversation`` compares with what was asked before; ``findings`` are the parts as values, ``rendering`` the block of
the context, ``directives`` the instructions for a model. Writes nothing. Without the graphs it still finds by words
what worked, what failed and what the bank holds.
"""

from knowledge_graph.insights.findings import Insights
from knowledge_graph.insights.gathering import gather_insights
from knowledge_graph.insights.rendering import render_insights

__all__ = ["Insights", "gather_insights", "render_insights"]
