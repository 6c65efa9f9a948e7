"""Whether an answer used what was laid beside its turn: a rough measure, by the words of the bullets."""

from knowledge_graph.hotmem.cues import list_key_words, read_cue
from knowledge_graph.models import HotTurn
from memory.claims.claim import SPEAKER
from memory.models import EndUser, Fact
from memory.platform import metrics


def count_use(user: EndUser, turn: HotTurn, answer: str) -> None:
    """Count whether the answer names a value, or somebody, of the bullets. In the user's scope."""
    shown = [fact_id for fact_id, _ in turn.trace.get("bullets", [])]
    if not shown:
        return
    words = read_cue(answer).words
    keys = Fact.objects.for_user(user).filter(pk__in=shown).values_list("subject_key", "object_key")
    named = [key for pair in keys for key in pair if key and key != SPEAKER]
    is_used = any(words.issuperset(list_key_words(key)) for key in named if list_key_words(key))
    metrics.count("hot_hints", "used" if is_used else "unused")
