"""Text from outside stays text: whatever it says, a page has the same elements and attributes."""

import re
import uuid
from collections.abc import Collection
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from memory.access.keys import issue_key
from memory.access.scope import user_scope
from memory.language.text import SMUGGLED
from memory.models import EndUser, Fact, FactReview, MemoryEvent, MemoryItem, MemoryVersion, Organization
from personality.models import ActivePersonality, PersonalityTemplate
from tests.factories import LONG_AGO, MemoryItemFactory
from tests.memory.console.conftest import Console
from tests.memory.console.hostile_texts import PAYLOADS

# Of one text: those that choose among what is there, those of one memory or fact, and of what a person has one of.
PAGES = [
    *("", "/memories/{id}", "/memories/{id}/edit", "/memories/{id}/delete"),
    *("/facts/{fact}", "/facts/{fact}/correct", "/facts/{fact}/forget"),
    *("/personality", "/personality?template=teacher"),
]
# These show everything that is there, each part of it as if it were alone.
LISTS = [
    *("/memories", "/facts", "/facts?state=all", "/facts/reviews", "/facts/reviews/suspected"),
    *("/inbox/redactions", "/inbox/expiring", "/inbox/doubtful_facts", "/record", "/bank", "/measure"),
]
# These show what was found, each hit as if it were alone.
HITS = ["/search?query=lamp", "/find?q=lamp", "/replay?query=lamp", "/measure?ask=lamp", "/context?query=lamp"]
FOUND = 5
# Texts on a list at a time, fewer than a page of any list holds: to open every list for each text took a third of 66 s.
TOGETHER = 18
HARMLESS = "harmless"
TIMINGS = re.compile(r'<div class="timings">.*?</div>', re.DOTALL)


class Skeleton(HTMLParser):
    """Elements with the names of their attributes, in order; no text and no values."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append((tag, tuple(sorted(name for name, _ in attrs))))


def write_everywhere(user: EndUser, text: str) -> MemoryItem:
    """The text in every field that somebody outside can fill, past the checks of the write path."""
    organization = user.organization
    Organization.objects.filter(pk=organization.pk).update(name=text)
    issue_key(organization, text[:200], ["read"], now=timezone.now())
    item = MemoryItemFactory.create(
        user=user,
        text=f"lamp {text}",
        speaker=text[:200],
        thread_id=text[:200],
        tags=[text[:64]],
        source={text: text, "title": text},
        metadata={text: text, "deep": [{text: text}]},
        index_error=text[:300],
    )
    with user_scope(user):
        note = {"item": item, "user": user, "at": LONG_AGO}
        MemoryEvent.objects.create(
            kind="archived", reason=text[:300], actor=text[:100], before={text: text}, after={text: [text]}, **note
        )
        MemoryVersion.objects.create(
            user=user, item=item, version=1, text=f"lamp, {text}", importance=1, confidence=1, archived_at=LONG_AGO
        )
        write_facts(item, text, LONG_AGO)
        write_template(user, text)
    return item


def write_template(user: EndUser, text: str) -> None:
    """In force, with the text in every field that takes any."""
    # No mark of byte order stands within YAML.
    escaped = "".join(f"\\U{ord(letter):08x}" for letter in text.replace("\ufeff", ""))
    name, listed, long = (f'"{escaped[: 10 * most]}"' for most in (80, 100, 2_000))
    content = (
        f"# {text!a}\nidentity: {{name: {name}, role: {name}, expertise: [{listed}], background: {long}}}\n"
        f"communication: {{tone: {name}}}\n{name}: {long}\ncustom_instructions: {long}\n"
    )
    written = {"name": "lamp", "content": content}
    PersonalityTemplate.objects.update_or_create(user=user, defaults={**written, "title": text[:100]})
    ActivePersonality.objects.update_or_create(user=user, defaults=written)


def name_fact(item: MemoryItem) -> uuid.UUID:
    return uuid.uuid5(item.pk, "fact")


def write_facts(item: MemoryItem, text: str, at: datetime) -> None:
    """Two facts that wait for a decision, each with the text wherever words may stand."""
    facts = [
        Fact.objects.create(
            pk=pk,
            user=item.user,
            subject=text[:200],
            subject_key=text[:200],
            relation=relation,
            object=text[:200],
            object_key=text[:200],
            statement=f"lamp, {word} {text}"[:1000],
            base_confidence=0.5,
            evidence_at=at,
            first_seen=at,
            last_seen=at,
            principal=text[:100],
            thread_id=text[:200],
        )
        for pk, relation, word in ((name_fact(item), "owns", "one"), (uuid.uuid4(), "likes", "two"))
    ]
    for fact in facts:
        fact.evidence.create(
            user=item.user, kind="exchange", ref_id=item.pk, memory_id=item.pk, thread_id=text[:200], occurred_at=at
        )
        before, after = {"statement": text, "k": text}, {"statement": f"{text} more", "k": f"{text} more"}
        fact.events.create(
            user=item.user, kind="revised", reason=text[:300], before=before, after=after, actor=text[:100], at=at
        )
    FactReview.objects.create(user=item.user, fact=facts[0], other=facts[1], kind="unsure", created_at=at)


def skeletons(
    console: Console, addresses: list[str], shown: Collection[MemoryItem] = ()
) -> list[list[tuple[str, tuple[str, ...]]]]:
    found = []
    for page in addresses:
        answer = console.get(page)
        assert answer.status_code == 200
        # A stage is only drawn when it took noticeable time.
        text = TIMINGS.sub("", answer.content.decode())
        assert all(str(item.pk) in text for item in shown)
        # A form gives back what is there, so that the operator sees what saving takes out.
        assert page.endswith(("/edit", "/correct")) or not SMUGGLED.search(text)
        # Runs of a wording are as many as the words that changed.
        found.append([part for part in Skeleton(text).parts if part[0] not in {"ins", "del"}])
    return found


def erase(item: MemoryItem) -> None:
    with user_scope(item.user):
        Fact.objects.filter(user=item.user).delete()
        MemoryItem.objects.filter(pk=item.pk).delete()
    item.user.organization.keys.all().delete()


def test_text_from_outside_adds_no_element_and_no_attribute(console: Console, user: EndUser, place: str) -> None:
    expected = None
    for text in (HARMLESS, *PAYLOADS):
        item = write_everywhere(user, text)
        found = skeletons(console, [place + page.format(id=item.pk, fact=name_fact(item)) for page in PAGES])
        expected = expected or found
        assert found == expected, text
        erase(item)


@pytest.mark.parametrize(("pages", "at_once"), [(LISTS, TOGETHER), (HITS, FOUND)], ids=["lists", "hits"])
def test_a_list_of_texts_from_outside_has_the_elements_of_any_other(
    console: Console, user: EndUser, place: str, pages: list[str], at_once: int
) -> None:
    expected: dict[int, list[list[tuple[str, tuple[str, ...]]]]] = {}
    for start in range(0, len(PAYLOADS), at_once):
        texts = PAYLOADS[start : start + at_once]
        if len(texts) not in expected:
            harmless = [f"{HARMLESS} {number}" for number in range(len(texts))]
            expected[len(texts)] = list_together(console, user, place, pages, harmless)
        assert list_together(console, user, place, pages, texts) == expected[len(texts)], texts


def list_together(
    console: Console, user: EndUser, place: str, pages: list[str], texts: list[str]
) -> list[list[tuple[str, tuple[str, ...]]]]:
    items = [write_everywhere(user, text) for text in texts]
    found = skeletons(console, [place + page for page in pages], [item for item in items if pages is HITS])
    for item in items:
        erase(item)
    return found


@pytest.mark.parametrize("payload", PAYLOADS[:12])
def test_what_is_typed_comes_back_as_text(console: Console, user: EndUser, place: str, payload: str) -> None:
    for path in (f"{place}/search", f"{place}/memories", f"{place}/facts", "/console/people"):
        names = {"query": payload, "q": payload, "tag": payload[:64]}
        answer = console.get(path, names)
        assert answer.status_code in {200, 422}
        assert payload not in answer.content.decode()


def templates() -> list[Path]:
    """The console's own, and those of errors."""
    root = settings.BASE_DIR / "templates"
    return sorted([*root.glob("*.html"), *(root / "console").rglob("*.html")])


