"""Reading exports: what counts as said, where faults are found, and how much of a file is held at once."""

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.tiers import MAX_TEXT_CHARS
from memory.transfer.chats import chatgpt, claude, jsonl, reading
from memory.transfer.chats.messages import (
    BrokenExport,
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_text,
    parse_time,
    split_text,
)

SAMPLES = Path(__file__).parent.parent / "samples" / "chats"


def read_messages(module: Any, name: str) -> tuple[list[ImportedMessage], list[str]]:
    [source] = reading.list_sources(SAMPLES / name)
    everything = [said for record in reading.read_records(source) for said in module.read_messages(record.value)]
    return [m for m in everything if isinstance(m, ImportedMessage)], [
        s.reason for s in everything if isinstance(s, SkippedMessage)
    ]


def write_file(path: Path, content: str | bytes) -> reading.ExportSource:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    [source] = reading.list_sources(path)
    return source


def fault_of(path: Path, content: str | bytes) -> str:
    with pytest.raises(BrokenExport) as caught:
        list(reading.read_records(write_file(path, content)))
    return str(caught.value)


class TestChatGPT:
    def test_the_current_branch_is_followed_and_the_other_one_counted(self) -> None:
        messages, skipped = read_messages(chatgpt, "chatgpt.json")
        assert [(m.speaker, m.text) for m in messages[:4]] == [
            ("user", "The garden gate sags by two centimetres. Which hinge do I want?"),
            ("assistant", "A strap hinge of 450 mm, screwed into the middle rail ."),
            ("user", "This is the rail. Is it thick enough?"),
            ("assistant", "At 45 millimetres it is thick enough."),
        ]
        assert skipped == [
            "system message",
            "thoughts block",
            "call of a tool",
            "tool message",
            "empty or a picture only",
            "on a branch that was left",
        ]

    def test_titles_times_and_ids_are_kept(self) -> None:
        messages, _ = read_messages(chatgpt, "chatgpt.json")
        assert messages[0].title == "Mending the gate"
        assert messages[0].thread_id == "6953f0c0-0000-8000-9000-00000000000a"
        assert messages[0].message_id == "g2"
        assert messages[0].said_at == datetime(2026, 1, 2, 8, 0, 5, 250_000, tzinfo=UTC)

    def test_a_message_without_a_time_takes_the_time_before_it(self) -> None:
        messages, _ = read_messages(chatgpt, "chatgpt.json")
        assert messages[4].text.startswith("מה שעת")
        assert messages[4].said_at == datetime.fromtimestamp(1_770_000_000, tz=UTC)

    def test_without_a_current_node_the_newest_leaf_is_the_tip(self) -> None:
        record = json.loads((SAMPLES / "chatgpt.json").read_text())[0]
        del record["current_node"]
        assert sum(isinstance(m, ImportedMessage) for m in chatgpt.read_messages(record)) == 4

    def test_a_circle_of_parents_is_refused(self) -> None:
        record = json.loads((SAMPLES / "chatgpt.json").read_text())[1]
        record["mapping"]["a"]["parent"] = "b"
        with pytest.raises(MalformedRecord, match="its own ancestor"):
            list(chatgpt.read_messages(record))

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"mapping": []}, "mapping must be an object"),
            ({"conversation_id": None}, "thread has no id"),
            ({"conversation_id": "x" * 201}, "longer than 200"),
            ({"create_time": "soon"}, "is not an ISO 8601 time"),
            ({"title": 4}, "title must be a string"),
        ],
    )
    def test_a_conversation_of_another_shape_is_refused(self, change: dict[str, Any], reason: str) -> None:
        record = json.loads((SAMPLES / "chatgpt.json").read_text())[1] | change
        with pytest.raises(MalformedRecord, match=reason):
            list(chatgpt.read_messages(record))

    @pytest.mark.parametrize(
        ("path", "value", "reason"),
        [
            (("author", "role"), None, "message 'b': role is missing"),
            (("content", "parts"), "text", "message 'b': parts must be a list"),
            (("content", "parts"), [7], "message 'b': parts must hold strings and objects"),
            (("create_time",), True, "message 'b': time must be"),
        ],
    )
    def test_a_message_of_another_shape_is_named(self, path: tuple[str, ...], value: Any, reason: str) -> None:
        record = json.loads((SAMPLES / "chatgpt.json").read_text())[1]
        target = record["mapping"]["b"]["message"]
        for name in path[:-1]:
            target = target[name]
        target[path[-1]] = value
        with pytest.raises(MalformedRecord, match=reason):
            list(chatgpt.read_messages(record))


