"""What a turn tells without a verb of its own: gaps, names at a meeting, ages behind names, who is counted off."""

import pytest

from memory.claims.turns import read_turn

TOLD = {
    "a home": ("en", "I live in Ripon, my parents in Selby", {"you|lives_in|ripon", "parents|lives_in|selby"}),
    "a quality": ("es", "soy vegana y mi marido diabético", {"you|is|vegana", "marido|is|diabético"}),
    "an occupation": ("fr", "je suis prof et mon frère plombier", {"you|works_as|prof", "frère|works_as|plombier"}),
    "a home, in German": ("de", "ich wohne in Ulm, meine Oma in Gera", {"you|lives_in|ulm", "oma|lives_in|gera"}),
    "no gap": ("en", "I live with my mum and my brother in Selby", {"you|lives_in|selby"}),
    "of several none is named so": ("fr", "mes parents habitent Vannes", {"parents|lives_in|vannes"}),
    "a meeting": ("it", "piacere, Lavinia, vivo a Pavia", {"you|name|lavinia", "you|lives_in|pavia"}),
    "a meeting, the name first": ("fr", "Solène, enchantée !", {"you|name|solène"}),
    "an age": ("fr", "moi c'est Régis, 52 ans, Vannes", {"you|name|régis", "you|age|52"}),
    "a child's age": ("en", "this is my son Otis (8)", {"you|son|otis", "otis|age|8"}),
    "counted off": (
        "en",
        "We're up past Ullapool, three kids, two goats",
        {"you|has|kids", "kids|quantity|3", "you|has|goats", "goats|quantity|2"},
    ),
    "the two of them": (
        "de",
        "Mein Freund Jost ist mit Maike verheiratet und die beiden haben zwei Esel",
        {
            *("you|friend_of|jost", "jost|married_to|maike"),
            *("jost|has|esel", "maike|has|esel", "esel|quantity|2"),
        },
    ),
    "a participle is its verb's": (
        "es",
        "Mi mejor amigo, Iván, está casado con Noa",
        {"you|friend_of|iván", "iván|married_to|noa"},
    ),
    "called so": ("it", "mia zia è sposata con un danese di nome Sven", {"zia|married_to|sven"}),
    "a firm called so": ("en", "I work for a Dutch start-up called Bloom", {"you|works_at|bloom"}),
    "married where": ("fr", "on s'est mariés à Venise", set()),
    "a year of two digits": ("es", "nací en Lugo, en el 82", {"you|born_in|lugo", "you|born_in|1982"}),
    "how long a race took": ("es", "corrí la Behobia vestida de pirata, 95 minutos", {"you|participated_in|behobia"}),
    "since childhood": ("it", "ho il diabete da quando ero bambina", {"you|has|diabete"}),
    "what is lacking": ("en", "my flatmate Una is vegan so no cheese", {"you|roommate|una", "una|is|vegan"}),
    "an article": ("it", "mi piacciono i gatti e le lumache", {"you|likes|gatti", "you|likes|lumache"}),
    "no name": ("de", "meine Mutter ist Polin und mein Vater Türke", {"mutter|is|polin", "vater|is|türke"}),
    "behind a mark": (
        "en",
        "I'm a midwife over in Derry, married to Cathal",
        {"you|works_as|midwife", "you|married_to|cathal"},
    ),
    "one's own dog": ("en", "The dog, Alfie, is nine", {"you|dog|alfie", "alfie|age|9"}),
    "as many as there are": ("he", "יש לנו שני כלבים, רקס ומוקה", {"you|dog|רקס", "you|dog|מוקה"}),
    "a cat called so": ("it", "abbiamo un gatto rosso di nome Spritz", {"you|cat|spritz"}),
    "a favourite on earth": ("en", "My favourite place on earth is Skye", {"you|favorite_place|skye"}),
    "an illness with an article": ("it", "mio figlio Elia ha la celiachia", {"you|son|elia", "elia|has|celiachia"}),
    "what is run": ("en", "my wife runs a nursery", set()),
}  # fmt: skip
NOTHING = (
    "he still has all his teeth",
    "wir haben Humor",
    "ho ancora la sabbia nelle scarpe",
    "we have Zoe on the phone",
)


@pytest.mark.parametrize(("language", "text", "told"), TOLD.values(), ids=TOLD)
def test_what_is_told_without_a_verb_is_read(language: str, text: str, told: set[str]) -> None:
    reading = read_turn(text, (), language)

    assert {"|".join(one.key) for one in reading.triples} == told
    assert not reading.retracted


@pytest.mark.parametrize("text", NOTHING)
def test_what_nobody_is_told_to_have_is_no_thing(text: str) -> None:
    assert [one.key for one in read_turn(text, ()).triples if one.relation == "has"] == []
