"""The page that takes a person's data out and adds a file, without JavaScript."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.portability import jobs
from memory.store.admission import NewMemory
from tests.memory.console.conftest import Console


def test_a_file_is_taken_out_checked_and_added_and_each_is_told(
    console: Console, outsider: Console, user: EndUser
) -> None:
    MemoryFacade().store(user, NewMemory("The hive is loud"), now=timezone.now())
    address = f"/console/{user.organization.slug}/{user.external_id}/transfer"
    assert "Nothing yet." in console.get(address).content.decode()
    assert console.get(f"{address}/export").status_code == 405
    for path in (address, f"{address}/export", f"{address}/import"):
        assert outsider.post(path, {}).status_code in {404, 405}

    response = console.post(f"{address}/export")
    file = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert b"The hive is loud" in file
    assert response.headers["Content-Disposition"] == f'attachment; filename="{user.external_id}.jsonl"'

    def send(body: bytes, **more: str) -> tuple[int, str]:
        answer = console.post(f"{address}/import", {"file": SimpleUploadedFile("<b>.jsonl", body), **more})
        return answer.status_code, answer.content.decode()

    status, text = send(file.replace(b'"status":"active"', b'"status":"<i>"'))
    assert (status, "line 2: status: must be one of" in text, "Nothing was imported" in text) == (422, True, True)
    status, text = send(file, check="1")
    assert (status, "It would add 0 rows" in text, "&lt;b&gt;.jsonl is whole" in text) == (200, True, True)
    assert not jobs.list_open_imports(user)
    assert send(file)[0] == 302
    assert len(jobs.list_open_imports(user)) == 1
    page = console.get(address).content.decode()
    assert "an import is being written" in page
    assert "operator:" in page
