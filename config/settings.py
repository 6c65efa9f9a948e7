"""Every setting, each read once from one environment variable. Defaults run the embedded product on one machine."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import databases, embedded, embedding_models, queues
from config.cors import ANSWER_HEADERS, REQUEST_HEADERS, read_origins
from config.env import (
    env_address,
    env_bool,
    env_choice,
    env_float,
    env_int,
    env_list,
    env_path,
    env_secret,
    env_sizes,
    env_str,
    note_from_data_dir,
)
from config.flags import read_flags
from config.hot_path import read_hot_path
from config.interface_languages import list_interface_languages
from config.logs import configure_structlog, logging_config
from config.process_counts import read_process_counts
from config.prompts import read_prompts
from config.template_engines import list_template_engines

BASE_DIR = Path(__file__).resolve().parent.parent

# --- where things live -------------------------------------------------------------------------------------------
DATA_DIR = env_path("DATA_DIR", BASE_DIR / ".data")
PRODUCTION = env_choice("COMMONPLACE_PROFILE", "local", ("local", "production")) == "production"

# --- identity of the process -------------------------------------------------------------------------------------
DEBUG = False
SECRET_KEY = env_secret("SECRET_KEY") or ("" if PRODUCTION else embedded.load_secrets(DATA_DIR).django_key)
if len(SECRET_KEY) < 50 or SECRET_KEY.startswith(("django-insecure", "change-me")):
    raise ImproperlyConfigured("SECRET_KEY must be set to at least 50 random characters (or SECRET_KEY_FILE to a file)")
SECRET_KEY_FALLBACKS = [key for key in (env_secret("SECRET_KEY_PREVIOUS"),) if key]
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", () if PRODUCTION else ("localhost", "127.0.0.1", "[::1]"))
if PRODUCTION and (not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS):
    raise ImproperlyConfigured("ALLOWED_HOSTS must name this site's hosts in the production profile, and never '*'")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")
# Pages of these may ask the API, with a key; nobody's session is ever lent to them.
CORS_ALLOWED_ORIGINS = read_origins()
CORS_URLS_REGEX = r"^/api/v1/"
CORS_ALLOW_CREDENTIALS = False
CORS_ALLOW_HEADERS, CORS_EXPOSE_HEADERS = REQUEST_HEADERS, ANSWER_HEADERS
PUBLIC_URL = env_str("PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")

# --- transport: off only for the local profile, which serves plain HTTP on loopback ------------------------------
SECURE_SSL_REDIRECT = env_bool("SECURE_SSL_REDIRECT", default=PRODUCTION)
SECURE_REDIRECT_EXEMPT = [r"^api/health$", r"^metrics$"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env_bool("COOKIES_SECURE", default=PRODUCTION)
SECURE_HSTS_SECONDS = env_int("HSTS_SECONDS", 31_536_000 if PRODUCTION else 0, minimum=0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = False
if env_bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_NAME = "commonplace_session"
CSRF_COOKIE_NAME = "commonplace_csrf"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = env_int("SESSION_HOURS", 24, minimum=1) * 3600

# --- applications ------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    # Without looking for admin modules: memory.admin.dispatch imports them.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "ninja",
    "rest_framework",
    "memory",
    "memory.records",
    "outcomes",
    "books",
    "personality",
    "knowledge_graph",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.RequestContextMiddleware",
    "config.middleware.ContentSecurityPolicyMiddleware",
    # Outside of what refuses by the head alone: a page has to be able to read a refusal too.
    "corsheaders.middleware.CorsMiddleware",
    "memory.web.scoping.ScopeMiddleware",
    "memory.web.middleware.ApiEdgeMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memory.web.localizing.InterfaceLocaleMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memory.web.unreadable.UnreadableRequestMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False
TEMPLATES = list_template_engines(BASE_DIR)
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = env_str("STATIC_ROOT") or None
# Served straight from the source folders: no collectstatic step between a change and the page.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

# --- people of the console ---------------------------------------------------------------------------------------
AUTH_USER_MODEL = "memory.Operator"
LOGIN_URL = "console:login"
LOGIN_REDIRECT_URL = "console:home"
LOGOUT_REDIRECT_URL = "console:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- truth -------------------------------------------------------------------------------------------------------
DATABASE_ROLE = env_choice("DB_ROLE", "app", ("app", "owner"))
DATABASES = {"default": databases.database_from_environment(DATA_DIR, DATABASE_ROLE)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
# Of the interface: a folder is a language. What stores and finds memories reads its own from memory/language/.
LANGUAGES = list_interface_languages(BASE_DIR / "config" / "locale")
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
# One decimal point for all: figures are copied into settings and read beside those of the API.
FORMAT_MODULE_PATH = ["config.formats"]
LANGUAGE_COOKIE_NAME = "commonplace_language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = SESSION_COOKIE_SECURE

# --- bodies ------------------------------------------------------------------------------------------------------
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 1
FILE_UPLOAD_PERMISSIONS = 0o600

# --- Redis and the queue -----------------------------------------------------------------------------------------
REDIS_URL = env_address("REDIS_URL", ("redis", "rediss", "unix")) or embedded.redis_url(DATA_DIR)
CELERY_BROKER_URL = env_secret("CELERY_BROKER_URL") or embedded.build_broker_url(REDIS_URL)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_SOFT_TIME_LIMIT = 540
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,
    # The defaults sweep unacknowledged messages every 100 s; these every 5.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_timeout": 10,
    "socket_connect_timeout": 2,
    "socket_keepalive": not REDIS_URL.startswith("unix:"),
    "health_check_interval": 30,
    "global_keyprefix": "commonplace:",
    # A worker of several queues empties them in the order it was given, "fast" before "slow".
    "queue_order_strategy": "priority",
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A publish that cannot reach Redis gives up at once: the row's state is the queue, the sweep finds it.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10.0
CELERY_WORKER_MAX_TASKS_PER_CHILD = 1000
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "fast"
CELERY_TASK_ROUTES = queues.TASK_ROUTES

# --- logs --------------------------------------------------------------------------------------------------------
LOG_LEVEL = env_choice("MEMORY_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = logging_config(LOG_LEVEL)
configure_structlog()

# --- traces --------------------------------------------------------------------------------------------------------
TRACES: dict[str, Any] = {
    "endpoint": env_str("OTEL_EXPORTER_OTLP_ENDPOINT"),
    "share": env_float("TRACE_SHARE", 1.0, minimum=0, maximum=1),
}

# --- the memory itself -------------------------------------------------------------------------------------------
FLAGS = read_flags()
QDRANT_URL = env_address("QDRANT_URL", ("http", "https"), is_secret=False)
EMBEDDING_URL = env_address("EMBEDDING_URL") or embedded.embedder_url(DATA_DIR)
EMBEDDING_MODEL = embedding_models.read_model(DATA_DIR)
# Reasons to rank one memory above another, in order; see docs/ranking.md. Without any the fused relevance decides. The
# learned ones belong to MEMORY_FUSION=blend.
BOOSTS = {
    "signals": [
        "memory.retrieval.signals.thread.CONTEXT_WORDS",
        "memory.retrieval.signals.thread.ANSWER",
        "memory.retrieval.signals.thread.QUESTION",
        "memory.retrieval.signals.thread.REPLY",
        "memory.retrieval.signals.thread.THREAD",
        "memory.retrieval.signals.late.LATE",
        "memory.retrieval.signals.late.MEANING_ALONE",
        "memory.retrieval.signals.question.SPEAKER",
        "memory.retrieval.signals.question.OWN_WORDS",
        "memory.retrieval.signals.question.TIME_WORDS",
        "memory.retrieval.signals.question.DATE",
        "memory.retrieval.signals.question.PROPER_NAME",
        "memory.retrieval.signals.question.FIGURE",
        "memory.retrieval.signals.exact.CODES",
        "memory.retrieval.signals.exact.DAYS",
        "memory.retrieval.signals.exact.CLOCK",
        "memory.retrieval.signals.exact.AMOUNTS",
        "memory.retrieval.signals.exact.NAMES",
        "memory.retrieval.signals.exact.SPELLING",
        "memory.retrieval.signals.alias.ALIAS",
        "memory.retrieval.signals.experience.OUTCOMES",
        "memory.retrieval.signals.experience.BANK_QUALITY",
        "memory.retrieval.signals.experience.HEARSAY",
        "memory.retrieval.signals.recency.LATEST",
        "memory.retrieval.signals.recency.RECENT_CAUSE",
        "memory.retrieval.signals.recency.SUPERSEDED",
        "memory.retrieval.signals.recency.CHANGE",
        "memory.retrieval.signals.recency.DORMANT",
        "memory.retrieval.signals.subject.OTHER_PERSON",
        "memory.retrieval.signals.subject.ABOUT_ME",
        "memory.retrieval.signals.subject.BACKGROUND",
        "memory.retrieval.signals.subject.IDENTITY",
        "memory.retrieval.signals.subject.BOOKS",
        "memory.retrieval.signals.subject.POLARITY",
        "memory.retrieval.signals.subject.REPORTED_QUESTION",
        "memory.retrieval.signals.wording.HEADING",
        "memory.retrieval.signals.wording.SWAPPED",
        "memory.retrieval.signals.wording.LABEL",
        "knowledge_graph.advice.boosts.ENTITIES",
        "knowledge_graph.advice.boosts.SOLUTIONS",
        "knowledge_graph.advice.boosts.DOCUMENTS",
    ],
    "learned": [
        "memory.retrieval.signals.learned.DYNAMIC_WEIGHTS",
        "memory.retrieval.signals.learned.QUALITY_MULTIPLIER",
    ],
    "none": [],
}
# What may be given to who chose no personality: the templates that come with the product.
PERSONALITIES = sorted(file.stem for file in (BASE_DIR / "personality" / "presets").glob("*.yaml"))
PROCESSES = read_process_counts()
MEMORY: dict[str, Any] = {
    "FLAGS": FLAGS,
    "EMBEDDING": {
        "url": EMBEDDING_URL,
        "dialect": env_choice("EMBEDDING_DIALECT", "tei", ("tei", "openai")),
        **EMBEDDING_MODEL.as_settings(),
        "dimensions": env_int("EMBEDDING_DIMENSIONS", EMBEDDING_MODEL.dimensions, minimum=2),
        "query_prefix": env_str("EMBEDDING_QUERY_PREFIX", EMBEDDING_MODEL.query_prefix),
        "passage_prefix": env_str("EMBEDDING_PASSAGE_PREFIX", EMBEDDING_MODEL.passage_prefix),
        "api_key": env_secret("EMBEDDING_API_KEY"),
        "batch_size": env_int("EMBEDDING_BATCH_SIZE", 32, minimum=1),
        "query_timeout_s": env_float("EMBEDDING_QUERY_TIMEOUT_S", 1.0, minimum=0.01),
        "batch_timeout_s": env_float("EMBEDDING_BATCH_TIMEOUT_S", 10.0, minimum=0.1),
        "cache_ttl_s": env_int("EMBEDDING_CACHE_DAYS", 7, minimum=0) * 86_400,
        "max_chars": env_int("EMBEDDING_MAX_CHARS", 8_000, minimum=100),
    },
    # By name, each as above: while an index is rebuilt by another model, the one that made it still answers.
    "EMBEDDING_MODELS": {model.name: model.as_settings() for model in embedding_models.KNOWN},
    "RERANKER": {
        "url": env_address("RERANKER_URL"),
        "api_key": env_secret("RERANKER_API_KEY"),
        "model": env_str("RERANKER_MODEL"),
        "timeout_s": env_float("RERANKER_TIMEOUT_S", 2.0, minimum=0.01),
        "batch_size": env_int("RERANKER_BATCH_SIZE", 32, minimum=1),
        "pool": env_int("RERANKER_POOL", 30, minimum=2),
        "weight": env_float("RERANKER_WEIGHT", 0.6, minimum=0, maximum=1),
    },
    "VECTOR": {
        "backend": "qdrant" if QDRANT_URL and FLAGS["qdrant"] else "pgvector",
        "qdrant_url": QDRANT_URL,
        "qdrant_api_key": env_secret("QDRANT_API_KEY"),
        "collection": env_str("VECTOR_COLLECTION", "memories_v1"),
    },
    "LEXICAL": {
        "backend": env_choice("MEMORY_LEXICAL", "fulltext", ("fulltext", "bm25")),
        "cache_bytes": env_int("MEMORY_LEXICAL_CACHE_MB", 128, minimum=1) * 1024 * 1024,
    },
    "REINDEX": {
        "rows_per_s": env_float("REINDEX_ROWS_PER_S", 200.0, minimum=0),
        "duty": env_float("REINDEX_DUTY", 0.5, minimum=0.01, maximum=1),
        "keep_hours": env_float("REINDEX_KEEP_HOURS", 24.0, minimum=0),
    },
    "DEADLINES": {
        "hard_s": env_float("DEADLINE_HARD_S", 15.0, minimum=0.1),
        "default_s": env_float("DEADLINE_S", 2.0, minimum=0.05),
        "embed_s": env_float("DEADLINE_EMBED_S", 1.0, minimum=0.01),
        "vector_s": env_float("DEADLINE_VECTOR_S", 1.5, minimum=0.01),
        "lexical_s": env_float("DEADLINE_LEXICAL_S", 1.5, minimum=0.01),
        "graph_s": env_float("DEADLINE_GRAPH_S", 0.1, minimum=0.01),
        "late_s": env_float("DEADLINE_LATE_S", 0.3, minimum=0.01),
    },
    "BREAKERS": {
        "fail_max": env_int("BREAKER_FAILURES", 5, minimum=1),
        "reset_s": env_float("BREAKER_RESET_S", 30.0, minimum=0.1),
    },
    "SCORING": {
        "initial": env_float("MEMORY_INITIAL_SCORE", 0.5, minimum=0, maximum=1),
        "worked": env_float("MEMORY_POSITIVE_BOOST", 0.2, minimum=0, maximum=1),
        "failed": -env_float("MEMORY_NEGATIVE_PENALTY", 0.3, minimum=0, maximum=1),
        "partial": env_float("MEMORY_PARTIAL_BOOST", 0.05, minimum=0, maximum=1),
    },
    "PROMOTION": {
        "expiry": env_choice("MEMORY_EXPIRY", "dormant", ("dormant", "archive")),
        "retention_days": env_int("RETENTION_DAYS", 0, minimum=0),
    },
    "RANKING": {
        "fusion": env_choice("MEMORY_FUSION", "zscore", ("zscore", "rrf", "blend")),
        "context_limit": env_int("MEMORY_TOP_K", 0, minimum=0),
        "min_score": env_float("MEMORY_SEARCH_MIN_SCORE", 0.0, minimum=0, maximum=1),
        "tier_fairness": env_bool("MEMORY_TIER_FAIRNESS", default=False),
        "adviser": "knowledge_graph.advice.routing.advise" if FLAGS["kg"] else "",
        "plan_tiers": env_bool("MEMORY_TIER_PLANNER", default=False),
        "tokens": env_bool("MEMORY_TOKEN_VECTORS", default=True),
    },
    "BOOSTS": BOOSTS[env_choice("MEMORY_BOOSTS", "signals", tuple(BOOSTS))],
    "CONTEXT": {
        "window": env_int("MEMORY_CONTEXT_WINDOW", 32_768, minimum=1_000),
        "windows": env_sizes("MEMORY_MODEL_WINDOWS"),
        "tells_known": env_bool("MEMORY_KNOWN_CONTEXT", default=True),
        "personality": "personality.prompts.load_prompt",
        "default_personality": env_choice("MEMORY_PERSONALITY", "", ("", *PERSONALITIES)),
    },
    "LIMITS": {
        "bank_capacity": env_int("MEMORY_BANK_CAPACITY", 1000, minimum=1),
        "bank_source_share": env_float("MEMORY_BANK_SOURCE_SHARE", 0.5, minimum=0.01, maximum=1.0),
        "requests_per_second": env_int("RATE_LIMIT_PER_SECOND", 100, minimum=1),
        "web_processes": PROCESSES.web_workers,
        "log_days": env_int("LOG_DAYS", 30, minimum=1),
        "exchange_days": env_int("EXCHANGE_DAYS", 0, minimum=0),
        "follow_ups": env_int("MEMORY_FOLLOW_UPS", 1, minimum=0),
    },
    "CONVERSATIONS": {
        "idle_minutes": env_float("MEMORY_THREAD_IDLE_MINUTES", 30.0, minimum=1),
        "detections_a_day": env_int("MEMORY_DETECTIONS_A_DAY", 100, minimum=0),
        "profiles_a_day": env_int("MEMORY_PROFILES_A_DAY", 200, minimum=0),
        "implicit_weight": env_float("MEMORY_IMPLICIT_WEIGHT", 0.1, minimum=0, maximum=0.5),
    },
    "CONSOLIDATION": {
        "hour": env_int("CONSOLIDATION_HOUR", 2, minimum=0),
        "model_calls": env_int("CONSOLIDATION_MODEL_CALLS", 2, minimum=0),
    },
    "STREAM": {
        "share": env_float("MEMORY_STREAM_SHARE", 1.0, minimum=0, maximum=1),
        "facts": env_int("MEMORY_STREAM_FACTS", 5, minimum=0),
        "episodes": env_int("MEMORY_STREAM_EPISODES", 3, minimum=0),
        "tokens": env_int("MEMORY_STREAM_TOKENS", 200, minimum=0),
        "similarity": env_float("MEMORY_STREAM_SIMILARITY", 0.6, minimum=0, maximum=1),
    },
    "LLM": {
        "url": env_address("MEMORY_LLM_BASE_URL", is_secret=False),
        "api_key": env_secret("MEMORY_LLM_API_KEY"),
        "model": env_str("MEMORY_LLM_MODEL"),
        "timeout_s": env_float("MEMORY_LLM_TIMEOUT_S", 30.0, minimum=0.1),
        "json_mode": env_bool("MEMORY_LLM_JSON_MODE", default=True),
        "prompt_price": env_float("MEMORY_LLM_PROMPT_PRICE", 0.0, minimum=0),
        "answer_price": env_float("MEMORY_LLM_ANSWER_PRICE", 0.0, minimum=0),
        "prefixes": env_bool("MEMORY_LLM_PREFIXES", default=True),
        "prefix_timeout_s": env_float("MEMORY_LLM_PREFIX_TIMEOUT_S", 5.0, minimum=0.1),
    },
    "PROMPTS": read_prompts(DATA_DIR, BASE_DIR),
    "CHAT": {
        "url": env_address("CHAT_BASE_URL", is_secret=False) or env_str("MEMORY_LLM_BASE_URL"),
        # The key of one service is never shown to another.
        "api_key": env_secret("CHAT_API_KEY") or ("" if env_str("CHAT_BASE_URL") else env_secret("MEMORY_LLM_API_KEY")),
        "model": env_str("CHAT_MODEL") or ("" if env_str("CHAT_BASE_URL") else env_str("MEMORY_LLM_MODEL")),
        "streams": PROCESSES.chat_streams,
        "threads": PROCESSES.web_threads,
        "timeout_s": env_float("CHAT_TIMEOUT_S", 600.0, minimum=1),
        "silence_s": env_float("CHAT_SILENCE_S", 120.0, minimum=1),
        "offers_search": env_bool("CHAT_MEMORY_TOOL", default=True),
        "max_body_bytes": env_int("CHAT_BODY_MB", 10, minimum=1) * 1024 * 1024,
    },
    "METRICS": {"token": env_secret("METRICS_TOKEN")},
    # How the installation is asked for what only its start knows: both are called with what stands there.
    "INSTALLATION": {
        "settings": "config.configuration.list_settings",
        "address": "config.databases.find_address",
        "backups": str(env_path("BACKUP_DIR", DATA_DIR / "backups")),
    },
    "MCP": {"url": env_str("MCP_URL"), "public_url": PUBLIC_URL},
    "WEBHOOKS": {
        "allows_private": env_bool("WEBHOOK_ALLOW_PRIVATE", default=False),
        "secret_keys": (SECRET_KEY, *SECRET_KEY_FALLBACKS),
    },
    "KINDS": {
        "model": env_choice("WB_EMBED_MODEL", EMBEDDING_MODEL.records_name, ("miniLM", "e5")),
        "url": env_address("WB_EMBED_URL"),
    },
    "HOTMEM": read_hot_path(),
    "REQUIRE_AUTH": env_bool("MEMORY_REQUIRE_AUTH", default=True),
}

# --- what is shown of them ------------------------------------------------------------------------------------------
note_from_data_dir("EMBEDDING_MODEL", EMBEDDING_MODEL.short_name)
if not PRODUCTION:
    note_from_data_dir("SECRET_KEY")
    note_from_data_dir("DATABASE_URL")
    note_from_data_dir("REDIS_URL")
    note_from_data_dir("EMBEDDING_URL")
