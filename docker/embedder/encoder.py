"""Texts to unit vectors on the CPU, several requests at once; on demand with what each token became.

What somebody waits for has a lane of its own, so that it never stands behind a bulk job; the bulk lane also steps back
where the machine is short of time. In either a question comes before passages. A request is cut into small units of
texts of like length.
"""

import itertools
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import PriorityQueue

import ctranslate2
import numpy as np
from instructions import choose_instructions
from model import DIMENSIONS, ModelSource, ensure_converted, load_tokenizer
from network import QUANTIZATION
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
# The characters of a text whose tokens are wanted, from and up to.
Span = tuple[int, int]

# Units of eight gave the most texts a second on two cores; the token limit bounds how long one takes.
UNIT_TEXTS = 8
UNIT_TOKENS = 1024
QUERY_TEXTS = 2
# More than that nobody waits for in one request: a search compares up to eight passages that are not indexed yet.
AWAITED_TEXTS = 8
# Of niceness, for what encodes bulk jobs.
STEPS_BACK = 10
# Beyond what the longest 512 tokens need; the rest of a huge text is not worth tokenizing.
MAX_CHARACTERS = 20_000


class OverloadedError(Exception):
    """More texts are waiting than will be answered in useful time."""


@dataclass(slots=True)
class Job:
    """One request: where its vectors go and how many units are still out."""

    vectors: Matrix
    tokens: int
    # For each text, one row for each wanted token: one bit a number of its vector, set above nought; or all of it.
    token_rows: list[bytes] = field(default_factory=list)
    whole: bool = False
    done: Future[Matrix] = field(default_factory=Future)
    open_units: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def finish_unit(self) -> None:
        with self.lock:
            self.open_units -= 1
            is_last = self.open_units == 0
        if is_last and not self.done.done():
            self.done.set_result(self.vectors)

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)


@dataclass(slots=True)
class Unit:
    job: Job
    rows: list[int]
    ids: list[list[int]]
    # The places in each row of ``ids`` whose tokens are wanted.
    kept: list[list[int]]


