"""What people say in passing of their days: the claims that hold, and none of what only looks like them."""

import pytest

from memory.claims.reader import read_claims

Fact = tuple[str, str, str]


def read_facts(*turns: str) -> set[Fact]:
    return {(one.subject, one.relation, one.object) for one in read_claims(turns[-1], turns[:-1]) if one.polarity}


def read_statements(text: str) -> set[str]:
    return {one.statement for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "fact", "others"),
    [
        ("I work at Jellyfish in London, my boss is Jenny", ("you", "boss", "jenny"), "boss"),
        (
            "meine Hausärztin ist Frau Dr. Lehmann, Tel. 0421 555123",
            ("you", "doctor", "frau dr. lehmann"),
            "doctor",
        ),
        ("Anna, my sister, lives in Leeds", ("you", "sister", "anna"), "sister"),
    ],
)
def test_a_name_looks_like_one(text: str, fact: Fact, others: str) -> None:
    assert [one for one in read_facts(text) if one[1] == others] == [fact]


@pytest.mark.parametrize(
    "text", ["das thinkpad hab ich meinem bruder geschenkt", "ich hab meinem vater gesagt dass ich komme"]
)
def test_what_was_done_is_no_name(text: str) -> None:
    assert {relation for _, relation, _ in read_facts(text)} <= {"about"}


@pytest.mark.parametrize(
    "text",
    [
        "Driving test got moved to 10 December",
        "my driving test on the 3rd of December",
        "driving lessons on Monday",
    ],
)
def test_a_driving_test_is_no_car_and_a_day_no_field_of_study(text: str) -> None:
    assert not {relation for _, relation, _ in read_facts(text)} & {"car", "studies"}


def test_what_is_driven_is_a_car() -> None:
    assert ("you", "car", "polo") in read_facts("Driving the Polo to work")


@pytest.mark.parametrize(
    "text",
    [
        "Ich studiere Informatik in Graz im 4. Semester.",
        "Meine Tochter geht in die 8. Klasse.",
        "Meine Hausärztin ist Frau Dr. Lehmann, Tel. 0421 555123.",
    ],
)
def test_the_dot_of_a_number_ends_no_sentence(text: str) -> None:
    assert text in read_statements(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I support Man City", ("you", "likes", "man city")),
        ("my dad supports Leeds United", ("dad", "likes", "leeds united")),
        ("I'm a Man City fan", ("you", "likes", "man city")),
        ("I'm a huge fan of Arsenal", ("you", "likes", "arsenal")),
        ("my brother is a City fan", ("brother", "likes", "city")),
        ("Ich bin Fan von Werder Bremen", ("you", "likes", "werder bremen")),
        ("ich bin Werder-Fan", ("you", "likes", "werder")),
        ("je suis supporter du PSG", ("you", "likes", "psg")),
        ("Soy del Betis", ("you", "likes", "betis")),
        ("Tifo per la Roma", ("you", "likes", "roma")),
        ("Torço pelo Benfica", ("you", "likes", "benfica")),
        ("אני אוהד מכבי חיפה", ("you", "likes", "מכבי חיפה")),
    ],
)
def test_who_supports_a_team_likes_it_and_plays_for_none(text: str, fact: Fact) -> None:
    assert read_facts(text) == {fact}


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("J'ai deux enfants, Inès 6 ans et Sami 3 ans", {("inès", "6"), ("sami", "3")}),
        ("We have two kids, Mia 4 and Zoe 7", {("mia", "4"), ("zoe", "7")}),
        ("Wir haben zwei Kinder, Mia 4 und Zoe 7 Jahre alt", {("mia", "4"), ("zoe", "7")}),
        ("my son Tristan 12 and my daughter Amy 9 love football", {("tristan", "12"), ("amy", "9")}),
        ("my daughter Mia is 9 and my son Tristan 12", {("mia", "9"), ("tristan", "12")}),
        ("I'm a retired teacher, 71", {("you", "71")}),
        ("Ich bin Rentner, 71", {("you", "71")}),
        ("I'm a teacher, 2 kids", set()),
        ("I'm a nurse, 12 hours a day", set()),
    ],
)
def test_a_number_behind_somebody_is_their_age(text: str, ages: set[tuple[str, str]]) -> None:
    assert {(who, age) for who, relation, age in read_facts(text) if relation == "age"} == ages


def test_an_age_is_no_part_of_a_name() -> None:
    assert ("tristan", "likes", "football") in read_facts("my son Tristan 12 loves football")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("my dad has diabetes and takes metformin, he lives in Leeds", ("dad", "takes", "metformin")),
        ("my son has a dog and likes football", ("son", "likes", "football")),
        ("mein Vater hat Diabetes und nimmt Metformin", ("vater", "takes", "metformin")),
    ],
)
def test_what_is_joined_is_of_whoever_was_told_of(text: str, fact: Fact) -> None:
    assert fact in read_facts(text)


