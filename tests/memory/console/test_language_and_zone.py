"""In which language and zone pages are shown, and that programs are answered in English whatever they send."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client
from django.utils import timezone, translation

from memory.facade import MemoryFacade
from memory.models import EndUser, Operator
from memory.store.admission import NewMemory
from tests.api_client import client_for
from tests.memory.console.conftest import Console

LOGIN = "/console/login"
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def test_a_browser_is_answered_in_its_language(nobody: Console) -> None:
    page = nobody.get(LOGIN, headers=GERMAN)
    assert (page.headers["Content-Language"], page.headers["Vary"]) == ("de", "HX-Request, Cookie, Accept-Language")
    assert '<html lang="de"' in page.content.decode()
    assert '<html lang="en">' in nobody.get(LOGIN, headers={"Accept-Language": "sv"}).content.decode()
    hebrew = nobody.get(LOGIN, headers={"Accept-Language": "he"}).content.decode()
    assert '<html lang="he" dir="rtl"' in hebrew


def test_a_choice_on_the_sign_in_page_goes_before_what_the_browser_asks(nobody: Console) -> None:
    answer = nobody.post("/console/display", {"language": "fr", "next": LOGIN})
    assert (answer.status_code, answer.headers["Location"]) == (302, LOGIN)
    assert '<html lang="fr"' in nobody.get(LOGIN, headers=GERMAN).content.decode()
    answer = nobody.post("/console/display", {"language": "xx", "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/"
    assert '<html lang="fr"' in nobody.get(LOGIN, headers=GERMAN).content.decode()


def test_an_operator_keeps_the_choice_on_other_machines(console: Console, operator: Operator, user: EndUser) -> None:
    page = console.get("/console/display?next=/console/people").content.decode()
    assert 'value="/console/people"' in page
    chosen = {"language": "it", "time_zone": "Asia/Jerusalem", "next": "/console/people"}
    assert console.post("/console/display", chosen).headers["Location"] == "/console/people"
    elsewhere = Console()
    elsewhere.force_login(operator)
    page = elsewhere.get("/console/people", headers=GERMAN).content.decode()
    assert '<html lang="it"' in page
    assert "Jerusalem" in page


@pytest.mark.parametrize(
    ("cookies", "named"),
    [
        ({}, "UTC"),
        ({"commonplace_browser_zone": "America/New_York"}, "New York"),
        ({"commonplace_browser_zone": "America/New_York", "commonplace_time_zone": "Asia/Tokyo"}, "Tokyo"),
        ({"commonplace_browser_zone": "../../etc/passwd"}, "UTC"),
        ({"commonplace_browser_zone": "Mars/Olympus"}, "UTC"),
    ],
)
def test_times_are_those_of_the_browser_unless_another_zone_is_chosen(
    console: Console, user: EndUser, cookies: dict[str, str], named: str
) -> None:
    for name, value in cookies.items():
        console.cookies[name] = value
    assert f'<bdi dir="ltr">{named}</bdi>' in console.get("/console/people").content.decode()


def test_a_time_is_told_in_the_zone_and_names_it() -> None:
    told = Template("{% load console %}{% moment at now %} {{ at|exact }}")
    at = datetime(2026, 1, 5, 23, 30, tzinfo=UTC)
    with timezone.override("Europe/Berlin"):
        page = told.render(Context({"at": at, "now": datetime(2026, 3, 1, tzinfo=UTC)}))
    assert 'title="2026-01-06 00:30 CET">6 Jan 2026</time> 6 Jan 2026, 00:30 CET' in page


@pytest.mark.parametrize("language", ["de", "fr", "he"])
def test_figures_keep_the_point_that_drawings_and_fields_read(language: str) -> None:
    with translation.override(language):
        page = Template("{% load console %}{% bar share 'x' '' %}{{ share }}").render(Context({"share": 0.335}))
    assert 'width="33.5%"' in page
    assert page.endswith("0.335")


@pytest.mark.parametrize(
    "path", ["/api/v1/openapi.json", "/api/v1/nowhere", "/api/v1/users/ann/memories?limit=x", "/api/v1/docs"]
)
def test_programs_are_answered_in_english(user: EndUser, path: str) -> None:
    # A cookie of the interface, sent along by a browser that looks at the documentation, changes nothing either.
    program = Client(headers={"Authorization": f"Bearer {client_for(user).key}"})
    english = program.get(path)
    program.cookies["commonplace_language"] = "de"
    german = program.get(path, headers=GERMAN)
    assert german.content == english.content
    assert german.headers.get("Content-Language") == english.headers.get("Content-Language")
    assert "Content-Language" not in german.headers


@pytest.mark.parametrize("path", ["/v1/models", "/hooks/claude-code", "/mcp", "/nowhere"])
def test_other_doors_do_not_look_at_the_language(user: EndUser, path: str) -> None:
    assert "Content-Language" not in Client().get(path, headers=GERMAN).headers


def test_pages_stand_in_the_language_and_data_in_its_own(console: Console, user: EndUser) -> None:
    console.cookies["commonplace_language"] = "de"
    MemoryFacade().store(user, NewMemory("The lamp is in the kitchen."), now=timezone.now())
    page = console.get(f"/console/{user.organization.slug}/{user.external_id}/memories").content.decode()
    assert "Erinnerungen" in page
    assert "The lamp is in the kitchen." in page
    assert "Memories" not in page


def test_the_own_page_has_its_own_choice(user: EndUser) -> None:
    link = MemoryFacade("operator:olga").make_personal_link(user, timedelta(days=1), now=timezone.now())
    browser = Client()
    browser.get(f"/me/{link[1]}")
    browser.post("/me/display", {"language": "it", "time_zone": "Europe/Rome", "next": "/me"})
    page = browser.get("/me", headers=GERMAN).content.decode()
    assert '<html lang="it"' in page
    assert '<bdi dir="ltr">Rome</bdi>' in page


def test_a_day_and_what_it_counts_are_bent_as_the_language_bends_them(console: Console, user: EndUser) -> None:
    for said in ("I live in Leeds.", "My sister is called Mara."):
        MemoryFacade().state_fact(user, said, now=datetime(2026, 11, 2, 9, tzinfo=UTC))
    page = console.get("/console/acme/ann/timeline", headers={"Accept-Language": "it"}).content.decode()
    assert "Lunedì 2 novembre 2026" in page
    assert "2 appresi" in page
    page = console.get("/console/acme/ann/timeline", headers={"Accept-Language": "en"}).content.decode()
    assert "Monday, 2 November 2026" in page
    assert "2 learned" in page


def test_a_labelled_cell_keeps_the_way_the_page_is_written() -> None:
    """On a phone its label stands before it: with a direction of its own an English name had the label behind it."""
    pages = (settings.BASE_DIR / "templates").rglob("*.html")
    assert not [page for page in pages if re.search(r'<td(?=[^>]* data-label)[^>]* dir="auto"', page.read_text())]


def test_a_button_says_what_it_does_and_a_heading_what_has_been_done(user: EndUser) -> None:
    MemoryFacade().store(user, NewMemory("Ann grows plums.", tags=["identity"]), now=timezone.now())
    token = MemoryFacade("operator:olga").make_personal_link(user, timedelta(days=1), now=timezone.now())[1]
    browser = Client()
    browser.get(f"/me/{token}")
    page = browser.get("/me/memories", headers=GERMAN).content.decode()
    assert ">Beiseitelegen</button>" in page
    assert ">Beiseitegelegt</a>" in page


def test_the_graph_asks_for_two_names_and_not_for_a_time(console: Console, place: str) -> None:
    page = console.get(f"{place}/graph", headers=GERMAN).content.decode()
    assert re.findall(r'<label for="id_(?:start|end)">([^<]+)<', page) == ["Verbindung von", "Verbindung zu"]


def test_a_day_stands_in_the_title_as_the_language_writes_it(console: Console, place: str) -> None:
    page = console.get(f"{place}/timeline", {"as_of": "2026-05-03"}, headers=GERMAN).content.decode()
    assert "Stand 3. Mai 2026" in page
