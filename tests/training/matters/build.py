"""Writes the examples that tell a question about life from one about something else, and measures on labelled ones.

    python manage.py shell -c "from tests.training.matters.build import main; main()"

`questions.jsonl` holds questions in all languages: `needs` says whether standing constraints must be in the context. Of
`set`, `tuned`, `other` and `hard` were in sight when the examples and the bounds were chosen; `fresh` was written and
measured once after that. Prints what is told of a medicine (which limits food, drink and health).
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone

from memory.claims.constraints import LIMITS
from memory.claims.questions import read_question
from memory.conf import memory_conf
from memory.context.known import is_idle
from memory.context.matters import EXAMPLES, KNOWLEDGE, LIFE, load_examples, measure_life, rate_apartness
from memory.indexes.answering import build_question_embedder
from memory.inference.base import QuestionVector
from memory.platform.deadline import Deadline
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.query import understand_query

QUESTIONS = Path(__file__).parent / "questions.jsonl"
PATIENCE_S = 60
OF_LIFE = (
    *("what should I cook for dinner", "which restaurant to book", "what medicine helps against pain"),
    *("side effects of a drug", "plan a trip", "a gift for a friend", "organise a party", "exercise and sport"),
    *("something to drink", "what is in this dish", "a recipe and its ingredients", "clothes and cosmetics"),
    *("my health", "a film or a concert to go to", "a pet for the family", "furnish the home and the garden"),
    *("toys and children", "invite guests", "a shopping list", "a hotel and a flight", "allergies and diets"),
)
OF_KNOWLEDGE = (
    *("what is the capital of a country", "write a program in code", "solve this equation", "how does a machine work"),
    *("write a poem about nature", "who wrote this book", "history of a war", "grammar of a verb"),
    *("explain a law of physics", "the height of a mountain", "a database query", "an error in a computer program"),
    *("who was president", "translate this word", "who won the championship", "a chemical element"),
    *("percentages and square roots", "who painted this picture", "a theory in biology", "a network protocol"),
)


def main() -> None:
    service, conf = build_question_embedder(Deadline(PATIENCE_S)), memory_conf().embedding
    examples = {
        f"{kind} {service.model}": np.array(
            [service.embed_query(text, Deadline(PATIENCE_S)) for text in texts], np.float16
        )
        for kind, texts in ((LIFE, OF_LIFE), (KNOWLEDGE, OF_KNOWLEDGE))
    }
    # Its signature takes the names of arrays for options.
    save: Any = np.savez_compressed
    save(EXAMPLES, models=np.array([service.model]), **examples)
    load_examples.cache_clear()
    told: Counter[tuple[str, bool]] = Counter()
    asked: Counter[tuple[str, bool]] = Counter()
    for row in map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines()):
        query = understand_query(row["text"], (), timezone.now())
        raw = service.embed_query(row["text"], Deadline(PATIENCE_S))
        vector = QuestionVector(choose_emphasis(query, conf).weigh(raw), service.model)
        apart = rate_apartness(row["text"], vector)
        is_told = not is_idle(LIMITS["medication"], read_question(row["text"]), apart)
        key = (row["set"], row["needs"])
        asked[key] += 1
        told[key] += is_told
        print(f"{measure_life(vector):+.3f} {apart.name:5} {row['set']:5} {row['needs']!s:5} {row['text']}")  # noqa: T201
    for key, count in sorted(asked.items()):
        print(f"{key[0]}, {'needs them' if key[1] else 'needs none'}: told in {told[key]} of {count}")  # noqa: T201
