"""Words that end as the conditional of Spanish and Portuguese does and are names, shops and trades."""

import pytest

from memory.claims.reader import read_claims
from memory.guard.annotation import annotate_text


def says_would(text: str) -> bool:
    return any(sentence.has("would") for sentence in annotate_text(text).own_sentences)


@pytest.mark.parametrize(
    "text",
    [
        "Yo compraría una casa en Vigo.",
        "vendería el coche",
        "No la vendería nunca.",
        "No lo llevaría nunca.",
        "En Vigo viviríamos mejor.",
        "Mi hermana viviría en Vigo.",
        "Creo que la compraría.",
        "Eu compraria um carro.",
        "não o levaria ao médico",
    ],
)
def test_a_verb_is_known_by_what_stands_before_it(text: str) -> None:
    assert says_would(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mi hermana María vive en Bilbao.",
        "mi hermana maría vive en bilbao",
        "Trabajo en la ferretería Ortiz.",
        "Mi madre tiene una librería en Vigo.",
        "Estudio ingeniería en Vigo.",
        "Soy veterinaria en Lugo.",
        "La panadería de Lugo cierra.",
        "A minha irmã Maria mora em Faro.",
        "Sou funcionária pública.",
        "Trabalho numa livraria no Porto.",
    ],
)
def test_names_shops_and_trades_are_no_verbs(text: str) -> None:
    assert not says_would(text)


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("mi mujer se llama María y es enfermera", "works_as", "enfermera"),
        ("a minha mulher chama-se Maria e trabalha na câmara", "works_at", "câmara"),
        ("Trabajo en la ferretería Ortiz.", "works_at", "ferretería ortiz"),
        ("trabalho numa livraria no Porto", "works_at", "livraria"),
        ("Soy veterinaria en Lugo.", "works_as", "veterinaria"),
        ("Sou funcionária pública.", "works_as", "funcionária pública"),
        ("Hola, soy María y vivo en Vigo.", "lives_in", "vigo"),
    ],
)
def test_what_is_told_with_them_is_kept(text: str, relation: str, value: str) -> None:
    assert (relation, value) in {(claim.relation, claim.object) for claim in read_claims(text)}
