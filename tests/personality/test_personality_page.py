"""The page of a personality without JavaScript: choose, work on it in fields and in YAML, save, upload, delete."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memory.models import EndUser
from personality import templates
from personality.drafts import QUICK, describe_values
from personality.presets import load_presets
from personality.templates import TemplateMissing
from personality.validation import check_template
from tests.factories import keep_personality
from tests.memory.console.conftest import Console, console, console_for, member_of, operator, outsider
from tests.personality.test_templates_as_files import GOOD

__all__ = ["console", "operator", "outsider"]

TEACHER = load_presets()["teacher"].content


@pytest.fixture
def place(user: EndUser) -> str:
    return f"/console/{user.organization.slug}/{user.external_id}/personality"


def fill_in(text: str, base: str = "", **changes: str) -> dict[str, str]:
    """What a browser sends of the page that showed ``base``, with what was changed on it."""
    shown = {path: value for path, value in describe_values(check_template(base or text).values).items() if value}
    named = {path.replace("__", "."): value for path, value in changes.items() if path.replace("__", ".") in QUICK}
    entered = {path: value for path, value in {**shown, **named}.items() if value}
    others = {key: value for key, value in changes.items() if key.replace("__", ".") not in QUICK}
    return {"content": text, "base": base or text, "template": "default", "name": "Mine", **entered, **others}


def save(console: Console, place: str, data: dict[str, str], button: str = "save") -> Any:
    return console.post(f"{place}/save", {**data, button: "1"})


def kept(user: EndUser, template_id: str = "mine") -> dict[str, Any]:
    return dict(check_template(templates.find_template(user, template_id).content).values)


def test_none_is_marked_as_chosen_until_one_is_used_or_opened(console: Console, place: str) -> None:
    """The bar marks the page itself, of which there is one on every page."""
    marked = 'class="client" aria-current="true"'
    assert marked not in console.get(place).content.decode()
    assert marked in console.get(f"{place}?template=teacher").content.decode()
    console.post(f"{place}/use", {"template": "teacher"})
    assert marked in console.get(place).content.decode()


def test_a_preset_is_opened_used_and_left_again(console: Console, place: str, user: EndUser) -> None:
    page = console.get(f"{place}?template=teacher").content.decode()
    for words in ("Preset", "You are Sage, a patient teacher.", "None is in use", "about 216 tokens", "Save and use"):
        assert words in page
    assert "unsaved changes" in page
    answer = console.post(f"{place}/use", {"template": "teacher"}, follow=True)
    assert "teacher is in use from the next answer on." in answer.content.decode()
    # Beside the name of the page, on every page of the person.
    assert ">Sage</small>" in answer.content.decode()
    assert templates.find_current(user).id == "teacher"
    assert templates.find_current(user).is_active
    assert "No personality is in use any more." in console.post(f"{place}/use", {}, follow=True).content.decode()
    assert not templates.find_current(user).is_active
    assert 'class="assistant"' not in console.get(place).content.decode()
    assert console.get(f"{place}?template=nobody").status_code == 404
    assert console.post(f"{place}/use", {"template": "nobody"}).status_code == 404


def test_fields_and_yaml_are_both_saved(console: Console, place: str, user: EndUser) -> None:
    text = TEACHER.replace("verbosity: detailed", "verbosity: concise")
    data = fill_in(text, TEACHER, identity__name="Zoë", communication__use_humor="", custom_instructions="One.\r\nTwo.")
    answer = save(console, place, data, "use")
    assert answer.headers["Location"] == f"{place}?template=mine"
    values = kept(user)
    assert (values["identity.name"], values["communication.use_humor"]) == ("Zoë", False)
    assert (values["communication.verbosity"], values["custom_instructions"]) == ("concise", "One.\nTwo.")
    assert values["identity.role"] == "patient teacher"
    found = templates.find_template(user, "mine").content
    assert found.startswith("# Patient and thorough")
    assert templates.find_current(user).id == "mine"
    # Saved again, it is told that what is in use is older.
    save(console, place, {**fill_in(found), "identity.role": "nurse"})
    assert "was saved again since it was put in use" in console.get(place).content.decode()


def test_faults_are_shown_with_their_place_and_nothing_is_saved(console: Console, place: str, user: EndUser) -> None:
    data = fill_in("identity:\n  name: [\n", TEACHER, identity__role="nurse")
    answer = save(console, place, data)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'data-line="3"' in page
    assert "name: [" in page
    # What was entered in the fields is not lost.
    assert 'value="nurse"' in page
    for name, rule in (("...", "must have a letter or a digit"), ("Teacher", "is a preset, which cannot be changed")):
        refused = save(console, place, {**fill_in(GOOD), "name": name})
        assert (refused.status_code, rule in refused.content.decode()) == (422, True)
    checked = save(console, place, fill_in(GOOD), "check").content.decode()
    assert "You are Ada." in checked
    assert "2 things in it are left out" in checked
    assert [one.id for one in templates.list_templates(user) if not one.is_preset] == []


def test_a_part_of_the_page_follows_the_side_that_was_worked_on(console: Console, place: str) -> None:
    quick = console.post_part(
        f"{place}/sync", {**fill_in(GOOD, identity__name="Eve"), "edited": "quick"}
    ).content.decode()
    assert "You are Eve." in quick
    assert 'id="id_content"' in quick
    assert "name: Eve" in quick
    assert 'id="quick"' not in quick
    yaml = console.post_part(
        f"{place}/sync", {**fill_in(GOOD.replace("Ada", "Eve"), GOOD), "edited": "yaml"}
    ).content.decode()
    assert 'value="Eve"' in yaml
    assert 'id="id_content"' not in yaml
    broken = console.post_part(f"{place}/sync", {**fill_in("- x", GOOD), "edited": "yaml"}).content.decode()
    assert "Line 1, column 1" in broken
    assert 'id="quick"' not in broken
    assert 'id="base"' not in broken


def test_a_file_is_uploaded_downloaded_and_deleted(console: Console, place: str, user: EndUser) -> None:
    def upload(name: str, raw: bytes) -> Any:
        return console.post(f"{place}/upload", {"file": SimpleUploadedFile(name, raw)}, follow=True)

    assert "night_owl is saved." in upload("Night Owl.yml", GOOD.encode()).content.decode()
    file = console.get(f"{place}/night_owl.yaml")
    assert file.content.decode() == GOOD
    assert file.headers["Content-Disposition"] == 'attachment; filename="night_owl.yaml"'
    for raw in (b"\xff\xfe", b"identity: [", b"", b"x" * 300_000, b"identity: !!python/none x"):
        assert upload("bad.yaml", raw).status_code == 422
    assert upload("teacher.yaml", GOOD.encode()).status_code == 422
    assert console.post(f"{place}/upload", {}).status_code == 422
    templates.activate_template(user, "night_owl", now=timezone.now())
    assert (
        "is in use: choose another one first"
        in console.post(f"{place}/delete", {"template": "night_owl"}, follow=True).content.decode()
    )
    templates.deactivate(user)
    assert (
        "night_owl is deleted."
        in console.post(f"{place}/delete", {"template": "night_owl"}, follow=True).content.decode()
    )
    with pytest.raises(TemplateMissing):
        templates.find_template(user, "night_owl")
    assert console.post(f"{place}/delete", {"template": "night_owl"}).status_code == 404
    secret = GOOD + "custom_instructions: use ghp_abcdefghijklmnopqrstuvwxyz0123456789\n"
    assert "Not kept, as no secret is: github token." in upload("s.yaml", secret.encode()).content.decode()


def test_it_is_its_members_only(outsider: Console, place: str, user: EndUser) -> None:
    keep_personality(user, "lamp", timezone.now())
    for action in ("save", "use", "delete", "upload", "sync"):
        assert outsider.post(f"{place}/{action}", {"template": "lamp"}).status_code == 404
        assert console_for(member_of(user.organization, f"o-{action}")).get(f"{place}/{action}").status_code == 405
    for path in ("", "?template=lamp", "/lamp.yaml"):
        assert outsider.get(place + path).status_code == 404
        assert Console().get(place + path).status_code == 302
    assert templates.find_current(user).id == "lamp"
