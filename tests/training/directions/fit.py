"""Finds the directions in which sentences differ most for the universal sentence encoder, and writes them down.

    python -m tests.training.directions.fit

Singular vectors of what the model makes of the sentences other classifiers are trained with, in the languages it reads.
No evaluation set has a part in it. Vectors that are stored rest on the file: another one is another model.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from config.settings import BASE_DIR

EMBEDDER = BASE_DIR / "docker" / "embedder"
TRAINING = Path(__file__).parents[1]
# The model was not taught Hebrew.
UNREAD = {"he.txt"}
LONGEST = 200
BATCH = 64


def read_sentences() -> list[str]:
    return sorted(set(list_sentences()))


def list_sentences() -> Iterator[str]:
    for path in TRAINING.glob("*/examples/*.txt"):
        if path.name not in UNREAD:
            lines = (line.strip()[:LONGEST] for line in path.read_text(encoding="utf-8").splitlines())
            yield from (line for line in lines if line and line[0] not in "#[")


def main() -> None:
    sys.path.insert(0, str(EMBEDDER))
    import universal
    from model import UniversalSource, require_package

    network = universal.UniversalNetwork(require_package(UniversalSource()))
    pieces = network.split_words(read_sentences())
    vectors = np.vstack([network.encode(pieces[start : start + BATCH]) for start in range(0, len(pieces), BATCH)])
    _, lengths, directions = np.linalg.svd(vectors, full_matrices=False)
    kept = (lengths[: universal.DIMENSIONS] ** 2).sum() / (lengths**2).sum()
    np.save(universal.DIRECTIONS, directions[: universal.DIMENSIONS].astype(np.float16))
    sys.stdout.write(f"{len(pieces)} sentences, {kept:.2f} of their length in {universal.DIMENSIONS} directions\n")


if __name__ == "__main__":
    main()
