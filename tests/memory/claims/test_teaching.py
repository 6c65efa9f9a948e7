"""What somebody teaches is what they do, and no place where they work."""

import pytest

from memory.claims.reader import read_claims


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("I teach Year 4", "works_as", "teach year 4"),
        ("I teach maths", "works_as", "teach maths"),
        ("I teach maths at Hillside Primary", "works_at", "hillside primary"),
        ("I teach at Hillside Primary", "works_at", "hillside primary"),
        ("doy clases de piano", "works_as", "doy clases de piano"),
        ("enseño en el Cervantes", "works_at", "cervantes"),
        ("j'enseigne les maths", "works_as", "enseigne les maths"),
        ("j'enseigne au lycée Voltaire", "works_at", "lycée voltaire"),
        ("ich unterrichte die vierte Klasse", "works_as", "unterrichte die vierte klasse"),
        ("insegno matematica", "works_as", "insegno matematica"),
        ("insegno al liceo Volta", "works_at", "liceo volta"),
        ("ensino na escola Camões", "works_at", "camões"),
        ("אני מלמדת מתמטיקה", "works_as", "מלמדת מתמטיקה"),
        ("אני מלמדת בבית ספר", "works_at", "בבית ספר"),
    ],
)
def test_what_is_taught_is_a_trade(text: str, relation: str, value: str) -> None:
    assert [(one.relation, one.object) for one in read_claims(text)] == [(relation, value)]