class Lane:
    """Threads that take units from one queue: those of short requests first, then as they came."""

    def __init__(self, encode: Callable[[Unit], None], threads: int) -> None:
        self.units: PriorityQueue[tuple[bool, int, Unit]] = PriorityQueue()
        self._numbers = itertools.count()
        self._encode = encode
        for _ in range(threads):
            threading.Thread(target=self._work, daemon=True).start()

    def is_overloaded(self, most: int) -> bool:
        return self.units.qsize() * UNIT_TEXTS > most

    def share_out(self, job: Job, ids: Sequence[list[int]], kept: Sequence[list[int]], threads: int = 1) -> Job:
        """Queue a job's texts, so that a request of a few is shared among the threads, too."""
        units = cut(ids, min(UNIT_TEXTS, -(-len(ids) // threads)))
        job.open_units = len(units)
        is_long = len(ids) > QUERY_TEXTS
        for rows in units:
            unit = Unit(job, rows, [ids[row] for row in rows], [kept[row] for row in rows])
            self.units.put((is_long, next(self._numbers), unit))
        return job

    def _work(self) -> None:
        while True:
            *_, unit = self.units.get()
            if unit.job.done.done():  # failed or given up: nobody waits for the rest of it
                continue
            try:
                self._encode(unit)
            except Exception as error:  # noqa: BLE001 - told to the one request it belongs to
                unit.job.fail(error)


@dataclass(frozen=True, slots=True)
class Lanes:
    awaited: Lane
    bulk: Lane

    def choose(self, count: int, *, is_background: bool) -> Lane:
        """For a request of so many texts.

        In six pairs of runs on a busy machine a search beside five writes a second took 83 ms (median; p95 170) where
        it took 154 (325) while what the worker asked for one by one stood among the questions, and the passages that a
        search compares among the bulk jobs.
        """
        return self.bulk if is_background or count > AWAITED_TEXTS else self.awaited


class Transformer:
    """Replicas of a converted model."""

    def __init__(self, folder: Path, replicas: int, *, steps_back: int = 0) -> None:
        # Of all tokens; taken from those that are handed out.
        self.centre: Matrix = np.zeros(DIMENSIONS, np.float32)
        # The library's threads are as nice as the one that makes them. Ours, which share one interpreter, stay as they
        # are: one that had to step back while it holds the lock would hold up everybody.
        with ThreadPoolExecutor(1) as maker:
            self._model = maker.submit(load, folder, replicas, steps_back).result()

    def encode(self, unit: Unit) -> None:
        hidden = np.asarray(self._model.forward_batch(unit.ids).last_hidden_state)
        for place, (row, ids, kept) in enumerate(zip(unit.rows, unit.ids, unit.kept, strict=True)):
            mean = hidden[place, : len(ids)].mean(axis=0)
            unit.job.vectors[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
            if kept:
                tokens = hidden[place, kept] - self.centre
                rows = tokens.astype("<f4") if unit.job.whole else np.packbits(tokens > 0, axis=1)
                unit.job.token_rows[row] = rows.tobytes()
        unit.job.finish_unit()


def load(folder: Path, replicas: int, steps_back: int) -> ctranslate2.Encoder:
    if steps_back and sys.platform == "linux":  # elsewhere niceness belongs to processes
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + steps_back)
    choose_instructions()
    return ctranslate2.Encoder(
        str(folder), device="cpu", compute_type=QUANTIZATION, inter_threads=replicas, intra_threads=1
    )


class Encoder:
    def __init__(self, models: Path, source: ModelSource, *, replicas: int = 2, max_waiting: int = 4096) -> None:
        self.source = source
        self.tokenizer = load_tokenizer(source)
        folder = ensure_converted(models, source, self.tokenizer)
        self._models = (Transformer(folder, replicas), Transformer(folder, replicas, steps_back=STEPS_BACK))
        self._lanes = Lanes(*(Lane(model.encode, replicas) for model in self._models))
        self._max_waiting = max_waiting
        self._replicas = replicas
        self._centre_tokens()

    def _centre_tokens(self) -> None:
        texts = self.source.centre_texts
        if not texts:
            return
        # Each alone, so that the rounding of a batch does not depend on how many processors there are.
        jobs = [self.submit([text], [(0, len(text))], whole=True) for text in texts]
        for job in jobs:
            job.done.result()
        tokens = [np.frombuffer(job.token_rows[0], "<f4").reshape(-1, DIMENSIONS) for job in jobs]
        centre = np.concatenate(tokens).mean(axis=0)
        for model in self._models:
            model.centre = centre

    def submit(
        self, texts: Sequence[str], spans: Sequence[Span] = (), *, whole: bool = False, is_background: bool = False
    ) -> Job:
        """Queue texts; the job's future gives one row a text, in order. Raises OverloadedError.

        With a span for each text, the job also gets the tokens that lie in it, by their signs or whole.
        """
        lane = self._lanes.choose(len(texts), is_background=is_background)
        if lane.is_overloaded(self._max_waiting):
            raise OverloadedError
        found = self.tokenizer.encode_batch([text[:MAX_CHARACTERS] for text in texts])
        ids = [one.ids for one in found]
        kept = [within(one.offsets, span) for one, span in zip(found, spans, strict=True)] if spans else [[]] * len(ids)
        job = Job(np.zeros((len(texts), DIMENSIONS), np.float32), sum(map(len, ids)), [b""] * len(ids), whole)
        return lane.share_out(job, ids, kept, self._replicas)

    def encode(self, texts: Sequence[str]) -> Matrix:
        return self.submit(texts).done.result()


def within(offsets: Sequence[Span], span: Span) -> list[int]:
    """The places of the tokens that stand for characters of the span. The marks around a text stand for none."""
    return [place for place, (start, end) in enumerate(offsets) if start < end and span[0] <= start and end <= span[1]]


def cut(ids: Sequence[Sequence[int]], most: int = UNIT_TEXTS) -> list[list[int]]:
    """Row numbers in units of like length: padding to the longest of a unit is wasted work."""
    units: list[list[int]] = []
    for row in sorted(range(len(ids)), key=lambda row: -len(ids[row])):
        unit = units[-1] if units else []
        longest = len(ids[unit[0]]) if unit else 0
        if unit and len(unit) < most and longest * (len(unit) + 1) <= UNIT_TOKENS:
            unit.append(row)
        else:
            units.append([row])
    return units