class TestClaude:
    def test_text_blocks_are_joined_and_thinking_and_tools_left_out(self) -> None:
        messages, skipped = read_messages(claude, "claude.json")
        assert messages[1].text == "A beekeeper, not an exterminator.\n\nThe swarm line is 0161 496 0000."
        assert [m.speaker for m in messages[:3]] == ["user", "assistant", "user"]
        assert "empty, a file or a call of a tool only" in skipped

    def test_a_long_paste_is_text_and_a_named_file_only_a_name(self) -> None:
        messages, _ = read_messages(claude, "claude.json")
        assert messages[2].text == "Letter from the landlord: no holes in the wall."
        asked = next(m for m in messages if m.text.startswith("How long"))
        assert asked.attachments == ("wall.pdf",)
        assert "plan of the wall" not in asked.text

    def test_only_the_branch_that_ends_at_the_current_leaf_is_kept(self) -> None:
        messages, skipped = read_messages(claude, "claude.json")
        thread = [m.text for m in messages if m.thread_id.endswith("02")]
        assert thread == ["Name a tree for a very small yard.", "A serviceberry."]
        assert skipped.count("on a branch that was left") == 2

    def test_exports_from_before_content_blocks_are_read(self) -> None:
        messages, _ = read_messages(claude, "claude.json")
        assert messages[-1].text == "Only a text field here."

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"uuid": None}, "uuid is missing"),
            ({"chat_messages": {}}, "chat_messages must be a list"),
            ({"chat_messages": ["x"]}, "message 1 must be an object"),
            ({"chat_messages": [{"text": "x"}]}, "message 1: sender is missing"),
            ({"chat_messages": [{"sender": "human", "content": ["x"]}]}, "message 1: content must hold objects"),
        ],
    )
    def test_another_shape_is_refused(self, change: dict[str, Any], reason: str) -> None:
        record = json.loads((SAMPLES / "claude.json").read_text())[2] | change
        with pytest.raises(MalformedRecord, match=reason):
            list(claude.read_messages(record))


class TestJsonLines:
    def test_lines_become_messages_in_utc(self) -> None:
        messages, skipped = read_messages(jsonl, "plain.jsonl")
        assert [m.thread_id for m in messages] == ["boat"] * 5 + ["7"]
        assert messages[1].said_at == datetime(2026, 5, 1, 10, 0, 30, tzinfo=UTC)
        assert messages[2].said_at == datetime(2026, 5, 1, 10, 2, tzinfo=UTC)
        assert messages[4].title == "Water in the boat"
        assert skipped == ["empty"]

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ({"time": "2026-01-01", "speaker": "a", "text": "b"}, "thread is missing"),
            ({"thread": " ", "time": "2026-01-01", "speaker": "a", "text": "b"}, "thread has no id"),
            ({"thread": "t", "speaker": "a", "text": "b"}, "time is missing"),
            ({"thread": "t", "time": "yesterday", "speaker": "a", "text": "b"}, "'yesterday' is not an ISO 8601"),
            ({"thread": "t", "time": 1e300, "speaker": "a", "text": "b"}, "is not an ISO 8601"),
            (
                {"thread": "t", "time": "2999-01-01T00:00:00Z", "speaker": "a", "text": "b"},
                "more than a day in the future",
            ),
            ({"thread": "t", "time": "0001-01-01T00:00:00+09:00", "speaker": "a", "text": "b"}, "is not an ISO 8601"),
            ({"thread": "t", "time": "2026-01-01", "speaker": "", "text": "b"}, "speaker must not be empty"),
            ({"thread": "t", "time": "2026-01-01", "speaker": "a", "text": 3}, "text must be a string"),
        ],
    )
    def test_a_line_without_its_fields_is_refused(self, line: dict[str, Any], reason: str) -> None:
        with pytest.raises(MalformedRecord, match=reason):
            list(jsonl.read_messages(line))


