"""A question about what the person has, or has not, is answered by what was told of it in whatever form."""

import pytest

from memory.models import EndUser
from outcomes.exchanges.profiling import profile_due_exchanges
from tests.api_client import ApiClient

pytestmark = pytest.mark.django_db

TOLD = {
    "it": ("Ho un Pixel 8.", "Ho una Yaris.", "Non ho figli."),
    "he": ("יש לי טויוטה יאריס", "אני יוצאת עם גיא", "הבן שלי נועם"),
    "en": ("I don't have children.", "I'm dating Guy."),
}
ASKED = [
    ("it", "Che telefono ho?", ["Hai Pixel 8"]),
    ("it", "Che macchina ho?", ["Hai Yaris"]),
    ("it", "Ho figli?", ["Hai detto: «Non ho figli.»"]),
    ("he", "איזה רכב יש לי?", ["יש לך טויוטה יאריס"]),
    ("he", "מי בן הזוג שלי?", ["הזוגיות שלך: גיא"]),
    ("en", "Do I have kids?", ["You said: “I don't have children.”"]),
    ("en", "Who is my boyfriend?", ["You are dating Guy"]),
]


@pytest.fixture
def known(api: ApiClient, user: EndUser, request: pytest.FixtureRequest) -> ApiClient:
    for text in TOLD[request.param]:
        api.post("threads/t/exchanges", {"user_message": text, "assistant_message": "Ok."})
    profile_due_exchanges(user)
    return api


@pytest.mark.parametrize("known", list(TOLD), indirect=True)
def test_what_is_had_answers_for_its_kind(known: ApiClient, request: pytest.FixtureRequest) -> None:
    language = request.node.callspec.params["known"]
    for at, (_, question, lines) in enumerate(one for one in ASKED if one[0] == language):
        answer = known.post("hot/turn", {"thread_id": f"q{at}", "text": question, "observe": False}).json()
        named = [bullet["text"] for bullet in answer["bullets"] if bullet["found_by"] == "words"]
        assert (question, named) == (question, lines)