@pytest.mark.parametrize("template", templates(), ids=lambda path: path.name)
def test_templates_leave_escaping_on_and_hold_no_inline_code(template: Path) -> None:
    source = template.read_text(encoding="utf-8")
    assert not re.search(r"\|\s*safe|autoescape\s+off|safeseq", source)
    assert not re.search(r"\s(style|on[a-z]+)\s*=", source)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|hx-on|javascript:", source)


def test_no_module_of_the_console_marks_text_as_safe() -> None:
    for module in (settings.BASE_DIR / "memory" / "console").glob("*.py"):
        assert "mark_safe" not in module.read_text(encoding="utf-8")


def test_pages_carry_the_policy_that_forbids_inline_code(console: Console, place: str) -> None:
    policy = console.get(place).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page = console.get(place).content.decode()
    assert '"selfRequestsOnly": true, "allowEval": false, "allowScriptTags": false' in page


@pytest.mark.parametrize(
    "address",
    [
        *("{place}%00", "{place}/conversations?q=a%00b", "{place}/conversations?thread=%00", "{place}/books?q=%00"),
        "{place}/bank?tags=a%00b",
    ],
)
def test_a_character_that_the_database_cannot_take_is_the_senders_mistake(
    console: Console, place: str, address: str
) -> None:
    answer = console.get(address.format(place=place))
    assert answer.status_code == 400
    assert "holds a character that no text can have" in answer.content.decode()


def test_a_value_that_a_page_reads_without_a_form_is_refused_alike(governing: Console, place: str) -> None:
    assert governing.post("/console/mcp", {"organization": "a\x00b"}).status_code == 400
    assert governing.post(f"{place}/personality/save", {"name": "a\x00b", "content": "x"}).status_code in {400, 422}
