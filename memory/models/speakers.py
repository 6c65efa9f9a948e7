"""The names of speakers in a user's memories, so that a query can be matched against them."""

from typing import ClassVar

from django.db import models

from memory.models.isolation import user_key


class Speaker(models.Model):
    id = models.BigAutoField(primary_key=True)
    user = user_key()
    name = models.CharField(max_length=200)

    class Meta:
        db_table = "memory_speaker"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "name"], name="memory_speaker_once")]

    def __str__(self) -> str:
        return self.name