class TestText:
    def test_control_characters_overrides_and_half_pairs_go(self) -> None:
        assert clean_text(" a\x00b\x1b[31m\r\nc\rd\u202e\ud800\te \u200f") == "ab[31m\nc\nd\te \u200f".strip()
        assert clean_text("\u200b \n\ufeff") == ""

    def test_long_texts_are_cut_at_words_and_nothing_is_lost(self) -> None:
        text = "word and another " * 6_000
        parts = list(split_text(text))
        assert len(parts) == 4
        assert "".join(parts) == text
        assert all(len(part) <= MAX_TEXT_CHARS and part.endswith(" ") for part in parts[:-1])

    def test_a_text_without_any_break_is_cut_hard(self) -> None:
        text = "x" * (2 * MAX_TEXT_CHARS + 5)
        assert [len(part) for part in split_text(text)] == [MAX_TEXT_CHARS, MAX_TEXT_CHARS, 5]

    def test_a_letter_keeps_its_marks(self) -> None:
        assert list(split_text("abe\u0301", limit=3)) == ["ab", "e\u0301"]

    def test_times_without_a_zone_are_utc(self) -> None:
        assert parse_time("2026-03-01T10:00:00") == datetime(2026, 3, 1, 10, tzinfo=UTC)
        assert parse_time("2026-03-01T10:00:00-03:00") == datetime(2026, 3, 1, 13, tzinfo=UTC)


class TestFiles:
    def test_an_array_is_read_without_holding_all_of_it(self, tmp_path: Path) -> None:
        row = json.dumps({"id": "ü", "text": 'quo"te ] } , [ {' * 40})
        source = write_file(tmp_path / "big.json", "[" + ",\n".join([row] * 6_000) + "]")
        largest = 0
        with source.open() as stream:
            reader = reading._ArrayReader(source, stream)
            places = []
            for record in reader.records():
                places.append(record.place)
                largest = max(largest, len(reader.buffer))
        assert len(places) == 6_000
        assert places[-1] == "line 6000, conversation 6000"
        assert largest < 3 << 20

    def test_an_element_larger_than_the_read_ahead_is_read(self, tmp_path: Path) -> None:
        source = write_file(tmp_path / "one.json", json.dumps([{"text": "y" * (5 << 20)}, {"text": "z"}]))
        assert [len(str(record.value["text"])) for record in reading.read_records(source)] == [5 << 20, 1]

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ('[{"a": 1},\n {"b": 2}', "line 2: the file ends too early"),
            ('[{"a": 1},\n {"b": ', "line 2, conversation 2: the file ends too early"),
            ('[{"a": 1},\n {"b": "half', "line 2, conversation 2: the file ends too early"),
            ('[{"a": 1},\n\n {"b": nope, "c": "' + "x" * 50 + '"}]', "line 3, conversation 2: is not JSON"),
            ('[{"a": 1} {"b": 2}]', "line 1: expected ']', found '{'"),
            ('[{"a": 1}, 7]', "conversation 2 must be a JSON object"),
            ('[{"a": 1},]', "conversation 2 must be a JSON object"),
            ('[{"a": 1}] trailing', "line 1: there is text after the end of the array"),
            ('[{"a": NaN}]', "conversation 1: NaN is not JSON"),
            ("[" + '{"a":' * 100_000 + "1" + "}" * 100_000 + "]", "nested too deeply"),
            (b'[{"a": "\xff"}]', "line 1: is not UTF-8 text"),
            ('{"a": 1}\n{"b": }\n', "line 2: is not JSON: a value is missing at column 7"),
            ('{"a": 1}\n[2]\n', "line 2: must be a JSON object"),
            (b'{"a": 1}\n{"b": "\xc3"}\n', "line 2: is not UTF-8 text (byte 8)"),
            ("just some words", "line 1: is neither a JSON array nor JSON Lines"),
            ("  \n \n", "nothing in the file but blanks"),
        ],
    )
    def test_a_fault_is_reported_with_its_place(self, tmp_path: Path, content: str | bytes, reason: str) -> None:
        assert reason in fault_of(tmp_path / "export", content)

    def test_an_empty_or_missing_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "empty").touch()
        for name in ("empty", "missing"):
            with pytest.raises(BrokenExport):
                reading.list_sources(tmp_path / name)

    def test_a_byte_order_mark_is_no_fault(self, tmp_path: Path) -> None:
        for content in (b'\xef\xbb\xbf[{"a": 1}]', b'\xef\xbb\xbf{"a": 1}\n'):
            assert [record.value for record in reading.read_records(write_file(tmp_path / "bom", content))] == [
                {"a": 1}
            ]


