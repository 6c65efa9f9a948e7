"""Secrets are cut out of a text and nothing else is: measured on lines of two halves, and on harmless lines by the ten
thousand.

Of the half kept aside only totals are taken, and a failure prints numbers: whoever reads its lines has seen them.
"""

import sysconfig
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

import pytest

from memory.benchmarks.synthetic import NoteWriter
from memory.guard import redact_secrets
from memory.guard.redaction.texts import JsonRedaction, RedactedText, list_marked_kinds_in, redact_reply
from tests.memory.guard.secret_lines import LETTERS, TOKENS, SecretLine, read_lines
from tests.training.guard.data import read_examples, read_writes

MOST_FALSE = 5 / 10_000


def is_told(line: SecretLine) -> bool:
    return any(secret in redact_secrets(line.text).text for secret in line.secrets)


def share_of_marked(lines: Iterable[str]) -> tuple[float, list[str]]:
    distinct = list(dict.fromkeys(line for line in lines if line.strip()))
    marked = [line for line in distinct if redact_secrets(line).kinds]
    return len(marked) / len(distinct), marked


def test_every_secret_of_the_development_half_is_cut_out_and_named() -> None:
    lines = [line for line in read_lines("development") if line.secrets]
    assert [line for line in lines if is_told(line)] == []
    assert [line for line in lines if redact_secrets(line.text).kinds != (line.kind,)] == []


def test_no_harmless_line_of_the_development_half_is_marked() -> None:
    harmless = [line.text for line in read_lines("development") if not line.secrets]
    assert [text for text in harmless if redact_secrets(text).kinds] == []


def test_most_secrets_of_the_half_kept_aside_are_cut_out() -> None:
    lines = list(read_lines("held_out"))
    secret = [line for line in lines if line.secrets]
    harmless = [line for line in lines if not line.secrets]
    assert sum(map(is_told, secret)) / len(secret) <= 0.08
    assert sum(bool(redact_secrets(line.text).kinds) for line in harmless) <= 2


def test_most_secrets_of_the_voices_that_were_learned_from_are_cut_out() -> None:
    """A check against regression: the weights of candidates come of these lines."""
    lines = list(read_lines("voices_learned"))
    told = [line for line in lines if line.secrets and is_told(line)]
    assert len(told) <= 28, told
    assert sum(bool(redact_secrets(line.text).kinds) for line in lines if not line.secrets) <= 4


def test_most_secrets_of_voices_that_nothing_was_learned_from_are_cut_out() -> None:
    """Of 58 secrets 25 were cut out by the finders alone. Fails by numbers."""
    lines = list(read_lines("voices_unseen"))
    told, marked = (
        sum(map(is_told, lines)),
        sum(bool(redact_secrets(one.text).kinds) for one in lines if not one.secrets),
    )
    assert told <= 15
    assert marked <= 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the safe in the study: 38-91-47", "code"),
        ("the PIN of the blue card was changed to 7719", "pin"),
        ("the ATM on the corner takes 8 2 0 5 and the star", "code"),
        (
            "my hardware wallet, in this order: tulip marble canyon sketch onion velvet ladder piano cactus ribbon "
            "copper meadow",
            "seed phrase",
        ),
        ("the signature strip says 518", "security code"),
        ("her Spotify opens with Walnut_Harbour3", "password"),
        ("fürs Intranet melde ich mich mit Wacholder_81 an", "password"),
        ("la banque m'envoie 482 906 pour valider", "one time code"),
    ],
)
def test_what_a_secret_opens_tells_of_it_where_nothing_names_it(text: str, kind: str) -> None:
    assert redact_secrets(text).kinds == (kind,)


