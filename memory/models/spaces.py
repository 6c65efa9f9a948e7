"""Spaces that several people of an organisation share: who belongs to one, and who shared what into it.

The memories of a space are rows like a person's, of an owner of their own: a partition with an id from ``FIRST_SPACE``
on, so that the policies tell it from a person by the number alone and look nothing up for a person's own rows.
"""

from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key
from memory.models.items import build_choices
from memory.models.people import EndUser, Organization

# People are counted from 1. The half above is left to spaces, but for its last number, which stands for a stranger.
FIRST_SPACE = 2**62
SPACE_NAME_CHARS = 100
SLUG_CHARS = 64
# The external id of a partition begins like that of an erased person: no client can name it.
PARTITION_NAME = "#space-{number}"


def is_space(user_id: int) -> bool:
    return user_id >= FIRST_SPACE


class Role(StrEnum):
    """What a member may do in a space, each including the one before."""

    READER = "reader"
    WRITER = "writer"
    CURATOR = "curator"

    @property
    def may_write(self) -> bool:
        return self is not Role.READER


class Space(models.Model):
    """``slug`` names it in addresses. It ends in random letters: a name that is taken would tell of a space that
    whoever asks does not belong to."""

    owner = models.OneToOneField(EndUser, on_delete=models.CASCADE, primary_key=True, related_name="+")
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="spaces")
    slug = models.CharField(max_length=SLUG_CHARS)
    name = models.CharField(max_length=SPACE_NAME_CHARS)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_space"
        constraints: ClassVar = [models.UniqueConstraint(fields=["organization", "slug"], name="memory_space_once")]

    def __str__(self) -> str:
        return self.slug


class SpaceMember(models.Model):
    """A person's place in a space. Seen by the person, and in the space by its members; written in the space alone."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=8, choices=build_choices(Role))
    added_by = models.CharField(max_length=100, blank=True, default="")
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_space_member"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "space"], name="memory_space_member_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.space_id}"


class SpaceShare(models.Model):
    """Who brought a memory into a space, and from which of their own. ``user`` is the space."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    # Goes with the memory by the composite key. Taken by the ORM before it, a writer would no longer be its contributor
    # by the time the memory is to be removed.
    item = models.ForeignKey("memory.MemoryItem", on_delete=models.DO_NOTHING, related_name="+", db_constraint=False)
    # No foreign key: erasing a person takes these rows in the scopes of the spaces, which the key would not see.
    contributor_id = models.BigIntegerField()
    contributor_name = models.CharField(max_length=128)
    source_item_id = models.UUIDField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_space_share"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item"], name="memory_space_share_once")]
        indexes: ClassVar = [models.Index(fields=["contributor_id", "user"], name="memory_space_share_by")]

    def __str__(self) -> str:
        return f"{self.item_id} by {self.contributor_name}"
