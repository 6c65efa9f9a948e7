"""How triples read from turns are counted."""

from memory.evaluation.hot import measure_hot


def test_triples_intents_and_retractions_are_counted() -> None:
    rows = [
        {
            "text": "My dog is called Rex",
            "lang": "en",
            "intent": "FACT_STATEMENT",
            "facts": [["you", "dog", "the Rex"]],
        },
        {"text": "I live in Ghent", "lang": "en", "intent": "FACT_STATEMENT", "facts": [["you", "lives_in", "Bruges"]]},
        {
            "text": "ya no vivo en Murcia",
            "lang": "es",
            "intent": "CORRECTION",
            "facts": [],
            "retracts": [["you", "lives_in", "murcia"]],
        },
        {
            "text": "I own a boat",
            "lang": "en",
            "intent": "REACTION",
            "facts": [],
            "optional": [["you", "owns", "boat"]],
        },
    ]

    figures = measure_hot(rows)

    assert (figures.facts.right, figures.facts.wrong, figures.facts.missed) == (1, 1, 1)
    assert (figures.empty, figures.empty_told) == (2, 0)
    assert figures.retracts.recall == 1
    assert figures.intents == 3
