"""Why one memory ranks above another, in words: what each signal is called, and what it says when it raises or lowers.

Pure: words only. A signal that stands here with one sentence points one way.
"""

from dataclasses import dataclass

from memory.web.wordings import translate as _


@dataclass(frozen=True, slots=True)
class SignalWording:
    """``raises`` and ``lowers`` are clauses after "because"; what only ever points the other way leaves one empty."""

    title: str
    raises: str
    lowers: str = ""


# Beside the console and not beside the signals: wording changes with the page, signals with the figures.
SIGNAL_WORDINGS = {
    "speaker": SignalWording(_("Speaker"), _("the question names who said it")),
    "time_words": SignalWording(_("Tells a time"), _("it tells a time, which the question asks for")),
    "figure": SignalWording(_("Holds a number"), _("it holds a number, which the question asks for")),
    "own_words": SignalWording(_("Own words"), _("whoever is asked about speaks of themselves in it")),
    "meaning": SignalWording(_("Meaning"), _("it is near in meaning"), _("it is less near in meaning than others")),
    "label": SignalWording(_("Label"), _("its label has a word of the question")),
    "number": SignalWording(_("Tells a number"), _("it holds a number, which the question asks for")),
    "proper_name": SignalWording(_("Tells a name"), _("it names somebody or something, which the question asks for")),
    "date": SignalWording(_("Date"), _("it is of the time that is asked about")),
    "words_in_context": SignalWording(
        _("Rare words"), _("it and the turn before it hold the rare words of the question")
    ),
    "turn_before": SignalWording(_("Turn before"), _("the turn before it fits"), _("the turn before it does not fit")),
    "turn_after": SignalWording(_("Turn after"), _("the turn after it fits"), _("the turn after it does not fit")),
    "answer": SignalWording(
        _("Answer"), _("it answers a question that fits"), _("the question before it does not fit")
    ),
    "question": SignalWording(_("Question"), "", _("it is itself a short question")),
    "reply": SignalWording(_("Reply"), "", _("it is the assistant's, and not what was said to the assistant")),
    "thread": SignalWording(_("Conversation"), _("its conversation fits"), _("its conversation fits less than others")),
    "late": SignalWording(
        _("Wording"),
        _("its wording matches the question closely"),
        _("its wording matches less closely"),
    ),
    "identifier": SignalWording(
        _("Identifier"), _("it has the very identifier asked for"), _("it has another identifier")
    ),
    "day": SignalWording(_("Day"), _("it has the very day asked for"), _("it has another day")),
    "clock": SignalWording(
        _("Time of day"), _("it has the very time of day asked for"), _("it has another time of day")
    ),
    "amount": SignalWording(_("Amount"), _("it has the very amount asked for"), _("it has another amount")),
    "names": SignalWording(
        _("People named"), _("it mentions who is asked about"), _("it does not mention everybody asked about")
    ),
    "spelling": SignalWording(_("Spelling"), _("it holds a name that is spelt like the one asked about")),
    "alias": SignalWording(_("Other name"), _("it speaks of the one whom that name stands for")),
    "outcomes": SignalWording(_("Experience"), _("it worked before"), _("it failed before")),
    "bank_quality": SignalWording(
        _("Sureness"), _("it is sure and important"), _("it is less sure or less important than others")
    ),
    "hearsay": SignalWording(_("Hearsay"), "", _("it is hardly believed")),
    "dynamic_weights": SignalWording(
        _("Learned weight"), _("experience speaks for it"), _("experience speaks against it")
    ),
    "quality_multiplier": SignalWording(_("Quality"), _("it is sure and important")),
    "latest": SignalWording(_("Newest"), _("it is among the newest, which the question asks for")),
    "recent_cause": SignalWording(_("Recent event"), _("it happened lately, and the question asks why")),
    "superseded": SignalWording(
        _("Replaced"), _("it held before, which the question asks for"), _("a newer statement has taken its place")
    ),
    "change": SignalWording(
        _("Change"),
        _("it says itself that something has changed"),
        _("it says that something has changed, and the question asks what was before"),
    ),
    "dormant": SignalWording(_("Dormant"), "", _("it is past its time in its tier")),
    "other_person": SignalWording(_("Another person"), "", _("it speaks of somebody else")),
    "about_me": SignalWording(_("About the user"), _("it is about the user, as the question is")),
    "identity": SignalWording(_("Identity"), _("it says who the user is, which is asked for")),
    "background": SignalWording(_("Background"), "", _("it says how things are, and the question asks what was done")),
    "books": SignalWording(
        _("From a book"),
        _("it is from a book, which the question asks for"),
        _("it is from a book, and the question asks for the user's own view"),
    ),
    "polarity": SignalWording(
        _("Says what is not"), _("it says what is not, as the question asks"), _("it says what is")
    ),
    "reported_question": SignalWording(_("Told question"), "", _("it tells that somebody asked")),
    "heading": SignalWording(_("Heading"), "", _("it begins like a question and is none")),
    "quote": SignalWording(_("Quotation"), "", _("somebody else is quoted in it")),
    "swapped": SignalWording(_("Turned round"), "", _("it tells the same deed the other way round")),
    "asked_fact": SignalWording(_("Fact asked for"), _("it tells the very fact that is asked for")),
    "current": SignalWording(_("Holds now"), _("it tells what holds now"), _("another tells what holds now")),
    "ended": SignalWording(
        _("No longer so"), _("it tells what was before, which is asked for"), _("it tells what has ended")
    ),
    "latest_told": SignalWording(
        _("Told last"), _("it was told later, of the same matter"), _("another that was told answers")
    ),
    "answers_asked": SignalWording(
        _("Answers what was asked"), _("it answers a question of the assistant's that asks for the same")
    ),
    "former_told": SignalWording(
        _("Told before"),
        _("a later one took its place, and the question asks what was before"),
        _("it is what came later"),
    ),
    "entities": SignalWording(_("Named things"), _("it is kept about what the question names")),
    "solutions": SignalWording(_("Known solution"), _("it solved this before")),
    "documents": SignalWording(_("Data sets"), _("it describes the data that the question is about")),
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