@pytest.mark.parametrize(
    ("turns", "facts"),
    [
        (
            ["I got a new job at Tesco as a store manager, starting Monday"],
            {("you", "works_at", "tesco"), ("you", "works_as", "store manager")},
        ),
        (["my sister has a new job at Aldi"], {("sister", "works_at", "aldi")}),
        (["Katrin hat eine neue Stelle bei der Sparkasse"], {("katrin", "works_at", "sparkasse")}),
        (
            ["Ich habe eine neue Stelle als Köchin bei Ikea"],
            {("you", "works_at", "ikea"), ("you", "works_as", "köchin")},
        ),
        (["j'ai trouvé un nouveau travail chez Decathlon"], {("you", "works_at", "decathlon")}),
        (["je commence le 1er juillet comme chef de rayon"], {("you", "works_as", "chef de rayon")}),
        (["Ich habe mich selbstständig gemacht als Fotografin"], {("you", "works_as", "fotografin")}),
        (
            ["Ich habe bei Siemens gekündigt und mache mich als Berater selbstständig"],
            {("you", "works_as", "berater")},
        ),
    ],
)
def test_new_work_is_told_with_where_and_as_what(turns: list[str], facts: set[Fact]) -> None:
    assert read_facts(*turns) == facts


@pytest.mark.parametrize(
    "text", ["bin seit Mai in Rente", "ich bin seit letztem Jahr in Pension", "I've been retired since March"]
)
def test_who_has_retired_works_no_more(text: str) -> None:
    assert [(one.relation, one.polarity) for one in read_claims(text)] == [("works_at", False)]


@pytest.mark.parametrize(
    ("turns", "fact"),
    [
        (["Wir ziehen im August nach Bonn", "So, der Umzug nach Bonn ist geschafft."], ("you", "lives_in", "bonn")),
        (["So, the move to Leeds is done!"], ("you", "lives_in", "leeds")),
        (["Bon, le déménagement à Lyon est fini"], ("you", "lives_in", "lyon")),
        (
            ["my sister Helen lives in Spain", "Helen and the family have moved back to England"],
            ("helen", "lives_in", "england"),
        ),
        (["So, meine Schwester wohnt in Bonn."], ("schwester", "lives_in", "bonn")),
    ],
)
def test_a_move_that_is_over_is_a_home(turns: list[str], fact: Fact) -> None:
    assert read_facts(*turns) == {fact}


def test_who_moves_with_the_family_is_not_who_speaks() -> None:
    facts = read_facts("Helen and the family have moved back to England")
    assert not [one for one in facts if one[0] == "you" and one[1] == "lives_in"]


@pytest.mark.parametrize(
    ("text", "thing"),
    [("My 13 mini is flat", "13 mini"), ("My S23 is broken again", "s23"), ("mein S23 ist kaputt", "s23")],
)
def test_a_model_with_a_number_is_a_thing_one_has(text: str, thing: str) -> None:
    assert read_facts(text) == {("you", "has", thing)}


@pytest.mark.parametrize("text", ["my 10 minutes are up", "my 10 year anniversary is in June"])
def test_a_stretch_of_time_is_neither_a_thing_nor_a_birthday(text: str) -> None:
    assert {relation for _, relation, _ in read_facts(text)} <= {"about"}


@pytest.mark.parametrize(
    ("turns", "facts"),
    [
        (["Ich habe eine Laktoseintoleranz"], {("you", "allergic_to", "laktose")}),
        (["ich hab ne Glutenunverträglichkeit"], {("you", "allergic_to", "gluten")}),
        (["von Erdbeeren krieg ich Ausschlag"], {("you", "allergic_to", "erdbeeren")}),
        (["Laktose vertrag ich leider gar nicht."], {("you", "allergic_to", "laktose")}),
        (["Je suis végétarienne depuis 5 ans"], {("you", "diet", "végétarienne")}),
        (
            ["Je suis végétarienne depuis 5 ans", "je remange du poulet de temps en temps"],
            {("you", "eats", "poulet")},
        ),
        (["I've been vegetarian for 5 years"], {("you", "diet", "vegetarian")}),
    ],
)
def test_what_the_body_bears_is_told(turns: list[str], facts: set[Fact]) -> None:
    assert read_facts(*turns) == facts


def test_erdbeeren_are_not_borne() -> None:
    assert ("you", "allergic_to", "erdbeeren") in read_facts("Erdbeeren vertrag ich nicht, da krieg ich Ausschlag")


