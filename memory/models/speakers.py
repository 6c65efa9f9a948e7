"""The names of speakers in a user's memories, so that a query can be matched against them."""

from typing import ClassVar

from django.db import models

from memory.models.people import EndUser


class Speaker(models.Model):
    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=200)

    class Meta:
        db_table = "memory_speaker"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "name"], name="memory_speaker_once")]

    def __str__(self) -> str:
        return self.name
