"""Insights: what was learned about a query, before any search; no embedding, two or three statements, a few ms.

Reads memories, verdicts and the graphs; writes nothing. Without the graphs it still finds by words what worked, what
failed and what the bank holds.
"""

from knowledge_graph.insights.findings import Insights
from knowledge_graph.insights.gathering import gather_insights
from knowledge_graph.insights.rendering import render_insights

__all__ = ["Insights", "gather_insights", "render_insights"]
