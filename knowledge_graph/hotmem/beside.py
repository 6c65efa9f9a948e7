"""What the hot path would lay beside a question, for the context: reads, and changes nothing of the conversation."""

from datetime import datetime

from knowledge_graph.hotmem.bullets import render_bullet
from knowledge_graph.hotmem.cues import read_cue
from knowledge_graph.hotmem.own_language import find_own_language
from knowledge_graph.hotmem.retrieval import find_hot_facts
from knowledge_graph.hotmem.threads import load_thread
from memory.access.cursors import open_bounded_scope
from memory.access.users import is_stranger
from memory.claims.turns import read_turn
from memory.conf import memory_conf
from memory.context.bullets import HotLine
from memory.models import EndUser
from memory.platform.deadline import Deadline


def list_context_bullets(
    user: EndUser, query: str, deadline: Deadline, *, thread_id: str, now: datetime
) -> list[HotLine]:
    """Best first. The same question gets the same lines: nothing rests here, as each context stands for itself."""
    if is_stranger(user) or not memory_conf().hot.injects:
        return []
    with open_bounded_scope(user, deadline):
        reading = read_turn(query, own=find_own_language(user, query))
        cue = read_cue(query, reading.intent, reading.lang, tells=bool(reading.triples))
        state = load_thread(user, thread_id)
        state.shown = []
        found = find_hot_facts(user, cue, state, thread_id=thread_id, intent=reading.intent, now=now)
    edges = [one.edge for one in found.chosen]
    return [
        HotLine(
            render_bullet(edge, reading.lang),
            edge.statement,
            edge.fact_id,
            edge.bank_item_id,
            is_doubted=edge.doubted_at is not None,
        )
        for edge in edges
    ]
