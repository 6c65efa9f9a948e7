"""The MEMORY settings as frozen values. The only module of this app that reads ``settings``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed

from memory.embedding_conf import EmbeddingConf, describe_embedding
from memory.tiers import Outcome

LOOPBACK_HOSTS = {"localhost", "127.0.0.1", "[::1]", "testserver"}


@dataclass(frozen=True, slots=True)
class RerankerConf:
    """No ``url``: no reranker. It scores the best ``pool`` candidates, before the cut to the limit."""

    url: str = ""
    api_key: str = ""
    model: str = ""
    timeout_s: float = 2.0
    batch_size: int = 32
    pool: int = 30
    weight: float = 0.6
    max_chars: int = 4_000


@dataclass(frozen=True, slots=True)
class VectorConf:
    backend: str
    qdrant_url: str
    qdrant_api_key: str
    collection: str


@dataclass(frozen=True, slots=True)
class LexicalConf:
    """``cache_bytes`` limits the BM25 cache of one process, if the backend has one."""

    backend: str = "fulltext"
    cache_bytes: int = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds. ``hard_s`` bounds any request, ``default_s`` search and context; the others are slices of a stage."""

    hard_s: float
    default_s: float
    embed_s: float
    vector_s: float
    lexical_s: float
    graph_s: float = 0.1
    late_s: float = 0.3


@dataclass(frozen=True, slots=True)
class BreakerConf:
    fail_max: int
    reset_s: float


@dataclass(frozen=True, slots=True)
class ScoringConf:
    """Where a score starts and how far each outcome moves it."""

    initial: float
    worked: float
    failed: float
    partial: float

    @property
    def deltas(self) -> dict[str, float]:
        return {Outcome.WORKED: self.worked, Outcome.FAILED: self.failed, Outcome.PARTIAL: self.partial}


@dataclass(frozen=True, slots=True)
class PromotionConf:
    """Thresholds on ``score`` and recorded outcomes; a score under ``garbage_below`` is archived.

    ``expiry`` says what becomes of a memory past its time that was not promoted: ``dormant`` or ``archive``. Dormant
    memories stored more than ``retention_days`` ago are deleted; 0 keeps them until they are erased.
    """

    working_score: float = 0.7
    working_uses: int = 2
    history_score: float = 0.9
    history_uses: int = 3
    keep_score: float = 0.7
    keep_uses: int = 2
    garbage_below: float = 0.2
    batch: int = 250
    # Few clients report outcomes: of a month of one person's life, archiving by the clock left 9 of 51 answers.
    expiry: str = "dormant"
    retention_days: int = 0

    @property
    def keeps_expired(self) -> bool:
        return self.expiry == "dormant"


@dataclass(frozen=True, slots=True)
class ReindexConf:
    """How fast an index is rebuilt, and for how long the one before it is kept.

    At most ``rows_per_s``, and working no more than ``duty`` of the time, so that whoever searches meanwhile has the
    machine for the rest of it. With 0 rows a second nobody is made room for.
    """

    rows_per_s: float = 200.0
    duty: float = 0.5
    keep_hours: float = 24.0

    def rest_s(self, spent_s: float) -> float:
        """For so long whoever worked so long leaves the machine to others."""
        return spent_s * (1 - self.duty) / self.duty


@dataclass(frozen=True, slots=True)
class RankingConf:
    fusion: str
    context_limit: int
    min_score: float
    boosts: tuple[str, ...] = ()
    adviser: str = ""  # dotted path of the function that advises a search from the graphs; empty for none
    plan_tiers: bool = False  # search only the tiers that answered such questions before
    # Keep token vectors for late interaction, if the embedding server offers them.
    tokens: bool = False
    # Each tier contributes as many candidates as if it were searched alone.
    tier_fairness: bool = False
    rrf_k: int = 60
    candidates_factor: int = 3
    candidates_floor: int = 100


@dataclass(frozen=True, slots=True)
class ContextConf:
    """Tokens that models read: ``windows`` by the beginning of their name, ``window`` where none is known."""

    window: int = 32_768
    windows: tuple[tuple[str, int], ...] = ()
    tells_known: bool = True
    personality: str = ""  # dotted path of the function that gives a person's prompt; empty for none
    default_personality: str = ""  # the preset of who chose none