class TestZips:
    def zipped(self, path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    def test_one_file_or_several_numbered_ones_are_found(self, tmp_path: Path) -> None:
        path = self.zipped(
            tmp_path / "export.zip",
            {
                "chat.html": b"<html>",
                "export/conversations-001.json": b'[{"n": 2}]',
                "export/conversations-000.json": b'[{"n": 1}]',
                "__MACOSX/export/._conversations-000.json": b"\x00",
            },
        )
        found = [record for source in reading.list_sources(path) for record in reading.read_records(source)]
        assert [record.value["n"] for record in found] == [1, 2]
        assert found[1].place == "export/conversations-001.json, line 1, conversation 1"

    def test_a_zip_without_conversations_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BrokenExport, match=r"holds no conversations\.json"):
            reading.list_sources(self.zipped(tmp_path / "other.zip", {"user.json": b"{}"}))

    def test_a_zip_that_unpacks_to_far_more_than_itself_is_refused(self, tmp_path: Path) -> None:
        bomb = self.zipped(tmp_path / "bomb.zip", {"conversations.json": b" " * (40 << 20)})
        with pytest.raises(BrokenExport, match="unpacks to more than 150 times"):
            reading.list_sources(bomb)

    def test_a_zip_that_lies_about_its_size_yields_no_more_than_it_stated(self, tmp_path: Path) -> None:
        path = self.zipped(tmp_path / "liar.zip", {"conversations.json": b'[{"a": "' + b"x" * 5_000 + b'"}]'})
        data = bytearray(path.read_bytes())
        central = data.rindex(b"PK\x01\x02")
        data[central + 24 : central + 28] = (100).to_bytes(4, "little")
        path.write_bytes(data)
        with pytest.raises(BrokenExport):
            [record for source in reading.list_sources(path) for record in reading.read_records(source)]

    def test_a_damaged_zip_is_refused(self, tmp_path: Path) -> None:
        path = self.zipped(tmp_path / "whole.zip", {"conversations.json": b'[{"a": 1}]' * 400})
        (tmp_path / "cut.zip").write_bytes(path.read_bytes()[:60])
        with pytest.raises(BrokenExport, match="cut off or damaged"):
            reading.list_sources(tmp_path / "cut.zip")

    def test_flipped_bits_are_refused(self, tmp_path: Path) -> None:
        path = self.zipped(tmp_path / "bits.zip", {"conversations.json": b'[{"a": 1}]'}, zipfile.ZIP_STORED)
        path.write_bytes(path.read_bytes().replace(b'"a": 1', b'"a": 2', 1))
        [source] = reading.list_sources(path)
        with pytest.raises(BrokenExport, match="cannot be unpacked"):
            list(reading.read_records(source))


def test_reading_needs_no_seekable_stream() -> None:
    source = reading.ExportSource(Path("stream"))
    rows = list(reading._ArrayReader(source, io.BytesIO(b'[{"a": 1}]')).records())
    assert [row.value for row in rows] == [{"a": 1}]
