"""Token vectors of memories, as sign bits. Can be rebuilt from the items at any time."""

from typing import ClassVar

from django.db import models

from memory.models.isolation import user_key


class TokenVectors(models.Model):
    """The tokens of one item: a row of bits each, one after another."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    item_id = models.UUIDField()
    model = models.CharField(max_length=200)
    signs = models.BinaryField()
    # Of the item as it was when this was written; a write of an older revision changes nothing.
    revision = models.BigIntegerField(db_default=0)

    class Meta:
        db_table = "memory_token_vectors"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item_id"], name="memory_token_vectors_once")]

    def __str__(self) -> str:
        return f"{self.model} {self.item_id}"
