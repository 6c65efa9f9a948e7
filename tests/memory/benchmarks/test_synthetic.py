import re
from collections import Counter

from memory.benchmarks.synthetic import VOCABULARY, NoteWriter, SentenceTemplate


def test_the_same_seed_writes_the_same_notes_and_questions() -> None:
    first, second, other = NoteWriter(7), NoteWriter(7), NoteWriter(8)
    notes = list(first.notes(200))
    assert notes == list(second.notes(200))
    assert notes != list(other.notes(200))
    # `first` has written notes and `third` has not: the questions are the same.
    third = NoteWriter(7)
    assert first.draw_questions(50) == third.draw_questions(50)


def test_notes_and_questions_are_all_different() -> None:
    writer = NoteWriter(1)
    notes = [note.text for note in writer.notes(5000)]
    questions = writer.draw_questions(2000)
    assert len(set(notes)) == 5000
    assert len(set(questions)) == 2000
    assert not set(notes) & set(questions)


def test_no_slot_stays_empty_in_any_language_or_topic() -> None:
    writer = NoteWriter(2)
    notes = list(writer.notes(5000))
    assert not [note.text for note in notes if re.search(r"[{}]", note.text)]
    assert {note.language for note in notes} == {path.stem for path in VOCABULARY.glob("*.toml")}
    assert {note.topic for note in notes} == {"work", "family", "code", "travel", "food"}
    assert not [question for question in writer.draw_questions(2000) if re.search(r"[{}]", question)]


def test_words_are_spread_as_in_natural_text() -> None:
    words = Counter(word for note in NoteWriter(3).notes(3000) for word in re.findall(r"\w+", note.text.lower()))
    total = words.total()
    assert 25 < total / 3000 < 50
    # A few words make up much of the text, and many occur once: neither holds for evenly drawn words.
    assert sum(count for _, count in words.most_common(100)) > 0.35 * total
    assert sum(count == 1 for count in words.values()) > 0.2 * len(words)


def test_a_template_is_split_at_its_slots() -> None:
    template = SentenceTemplate.parse("{first} meets {first2} in {city}.")
    assert template.slots == (("first", ""), ("first", "2"), ("city", ""))
    assert template.literals == ("", " meets ", " in ", ".")
