"""Insights: what was learned about a query, before any search; no embedding, two or three statements, a few ms.

Reads memories, verdicts and the graphs; writes nothing. Without the graphs it still finds by words what worked, what
failed and what the bank holds.
"""

from knowledge_graph.insights.findings import Insights
from knowledge_graph.insights.gathering import insights_of
from knowledge_graph.insights.telling import lines_of

__all__ = ["Insights", "insights_of", "lines_of"]
