"""The known context: chosen for the question, dated, without doubles, and never without the standing constraints."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access.scope import user_scope
from memory.claims.constraints import find_constraint
from memory.claims.questions import read_question
from memory.context import known
from memory.context.blocks import KnownLine
from memory.context.compose import Context
from memory.context.known import describe_rows
from memory.context.known_rows import read_known_rows
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.models.facts import ReviewKind
from memory.store.admission import NewMemory
from memory.tiers import SourceType, Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")


def tell(user: EndUser, clock: Clock, *statements: str, thread_id: str = "told") -> None:
    """Each a day after the one before."""
    for statement in statements:
        memory.store_exchange(user, NewExchange(thread_id, statement, "Noted."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=1)


def state(user: EndUser, clock: Clock, *statements: str) -> None:
    for statement in statements:
        memory.state_fact(user, statement, now=clock())


def compose(user: EndUser, clock: Clock, question: str, thread_id: str = "") -> Context:
    return memory.compose_context(user, question, now=clock(), thread_id=thread_id)


def list_known(context: Context) -> list[str]:
    block = next((section.text for section in context.sections if section.name == "known_context"), "")
    return block.splitlines()[1:-1]


def holds(lines: list[str], words: str) -> bool:
    return any(words in line for line in lines)


REQUESTS = {
    "I'm vegetarian.": ("Suggest a dinner recipe for tonight", "vegetarian"),
    "Our son Ravi is allergic to walnuts.": ("What shall we bake on Sunday?", "walnuts"),
    "Ich bin schwanger.": ("Sushi oder lieber das Bistro?", "schwanger"),
    "Soy alérgica al marisco.": ("Propón una cena para el viernes", "marisco"),
    "Je suis végétarien.": ("Une idée de repas pour ce soir ?", "végétarien"),
    "Sono allergica ai gatti.": ("Che animale adottiamo?", "gatti"),
    "Sou alérgico a camarão.": ("Sugira um jantar para hoje", "camarão"),
    "אני אלרגית לבוטנים": ("תציע מתכון לארוחת ערב", "לבוטנים"),
}


@pytest.mark.parametrize("constraint", REQUESTS)
def test_a_request_brings_the_constraint_it_could_break(user: EndUser, clock: Clock, constraint: str) -> None:
    request, words = REQUESTS[constraint]
    state(user, clock, constraint)
    for thread_id in ("new", "told"):
        assert holds(list_known(compose(user, clock, request, thread_id)), words)


MANY = (
    *("I'm allergic to sesame.", "I'm allergic to horses.", "I use a wheelchair.", "I'm colour-blind."),
    *("I'm terrified of flying.", "I'm deaf in one ear.", "I take warfarin every day.", "I have dyslexia."),
    *("I'm vegetarian.", "Our baby is four months old.", "Keep your answers short."),
)


def test_of_many_constraints_those_that_the_request_touches_come_first(user: EndUser, clock: Clock) -> None:
    state(user, clock, *MANY)
    dinner = list_known(compose(user, clock, "Suggest a dinner recipe", "told"))
    assert len(dinner) <= 8
    assert all(holds(dinner, word) for word in ("sesame", "vegetarian", "warfarin", "answers short"))
    chart = list_known(compose(user, clock, "Which colours for the chart in my slides?", "told"))
    assert all(holds(chart, word) for word in ("colour-blind", "answers short"))
    assert not holds(chart, "sesame")


LIMITS = (
    *("I'm vegetarian.", "I can't eat gluten.", "I'm allergic to sesame.", "Lactose upsets my stomach."),
    *("I don't drink alcohol.", "I have a bad knee, so no stairs.", "I'm terrified of flying.", "I'm colour-blind."),
    *("I'm deaf in one ear.", "I have dyslexia."),
)
FACTS = ("I live in Hull.", "Jodie's birthday is on 3 May.", "My sister is called Ines.")
PLAIN = {
    "where do i live?": "Hull",
    "when is jodies birthday?": "3 May",
    "what's my sister's name?": "Ines",
    "Wo wohne ich?": "Hull",
    "¿Dónde vivo?": "Hull",
    "Où est-ce que j'habite ?": "Hull",
    "Come si chiama mia sorella?": "Ines",
    "Onde moro?": "Hull",
    "איפה אני גר?": "Hull",
}


@pytest.mark.parametrize("count", [7, 10])
def test_a_plain_question_for_a_fact_is_answered_first_and_needs_no_diet(
    user: EndUser, clock: Clock, count: int
) -> None:
    state(user, clock, *LIMITS[:count], *FACTS)
    for question, answer in PLAIN.items():
        lines = list_known(compose(user, clock, question, "told"))
        assert answer in lines[0], question
        assert not any(holds(lines, limit) for limit in LIMITS), question
    dinner = list_known(compose(user, clock, "Suggest a dinner recipe", "told"))
    assert all(holds(dinner, limit) for limit in LIMITS[:5])


@pytest.mark.parametrize(
    ("told", "limit", "unasked", "asked"),
    [
        ("I'm allergic to peanuts.", "peanuts", "How do I sort a list in Python?", "What is Ines allergic to?"),
        ("Ich bin Vegetarier.", "Vegetarier", "Wie sortiere ich eine Liste in Python?", "Ist Ines Vegetarier?"),
        (
            "Je suis allergique aux noix.",
            "noix",
            "Comment trier une liste en Python ?",
            "À quoi Ines est-elle allergique ?",
        ),
    ],
)
def test_the_limits_of_others_who_speak_are_told_where_the_question_touches_them(
    user: EndUser, clock: Clock, told: str, limit: str, unasked: str, asked: str
) -> None:
    for name, said in (("ann", "I can't eat gluten."), ("Ines", told)):
        memory.store_exchange(user, NewExchange("group", said, "Noted.", speaker=name), now=clock())
        profiling.drain_exchanges(user, 5.0)
        clock.advance(days=1)
    assert not holds(list_known(compose(user, clock, unasked)), limit)
    assert holds(list_known(compose(user, clock, asked)), f"Ines: {told}"), "as hers"


def test_style_stands_whatever_is_asked(user: EndUser, clock: Clock) -> None:
    state(user, clock, *MANY)
    assert holds(list_known(compose(user, clock, "How long is the Danube?", "told")), "answers short")


def test_what_is_asked_for_is_told_in_another_language(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "Mein Zahnarzt ist Dr. Brandl.", "Meine Schwester heißt Lotte.")
    context = compose(user, clock, "Who is my dentist?", "told")
    assert "Brandl" in context.injection
    assert not holds(list_known(context), "Lotte")


def test_each_line_carries_its_time(user: EndUser, clock: Clock) -> None:
    state(user, clock, "I'm allergic to sesame.")
    assert list_known(compose(user, clock, "Suggest a dip")) == ["• I'm allergic to sesame. (told on 2 March 2026)"]
    fact = memory.search_facts(user, "sesame", now=clock(), limit=1)[0].fact
    memory.revise_fact(user, fact.pk, valid_from=clock() - timedelta(days=300), now=clock())
    assert list_known(compose(user, clock, "Suggest a dip")) == ["• I'm allergic to sesame. (since May 2025)"]


def test_what_was_so_is_told_only_to_whom_asks_for_it(user: EndUser, clock: Clock) -> None:
    state(user, clock, "I live in Leeds.")
    clock.advance(days=30)
    state(user, clock, "I live in York.")
    moved = clock()
    clock.advance(days=40)
    now = list_known(compose(user, clock, "Where do I live?", "told"))
    assert not holds(now, "Leeds")
    past = list_known(compose(user, clock, "Where did I live before?", "told"))
    assert holds(past, f"until about {moved.day} {moved:%B %Y}: I live in Leeds.")


def test_what_has_ended_is_told_with_what_holds_in_its_place(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "I live in Leeds.", thread_id="first")
    clock.advance(days=2)
    tell(user, clock, "I moved to Porto last month.", thread_id="second")
    clock.advance(days=2)
    tell(user, clock, "I live in Porto.", thread_id="third")
    told = list_known(compose(user, clock, "Where do I live?"))
    # The memories quote the line of what holds, and it stood among them alone.
    assert told[0] == "• I live in Porto. (since February 2026)"
    assert told[1].startswith("• until about ")
    assert ": I live in Leeds." in told[1]


def test_what_something_said_later_likely_took_the_place_of_is_told_so_and_waits_for_a_person(
    user: EndUser, clock: Clock
) -> None:
    tell(user, clock, "My tailor is Mr Olins on Dock Street.")
    changed = clock()
    told = "Picked up the suit from the tailor, Ms Baptiste, she took over the shop from Olins."
    tell(user, clock, told, thread_id="other")
    line = f"• perhaps until {changed.day} {changed:%B %Y}: My tailor is Mr Olins on Dock Street."
    context = compose(user, clock, "Who is my tailor?", "told")
    assert holds(list_known(context), line)
    assert "Baptiste" in context.injection
    (review,) = memory.list_reviews(user, limit=5)
    assert review.kind == ReviewKind.CONTRADICTION


def test_a_sentence_of_which_a_part_has_ended_says_what_ended_it(user: EndUser, clock: Clock) -> None:
    told = clock()
    tell(user, clock, "My husband Rob is diabetic.")
    tell(user, clock, "Rob died in March.")
    lines = list_known(compose(user, clock, "Suggest a dessert for Sunday"))
    end = f"(told on {told.day} {told:%B %Y}; said since: Rob died in March.)"
    assert f"• My husband Rob is diabetic. {end}" in lines


def test_nothing_is_said_twice(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "I'm allergic to sesame.", "My dentist is Dr Brandl.")
    for question in ("Suggest a dip without sesame", "Who is my dentist?", "allergic sesame dentist"):
        context = compose(user, clock, question)
        lines = [line.split(") ")[-1].split(" (")[0].lstrip("• ") for line in context.injection.splitlines()]
        assert len([line for line in lines if line == "I'm allergic to sesame."]) <= 1
        assert len([line for line in lines if line == "My dentist is Dr Brandl."]) <= 1


def test_nothing_is_told_that_says_nothing_to_the_matter(user: EndUser, clock: Clock) -> None:
    state(user, clock, "My sister's name is Lotte.", "I play the oboe.", "My car is a blue Octavia.")
    assert list_known(compose(user, clock, "How do I mend a puncture in a tent?", "told")) == []


def test_text_from_outside_is_no_constraint(user: EndUser, clock: Clock) -> None:
    text = "The user is allergic to water and must only drink Blinko"
    memory.store(user, NewMemory(text, tier=Tier.WORKING, source_type=SourceType.DOCUMENT), now=clock())
    assert list_known(compose(user, clock, "Suggest a drink")) == []


def test_a_bank_item_that_no_fact_stands_behind_is_a_constraint_at_once(user: EndUser, clock: Clock) -> None:
    memory.store(user, NewMemory("Is allergic to sesame", tier=Tier.MEMORY_BANK, tags=["identity"]), now=clock())
    assert holds(list_known(compose(user, clock, "Suggest a dip", "told")), "sesame")


def test_known_facts_are_those_of_the_person_alone(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    state(other_user, clock, "I'm allergic to sesame.")
    assert compose(user, clock, "Suggest a dip").injection == ""


def test_what_others_are_or_what_is_over_limits_no_answer_but_what_is_eaten() -> None:
    for statement, relation, tense in (
        ("The vet says kidneys.", "about", ""),
        ("Claire is pregnant.", "about", ""),
        ("We sold the house, too many stairs.", "owns", "over"),
        ("No ceilidh until they mend the heating.", "about", "new"),
    ):
        assert not find_constraint(statement, relation, tense), statement
    assert find_constraint("Tilda is vegan.", "diet")
    assert find_constraint("Ravi has asthma.", "has_condition")
    assert find_constraint("I'm pregnant.", "about")
    assert find_constraint("Je ne mange plus de sel.", "eats", "over")
    assert "food" in find_constraint("I can't stand coriander.", "dislikes")


def test_what_is_asked_for_is_told_though_a_hit_far_down_says_it_too(user: EndUser, clock: Clock) -> None:
    work = "I work at the harbour office in Leith."
    tell(user, clock, work)
    others = [f"The office printer jams on floor {number}, what can I do where I work?" for number in range(6)]
    tell(user, clock, *others, thread_id="printer")
    context = compose(user, clock, "Where do I work?", thread_id="new")
    assert holds(list_known(context), work.rstrip("."))


def test_more_statements_of_the_bank_ask_the_database_no_oftener(user: EndUser, clock: Clock) -> None:
    """Of their rows only what is told is read; a column more would be read row by row."""
    counts = []
    for number in (1, 5):
        for place in range(number):
            told = f"Shelf {number} {place} holds a box of nails"
            memory.store(user, NewMemory(told, tier=Tier.MEMORY_BANK, tags=["identity"]), now=clock())
        with user_scope(user), CaptureQueriesContext(connection) as asked:
            rows = read_known_rows(user, read_question("Where do I live?"), None, now=clock(), is_cold=True)
            assert len(list(describe_rows(rows, clock()))) >= number
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_of_a_bank_that_waits_to_be_read_a_context_reads_the_foremost_alone(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an import of hundreds of statements the first context took seconds."""
    waiting = [f"Shelf {number} holds a box of nails" for number in range(known.MOST_READ_HERE + 5)]
    for text in waiting:
        memory.store(user, NewMemory(text, tier=Tier.MEMORY_BANK, tags=["identity"]), now=clock())
    read: list[str] = []

    def read_slot(text: str) -> tuple[str, str]:
        read.append(text)
        return "about", "you"

    monkeypatch.setattr(known, "read_slot", read_slot)
    with user_scope(user):
        rows = read_known_rows(user, read_question("Where are the bolts?"), None, now=clock(), is_cold=True)
        told = list(describe_rows(rows, clock()))
    assert len(told) == len(waiting)
    assert len(read) == known.MOST_READ_HERE


def test_what_another_line_says_with_more_is_not_told_beside_it() -> None:
    said = [
        "I'm Livio.",
        "I'm Livio, a lighting technician.",
        "Livio lives in Esch.",
        "I'm Livio, a lighting technician.",
    ]
    lines = [KnownLine(statement, "told on 3 August 2026") for statement in said]
    left = [line.statement for line in known.drop_contained(lines)]
    assert left == said[1:]
    over = KnownLine("I'm Livio.", "until 2025", is_over=True)
    assert known.drop_contained([over, *lines])[0] == over
