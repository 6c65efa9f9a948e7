"""The models this server knows, each built once from published weights; needs neither torch nor a network."""

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import ctranslate2
import minilm
import multilingual_e5
import universal
from network import QUANTIZATION, Weights, build_spec
from tokenizers import Tokenizer

DIMENSIONS = 384


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model, and how it is read out of the folder of the package that carries it."""

    name: str
    package: str
    layers: int
    max_tokens: int
    unknown: str
    read_weights: Callable[[Path], Weights]
    read_tokenizer: Callable[[Path], Tokenizer]
    # The mean of their tokens is taken from every token.
    centre_texts: tuple[str, ...]

    @property
    def short_name(self) -> str:
        return self.name.rpartition("/")[2]

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def is_installed(self) -> bool:
        return find_package(self.package) is not None


SOURCES = [
    ModelSource(
        source.NAME,
        source.PACKAGE,
        source.LAYERS,
        source.MAX_TOKENS,
        source.UNKNOWN,
        source.read_weights,
        source.read_tokenizer,
        source.CENTRE_TEXTS,
    )
    for source in (minilm, multilingual_e5)
]
DEFAULT = SOURCES[0]


@dataclass(frozen=True, slots=True)
class UniversalSource:
    """The model that is no transformer, read as its package has it; served as part of another only."""

    name: str = universal.NAME
    package: str = universal.PACKAGE
    dimensions: int = universal.DIMENSIONS

    @property
    def is_installed(self) -> bool:
        return find_package(self.package) is not None


PartSource = ModelSource | UniversalSource


@dataclass(frozen=True, slots=True)
class JoinedSource:
    """Models whose vectors are put side by side; each one's cosine has its share in the sum.

    Texts come with the prefixes of the first, which the others do not know.
    """

    name: str
    leading: ModelSource
    following: tuple[PartSource, ...]
    # Of the following; the leading one has the rest.
    following_shares: tuple[float, ...]
    prefixes: tuple[str, ...]

    @property
    def parts(self) -> tuple[PartSource, ...]:
        return (self.leading, *self.following)

    @property
    def shares(self) -> tuple[float, ...]:
        return (1 - sum(self.following_shares), *self.following_shares)

    @property
    def short_name(self) -> str:
        return self.name

    @property
    def dimensions(self) -> int:
        return sum(part.dimensions for part in self.parts)

    @property
    def max_tokens(self) -> int:
        return self.leading.max_tokens

    @property
    def is_installed(self) -> bool:
        return all(part.is_installed for part in self.parts)

    def strip_prefix(self, text: str) -> str:
        prefix = next((prefix for prefix in self.prefixes if text.startswith(prefix)), "")
        bare = text[len(prefix) :]
        return bare if bare.strip() else text


AnySource = ModelSource | JoinedSource

MINILM, MULTILINGUAL_E5 = SOURCES
JOINED = JoinedSource(
    f"{MULTILINGUAL_E5.short_name}+{MINILM.short_name}",
    MULTILINGUAL_E5,
    (MINILM,),
    (0.15,),
    multilingual_e5.PREFIXES,
)
JOINED_THREE = JoinedSource(
    f"{JOINED.name}+{universal.NAME}",
    MULTILINGUAL_E5,
    (MINILM, UniversalSource()),
    (0.1, 0.05),
    multilingual_e5.PREFIXES,
)
SERVED: list[AnySource] = [*SOURCES, JOINED, JOINED_THREE]


def find_source(name: str) -> AnySource | None:
    """By its full name or the last part of it."""
    return next((source for source in SERVED if name in {source.name, source.short_name}), None)


def find_package(package: str) -> Path | None:
    """Its folder; what it holds is read as data and not run."""
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    return Path(folders[0]) if folders else None


def list_installed() -> list[AnySource]:
    return [source for source in SERVED if source.is_installed]


def require_package(source: PartSource) -> Path:
    folder = find_package(source.package)
    if folder is None:
        raise FileNotFoundError(f"the package {source.package}, which carries {source.name}, is not installed")
    return folder


def load_tokenizer(source: ModelSource) -> Tokenizer:
    tokenizer = source.read_tokenizer(require_package(source))
    # MiniLM's file asks for 128 tokens and for padding everything to them; it was published with 256 and none.
    tokenizer.enable_truncation(source.max_tokens)
    tokenizer.no_padding()
    return tokenizer


def ensure_converted(models: Path, source: ModelSource, tokenizer: Tokenizer) -> Path:
    """The folder of the converted model, made on first use.

    The name carries everything the conversion depends on, so that an upgrade makes a new one beside the old.
    """
    made_of = f"{source.short_name.lower()}-{version(source.package)}"
    target = models / f"{made_of}-{QUANTIZATION}-ct2-{ctranslate2.__version__}"
    if (target / "model.bin").exists():
        return target
    models.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=models, prefix=".converting-"))
    try:
        convert_model(source, tokenizer, draft)
        # On the disk before it gets its name: a name that is there after a power cut must stand for a whole model.
        with (draft / "model.bin").open("rb+") as file:
            os.fsync(file.fileno())
        draft.rename(target)
    except OSError:
        # Another process finished first; a folder with content is not replaced.
        if not (target / "model.bin").exists():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def convert_model(source: ModelSource, tokenizer: Tokenizer, folder: Path) -> None:
    weights = source.read_weights(require_package(source))
    vocabulary = tokenizer.get_vocab()
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    # A model may have more rows than its tokenizer has words.
    rows = len(weights["embeddings.word_embeddings.weight"])
    words += [f"<row {number}>" for number in range(len(words), rows)]
    build_spec(weights, source.layers, words, source.unknown).save(str(folder))


def convert_installed(models: Path) -> None:
    for source in SOURCES:
        if source.is_installed:
            ensure_converted(models, source, load_tokenizer(source))