@pytest.mark.parametrize(
    "text",
    [
        "forgetting passwords is my hobby",
        "my locker number is 212",
        "my locker at the gym is 212",
        "mi taquilla es la 318",
        "unser Keller ist die 540, das Postfach 3307",
        "mon bureau est le 3120, bâtiment nord",
        "המחסן שלנו הוא 540",
        "the safe was made on 18-06-71",
        "the pin header is 2048 pins long",
        "pass access_token user_name to the view",
        "passwd.txt is a story about walrus 26451",
        "Notes from passwd.txt: a story about walrus 26451",
        "passwort.pdf handelt von Walross 26451",
        "my wallet went missing somewhere between the bakery, the bank, the library, the park and the school gate",
        "to confirm: 12-14 May, two rooms",
        # What names or opens something stands in another sentence, or far off.
        "We saw a duplicate key error on the import job. The limit is 2985 requests a minute for all.",
        "The limit is 6260 requests a minute, set in the configuration of the login page.",
        "Keep the budget at 6770 euros until November. Ask Ines Ortega for the password of the reader.",
        "la llave de repuesto la tiene Rafael Romero, en el número 106",
        "המפתח הרזרבי אצל נועה וייס, בית מספר 117",
        # Names, medicines and doses end as "TAN" and "PIN" do; what has a unit is a measure.
        "I'm on losartan 50mg now",
        "ich nehme Valsartan 160 mg morgens",
        "Valsartan 160 morgens, Quetiapin 300 abends",
        "Carbamazepin 400, nicht mehr 200",
        "ask Stan 4411 about it",
        "I paid the tan 450",
        "Titan 3000 is my backpack",
        "in Kasachstan 2015, in Pakistan 2010",
        "the safe weighs 1200 kg",
    ],
)
def test_what_only_stands_near_such_words_is_no_secret(text: str) -> None:
    assert redact_secrets(text).kinds == ()


@pytest.mark.parametrize(
    "beginning", ["gsk_", "glsa_", "shpat_", "dapi", "lin_api_", "tskey-", "hvs.", "acme_live_", ""]
)
def test_a_random_key_is_cut_out_whoever_issues_it(beginning: str) -> None:
    key = beginning + LETTERS[:32]
    assert key not in redact_secrets(f"and now {key} is refused").text


@pytest.mark.parametrize(
    "text",
    [
        "sizeEndCentDir64Locator = 20",
        "request 3f0c9a1e-77b2-4d15-9e0a-5c1d2b8fa044 timed out",
        "commit 9f1c2ab77e30d5b8a64e1f20c3d98b7766aa0154",
        "TestHttp2ServerWithTls13AndAlpnConfig failed",
        "rename api_version_of_the_server_2 to api_version",
        "hvs.enable_feature_flag is a function",
    ],
)
def test_a_long_name_is_no_key(text: str) -> None:
    assert redact_secrets(text).kinds == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Noted: 4471 is the alarm code.", "code"),
        ("5821 es mi PIN", "pin"),
        ("Back gate, code of the depot: 4077", "code"),
        ("4906 is your verification code for Parcelo", "one time code"),
        ("he gave me the PIN of the fuel card, it's 3870 now", "pin"),
        ("on a mis Brioche!22 comme mot de passe du four", "password"),
        ("security question first pet, the answer is Tiddlesworth", "security answer"),
        ("das Kennwort fürs Archiv steht jetzt auf Rabenfeder_8", "password"),
        ("la password del registro è Merlo.Nero3", "password"),
        ("הקוד של המחסן החדש הוא 6631", "code"),
        ("die TAN ist 448812", "one time code"),
        ("TAN: 448812", "one time code"),
        ("die tan war 448812", "one time code"),
        ("smsTAN 448812 eingeben", "one time code"),
        ("meine Handypin ist 4471", "pin"),
    ],
)
def test_what_stands_around_a_value_tells_that_it_is_a_secret(text: str, kind: str) -> None:
    assert redact_secrets(text).kinds == (kind,)


def test_each_language_is_in_both_halves() -> None:
    for half in ("development", "held_out"):
        counts: dict[str, int] = {}
        for line in read_lines(half):
            counts[line.language] = counts.get(line.language, 0) + 1
        assert set(counts) == {"en", "es", "fr", "de", "it", "pt", "he"}
        assert min(counts.values()) >= 20


def test_what_people_store_is_not_marked() -> None:
    writes = chain(read_examples(), read_writes("train_*"), read_writes("tuned_*"))
    share, marked = share_of_marked(one.text for one in writes if one.kind != "secret")
    assert share <= MOST_FALSE, marked


def test_synthetic_notes_are_not_marked() -> None:
    share, marked = share_of_marked(note.text for note in NoteWriter(1).notes(4_000))
    assert share <= MOST_FALSE, marked


