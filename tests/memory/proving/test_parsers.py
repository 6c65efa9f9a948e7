"""Row 29 can fail: what it hands to readers is hostile and the same every time, and a bad end breaks the promise."""

import random
from pathlib import Path

import pytest

from books.reading.document import DocumentKind, RefusalCode
from memory.proving import parsers
from memory.proving.parsers import ENDED_WITHIN_S, MutantReading, build_seeds, judge_mutants, mutate_file, read_mutant

SEEDS = build_seeds()


def list_good() -> list[MutantReading]:
    found = [MutantReading(f"{kind}#0", "read", 0.1) for kind in SEEDS]
    found += [MutantReading(f"{kind}#1", "read", 0.1) for kind in SEEDS]
    return [*found, MutantReading("pdf#2", RefusalCode.DAMAGED, 0.2)]


def test_mutants_differ_from_each_other_and_are_the_same_again() -> None:
    for kind, whole in SEEDS.items():
        made = [[mutate_file(whole, random.Random(f"{kind}{number}")) for number in range(20)] for _ in range(2)]
        if kind not in {DocumentKind.DOCX, DocumentKind.XLSX}:  # an archive holds the time it was packed at
            assert made[0] == made[1]
        assert len({*made[0], whole}) > 15, kind


def test_the_unchanged_files_are_read(tmp_path: Path) -> None:
    assert {read_mutant(kind, 0, whole, tmp_path).outcome for kind, whole in SEEDS.items()} == {"read"}
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_fails_otherwise_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_words: object, **_more: object) -> None:
        raise IndexError("past the end")

    monkeypatch.setattr(parsers, "read_document", fail)
    assert read_mutant(DocumentKind.PDF, 7, b"x", tmp_path).outcome == "IndexError of pdf#7"


def test_files_that_are_read_or_refused_in_time_are_kept() -> None:
    assert judge_mutants(list_good(), len(SEEDS), 0).is_kept


@pytest.mark.parametrize(
    "bad",
    [
        MutantReading("pdf#3", "IndexError of pdf#3", 0.1),
        MutantReading("pdf#3", "read", ENDED_WITHIN_S + 1),
        MutantReading("pdf#0", RefusalCode.DAMAGED, 0.1),
    ],
)
def test_a_bad_end_breaks_the_promise(bad: MutantReading) -> None:
    assert not judge_mutants([*list_good(), bad], len(SEEDS), 0).is_kept


def test_a_process_that_is_left_and_a_kind_that_was_not_tried_break_it() -> None:
    assert not judge_mutants(list_good(), len(SEEDS), 1).is_kept
    assert not judge_mutants([one for one in list_good() if one.name != "rtf#1"], len(SEEDS), 0).is_kept
    # Where nothing was refused nothing hostile was handed in.
    assert not judge_mutants(list_good()[:-1], len(SEEDS), 0).is_kept
