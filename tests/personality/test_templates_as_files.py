"""Templates that anybody may have written: what is wrong is named with its place, and nothing else is ever raised."""

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personality.editing import redact_template, set_field
from personality.presets import DEFAULT, find_preset, load_presets
from personality.reading import MAX_BYTES, TemplateRefused, decode_template, normalize_template
from personality.schema import FIELDS, FieldKind
from personality.validation import check_template
from personality.wording import PRONOUNS, render_prompt

GOOD = "identity:\n  name: Ada\ncommunication:\n  tone: warm\n"
# Name, file, and the line at which it is refused.
BROKEN: list[tuple[str, str | bytes, int]] = [
    ("nothing", "", 1),
    ("blanks", "  \n\n", 1),
    ("a comment alone", "# a template\n", 1),
    ("null", "~", 1),
    ("a text", "just words", 1),
    ("a list", "- identity\n- communication\n", 1),
    ("a number", "42", 1),
    ("no identity", "communication:\n  tone: warm\n", 1),
    ("no communication", "identity:\n  name: Ada\n", 1),
    ("no name", "identity:\n  role: nurse\ncommunication: {}\n", 2),
    ("an empty name", 'identity:\n  name: ""\ncommunication: {}\n', 2),
    ("a name of blanks", 'identity:\n  name: "  \u200b "\ncommunication: {}\n', 2),
    ("a null name", "identity:\n  name: null\ncommunication: {}\n", 2),
    ("a list as a name", "identity:\n  name: [Ada]\ncommunication: {}\n", 2),
    ("a mapping as a name", "identity:\n  name: {a: b}\ncommunication: {}\n", 2),
    ("identity is a text", "identity: Ada\ncommunication: {}\n", 1),
    ("identity is a list", "identity: [Ada]\ncommunication: {}\n", 1),
    ("identity is null", "identity:\ncommunication: {}\n", 1),
    ("communication is a text", "identity:\n  name: Ada\ncommunication: warm\n", 3),
    ("communication is a list", "identity:\n  name: Ada\ncommunication:\n- warm\n", 4),
    ("a long name", f"identity:\n  name: {'a' * 81}\ncommunication: {{}}\n", 2),
    ("long instructions", f"{GOOD}custom_instructions: {'a' * 8_001}\n", 5),
    ("a long background", f"communication: {{}}\nidentity:\n  name: Ada\n  background: {'b' * 2_001}\n", 4),
    ("an open bracket", f"{GOOD}personality_traits: [calm\n", 6),
    ("a closed bracket", f"{GOOD}personality_traits: calm]\n- x\n", 6),
    ("an open quote", f'{GOOD}custom_instructions: "never ends\n', 6),
    ("a tab as indent", "identity:\n\tname: Ada\ncommunication: {}\n", 2),
    ("a wrong indent", "identity:\n  name: Ada\n role: x\ncommunication: {}\n", 3),
    ("two colons", "identity:\n  name: Ada: Lovelace\ncommunication: {}\n", 2),
    ("a bad escape", 'identity:\n  name: "\\q"\ncommunication: {}\n', 2),
    ("a reserved sign", "identity:\n  name: @Ada\ncommunication: {}\n", 2),
    ("a backtick", "identity:\n  name: `Ada`\ncommunication: {}\n", 2),
    ("a percent sign", f"{GOOD}% not a directive\n", 5),
    ("a key twice", "identity:\n  name: Ada\n  name: Eve\ncommunication: {}\n", 3),
    ("a section twice", f"{GOOD}identity:\n  name: Eve\n", 5),
    ("a list as a key", f"{GOOD}? [a, b]\n: c\n", 5),
    ("a second document", f"{GOOD}---\nidentity: {{name: Eve}}\n", 5),
    ("a python object", f"{GOOD}custom_instructions: !!python/object/apply:os.system [id]\n", 5),
    ("a python name", f"{GOOD}custom_instructions: !!python/name:os.system\n", 5),
    ("a local tag", "identity: !person\n  name: Ada\ncommunication: {}\n", 1),
    ("a standard tag", "identity:\n  name: !!str Ada\ncommunication: {}\n", 2),
    ("binary", "identity:\n  name: !!binary QWRh\ncommunication: {}\n", 2),
    ("an anchor", "identity: &x\n  name: Ada\ncommunication: {}\n", 1),
    ("an alias", "identity:\n  name: &n Ada\n  role: *n\ncommunication: {}\n", 2),
    ("an unknown alias", "identity:\n  name: *nobody\ncommunication: {}\n", 2),
    ("a bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nidentity: {name: *c}\ncommunication: {}\n", 1),
    ("a merge", f"base: &b {{name: Ada}}\n{GOOD}", 1),
    ("a number as a name", "identity:\n  name: 42\ncommunication: {}\n", 2),
    ("a truth as a name", "identity:\n  name: yes\ncommunication: {}\n", 2),
    ("a day as a name", "identity:\n  name: 2026-02-31\ncommunication: {}\n", 2),
    ("a merge of a word", f"{GOOD}<<: word\n", 5),
    ("a cycle", "identity: &i\n  name: *i\ncommunication: {}\n", 1),
    ("deep lists", f"{GOOD}extra: {'[' * 5_000}\n", 5),
    ("deep mappings", f"{GOOD}extra: {'{a: ' * 5_000}\n", 5),
    ("many values", f"{GOOD}personality_traits: [{', '.join(['x'] * 5_000)}]\n", 5),
    ("too much", f"{GOOD}# {'x' * MAX_BYTES}\n", 1),
    ("a null byte", "identity:\n  name: A\x00da\ncommunication: {}\n", 2),
    ("an escape sequence", "identity:\n  name: \x1b[31mAda\ncommunication: {}\n", 2),
    ("an escaped null byte", 'identity:\n  name: "A\\0da"\ncommunication: {}\n', 2),
    ("a lone surrogate", "identity:\n  name: \ud800\ncommunication: {}\n", 2),
    ("a mark in the middle", "identity:\n  name: A\ufeffda\ncommunication: {}\n", 2),
    ("Latin-1", "identity:\n  name: Zoë\ncommunication: {}\n".encode("latin-1"), 2),
    ("UTF-16", GOOD.encode("utf-16"), 1),
    ("a picture", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), 1),
    ("JSON that ends early", '{"identity": {"name": "Ada"}, "communication": {', 2),
    ("HTML", "<!doctype html>\n<html><body>identity: x</body></html>", 2),
]