def test_code_is_not_marked() -> None:
    """The standard library speaks of passwords, tokens, keys and codes, and has none."""
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    lines = chain.from_iterable(path.read_text("utf-8", "replace").splitlines() for path in paths)
    share, marked = share_of_marked(islice(lines, 60_000))
    assert share <= MOST_FALSE, marked


@pytest.mark.parametrize("name", TOKENS)
def test_a_service_s_token_is_cut_out_wherever_it_stands(name: str) -> None:
    token = TOKENS[name]
    texts = (
        token,
        f"x {token}",
        f"({token})",
        f"see `{token}`.",
        f'{{"k": "{token}"}}',
        f"https://a.example/?t={token}",
    )
    # Of forty letters only the name tells that they are a key.
    assert name == "aws_secret" or [text for text in texts if token in redact_secrets(text).text] == []


@pytest.mark.parametrize("written", ["{}", "id: {}", "turn_id={}", "/api/v1/users/ann/memories/{}", "[{}]"])
@pytest.mark.parametrize(
    "named",
    [
        # Parts of these pass for an account number, for the beginning of a service's key, for a card.
        "e0ca4915-de39-410f-9247-a2d459802099",
        "ad29854a-e1b4-414f-ab42-1afe3d9fa1be",
        "2e7d4d1b-bbdc-4f94-bf70-557545bf6f15",
        "eaacfc1d-217c-4a3b-b9ea-a335e14ed34a",
        "41111111-1111-4111-8111-111111111111",
    ],
)
def test_the_id_of_a_memory_is_no_secret(named: str, written: str) -> None:
    for text in (written.format(named), written.format(named.upper())):
        assert redact_secrets(text).text == text


def test_what_is_called_a_secret_is_one_though_it_has_the_form_of_an_id() -> None:
    for text in ("Authorization: Bearer {}", "my api key is {}", "postgres://app:{}@db/memory"):
        redacted = redact_secrets(text.format("e0ca4915-de39-410f-9247-a2d459802099")).text
        assert "e0ca4915" not in redacted
        assert "[redacted: " in redacted


def test_what_was_redacted_stays_as_it_is() -> None:
    for line in read_lines("development"):
        once = redact_secrets(line.text).text
        assert redact_secrets(once) == RedactedText(once)


def test_the_rest_of_a_text_is_kept_letter_for_letter() -> None:
    text = "Olá!\tMy wifi password is Sunny-day-77; the café opens at 9:00.\n\nSee you  on 3 March…"
    redacted = redact_secrets(text)
    assert redacted.text == text.replace("Sunny-day-77", "[redacted: wifi password]")
    assert redacted.kinds == ("wifi password",)


def test_a_text_at_its_longest_stays_one() -> None:
    text = ("my pin is 4471. " * 3_000)[:32_768]
    assert len(redact_secrets(text).text) <= 32_768
    assert "4471" not in redact_secrets(text).text


def test_an_answer_tells_what_the_question_asked_for() -> None:
    assert redact_reply("What is the wifi password?", "It's maple-drum-19.").kinds == ("wifi password",)
    assert redact_reply("C'est quoi, le code de la porte ?", "Le 4471.").kinds == ("code",)
    assert redact_reply("¿Cuál es tu PIN?", "7788").kinds == ("pin",)
    assert redact_reply("What is the wifi password?", "I don't know; it is on the router.").kinds == ()
    assert redact_reply("When does the train leave?", "At platform 4471.").kinds == ()


def test_names_and_nested_values_are_read() -> None:
    redaction = JsonRedaction()
    value = {
        "home": {"wifi password": "sunflower", "alarm pin": 4471, "floor": 3},
        "list": ["my pin is 9911", {"a": None}],
    }
    redacted = redaction.redact(value)
    assert redacted["home"] == {
        "wifi password": "[redacted: wifi password]",
        "alarm pin": "[redacted: pin]",
        "floor": 3,
    }
    assert redacted["list"] == ["my pin is [redacted: pin]", {"a": None}]
    assert redaction.kinds == ["wifi password", "pin"]
    assert list_marked_kinds_in(redacted) == ["wifi password", "pin"]
    assert redaction.found[("home", "alarm pin")] == ("pin",)


def test_a_name_can_be_a_secret() -> None:
    assert JsonRedaction().redact({TOKENS["github"]: 1}) == {"[redacted: github token]": 1}
