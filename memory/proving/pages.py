"""Rows 27 and 31: a name never becomes a path, a template runs nothing, and stored text stays text on every page."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

import httpx
from django.conf import settings

from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, name_canary, name_person

TEMPLATE_WITHIN_S = 0.1
ORGANIZATION = "demo"
PAGES = (
    "", "/memories", "/search?query=lamp", "/context?query=lamp", "/facts", "/facts?state=all", "/bank",
    "/conversations", "/timeline", "/hot", "/graph", "/inbox", "/personality", "/replay?query=lamp", "/transfer",
    "/books", "/connect",
)  # fmt: skip
NAMES = (
    'filename="../../{}.txt"', 'filename="..\\\\..\\\\{}.txt"', 'filename="/{}.txt"', 'filename="x/../../{}.txt"',
    'filename="....//{}.txt"', 'filename="%2e%2e%2f{}.txt"', "filename*=UTF-8''..%2f..%2f{}.txt",
    'filename="{}.txt/"', 'filename="{}.txt;b.exe"', "filename*=UTF-8''{}%00.txt", 'filename=""', 'filename=".."',
)  # fmt: skip
TEMPLATES = {
    "code": "identity: !!python/object/apply:os.system ['true']\n",
    "laughs": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n",
    "deep": "identity: " + "[" * 500 + "]" * 500 + "\n",
    "long": "custom_instructions: " + "x" * 300_000 + "\n",
    "no mapping": "- a\n- b\n",
    "broken": "identity: {name: [\n",
    "twice": "identity: {name: a}\nidentity: {name: b}\n",
    "another type": "identity: 7\n",
}


@contextmanager
def open_console(stage: ProvingStage) -> Iterator[httpx.Client]:
    """Signed in as the operator of the demo organisation."""
    access = stage.stack.access
    with httpx.Client(base_url=stage.stack.api_url, timeout=60, trust_env=False, follow_redirects=True) as browser:
        browser.get("/console/login").raise_for_status()
        fields = {
            "username": access["console_user"],
            "password": access["console_password"],
            "csrfmiddlewaretoken": browser.cookies[settings.CSRF_COOKIE_NAME],
        }
        browser.post("/console/login", data=fields, headers={"referer": f"{stage.stack.api_url}/"}).raise_for_status()
        yield browser


class MarkedPage(HTMLParser):
    """How often a word stands as text, and where it has become an element, an attribute or code."""

    def __init__(self, page: str, mark: str) -> None:
        super().__init__()
        self.mark = mark
        self.as_text = 0
        self.as_code: list[str] = []
        self.is_in_code = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_in_code = tag in ("script", "style") and ("type", "application/json") not in attrs
        if tag == self.mark:
            self.as_code.append(f"<{tag}>")
        self.as_code += [f"{tag} {name}" for name, value in attrs if self.is_code(name, (value or "").lower())]

    def is_code(self, name: str, value: str) -> bool:
        runs = name.startswith(("on", "hx-on", "hx-vals", "data-hx")) and self.mark in value
        return name == self.mark or runs or value.startswith((f"javascript:{self.mark}", f"/{self.mark}"))

    def handle_endtag(self, tag: str) -> None:
        self.is_in_code = False

    def handle_data(self, data: str) -> None:
        self.as_text += self.mark in data
        self.as_code += ["code"] * (self.is_in_code and self.mark in data)


def word_payloads(mark: str) -> Iterator[str]:
    closings = ("", '">', "'>", "-->", "</textarea>", "</title>", "</script>", "</style>", "]]>")
    yield from (f"lamp {closing}<{mark}>" for closing in closings)
    yield from (f"lamp {quote} {mark}=1 x={quote}" for quote in ('"', "'", "`"))
    yield from (f"lamp <{tag} {way}={mark}>" for tag, way in (("svg", "onload"), ("img src=x", "onerror")))
    yield from (f"lamp <div {way}=/{mark} hx-trigger=load>" for way in ("hx-get", "data-hx-get", "hx-on:load"))
    yield from (f"<script>{mark}</script> lamp", f"[lamp](javascript:{mark})", f"<a href=javascript:{mark}>lamp</a>")
    yield from (f"lamp {{{{ '{mark}'|safe }}}} {{% debug %}}", f"lamp &lt;{mark}&gt; &#60;{mark}&#62;")


def prove_pages(stage: ProvingStage) -> Finding:
    """Each text in every field, and then each page of the person read as a browser reads it."""
    user, mark = name_person("pages"), name_canary()
    payloads = list(word_payloads(mark))
    with stage.call() as client:
        for payload in payloads:
            tell_everywhere(client, f"/api/v1/users/{user}", payload)
    pages, shown, scripted, unguarded = 0, 0, list[str](), 0
    with open_console(stage) as browser:
        for page in PAGES:
            answer = browser.get(f"/console/{ORGANIZATION}/{user}{page}").raise_for_status()
            read = MarkedPage(answer.text, mark)
            pages, shown = pages + 1, shown + read.as_text
            scripted += [f"{page}: {where}" for where in read.as_code]
            policy = answer.headers.get("content-security-policy", "")
            unguarded += "script-src" not in policy or "'unsafe-" in policy
    figure = (
        f"{len(scripted)} elements, attributes or scripts of {len(payloads)} stored texts on {pages} pages "
        f"{' '.join(scripted[:2])}, where they stand as text {shown} times; {unguarded} pages without a policy against "
        "inline code; read as a browser reads, none was run"
    )
    return Finding(figure, not scripted and not unguarded and shown >= len(payloads))


def tell_everywhere(client: httpx.Client, base: str, text: str) -> None:
    for path, body in (
        ("memories", {"text": text, "tier": "history", "speaker": text[:60], "metadata": {"note": text}}),
        ("memories", {"text": text, "source": {"type": "document", "title": text}}),
        ("memories", {"text": text, "tier": "memory_bank", "tags": ["identity"]}),
        ("facts", {"statement": f"I like {text}"}),
        ("threads/pages/exchanges", {"user_message": text, "assistant_message": text}),
    ):
        client.post(f"{base}/{path}", json=body)


def prove_names(stage: ProvingStage) -> Finding:
    """A file's name is kept as a word or refused, and a hostile template is refused with the place of the fault."""
    user, mark, failed = name_person("names"), name_canary(), list[str]()
    headers, taken = {"x-user-id": user}, 0
    with stage.call() as client:
        for name in NAMES:
            head = f'--B\r\nContent-Disposition: form-data; name="file"; {name.format(mark)}\r\n\r\n'
            form = {**headers, "content-type": "multipart/form-data; boundary=B"}
            body = f"{head}Words of it.\r\n--B--\r\n".encode()
            status = client.post("/api/v1/books/upload", content=body, headers=form).status_code
            taken += status == 202
            failed += [name] * (status not in (202, 422))
        slowest, unplaced = 0.0, list[str]()
        plain = {"name": mark, "content": "identity:\n  name: Ada\ncommunication:\n"}
        is_saved = client.post("/api/v1/personality/save", json=plain, headers=headers).is_success
        for name, content in TEMPLATES.items():
            begun = time.monotonic()
            answer = client.post("/api/v1/personality/save", json={**plain, "content": content}, headers=headers)
            slowest = max(slowest, time.monotonic() - begun)
            if answer.status_code not in (400, 422) or not answer.json().get("errors"):
                unplaced.append(f"{name} {answer.status_code}")
    home = stage.stack.data_dir.parent
    written_as = [path.name for place in (home, home.parent) for path in place.glob(f"*{mark}*")]
    written_as += [path.name for path in home.rglob("*") if mark in path.name]
    figure = (
        f"{len(written_as)} files named by a caller, of {len(NAMES)} hostile names {taken} kept as words and "
        f"{len(failed)} answered wrongly {' '.join(failed[:2])}; {len(unplaced)} of {len(TEMPLATES)} hostile templates "
        f"not refused with their fault {' '.join(unplaced)}, the slowest {slowest * 1000:.0f} ms; a plain one "
        f"{'is' if is_saved else 'is not'} saved"
    )
    is_quick = slowest <= TEMPLATE_WITHIN_S or stage.is_brief
    return Finding(figure, not (written_as or failed or unplaced) and taken > 0 and is_saved and is_quick)
