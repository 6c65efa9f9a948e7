"""How much a question asks for, and how history is shortened."""

import pytest

from memory.context.budget import estimate_task, truncate_at_sentences
from memory.language.text import estimate_tokens


@pytest.mark.parametrize(
    ("question", "complexity"),
    [
        ("What is my name?", "simple"),
        ("¿Cómo me llamo?", "simple"),
        ("Comment je m'appelle ?", "simple"),
        ("Wie heiße ich?", "simple"),
        ("Come mi chiamo?", "simple"),
        ("מה השם שלי?", "simple"),
        ("How do I repair the lamp?", "medium"),
        ("¿Cómo puedo reparar la lámpara?", "medium"),
        ("Comment puis-je réparer la lampe ?", "medium"),
        ("Wie kann ich die Lampe reparieren?", "medium"),
        ("Come posso riparare la lampada?", "medium"),
        ("איך אפשר לתקן את המנורה?", "medium"),
        ("Design the migration of our store and compare two ways, step by step", "complex"),
        ("Diseña la arquitectura y compara las dos opciones", "complex"),
        ("Rédige une stratégie et analyse les risques", "complex"),
        ("Entwirf eine Architektur und vergleiche die Möglichkeiten", "complex"),
        ("Progetta l'architettura e confronta le opzioni", "complex"),
        ("תכנן ארכיטקטורה, להשוות בין האפשרויות", "complex"),
    ],
)
def test_how_much_a_question_asks_for_is_told_in_six_languages(question: str, complexity: str) -> None:
    assert estimate_task(question).complexity == complexity


def test_history_is_shortened_at_the_ends_of_sentences() -> None:
    text = "First we met. " + "Then it rained for a while. " * 50 + "In the end the lamp was lit."
    short = truncate_at_sentences(text, 40)
    assert short.startswith("First we met. […] Then it rained")
    assert short.endswith("In the end the lamp was lit.")
    assert estimate_tokens(short) <= 40
    assert truncate_at_sentences(text, 10_000) == text
    assert estimate_tokens(truncate_at_sentences("word " * 500, 20)) <= 20
