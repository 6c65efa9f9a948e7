"""Whose a memory is, for doors that name a memory by its id alone.

The one table about memories without a policy: it is what the scope is found by, as ``end_user`` is. It holds two ids
and no word; a trigger writes it, and it goes with the memory. What stands behind an id is read in its owner's scope.
"""

from django.db import models


class MemoryAddress(models.Model):
    item_id = models.UUIDField(primary_key=True)
    owner = models.ForeignKey(
        "memory.EndUser", on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )

    class Meta:
        db_table = "memory_address"

    def __str__(self) -> str:
        return str(self.item_id)
