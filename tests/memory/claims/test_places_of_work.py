"""Where somebody works, and what only sounds like it: the way there, a deed that was begun, a part of the firm."""

import pytest

from memory.claims.reader import read_claims

Told = tuple[str, str, str, bool]


def read_told(text: str) -> set[Told]:
    found = read_claims(text)
    return {(one.subject, one.relation, one.object, one.polarity) for one in found if one.relation != "about"}


RIZZOLI, DUCATI = ("you", "works_at", "rizzoli", True), ("you", "works_at", "ducati", True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ho iniziato a lavorare al Rizzoli", {RIZZOLI}),
        ("Sono stata assunta alla Ducati, ufficio design", {DUCATI}),
        ("Trabajo en Ducati, oficina de diseño", {DUCATI}),
        ("Lavoro alla Ducati e al Rizzoli", {DUCATI, RIZZOLI}),
        ("Da dicembre non sono più al Maggiore", {("you", "works_at", "maggiore", False)}),
        (
            "Da dicembre non sono più al Maggiore, ho vinto il concorso al Rizzoli. Anzi, ho già iniziato",
            {("you", "works_at", "maggiore", False), RIZZOLI},
        ),
        (
            "non lavoro più alla Coop, ho iniziato all'Esselunga",
            {("you", "works_at", "coop", False), ("you", "works_at", "esselunga", True)},
        ),
    ],
)
def test_where_somebody_works(text: str, told: set[Told]) -> None:
    assert read_told(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Vado al lavoro in bici",
        "Vado a lavoro con la macchina",
        "Voy al trabajo en bici",
        "אני נוסעת לעבודה בקורקינט חשמלי",
        "Franco sta in riabilitazione a Imola",
        "Mi abuela vive en el hospital en Vigo",
        "Opa wohnt in der Reha in Köln",
    ],
)
def test_what_tells_no_place_of_work_or_home(text: str) -> None:
    assert not {relation for _, relation, _, _ in read_told(text)} & {"works_at", "lives_in", "car", "has", "owns"}
