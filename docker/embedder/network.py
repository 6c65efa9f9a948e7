"""An encoder of BERT's shape for CTranslate2, filled from weights that bear BERT's names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from ctranslate2.converters.utils import fuse_linear
from ctranslate2.specs import common_spec, transformer_spec
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[np.float32]]

HEADS = 12
QUANTIZATION = "int8"


def build_spec(
    weights: Weights, layers: int, vocabulary: Sequence[str], unknown: str
) -> transformer_spec.TransformerEncoderModelSpec:
    encoder = transformer_spec.TransformerEncoderSpec(
        layers,
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
    spec.register_vocabulary(list(vocabulary))
    spec.config.unk_token = unknown
    spec.config.layer_norm_epsilon = 1e-12
    spec.validate()
    spec.optimize(quantization=QUANTIZATION)
    return spec


def fill_layer(layer: Any, weights: Weights, name: str) -> None:  # noqa: ANN401 - an untyped library's object
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


def fill_linear(spec: Any, weights: Weights, name: str) -> None:  # noqa: ANN401
    spec.weight = weights[f"{name}.weight"]
    spec.bias = weights[f"{name}.bias"]


def fill_norm(spec: Any, weights: Weights, name: str) -> None:  # noqa: ANN401
    spec.gamma = weights[f"{name}.weight"]
    spec.beta = weights[f"{name}.bias"]
