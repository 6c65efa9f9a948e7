"""Tables of the memory core. Each table with a ``user`` column is under forced row-level security.

`items` are memories with their versions and events, `facts` what is held true of a person, `episodes` runs of threads
and the nightly runs, `transfers` exports and imports, `webhooks` what others are told, `people` organisations, keys
and users, `administration` what operators did and the backups they asked for, `grants` clients that registered
themselves and their tokens, `personal_links` what opens a person's own page, `spaces` what several people share,
`operations` what requests leave behind, `evaluation` labelled questions and what they measured, `inbox` what a person
decided of what waited, `rebuilding` the vector collections, `vocabulary` an organisation's terms and the labels of
messages; `isolation` holds the keys every such table carries and the migration that has Postgres watch over it. A new
table takes `user_key()` and an `IsolateByUser` of its own, and a new migration is a `migrating.Migration`; tests fail
without.

Imports tiers and nothing of memory that does anything.
"""

from memory.models.addresses import MemoryAddress
from memory.models.administration import AuditEvent, BackupRun
from memory.models.episodes import FactEpisode, FactRun, FactStream
from memory.models.evaluation import EvaluationCase, EvaluationRun
from memory.models.facts import Fact, FactEvent, FactEvidence, FactReview, FactsDue, FactTombstone
from memory.models.grants import OAuthClient, OAuthGrant, OAuthToken
from memory.models.inbox import DecidedMatter
from memory.models.items import MemoryEvent, MemoryItem, MemoryVersion
from memory.models.measurements import DailyMetrics, ModelCall
from memory.models.operations import Erasure, IdempotencyRecord, Tombstone, Turn
from memory.models.people import ApiKey, EndUser, Membership, Operator, Organization
from memory.models.personal_links import PersonalLink
from memory.models.rebuilding import DriftReport, ReindexRun, VectorCollection
from memory.models.spaces import Space, SpaceMember, SpaceShare
from memory.models.speakers import Speaker
from memory.models.tokens import TokenVectors
from memory.models.transfers import Transfer, TransferDue, TransferPart
from memory.models.userdata import UserData
from memory.models.vectors import MemoryVector
from memory.models.vocabulary import (
    LabelledTerm,
    MessageLabel,
    TermSuggestion,
    VocabularyChange,
    VocabularyEdition,
    VocabularyTerm,
)
from memory.models.webhooks import WebhookDelivery, WebhookEndpoint, WebhookEvent

__all__ = [
    "ApiKey",
    "AuditEvent",
    "BackupRun",
    "DailyMetrics",
    "DecidedMatter",
    "DriftReport",
    "EndUser",
    "Erasure",
    "EvaluationCase",
    "EvaluationRun",
    "Fact",
    "FactEpisode",
    "FactEvent",
    "FactEvidence",
    "FactReview",
    "FactRun",
    "FactStream",
    "FactTombstone",
    "FactsDue",
    "IdempotencyRecord",
    "LabelledTerm",
    "Membership",
    "MemoryAddress",
    "MemoryEvent",
    "MemoryItem",
    "MemoryVector",
    "MemoryVersion",
    "MessageLabel",
    "ModelCall",
    "OAuthClient",
    "OAuthGrant",
    "OAuthToken",
    "Operator",
    "Organization",
    "PersonalLink",
    "ReindexRun",
    "Space",
    "SpaceMember",
    "SpaceShare",
    "Speaker",
    "TermSuggestion",
    "TokenVectors",
    "Tombstone",
    "Transfer",
    "TransferDue",
    "TransferPart",
    "Turn",
    "UserData",
    "VectorCollection",
    "VocabularyChange",
    "VocabularyEdition",
    "VocabularyTerm",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookEvent",
]