def read(raw: str | bytes) -> str:
    return normalize_template(decode_template(raw) if isinstance(raw, bytes) else raw)


@pytest.mark.parametrize(("raw", "line"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_file_is_refused_with_the_place(raw: str | bytes, line: int) -> None:
    with pytest.raises(TemplateRefused) as refusal:
        check_template(read(raw))
    fault = refusal.value.faults[0]
    assert fault.line == line, str(fault)
    assert fault.column >= 1
    assert len(fault.message) > 8


@given(st.binary(max_size=400) | st.text(max_size=400))
@settings(max_examples=300)
def test_reading_raises_nothing_but_its_own_error(raw: str | bytes) -> None:
    with suppress(TemplateRefused):
        assert PRONOUNS in render_prompt(check_template(read(raw)).values)


DAMAGE = [*":-[]{}\"'|>&*!%@`#\t\n\x00é🙂", "  ", "---\n", ""]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=150)
def test_a_file_with_random_damage_is_read_or_refused(seed: int) -> None:
    dice = random.Random(seed)
    letters = list(load_presets()[dice.choice(list(load_presets()))].content)
    for _ in range(dice.randint(1, 8)):
        place = dice.randrange(len(letters))
        letters[place : place + dice.randint(0, 12)] = dice.choice(DAMAGE)
    text = read("".join(letters))
    try:
        checked = check_template(text)
    except TemplateRefused:
        return
    assert render_prompt(checked.values).count(PRONOUNS) == 1
    # Whatever was readable stays so.
    assert check_template(redact_template(text).text).name == checked.name
    assert check_template(set_field(text, "communication.tone", "direct")).name == checked.name


def test_what_is_only_odd_is_warned_of_with_its_place_and_left_out() -> None:
    text = (
        "identity: {name: Ada, expertise: [maths, 7, [x], ''], mood: good}\n"
        "communication:\n  tone: rude\n  use_humor: maybe\n  use_examples: 'true'\n  verbosity: [concise]\n"
        "memory_usage: often\nextra: 1\n"
    )
    checked = check_template(text)
    places = [(fault.field, fault.line, fault.column) for fault in checked.warnings]
    assert places == [
        ("response_behavior", 1, 1),
        ("identity.expertise", 1, 45),
        ("identity.expertise", 1, 50),
        ("identity.mood", 1, 55),
        ("communication.tone", 3, 9),
        ("communication.use_humor", 4, 14),
        ("communication.use_examples", 5, 17),
        ("communication.verbosity", 6, 14),
        ("memory_usage", 7, 15),
        ("extra", 8, 1),
    ]
    assert checked.values == {"identity.name": "Ada", "identity.expertise": ("maths", "7")}


def test_presets_are_whole_and_different_and_the_default_is_first() -> None:
    presets = load_presets()
    assert next(iter(presets)) == DEFAULT
    assert len(presets) >= 6
    prompts = set()
    for preset in presets.values():
        checked = check_template(preset.content)
        assert preset.summary
        assert find_preset(preset.content) == preset
        assert find_preset(preset.content + " ") is None
        assert {fault.message for fault in checked.warnings} <= {"this section is missing: nothing is said of it"}
        prompts.add(render_prompt(checked.values))
    assert len(prompts) == len(presets)


def test_the_prompt_is_in_order_and_every_value_of_the_schema_is_told() -> None:
    text = (
        "identity:\n  name: Ada\n  role: engineer\n  expertise: [engines, tables]\n"
        "  background: Wrote the first notes.\n"
        "communication: {tone: warm, use_humor: true}\nresponse_behavior: {show_reasoning: true}\n"
        "personality_traits: [calm]\ncustom_instructions: |\n  Say why.\n  Then how.\n"
    )
    assert render_prompt(check_template(text).values) == (
        "You are Ada, an engineer.\nExpertise: engines, tables.\nWrote the first notes.\n"
        f"{PRONOUNS}\nSay why.\nThen how.\nStyle: warm tone, light humor is welcome.\n"
        "Where it helps, show your reasoning between <think> and </think> before the answer.\nTraits: calm."
    )
    for field in FIELDS:
        for value in field.choices or (["true"] if field.kind == FieldKind.FLAG else ["something"]):
            checked = check_template(set_field(GOOD, field.path, True if value == "true" else value))
            assert checked.warnings[:-2] == []
            assert field.words.get(value, value) in render_prompt(checked.values), (field.path, value)


SHAPES = [
    GOOD,
    "# 🙂 keep me\nidentity:\n    name: Ada # and me\n    role: |\n      nurse\ncommunication:\n",
    "{identity: {name: Ada}, communication: {tone: warm}}\n",
    "---\nidentity:\n  name: Ada\n  background: >\n    folded\n    words\ncommunication: {}\n...\n",
]
ENTERED: list[tuple[str, str | bool]] = [
    ("identity.name", "Zoë 🙂"),
    ("identity.role", 'tells "why": and [how] #1'),
    ("identity.background", "שלום\nsecond: line"),
    ("custom_instructions", "First.\n\n- second\n  third: 3"),
    ("communication.tone", "direct"),
    ("communication.use_humor", True),
    ("memory_usage.priority", "always_reference"),
    ("identity.role", "yes"),
]


@pytest.mark.parametrize("text", SHAPES)
def test_a_field_is_set_in_the_yaml_and_everything_else_stays(text: str) -> None:
    before = check_template(text)
    for path, value in ENTERED:
        changed = set_field(text, path, value)
        after = check_template(changed)
        assert after.values.pop(path) == value
        assert after.values == {name: was for name, was in before.values.items() if name != path}
        assert changed.count("🙂 keep me") == text.count("🙂 keep me")
        assert changed.count("# and me") == text.count("# and me")
        if path != "identity.name" and value is not True:
            assert path not in check_template(set_field(changed, path, "")).values


SECRETS = """identity:
  name: Bob # my password is hunter2-Xy!77
  role: the wifi password is Sunflower99x
  background: |
    Use the key ghp_abcdefghijklmnopqrstuvwxyz0123456789 for git.
communication: {tone: warm}
wifi_password: Sunflower77
personality_traits:
 - AKIAIOSFODNN7EXAMPLE
 - calm
"""


def test_secrets_are_taken_out_and_it_stays_a_template() -> None:
    redacted = redact_template(SECRETS)
    for secret in ("hunter2", "Sunflower", "ghp_abc", "AKIA"):
        assert secret not in redacted.text
    assert set(redacted.kinds) >= {"github token", "wifi password", "aws key", "password"}
    checked = check_template(redacted.text)
    assert checked.values["communication.tone"] == "warm"
    assert checked.values["personality_traits"] == ("[redacted: aws key]", "calm")
    assert redact_template(redacted.text).kinds == ()
