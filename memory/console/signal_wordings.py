"""Why one memory ranks above another, in words: what each signal is called, and what it says when it raises or lowers.

Pure: words only. A signal that stands here with one sentence points one way.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignalWording:
    """``raises`` and ``lowers`` are clauses after "because"; what only ever points the other way leaves one empty."""

    title: str
    raises: str
    lowers: str = ""


# Beside the console and not beside the signals: wording changes with the page, signals with the figures.
SIGNAL_WORDINGS = {
    "speaker": SignalWording("Speaker", "the question names who said it"),
    "time_words": SignalWording("Tells a time", "it tells a time, which the question asks for"),
    "figure": SignalWording("Holds a number", "it holds a number, which the question asks for"),
    "own_words": SignalWording("Own words", "whoever is asked about speaks of themselves in it"),
    "meaning": SignalWording("Meaning", "it is near in meaning", "it is less near in meaning than others"),
    "label": SignalWording("Label", "its label has a word of the question"),
    "number": SignalWording("Tells a number", "it holds a number, which the question asks for"),
    "proper_name": SignalWording("Tells a name", "it names somebody or something, which the question asks for"),
    "date": SignalWording("Date", "it is of the time that is asked about"),
    "words_in_context": SignalWording("Rare words", "it and the turn before it hold the rare words of the question"),
    "turn_before": SignalWording("Turn before", "the turn before it fits", "the turn before it does not fit"),
    "turn_after": SignalWording("Turn after", "the turn after it fits", "the turn after it does not fit"),
    "answer": SignalWording("Answer", "it answers a question that fits", "the question before it does not fit"),
    "question": SignalWording("Question", "", "it is itself a short question"),
    "reply": SignalWording("Reply", "", "it is the assistant's, and not what was said to the assistant"),
    "thread": SignalWording("Conversation", "its conversation fits", "its conversation fits less than others"),
    "late": SignalWording(
        "Word for word",
        "word for word it is near to the question",
        "word for word it is less near than it seemed",
    ),
    "identifier": SignalWording("Identifier", "it has the very identifier asked for", "it has another identifier"),
    "day": SignalWording("Day", "it has the very day asked for", "it has another day"),
    "clock": SignalWording("Time of day", "it has the very time of day asked for", "it has another time of day"),
    "amount": SignalWording("Amount", "it has the very amount asked for", "it has another amount"),
    "names": SignalWording(
        "People named", "it mentions who is asked about", "it does not mention everybody asked about"
    ),
    "spelling": SignalWording("Spelling", "it holds a name that is spelt like the one asked about"),
    "alias": SignalWording("Other name", "it speaks of the one whom that name stands for"),
    "outcomes": SignalWording("Experience", "it worked before", "it failed before"),
    "bank_quality": SignalWording(
        "Sureness", "it is sure and important", "it is less sure or less important than others"
    ),
    "hearsay": SignalWording("Hearsay", "", "it is hardly believed"),
    "dynamic_weights": SignalWording("Learned weight", "experience speaks for it", "experience speaks against it"),
    "quality_multiplier": SignalWording("Quality", "it is sure and important"),
    "latest": SignalWording("Newest", "it is among the newest, which the question asks for"),
    "recent_cause": SignalWording("Recent event", "it happened lately, and the question asks why"),
    "superseded": SignalWording(
        "Replaced", "it held before, which the question asks for", "a newer statement has taken its place"
    ),
    "change": SignalWording(
        "Change",
        "it says itself that something has changed",
        "it says that something has changed, and the question asks what was before",
    ),
    "dormant": SignalWording("Dormant", "", "it is past its time in its tier"),
    "other_person": SignalWording("Another person", "", "it speaks of somebody else"),
    "about_me": SignalWording("About the user", "it is about the user, as the question is"),
    "identity": SignalWording("Identity", "it says who the user is, which is asked for"),
    "background": SignalWording("Background", "", "it says how things are, and the question asks what was done"),
    "books": SignalWording(
        "From a book",
        "it is from a book, which the question asks for",
        "it is from a book, and the question asks for the user's own view",
    ),
    "polarity": SignalWording("Says what is not", "it says what is not, as the question asks", "it says what is"),
    "reported_question": SignalWording("Told question", "", "it tells that somebody asked"),
    "heading": SignalWording("Heading", "", "it begins like a question and is none"),
    "quote": SignalWording("Quotation", "", "somebody else is quoted in it"),
    "swapped": SignalWording("Turned round", "", "it tells the same deed the other way round"),
    "asked_fact": SignalWording("Fact asked for", "it tells the very fact that is asked for"),
    "current": SignalWording("Holds now", "it tells what holds now", "another tells what holds now"),
    "ended": SignalWording("No longer so", "it tells what was before, which is asked for", "it tells what has ended"),
    "latest_told": SignalWording("Told last", "it was told later, of the same matter", "another that was told answers"),
    "former_told": SignalWording(
        "Told before", "a later one took its place, and the question asks what was before", "it is what came later"
    ),
    "entities": SignalWording("Named things", "it is kept about what the question names"),
    "solutions": SignalWording("Known solution", "it solved this before"),
    "documents": SignalWording("Data sets", "it describes the data that the question is about"),
}


def name_signal(name: str) -> str:
    known = SIGNAL_WORDINGS.get(name)
    return known.title if known else humanise(name).capitalize()


def explain_signal(name: str, value: float) -> str:
    known = SIGNAL_WORDINGS.get(name)
    wording = (known.lowers if value < 0 else known.raises) if known else ""
    return wording or (known.raises or known.lowers if known else humanise(name))


def humanise(name: str) -> str:
    return name.replace("_", " ")
