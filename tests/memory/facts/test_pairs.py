"""The judge of pairs: subject, slot, value, polarity and time decide, in every language."""

import pytest

from memory.facts.pairs import PairStatement, judge_pair, read_statement


def judge(a: str, b: str, cosine: float | None = None, *, is_ordered: bool = False) -> str:
    return judge_pair(read_statement(a), read_statement(b), cosine, is_ordered=is_ordered)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I live in Leeds.", "I live in Leeds."),
        ("The user lives in Leeds.", "The user's home is in Leeds."),
        ("Die Nutzerin wohnt in Celle.", "Die Nutzerin hat ihre Wohnung in Celle."),
        ("El usuario vive en Lugo.", "El usuario tiene su casa en Lugo."),
        ("User plays the oboe.", "User plays the oboe in a wind quintet."),
        ("User works for the International Labour Office.", "User works for the ILO."),
        ("User is 1.70 m tall.", "User is 170 cm tall."),
    ],
)
def test_one_thing_in_two_wordings_is_merged(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "merge"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User lives in Leeds.", "User lives in York."),
        ("L'utente abita a Pavia.", "L'utente abita a Lodi."),
        ("המשתמשת גרה בלוד.", "המשתמשת גרה ביבנה."),
        ("User is allergic to wasps.", "User is not allergic to wasps."),
        ("L'utilisateur n'a pas de moto.", "L'utilisateur a une moto."),
        ("A utilizadora não come nenhum queijo.", "A utilizadora come queijo."),
        ("Der Nutzer ist ledig.", "Der Nutzer ist verheiratet."),
        ("User's blood group is O negative.", "User's blood group is A positive."),
        ("User's choir rehearsal is on Tuesday.", "User's choir rehearsal is on Friday."),
    ],
)
def test_what_cannot_both_hold_contradicts(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "contradiction"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User's uncle keeps bees.", "User's niece keeps bees."),
        ("User speaks Welsh.", "User speaks Breton."),
        ("Morgens isst der Nutzer Müsli.", "Abends isst der Nutzer Brot."),
        ("User has a flat in Cork.", "User has a holiday cottage in Kerry."),
        ("L'utilisatrice habite à Metz.", "L'utilisatrice habitait à Nancy."),
        ("User's work phone is a Nokia.", "User's private phone is a Fairphone."),
    ],
)
def test_what_can_both_hold_is_kept(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "keep_both"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User lost an umbrella on the bus.", "User lost a game of chess."),
        ("User plays chess.", "User's roof is leaking."),
        ("El usuario perdió las llaves.", "El usuario perdió una apuesta."),
    ],
)
def test_a_shared_word_alone_relates_nothing(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "unrelated"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Leeds.", "We've moved to York at last."),
        ("Wir wohnen in Celle.", "wir sind jetzt endlich nach Soltau gezogen"),
        ("My boss is called Amrit.", "I report to Solveig now instead of Amrit."),
        ("Il mio dentista è il dottor Neri.", "Neri è andato in pensione."),
        ("Mon chien Caramel a huit ans.", "Caramel est mort la semaine dernière."),
        ("I take 20 mg of citalopram.", "correction: 10 mg of citalopram"),
        ("My yoga class is on Tuesday.", "My yoga class moved to Friday."),
        ("tengo un Seat Ibiza", "ya no tengo coche"),
        ("O meu número é 912 345 678.", "mudei de número: 934 555 221"),
        ("אני לוקחת אומפרזול.", "הפסקתי לקחת אומפרזול."),
        ("My fiancée Tilda plans the music.", "Tilda is officially my wife."),
        ("I work at Boots.", "I was made redundant by Boots."),
        ("My flatmate is Jonas.", "New flatmate! Jonas out, Marek in."),
        ("Meine Chefin heißt Frau Brandl.", "Frau Brandl ist pensioniert"),
        ("mi dentista es la doctora Urrutia", "Urrutia se ha jubilado"),
        ("Mon chat Gribouille dort partout.", "Gribouille nous a quittés hier"),
        ("Il mio capo è Ettore.", "Ettore si è dimesso"),
        ("sou garçom num hotel", "larguei a vida de garçom e virei padeiro"),
        ("My physiotherapy class is on Monday.", "They rescheduled the class to Thursday."),
    ],
)
def test_what_is_said_later_replaces_or_ends_what_was_said(earlier: str, later: str) -> None:
    assert judge(earlier, later, is_ordered=True) == "contradiction"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Leeds.", "We're thinking of moving to York next year."),
        ("I live in Leeds.", "I'm in York for two weeks on a course."),
        ("I work at Boots.", "My brother started at Lidl on Monday."),
        ("My dog Rex is five.", "I have a cat called Mitzi."),
        ("I speak Welsh.", "I speak Breton now."),
        ("I live in Leeds.", "I finally painted the fence."),
        ("Il mio dentista è il dottor Neri.", "Il mio capo adesso è la dottoressa Neri Bianchi."),
        ("I take 20 mg of citalopram.", "Mum takes 40 mg of citalopram now."),
        ("I live in Leeds.", "The train from Leeds to York was late."),
        ("Ich wohne in Celle.", "der Zug von Celle nach Soltau fällt aus"),
        ("My dog Rex is five.", "Rex went up the stairs on his own."),
        ("I work at Boots.", "I left my umbrella on the bus."),
        ("My dentist, Dr. Hallwell, gave me a crown.", "I've switched to Dr. Imrie, she takes new patients."),
    ],
)
def test_what_only_looks_like_a_change_replaces_nothing(earlier: str, later: str) -> None:
    assert judge(earlier, later, is_ordered=True) != "contradiction"


@pytest.mark.parametrize("cosine", [None, 0.0, 0.5, 0.99])
def test_no_cosine_merges_what_differs_in_a_value(cosine: float | None) -> None:
    for a, b in [
        ("User is 31.", "User is 41."),
        ("User speaks Finnish.", "User speaks Swahili."),
        ("User's aunt is a vet.", "User's uncle is a vet."),
        ("User is allergic to cats.", "User has cats."),
        ("User's landlord is vegan.", "User is vegan."),
    ]:
        assert judge(a, b, cosine) != "merge"


def test_a_turn_that_names_the_old_value_replaces_it() -> None:
    old = PairStatement("I keep the key under the pot.", "you", "about", "key under the pot")
    new = PairStatement("From now on behind the shed.", "you", "about", "behind the shed", tense="new", replaces="pot")
    assert judge_pair(old, new, is_ordered=True) == "contradiction"


@pytest.mark.parametrize(
    ("text", "relation", "expected"),
    [
        ("The user lives in Leeds.", "lives_in", "leeds"),
        ("User's name is Bob.", "name", "bob"),
        ("L'utente abita a Pavia.", "lives_in", "pavia"),
        ("L'utilisatrice habite à Metz.", "lives_in", "metz"),
        ("O usuário mora em Natal.", "lives_in", "natal"),
        ("Die Nutzerin ist allergisch gegen Nüsse.", "allergic_to", "nüsse"),
        ("I live in Leeds.", "lives_in", "leeds"),
    ],
)
def test_a_statement_of_the_third_person_is_read_as_their_own(text: str, relation: str, expected: str) -> None:
    read = read_statement(text)
    assert (read.statement, read.subject, read.relation, read.object) == (text, "you", relation, expected)
