"""Which words of a sentence are nodes of the graph, in six languages, on sentences with labels."""

import hashlib
import re
from pathlib import Path

import pytest

from knowledge_graph.extraction.concepts import extract_concepts
from knowledge_graph.extraction.topics import load_order_keys, select_parts, select_topics

LABELS = Path(__file__).with_name("topic_labels.txt")
STARRED = re.compile(r"\*([^*]+)\*")


def read_sentences(half: str) -> list[tuple[str, str]]:
    """Language and sentence; the same sentence is in the same half in every language."""
    found, language, number = [], "", 0
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            language, number = line.strip("[]"), 0
        elif line and not line.startswith("#"):
            number += 1
            if (hashlib.sha256(str(number).encode()).digest()[0] % 2 == 0) == (half == "dev"):
                found.append((language, line))
    return found


def measure(half: str) -> tuple[float, float, float]:
    """Share of topics among all words that were nodes once, among those that are now, and of topics that still are."""
    words, kept, right, topics = 0, 0, 0, 0
    for _, line in read_sentences(half):
        text, starred = line.replace("*", ""), {word.casefold() for word in STARRED.findall(line)}
        chosen = select_topics(text)
        for one in extract_concepts(text):
            if " " not in one.label:
                words, topics = words + 1, topics + (one.label in starred)
                kept, right = kept + (one.key in chosen), right + (one.key in chosen and one.label in starred)
    return topics / words, right / kept, right / topics


@pytest.mark.parametrize("half", ["dev", "other"])
def test_most_nodes_name_a_matter(half: str) -> None:
    before, precision, recall = measure(half)
    assert before < 0.55
    assert precision >= 0.8
    assert recall >= 0.72


def test_verbs_and_conjunctions_are_no_topics() -> None:
    topics = select_topics("I renewed my lease plus brought a lamp")
    assert {"lease", "lamp"} <= topics
    assert not {"renew", "plus", "brought", "bring"} & topics


def test_a_pair_names_a_matter_if_both_words_do() -> None:
    assert "permission error" in select_topics("the permission error in the log")
    assert not any("brought" in key for key in select_topics("he brought the ladder"))
    assert "err_4521" in select_topics("k8s pods crash with ERR_4521")
    assert select_topics("") == frozenset()


def test_parts_of_names_of_code_and_joined_words_are_nobodys_words() -> None:
    parts = select_parts("ERR_4521: lock_timeout froze exportWorker, per-partition https://a.example/heron")
    assert {"err", "lock", "timeout", "perpartit", "heron"} <= parts
    assert not {"err_4521", "lock_timeout", "partit", "froze"} & parts
    assert "lock" not in select_parts("the lock of lock_timeout")
    for text in ("the heat-pump and Dana's l'eau", "המפתח של המחסן", "read/write speed", "C++ (both)", ""):
        assert select_parts(text) <= {"heatpump"}
    assert "create" in select_parts("CREATE INDEX on the table")
    assert not select_parts("AWS and NASA create jobs")


def test_what_orders_begin_with_is_known_in_every_language_and_no_name_or_thing_is() -> None:
    orders = load_order_keys()
    assert {"fix", "create", "add", "translate", "zeig", "ecris", "busc", "cerc", "חפש"} <= orders
    assert not {"boat", "salary", "lease", "marc", "kubernetes", "error", "knife"} & orders