@dataclass(frozen=True, slots=True)
class Limits:
    """What one person, one source or one request may have at most."""

    bank_capacity: int
    requests_per_second: int
    web_processes: int
    # How long turns, idempotency answers and the like are kept.
    log_days: int
    # How much of the bank one source that is not a person may hold.
    bank_source_share: float = 0.5
    # Searches a tool may add to those of a turn's context, unless the user asked for more.
    follow_ups: int = 1
    data_keys: int = 1_000
    # How long exchanges and what came of them are kept; 0 is for good.
    exchange_days: int = 0


@dataclass(frozen=True, slots=True)
class ConversationConf:
    """When a thread counts as over for now, and how often a day a model may be asked about one user's exchanges."""

    idle_minutes: float = 30.0
    detections_a_day: int = 100
    profiles_a_day: int = 200
    # How far an implicit signal may move a score, as a share of a verdict's move, where a flag allows it.
    implicit_weight: float = 0.1


@dataclass(frozen=True, slots=True)
class ConsolidationConf:
    """``hour`` (UTC) begins the night; a language model is asked at most ``model_calls`` times a day about a person."""

    hour: int = 2
    model_calls: int = 2


@dataclass(frozen=True, slots=True)
class StreamConf:
    """What is told without asking, from a similarity on: at most so many, within ``tokens`` of each kind."""

    share: float = 1.0  # of the people, always the same ones
    facts: int = 5
    episodes: int = 3
    tokens: int = 200
    # At .5 a month's contexts took 149 tokens more, and not one answer of 63 more was in them.
    similarity: float = 0.6


@dataclass(frozen=True, slots=True)
class LanguageModelConf:
    """No ``url``: no language model. Prices are per million tokens; ``prefixes`` turns contextual prefixes on."""

    url: str
    api_key: str
    model: str
    timeout_s: float = 30.0
    json_mode: bool = True
    prompt_price: float = 0.0
    answer_price: float = 0.0
    prefixes: bool = True
    prefix_timeout_s: float = 5.0
    max_tokens: int = 1_000
    max_chars: int = 24_000


@dataclass(frozen=True, slots=True)
class MetricsConf:
    """``carry_every_s`` 0: counts are sent to Redis only when asked for, as in tests."""

    token: str = ""
    carry_every_s: float = 2.0


@dataclass(frozen=True, slots=True)
class RecordsConf:
    """The model of personal records, miniLM or e5; ``url`` empty: the embedding server has it."""

    model: str = "miniLM"
    url: str = ""


@dataclass(frozen=True, slots=True)
class McpConf:
    """``url`` empty: no process speaks MCP here. ``public_url`` is that of the site as clients elsewhere reach it."""

    url: str = ""
    public_url: str = ""


@dataclass(frozen=True, slots=True)
class HotPathConf:
    """What the hot path reads of a turn and lays beside the next one. ``ttl`` are days by relation."""

    languages: tuple[str, ...] = ("en", "es", "fr", "de", "it", "he", "pt")
    injects: bool = True
    extracts: bool = True
    mode: str = "rotating"
    role: str = "system"
    header: str = "Use the following factual context if helpful:"
    hint_window: int = 10
    bullets_max: int = 5
    novelty_turns: int = 3
    # Of the relation's priority, recency, words in common and confidence.
    weights: tuple[float, ...] = (0.4, 0.2, 0.3, 0.1)
    threshold: float = 0.45
    # From which cosine with a question a fact is near it; of 1 none is, and no question is embedded.
    similarity: float = 0.45
    recency_days: float = 3.0
    ttl: tuple[tuple[str, int], ...] = ()
    redacts_logs: bool = True
    pipelines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryConf:
    flags: dict[str, Any]
    embedding: EmbeddingConf
    reranker: RerankerConf
    vector: VectorConf
    lexical: LexicalConf
    deadlines: Deadlines
    breakers: BreakerConf
    scoring: ScoringConf
    promotion: PromotionConf
    reindex: ReindexConf
    ranking: RankingConf
    context: ContextConf
    limits: Limits
    conversations: ConversationConf
    consolidation: ConsolidationConf
    stream: StreamConf
    llm: LanguageModelConf
    metrics: MetricsConf
    mcp: McpConf
    kinds: RecordsConf
    hot: HotPathConf
    require_auth: bool
    local_only: bool  # serve requests to this machine's own host names only
    models: Mapping[str, EmbeddingConf]  # of the models the product knows, by name
    chat: Mapping[str, Any]  # as the gateway reads it
    webhooks: Mapping[str, Any]  # as their package reads it
    prompts: Mapping[str, Any]  # as memory.inference reads it
    installation: Mapping[str, str]  # ``backups``, their folder; ``settings`` and ``address``, dotted paths

    def embedding_of(self, model: str) -> EmbeddingConf | None:
        """How the embedding server is asked for a model; None for one that is neither configured nor known."""
        return self.embedding if model == self.embedding.model else self.models.get(model)


