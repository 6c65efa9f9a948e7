"""Portuguese, the language that was added as a folder alone: found, dated, counted, asked and answered as the others.

What is tested here is what a folder gives: nothing in the code knows of Portuguese.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from knowledge_graph.extraction.concepts import extract_concepts
from knowledge_graph.extraction.context_types import classify_context
from knowledge_graph.extraction.entities import extract_entities
from memory.facts.profile.rules import find_facts_by_rules
from memory.language import build_query_groups, extract_terms
from memory.language.figures import find_days, find_numbers
from memory.language.folding import WORD
from memory.language.periods import find_window
from memory.language.stems import detect_languages
from memory.language.times import find_times
from memory.models import EndUser
from memory.retrieval.query import Query, understand_query
from outcomes.detection.cues import find_cues, is_small_talk
from tests.api_client import ApiClient

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def understand(question: str) -> Query:
    return understand_query(question, (), NOW)


def finds(query: str, document: str) -> bool:
    """Whether some content word of a query meets the document's terms."""
    terms = set(extract_terms(document))
    return any(terms & set(group) for group in build_query_groups(query))


# --- the language of a text --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "O usuário mora em Lisboa com a mulher e dois filhos.",
        "Moro em São Paulo e trabalho na Embraer.",
        "Não como carne desde março.",
        "A reunião foi adiada para a semana que vem.",
        "Eu gosto muito de café sem açúcar.",
        "A chave de casa está com a vizinha do terceiro andar.",
    ],
)
def test_portuguese_is_told_from_its_neighbours(text: str) -> None:
    assert detect_languages(text, set(WORD.findall(text.casefold())))[0] == ("pt",)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("El usuario vive en Lisboa con su mujer y dos hijos.", "es"),
        ("L'utente abita a Lisbona con la moglie e due figli.", "it"),
        ("The office in São Paulo is closed on Fridays.", "en"),
        ("Le bureau de São Paulo est fermé le vendredi.", "fr"),
        ("Als ich in São Paulo war, hat es geregnet.", "de"),
    ],
)
def test_texts_of_the_others_stay_theirs(text: str, language: str) -> None:
    assert language in detect_languages(text, set(WORD.findall(text.casefold())))[0]
    assert not any(term.startswith("pt:") for term in extract_terms(text))


def test_a_month_of_portuguese_is_none_in_the_texts_of_others() -> None:
    assert "month:1" not in extract_terms("The flight to Rio de Janeiro is full")
    assert "month:1" in extract_terms("A viagem é em janeiro, não em maio")


# --- search ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("reuniões", "A reunião com os fornecedores foi remarcada"),
        ("onde está a chave", "As chaves do carro estão na gaveta da cozinha"),
        ("vegetarianos", "A minha irmã é vegetariana desde pequena"),
        ("alergias", "Ele tem uma alergia a amendoim"),
        ("cancao", "A canção que eu mais ouço é antiga"),
        ("avó", "Minha avo mora no interior"),
        ("telemóvel", "O celular dela caiu na água"),
        ("comboio", "O trem para Santos sai às oito da manhã"),
        ("bike", "A bicicleta do meu filho foi roubada"),
        ("Zahnarzt", "A consulta com o dentista foi marcada para terça"),
        ("em junho", "O casamento é no dia 12/06/2026"),
    ],
)
def test_a_question_meets_other_forms_spellings_and_words_of_the_same_meaning(query: str, document: str) -> None:
    assert finds(query, document)


def test_grammar_is_left_out_of_a_search() -> None:
    (name, sister) = build_query_groups("Qual é o nome da minha irmã?")
    assert "pt:nom" in name
    assert "pt:irma" in sister


# --- times, dates and numbers ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "hour", "minutes"),
    [
        ("a aula começa às três e meia", 3, 30),
        ("o voo sai às 18h45", 6, 45),
        ("acordo às seis e um quarto", 6, 15),
        ("o jogo é às dez para as oito", 7, 50),
        ("a consulta é às quinze para as duas", 1, 45),
        ("saio às sete em ponto", 7, 0),
        ("o jantar é às 20 horas", 8, 0),
        ("à uma e meia", 1, 30),
    ],
)
def test_the_time_of_day_is_read(text: str, hour: int, minutes: int) -> None:
    assert 60 * hour + minutes in find_times(text)


def test_a_length_of_time_is_no_time_of_day() -> None:
    assert not find_times("a viagem demora três horas")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("a festa é no dia 5 de março", (3, 5)),
        ("nasci em 12 de outubro de 1988", (10, 12)),
        ("o contrato termina a 1 de janeiro", (1, 1)),
        ("1º de maio é feriado", (5, 1)),
    ],
)
def test_a_day_is_read(text: str, day: tuple[int, int]) -> None:
    assert day in find_days(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("custou vinte e cinco euros", 25),
        ("são dezesseis degraus", 16),
        ("são dezasseis degraus", 16),
        ("paguei trezentos e quarenta reais", 340),
        ("duas mil e quinhentas páginas", 2500),
        ("pesa 1.250 quilos", 1250),
    ],
)
def test_an_amount_is_read(text: str, number: float) -> None:
    assert number in find_numbers(text)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("o que eu fiz ontem", datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)),
        ("o que aconteceu anteontem", datetime(2026, 2, 28, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)),
        ("o que combinámos hoje", datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)),
        ("onde estive na semana passada", datetime(2026, 2, 16, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)),
    ],
)
def test_a_stretch_of_time_is_read(text: str, start: datetime, end: datetime) -> None:
    assert understand(text).window == (start, end)