def test_a_bad_knee_is_no_diet() -> None:
    assert "diet" not in {one.relation for one in read_claims("bad knee so no running")}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("meine Freundin Sophie arbeitet bei Bosch", ("you", "girlfriend", "sophie")),
        ("mein Freund Jonas wohnt in Köln", ("you", "boyfriend", "jonas")),
        ("mit meiner Freundin Sophie war ich in Rom", ("you", "girlfriend", "sophie")),
        ("eine Freundin von mir heißt Sophie", ("you", "friend_of", "sophie")),
        ("mein bester Freund Tom ist Arzt", ("you", "friend_of", "tom")),
        ("unser Freund Tom ist Arzt", ("you", "friend_of", "tom")),
    ],
)
def test_a_german_freund_with_its_possessive_is_a_lover(text: str, fact: Fact) -> None:
    assert fact in read_facts(text)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("My mum passed away last week", "mum"),
        ("my mum died in May", "mum"),
        ("my dad is dead", "father"),
        ("mein Papa ist letzte Woche gestorben", "father"),
        ("mon père est décédé en mai", "father"),
    ],
)
def test_who_has_died_is_told(text: str, who: str) -> None:
    assert [(one.subject, one.relation, one.polarity) for one in read_claims(text)] == [(who, "about", True)]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("ich heiße Jan und komme aus Leipzig", ("you", "from", "leipzig")),
        ("Komme ursprünglich aus Görlitz.", ("you", "from", "görlitz")),
        ("I come from Leeds", ("you", "from", "leeds")),
        ("my dad comes from Ghana", ("dad", "from", "ghana")),
        ("je viens de Lyon", ("you", "from", "lyon")),
    ],
)
def test_where_somebody_comes_from_is_where_they_are_from(text: str, fact: Fact) -> None:
    assert fact in read_facts(text)


@pytest.mark.parametrize("text", ["je viens de manger", "je viens d'arriver", "ich komme gerade aus der Dusche"])
def test_where_somebody_just_was_is_no_origin(text: str) -> None:
    assert not {relation for _, relation, _ in read_facts(text)} & {"from", "moved_from"}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("our wedding's on 19 June next year in Sicily", ("wedding", "time", "19 june next year")),
        ("I have an interview at Tesco on 8 June at 10", ("interview", "time", "8 june at 10")),
        ("J'ai un entretien chez Leroy Merlin le 8 juin à 10h", ("entretien", "time", "8 juin à 10h")),
        ("I've joined a choir", ("you", "member_of", "choir")),
        ("I joined a startup", ("you", "works_at", "startup")),
        ("ich mache ein Praktikum bei AVL", ("you", "works_at", "avl")),
    ],
)
def test_a_plain_statement_of_what_is_to_come_is_told(text: str, fact: Fact) -> None:
    assert fact in read_facts(text)


@pytest.mark.parametrize("text", ["I've given up the choir", "I gave up the choir"])
def test_who_gives_up_a_choir_is_no_longer_in_it(text: str) -> None:
    told = [(one.relation, one.object, one.polarity) for one in read_claims(text)]
    assert told == [("member_of", "choir", False)]


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("I cycle to work", "cycle"),
        ("im on the overground to work now", "overground"),
        ("I take the bus every day", "bus"),
        ("fahr jeden morgen mit der s-bahn", "s-bahn"),
        ("Zur Arbeit fahre ich jetzt mit dem Rad", "rad"),
        ("Je vais au travail à vélo", "vélo"),
        ("Maintenant j'y vais en vélo", "vélo"),
        ("Voy al trabajo en bici", "bici"),
        ("Vado al lavoro in bici", "bici"),
        ("Vou de bicicleta para o trabalho", "bicicleta"),
        ("אני נוסע לעבודה באופניים", "באופניים"),
    ],
)
def test_how_somebody_goes_to_work_is_a_habit(text: str, means: str) -> None:
    assert read_facts(text) == {("you", "routine", means)}


@pytest.mark.parametrize(
    "text",
    [
        "I missed the bus to work",
        "I want to cycle to work",
        "Can I take the train to work?",
        "I take the dog to the office",
        "Mein Bruder fährt mit dem Bus zur Arbeit",
    ],
)
def test_a_ride_that_is_wished_for_or_missed_is_none(text: str) -> None:
    assert "routine" not in {relation for _, relation, _ in read_facts(text)}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "I started as a paramedic with the London Ambulance Service",
            {("you", "works_as", "paramedic"), ("you", "works_at", "london ambulance service")},
        ),
        ("I'm starting as a chef with my brother", {("you", "works_as", "chef")}),
        ("We have taken in a tabby cat named Mabel from the shelter", {("you", "cat", "mabel")}),
    ],
)
def test_a_new_job_has_its_employer_and_a_new_cat_its_name(text: str, facts: set[Fact]) -> None:
    assert read_facts(text) == facts


def test_what_is_done_every_week_is_not_liked_for_it() -> None:
    assert "likes" not in {
        one[1] for one in read_facts("pottery tonight, like every tuesday, and i can't centre the clay")
    }
