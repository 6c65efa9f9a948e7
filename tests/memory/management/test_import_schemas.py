"""`manage.py import_schemas`: what data sets hold and how things are called, once, or not at all."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.access.scope import user_scope
from memory.access.users import find_user
from memory.indexes.base import IndexFilter
from memory.indexes.fulltext import FullTextIndex
from memory.models import EndUser, MemoryItem, Organization
from memory.platform.deadline import Deadline
from memory.store import archiving
from memory.tiers import Indexing, SourceType, Tier

WELLS: dict[str, Any] = {
    "id": "wells-7",
    "title": "Village wells",
    "description": "Every public well of the district.",
    "category": "water",
    "keywords": ["wells", "בארות"],
    "tables": [
        {"name": "wells", "columns": ["well_id", {"name": "depth_m", "type": "number", "description": "in metres"}]},
        {"name": "samples", "description": "One row a visit.", "columns": [{"name": "nitrate", "publisher": "x"}]},
    ],
}
SYNONYMS = {"domain": "housing", "terms": ["housing", "דיור", "dwelling"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "schemas.json"


def run_import(file: Path, content: object = None, **options: Any) -> str:
    if content is not None:
        file.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
    out = StringIO()
    call_command("import_schemas", str(file), user="ann", stdout=out, **options)
    return out.getvalue()


def rows_of(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).order_by("text"))


def catalogue(**changes: Any) -> dict[str, Any]:
    return {"datasets": [{**WELLS, **changes}], "synonyms": [SYNONYMS]}


def test_each_table_and_each_group_of_synonyms_is_a_pattern(user: EndUser, file: Path) -> None:
    assert "added 3 to patterns of ann, revised 0, 0 already there" in run_import(file, catalogue())
    samples, wells, synonyms = rows_of(user)
    assert {row.tier for row in (samples, wells, synonyms)} == {Tier.PATTERNS}
    assert {row.indexing for row in (samples, wells, synonyms)} == {Indexing.PENDING}
    assert (wells.tags, synonyms.tags) == (["schema"], ["schema", "synonyms"])
    assert (wells.source_type, wells.expires_at) == (SourceType.SYSTEM, None)
    assert wells.text == (
        "Dataset: Village wells (ID: wells-7), table wells\nEvery public well of the district.\n"
        "About: water, wells, בארות\nFields: well_id; depth_m (number): in metres"
    )
    assert wells.metadata == {
        "dataset": "wells-7", "table": "wells", "concepts": ["Village wells", "water", "wells", "בארות"],
    }  # fmt: skip
    assert synonyms.text == "Said of the same thing in housing: housing, דיור, dwelling"
    assert synonyms.metadata == {"domain": "housing", "synonyms": ["housing", "דיור", "dwelling"]}
    found = FullTextIndex().search("nitrate", IndexFilter(user.pk), 5, Deadline(5))
    assert [match.id for match in found] == [samples.pk]


def test_the_same_file_again_adds_nothing_and_a_changed_table_is_revised(user: EndUser, file: Path) -> None:
    run_import(file, catalogue())
    before = {row.pk for row in rows_of(user)}
    assert "added 0 to patterns of ann, revised 0, 3 already there" in run_import(file)
    longer = [WELLS["tables"][0], {"name": "samples", "columns": ["nitrate", "lead"]}]
    assert "added 0 to patterns of ann, revised 1, 2 already there" in run_import(file, catalogue(tables=longer))
    assert {row.pk for row in rows_of(user)} == before
    assert any("lead" in row.text and row.version == 2 for row in rows_of(user))
    assert "revised 0, 3 already there" in run_import(file)


def test_what_its_owner_deleted_stays_deleted(user: EndUser, file: Path) -> None:
    run_import(file, catalogue())
    gone = rows_of(user)[0]
    archiving.delete_memory(user, gone.pk, now=gone.created_at)
    assert "added 0 to patterns of ann, revised 0, 3 already there" in run_import(file)
    assert gone.pk not in {row.pk for row in rows_of(user)}


def test_a_data_set_may_have_columns_of_its_own_or_none(user: EndUser, file: Path) -> None:
    flat = {"id": "a", "title": "Flat", "columns": ["one", "two"]}
    bare = {"id": "b", "title": "Bare"}
    run_import(file, {"datasets": [flat, bare]})
    assert [row.text for row in rows_of(user)] == ["Dataset: Bare (ID: b)", "Dataset: Flat (ID: a)\nFields: one; two"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "line 1, column 1"),
        ('{"datasets": [\n  {"id": "a",}\n]}', "line 2, column 14"),
        ("[]", "the file: input should be"),
        ("{}", "holds neither datasets nor synonyms"),
        ("[" * 100_000, "nested too deeply"),
        ('{"datasets": [' + "1" * 5000 + "]}", "a number of thousands of digits"),
        ('{"datasets": [{"id": "a", "title": "\\ud800"}]}', "datasets[0].title: input should be a valid string"),
        ('{"datasets": [{"id": "a\\u0000", "title": "b"}]}', "datasets[0]: text control characters"),
        ({"datasets": [WELLS, {"id": "x"}]}, "datasets[1].title: field required"),
        ({"datasets": [{**WELLS, "id": 7}]}, "datasets[0].id: input should be a valid string"),
        ({"datasets": [{**WELLS, "title": "  "}]}, "datasets[0].title: string should have at least 1"),
        ({"datasets": [{**WELLS, "tables": [{"columns": [{"type": "text"}]}]}]}, "datasets[0].tables[0].columns[0]"),
        ({"datasets": [WELLS, WELLS]}, "datasets[1].tables[0]: is a second datasets[0].tables[0]"),
        ({"datasets": [{**WELLS, "description": "x" * 40_000}]}, "datasets[0].tables[0]: text "),
        ({"synonyms": [SYNONYMS, {"domain": "d", "terms": ["one", "one"]}]}, "synonyms[1].terms: at least two"),
    ],
    ids=range(15),
)
def test_a_broken_file_is_refused_with_place_and_reason_and_nothing_is_stored(
    user: EndUser, file: Path, content: object, complaint: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        run_import(file, content)
    assert complaint in str(refusal.value)
    assert "Nothing was imported from schemas.json" in str(refusal.value)
    assert rows_of(user) == []


def test_a_file_that_is_not_there_or_not_text_is_refused(user: EndUser, file: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        run_import(file)
    file.write_bytes(b'{"datasets": "\xff"}')
    with pytest.raises(CommandError, match="byte 15: is not UTF-8 text"):
        run_import(file)


def test_a_rehearsal_writes_nothing(organization: Organization, file: Path) -> None:
    assert "3 descriptions; nothing was written" in run_import(file, catalogue(), dry_run=True)
    assert find_user(organization, "ann") is None