@pytest.mark.parametrize("text", ["há três semanas", "faz 3 semanas", "três semanas atrás", "ha tres semanas"])
def test_how_long_ago_is_read(text: str) -> None:
    window = understand(f"quem telefonou {text}?").window
    assert window is not None
    assert window[0] < NOW - 21 * DAY < window[1]


def test_italian_says_an_age_with_the_same_letters() -> None:
    assert find_window("mio figlio ha due anni", NOW) is None


# --- what a question asks for ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("question", "trait"),
    [
        ("Quando é o aniversário da Marta?", "asks_when"),
        ("Desde quando moro aqui?", "asks_when"),
        ("A que horas sai o ônibus?", "asks_when"),
        ("Por que a reunião foi adiada?", "asks_why"),
        ("Onde eu moro?", "is_about_me"),
        ("Qual é a minha alergia?", "is_about_me"),
        ("Quem sou eu?", "is_about_identity"),
        ("Como me chamo?", "is_about_identity"),
        ("O que eu não como?", "is_negated"),
        ("O que ficou por pagar?", "is_negated"),
        ("O que disse o médico da última vez?", "wants_latest"),
        ("Onde eu trabalhava antes?", "wants_earlier"),
        ("O que não funcionou com a impressora?", "wants_failures"),
        ("O que diz o manual sobre a bateria?", "is_about_books"),
        ("O que a Ana vendeu?", "asks_deed"),
    ],
)
def test_a_question_is_understood(question: str, trait: str) -> None:
    assert getattr(understand(question), trait)


def test_relations_months_and_parts_are_read() -> None:
    assert understand("Como se chama a minha irmã?").relations == understand("What is my sister called?").relations
    assert understand("O que fizemos em março?").months == {3}
    assert understand("Onde está o Marco?").months == frozenset()
    assert len(understand("Quando nos mudámos e quem ajudou na mudança?").parts) == 2
    assert understand("Lista tudo o que sabes do projeto").limit > understand("Onde está o gato?").limit


# --- what is said to an answer -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Obrigada, funcionou!", "thanks"),
        ("Valeu, deu certo", "thanks"),
        ("Perfeito, era isso mesmo", "thanks"),
        ("Muito obrigado pela ajuda", "thanks"),
        ("Isso não funciona", "corrects"),
        ("Não era isso que eu queria", "corrects"),
        ("Ainda dá erro", "corrects"),
        ("Está errado", "corrects"),
    ],
)
def test_a_reaction_is_noticed(message: str, kind: str) -> None:
    assert [cue.kind for cue in find_cues(message, ["Como reinicio o roteador?"], "Desliga e liga.")] == [kind]


def test_thanks_beforehand_say_nothing() -> None:
    assert not find_cues("Desde já obrigado", ["Como reinicio o roteador?"], "Desliga e liga.")


@pytest.mark.parametrize("message", ["Olá, tudo bem?", "Boa noite, obrigado", "Oi", "Até logo"])
def test_small_talk_needs_no_outcome(message: str) -> None:
    assert is_small_talk(message)


# --- what lasts of a person --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("Moro em Lisboa com a minha mulher.", "identity"),
        ("Prefiro café sem açúcar.", "preferences"),
        ("Não gosto de coentros.", "preferences"),
        ("Tenho dificuldade em dormir.", "challenges"),
        ("Meu objetivo é correr uma maratona este ano.", "short_term_goals"),
        ("A minha irmã Ana é alérgica a amendoim.", "family"),
        ("Minha irmã Ana é alérgica a amendoim.", "family"),
        ("Meu chefe se chama Rui.", "colleagues"),
        ("Sou enfermeira num hospital do Porto.", "work_context"),
        ("Me chamo Beatriz.", "name"),
    ],
)
def test_a_lasting_statement_is_found(message: str, field: str) -> None:
    assert [fact.field for fact in find_facts_by_rules(message)] == [field]


@pytest.mark.parametrize(
    "message",
    [
        "O que você acha disto?",
        "Hoje estou cansado.",
        "Traduz esta frase: moro em Lisboa.",
        "Se eu morasse em Faro, teria um barco.",
    ],
)
def test_nothing_else_is_taken_for_one(message: str) -> None:
    assert not find_facts_by_rules(message)


# --- the graphs --------------------------------------------------------------------------------------------------
def test_concepts_meet_those_of_other_languages() -> None:
    portuguese = {concept.key for concept in extract_concepts("O meu dentista fica perto da padaria e da estação")}
    english = {concept.key for concept in extract_concepts("My dentist is near the bakery and the station")}
    assert {"dentist", "station"} <= portuguese & english


def test_names_and_kinds_of_work_are_found() -> None:
    people = [
        entity.key for entity in extract_entities("A minha irmã Joaquina mora em Coimbra.") if entity.kind == "person"
    ]
    assert people == ["joaquina"]
    assert classify_context("Preciso de traduzir este artigo e rever o rascunho") == "writing"
    assert classify_context("O contentor não arranca, dá um erro") == "debugging"


# --- through the door --------------------------------------------------------------------------------------------
def test_a_portuguese_memory_is_stored_and_found(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    memories = [
        "O usuário é alérgico a amendoim e evita bolos com frutos secos.",
        "O usuário mora em Braga, perto da estação de comboios.",
        "A reunião com a contabilista foi adiada para 12 de março às três e meia.",
    ]
    for text in memories:
        assert api.post("memories", {"text": text, "tier": "memory_bank", "tags": ["identity"]}).status_code == 201
    index_now(user)
    for query, expected in (
        ("Onde moro?", 1),
        ("alergias", 0),
        ("Quando é a reunião com o contador?", 2),
        ("train station", 1),
    ):
        results = api.post("search", {"query": query}).json()["results"]
        assert results[0]["content"] == memories[expected], query