@cache
def memory_conf() -> MemoryConf:
    values: dict[str, Any] = settings.MEMORY
    embedding, known = describe_embedding(values["EMBEDDING"]), values.get("EMBEDDING_MODELS", {})
    return MemoryConf(
        flags=dict(values["FLAGS"]),
        embedding=embedding,
        models={name: describe_embedding({**values["EMBEDDING"], **described}) for name, described in known.items()},
        reranker=RerankerConf(**values.get("RERANKER", {})),
        vector=VectorConf(**values["VECTOR"]),
        lexical=LexicalConf(**values.get("LEXICAL", {})),
        deadlines=Deadlines(**values["DEADLINES"]),
        breakers=BreakerConf(**values["BREAKERS"]),
        scoring=ScoringConf(**values["SCORING"]),
        promotion=PromotionConf(**values.get("PROMOTION", {})),
        reindex=ReindexConf(**values.get("REINDEX", {})),
        ranking=RankingConf(**values["RANKING"], boosts=tuple(values["BOOSTS"])),
        context=ContextConf(**values.get("CONTEXT", {})),
        limits=Limits(**values["LIMITS"]),
        conversations=ConversationConf(**values.get("CONVERSATIONS", {})),
        consolidation=ConsolidationConf(**values.get("CONSOLIDATION", {})),
        stream=StreamConf(**values.get("STREAM", {})),
        llm=LanguageModelConf(**values["LLM"]),
        metrics=MetricsConf(**values.get("METRICS", {})),
        mcp=McpConf(**values.get("MCP", {})),
        kinds=RecordsConf(**values.get("KINDS", {})),
        hot=HotPathConf(**values.get("HOTMEM", {})),
        require_auth=values["REQUIRE_AUTH"],
        chat=dict(values.get("CHAT", {})),
        webhooks=dict(values.get("WEBHOOKS", {})),
        prompts=dict(values.get("PROMPTS", {})),
        installation=dict(values.get("INSTALLATION", {})),
        local_only=set(settings.ALLOWED_HOSTS) <= LOOPBACK_HOSTS,
    )


def data_dir() -> Path:
    return Path(settings.DATA_DIR)


def redis_url() -> str:
    return str(settings.REDIS_URL)


def max_body_bytes() -> int | None:
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE  # None when they are not limited


def list_allowed_hosts() -> list[str]:
    return list(settings.ALLOWED_HOSTS)


def secret_key() -> bytes:
    return str(settings.SECRET_KEY).encode()


def change_settings(**sections: Mapping[str, Any]) -> Any:  # noqa: ANN401 -- a context manager
    """Other values in sections of settings.MEMORY, in this process, for as long as the context is open."""
    from django.test.utils import override_settings  # measures alone need it, and it loads much

    changed = {name: settings.MEMORY.get(name, {}) | dict(values) for name, values in sections.items()}
    return override_settings(MEMORY=settings.MEMORY | changed)


def reset_conf(*, setting: str, **kwargs: object) -> None:  # lets settings.MEMORY be overridden
    if setting == "MEMORY":
        memory_conf.cache_clear()


setting_changed.connect(reset_conf, dispatch_uid="memory.conf")
