"""What a context says already: by fact, by memory and by words."""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from memory.context.blocks import KnownLine, fold_words
from memory.retrieval.results import SearchHit


class ToldContent:
    """Grows as sections are added; a line is new where neither its fact nor its memories nor its words stand there."""

    def __init__(self, known: Sequence[KnownLine], hits: Sequence[SearchHit]) -> None:
        self._facts = {line.fact_id for line in known}
        self._memories = {line.memory_id for line in known} | {hit.item.pk for hit in hits}
        # What stands in no bank item is not the same as everything else that does not.
        self._memories.discard(None)
        self._texts = [line.key for line in known] + [fold_words(hit.item.text) for hit in hits]

    def add(self, fact_id: UUID, memory_ids: Iterable[UUID | None], statement: str) -> None:
        self._facts.add(fact_id)
        self._memories.update(pk for pk in memory_ids if pk is not None)
        self._texts.append(fold_words(statement))

    def holds(self, fact_id: UUID, memory_ids: Collection[UUID | None], statement: str) -> bool:
        if fact_id in self._facts or not self._memories.isdisjoint(memory_ids):
            return True
        said = fold_words(statement)
        return any(said in text for text in self._texts)
