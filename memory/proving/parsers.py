"""Row 29: files that are changed at random end as read or as refused, and nothing else comes of them."""

import io
import random
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import openpyxl
import psutil
from docx import Document

from books.reading.document import DocumentKind, DocumentRefused, ReadingLimits, RefusalCode
from books.reading.sandbox import read_document
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage

SEED: Final = 29
# Beyond what reading may take, for the process's start on a busy machine.
ENDED_WITHIN_S: Final = ReadingLimits().wall_seconds + 5
MOST_CHANGES: Final = 12
# Two processors have time for two; on more of them it ends sooner.
READERS: Final = 2
SENTENCES: Final = tuple(f"The {word} of number {number} stands in the shed." for number, word in enumerate(
    ("lamp", "kettle", "ladder", "anchor", "violin", "compass", "barrel", "lantern"), start=1
))  # fmt: skip
# What readers count with, begin at or end at.
PIECES: Final = (
    b"\x00", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"-1", b"9999999999", b"1e999", b"<", b">", b"&", b"]]>",
    b"<![CDATA[", b"</", b"<!--", b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>", b"&b;", b'"', b"'", b"{",
    b"}", b"\\", b"\\'ff", b"\\bin9999999 ", b"\\u-99999 ", b"endstream", b"endobj", b"1 0 R", b"<<", b">>", b"[",
    b"/Length 2147483648", b"/Kids [1 0 R]", b"/Filter [/FlateDecode /FlateDecode]", b"PK\x03\x04", b"PK\x01\x02",
    b"XFD1048576", b"\r\n\r\n", b",", b";", b"\t", b"\xed\xa0\x80", b"\xef\xbb\xbf", "\u202e\u200b".encode(),
)  # fmt: skip


def build_seeds() -> dict[DocumentKind, bytes]:
    """A small and whole file of each kind."""
    rows = [f"{number},{sentence}" for number, sentence in enumerate(SENTENCES)]
    text = "\n\n".join(SENTENCES)
    page = "".join(f"<h2>Part {row}</h2><p>{row}</p><table><tr><td>{row}</td></tr></table>" for row in rows)
    rtf = "\\par ".join(SENTENCES)
    return {
        DocumentKind.PDF: build_pdf(),
        DocumentKind.DOCX: build_docx(),
        DocumentKind.XLSX: build_xlsx(),
        DocumentKind.CSV: "\n".join(["number,what", *rows]).encode(),
        DocumentKind.HTML: f"<!doctype html><html><title>Shed</title><body>{page}</body></html>".encode(),
        DocumentKind.RTF: ("{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}\\f0\\b Shed\\b0 " + rtf + "}").encode(),
        DocumentKind.TXT: text.encode(),
        DocumentKind.MD: f"# Shed\n\n{text}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\ncode\n```\n".encode(),
    }


def build_docx() -> bytes:
    document, file = Document(), io.BytesIO()
    document.add_heading("Shed")
    for sentence in SENTENCES:
        document.add_paragraph(sentence)
    document.add_table(2, 3).cell(0, 0).add_paragraph("lamp")
    document.save(file)
    return file.getvalue()


def build_xlsx() -> bytes:
    workbook, file = openpyxl.Workbook(), io.BytesIO()
    for number, sentence in enumerate(SENTENCES):
        workbook.worksheets[0].append([number, sentence, "=A1+1"])
    workbook.save(file)
    return file.getvalue()


def build_pdf() -> bytes:
    drawn = b"BT /F1 12 Tf 72 720 Td 14 TL " + b" ".join(b"(%s) Tj T*" % line.encode() for line in SENTENCES) + b" ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )
    return out + end


def mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    """Some pieces cut out, said twice, put elsewhere, replaced or turned over."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, MOST_CHANGES)):
        start = dice.randrange(len(changed) + 1)
        end = min(len(changed), start + dice.choice((1, 2, 4, 16, 64, 512)))
        piece = bytes(changed[start:end])
        changes: tuple[Callable[[], bytes], ...] = (
            lambda: b"",
            lambda piece=piece: piece * dice.choice((2, 3, 200)),  # type: ignore[misc]
            lambda: dice.choice(PIECES),
            lambda piece=piece: piece + dice.choice(PIECES),  # type: ignore[misc]
            lambda piece=piece: bytes(byte ^ 1 << dice.randrange(8) for byte in piece),  # type: ignore[misc]
            lambda: dice.randbytes(end - start),  # noqa: B023  (called before the next round)
        )
        changed[start:end] = dice.choice(changes)()
    return bytes(changed[: dice.randrange(len(changed) + 1)]) if dice.random() < 0.1 else bytes(changed)


def mutate_file(data: bytes, dice: random.Random) -> bytes:
    """An archive also within one of its parts, as else its sums alone would refuse it."""
    if not data.startswith(b"PK") or dice.random() < 0.25:
        return mutate_bytes(data, dice)
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        names = source.namelist()
        # The part with the words as often as all others.
        worded = [name for name in names if name.endswith(("document.xml", "sheet1.xml"))]
        chosen = dice.choice([*names, *(worded * len(names))])
        for name in names:
            part = source.read(name)
            archive.writestr(name, mutate_bytes(part, dice) if name == chosen else part)
    return packed.getvalue()


@dataclass(frozen=True, slots=True)
class MutantReading:
    name: str
    outcome: str
    seconds: float


def read_mutant(kind: DocumentKind, number: int, data: bytes, folder: Path) -> MutantReading:
    """``number`` and the seed make the same file again."""
    path = folder / f"{kind}-{number}"
    path.write_bytes(data)
    begun, name = time.monotonic(), f"{kind}#{number}"
    try:
        read_document(path, f"a.{kind}", limits=ReadingLimits(), on_progress=lambda _stage, _share: None)
        outcome = "read"
    except DocumentRefused as refused:
        outcome = str(refused.code)
    except Exception as fault:  # noqa: BLE001  (whatever it is, it would have ended the worker's task)
        outcome = f"{type(fault).__name__} of {name}"
    finally:
        path.unlink()
    return MutantReading(name, outcome, time.monotonic() - begun)


def read_mutants(kind: DocumentKind, whole: bytes, most: int, until: float, folder: Path) -> Iterator[MutantReading]:
    """The whole file and its mutants, one after another, until there are enough or the time is over."""
    yield read_mutant(kind, 0, whole, folder)
    for number in range(1, most + 1):
        if time.monotonic() >= until:
            return
        dice = random.Random(f"{SEED}:{kind}:{number}")  # noqa: S311  (the same files every time)
        yield read_mutant(kind, number, mutate_file(whole, dice), folder)


def prove_parsers(stage: ProvingStage) -> Finding:
    """Each kind has the same share of the time."""
    seeds, most = build_seeds(), stage.scale(40, 5_000)
    share_s = stage.scale(100, 1_800) * READERS / len(seeds)
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(READERS) as pool:

        def read_kind(kind: DocumentKind) -> list[MutantReading]:
            return list(read_mutants(kind, seeds[kind], most, time.monotonic() + share_s, Path(folder)))

        found = [one for part in pool.map(read_kind, seeds) for one in part]
    left = sum("books.reading.child" in " ".join(one.cmdline()) for one in psutil.Process().children())
    return judge_mutants(found, len(seeds), left)


def judge_mutants(found: list[MutantReading], kinds: int, left: int) -> Finding:
    whole = [one for one in found if one.name.endswith("#0")]
    mutants = [one for one in found if not one.name.endswith("#0")]
    outcomes = Counter(one.outcome for one in mutants)
    strange = [outcome for outcome in outcomes if outcome != "read" and outcome not in set(RefusalCode)]
    late = [one.name for one in mutants if one.seconds > ENDED_WITHIN_S]
    slowest = max((one.seconds for one in mutants), default=0.0)
    refused = mutants and len(mutants) - outcomes["read"] - len(strange)
    unread = [one.name for one in whole if one.outcome != "read"]
    figure = (
        f"{len(mutants):,} mutants of {kinds} kinds of file: {outcomes['read']} read, {refused or 0} refused, "
        f"{len(strange)} ended otherwise {' '.join(strange[:2])}; {len(late)} later than {ENDED_WITHIN_S:.0f} s "
        f"{' '.join(late[:2])}, the slowest {slowest:.1f} s; {left} processes left; {len(whole) - len(unread)} of "
        f"{kinds} unchanged files read {' '.join(unread)}"
    )
    enough = len({one.name.partition("#")[0] for one in mutants}) == kinds
    is_hard = 0 < outcomes["read"] < len(mutants)
    return Finding(figure, not (strange or late or left or unread) and enough and is_hard)
