"""Adapters for other people's programs, handed out by the installation that they are for."""

import gzip
import io
import tarfile
from functools import cache
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

ROOT = Path(__file__).parents[2] / "integrations"
ARCHIVES = {"commonplace-client.tar.gz": "python", "commonplace-hermes.tar.gz": "hermes"}
SCRIPTS = {"commonplace_filter.py": "open-webui/commonplace_filter.py"}
PARTS = {".py", ".toml", ".md", ".yaml", ".typed"}


@require_safe
def send_adapter(request: HttpRequest, name: str) -> HttpResponse:
    if name in ARCHIVES:
        return HttpResponse(pack_folder(ARCHIVES[name]), content_type="application/gzip")
    if name in SCRIPTS:
        return HttpResponse((ROOT / SCRIPTS[name]).read_bytes(), content_type="text/x-python; charset=utf-8")
    raise Http404("no such adapter")


@cache
def pack_folder(folder: str) -> bytes:
    """The same bytes each time, whoever owns the files and whenever they were written."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and file.suffix in PARTS and not {"build", "__pycache__"} & set(file.parts):
                content = file.read_bytes()
                entry = tarfile.TarInfo(file.relative_to(ROOT / folder).as_posix())
                # pip wants one folder that holds everything; a plugin is one already.
                entry.name = f"commonplace-client/{entry.name}" if folder == "python" else entry.name
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)
