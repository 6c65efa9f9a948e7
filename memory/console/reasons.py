"""Why one memory ranks above another, in words: what each signal is called, and what it says when it raises or lowers.

Pure: words only. A signal that stands here with one sentence points one way.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """``raises`` and ``lowers`` are clauses after "because"; what only ever points the other way leaves one empty."""

    title: str
    raises: str
    lowers: str = ""


REASONS = {
    "speaker": Reason("Speaker", "the question names who said it"),
    "time_words": Reason("Tells a time", "it tells a time, which the question asks for"),
    "number": Reason("Tells a number", "it holds a number, which the question asks for"),
    "proper_name": Reason("Tells a name", "it names somebody or something, which the question asks for"),
    "date": Reason("Date", "it is of the time that is asked about"),
    "words_in_context": Reason("Rare words", "it and the turn before it hold the rare words of the question"),
    "turn_before": Reason("Turn before", "the turn before it fits", "the turn before it does not fit"),
    "turn_after": Reason("Turn after", "the turn after it fits", "the turn after it does not fit"),
    "answer": Reason("Answer", "it answers a question that fits", "the question before it does not fit"),
    "question": Reason("Question", "", "it is itself a question"),
    "thread": Reason("Conversation", "its conversation fits", "its conversation fits less than others"),
    "late": Reason(
        "Word for word",
        "word for word it is near to the question",
        "word for word it is less near than it seemed",
    ),
    "identifier": Reason("Identifier", "it has the very identifier asked for", "it has another identifier"),
    "day": Reason("Day", "it has the very day asked for", "it has another day"),
    "clock": Reason("Time of day", "it has the very time of day asked for", "it has another time of day"),
    "amount": Reason("Amount", "it has the very amount asked for", "it has another amount"),
    "names": Reason("People named", "it mentions who is asked about", "it does not mention everybody asked about"),
    "alias": Reason("Other name", "it speaks of the one whom that name stands for"),
    "outcomes": Reason("Experience", "it worked before", "it failed before"),
    "bank_quality": Reason("Sureness", "it is sure and important", "it is less sure or less important than others"),
    "hearsay": Reason("Hearsay", "", "it is hardly believed"),
    "dynamic_weights": Reason("Learned weight", "experience speaks for it", "experience speaks against it"),
    "quality_multiplier": Reason("Quality", "it is sure and important"),
    "latest": Reason("Newest", "it is among the newest, which the question asks for"),
    "recent_cause": Reason("Recent event", "it happened lately, and the question asks why"),
    "superseded": Reason(
        "Replaced", "it held before, which the question asks for", "a newer statement has taken its place"
    ),
    "change": Reason(
        "Change",
        "it says itself that something has changed",
        "it says that something has changed, and the question asks what was before",
    ),
    "other_person": Reason("Another person", "", "it speaks of somebody else"),
    "about_me": Reason("About the user", "it is about the user, as the question is"),
    "identity": Reason("Identity", "it says who the user is, which is asked for"),
    "background": Reason("Background", "", "it says how things are, and the question asks what was done"),
    "books": Reason(
        "From a book",
        "it is from a book, which the question asks for",
        "it is from a book, and the question asks for the user's own view",
    ),
    "polarity": Reason("Says what is not", "it says what is not, as the question asks", "it says what is"),
    "reported_question": Reason("Told question", "", "it tells that somebody asked"),
    "heading": Reason("Heading", "", "it begins like a question and is none"),
    "quote": Reason("Quotation", "", "somebody else is quoted in it"),
    "swapped": Reason("Turned round", "", "it tells the same deed the other way round"),
    "entities": Reason("Named things", "it is kept about what the question names"),
    "solutions": Reason("Known solution", "it solved this before"),
    "documents": Reason("Data sets", "it describes the data that the question is about"),
}


def title(name: str) -> str:
    known = REASONS.get(name)
    return known.title if known else plain(name).capitalize()


def clause(name: str, value: float) -> str:
    known = REASONS.get(name)
    said = (known.lowers if value < 0 else known.raises) if known else ""
    return said or (known.raises or known.lowers if known else plain(name))


def plain(name: str) -> str:
    return name.replace("_", " ")
