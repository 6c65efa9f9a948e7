"""Turns as people say them: what they tell, and what looks like a fact in them and is none."""

import pytest

from memory.claims.frames.turn import read_framed


def read_told(language: str, text: str) -> set[str]:
    return {"|".join(one.key) for one in read_framed(text, (), language).triples}


TOLD = [
    ("es", "llevo once años de cartero en Lugo", {"you|works_as|cartero", "cartero|duration|11 años"}),
    ("es", "curro en un taller de chapa y pintura", {"you|works_at|taller de chapa y pintura"}),
    ("es", "conduzco un Seat León del 2009", {"you|car|seat león"}),
    ("es", "estoy casado con una polaca, Agnieszka", {"you|married_to|agnieszka"}),
    ("es", "he empezado en una guardería este lunes", {"you|works_at|guardería"}),
    ("es", "acabo de cumplir treinta y cinco", {"you|age|35"}),
    ("es", "soy alérgico al polen y a los gatos", {"you|is|alérgico al polen", "you|is|alérgico a los gatos"}),
    ("es", "odio un poco el jazz", {"you|dislikes|jazz"}),
    ("pt", "dirijo um Gol 2009", {"you|car|gol"}),
    ("pt", "adoro um pouco o jazz", {"you|likes|jazz"}),
    ("he", "יש לי שתי כלבות, נלה וטרופה", {"you|dog|נלה", "you|dog|טרופה"}),
    ("it", "sono sposata con un albanese, Ardit", {"you|married_to|ardit"}),
    ("it", "mi piace un sacco arrampicare", {"you|likes|arrampicare"}),
    ("it", "lavoro in smart working per una startup di Bologna", {"you|works_at|startup"}),
    ("en", "Let's say I live in Tokyo and earn 6M yen.", set()),
    ("en", "ok lets say i have a dog called Rex", set()),
    ("en", "I live in Tokyo and earn 6M yen.", {"you|lives_in|tokyo"}),
    ("en", "my daughter's violin teacher cancelled again", set()),
    ("en", "my daughter's a violin teacher", {"daughter|works_as|violin teacher"}),
    ("es", "supongamos que vivo en Lugo", set()),
    ("fr", "mettons que j'habite à Lyon", set()),
    ("de", "nehmen wir an, ich wohne in Bonn", set()),
    ("de", "Hab mir das Knie verdreht", set()),
    ("it", "mettiamo che vivo a Roma", set()),
    ("pt", "digamos que moro em Braga", set()),
    ("pt", "mudámo-nos para Braga em agosto", {"you|lives_in|braga"}),
    ("he", "בוא נגיד שיש לי כלב", set()),
    ("it", "faccio il rider la sera", {"you|works_as|rider"}),
    ("it", "mia sorella fa la doccia", set()),
    ("it", "Luca fa il pane ogni domenica", set()),
    ("it", "faccio la spesa il sabato", set()),
    ("fr", "je suis allergique aux noix et au pollen", {"you|is|allergique aux noix", "you|is|allergique au pollen"}),
    ("fr", "je conduis une Clio de 2004", {"you|car|clio"}),
    ("de", "alle nennen mich Lulu, eigentlich heiße ich Ludmilla", {"you|name|lulu", "you|name|ludmilla"}),
    ("de", "wir haben zwei Hündinnen, Frieda und Motte", {"you|dog|frieda", "you|dog|motte"}),
    ("de", "mein Sohn ist sieben und Diabetiker", {"sohn|age|7", "sohn|is|diabetiker"}),
    ("en", "I drive a 2006 Polo", {"you|car|polo"}),
    ("en", "my girls are twins, Matilda and Romy", {"you|daughter|matilda", "you|daughter|romy"}),
    ("en", "I'm Cuthbert, upholsterer in Hartlepool", {"you|name|cuthbert", "you|works_as|upholsterer"}),
    ("en", "I'm interning at a law firm till June", {"you|works_at|law firm"}),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "told"), TOLD, ids=[text for _, text, _ in TOLD])
def test_what_is_told_is_read(language: str, text: str, told: set[str]) -> None:
    assert read_told(language, text) == told


NOTHING_MORE = [
    ("es", "prefiero el té al café", {"you|likes|té"}),
    ("es", "tengo cuarenta y dos años y cero paciencia", {"you|age|42"}),
    ("es", "tengo la tensión alta y tomo enalapril", {"you|has|tensión alta"}),
    ("es", "mi madre es profesora jubilada", {"madre|works_as|profesora jubilada"}),
    ("es", "trabajo en lo de mi cuñado, una ferretería en Getxo", set()),
    ("it", "ho due gatte, Mirtilla e Pepe, una è sorda", {"you|cat|mirtilla", "you|cat|pepe"}),
    ("it", "lavoro da mio cognato", set()),
    ("fr", "ma mère est institutrice à la retraite", {"mère|works_as|institutrice"}),
    ("de", "bin in eine Zweizimmerwohnung nach Linden gezogen", {"you|lives_in|linden"}),
    ("de", "ich bin mit einem Ghanaer verheiratet", set()),
    ("de", "bin grad fünfunddreißig geworden", {"you|age|35"}),
    ("de", "montags hab ich um sieben Pilates", {"you|has|pilates", "pilates|time|montags"}),
    ("de", "wir haben uns den Bus gekauft, einen alten T4", {"you|owns|bus"}),
    ("de", "Unser Kater heißt Mogli und der Hund Balu.", {"you|cat|mogli", "you|dog|balu"}),
    ("en", "born in Valletta, grew up in Hull", {"you|born_in|valletta"}),
    ("en", "saturdays I help at the dog shelter", set()),
    ("en", "married to a Ghanaian, Kwame", {"you|married_to|kwame"}),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "told"), NOTHING_MORE, ids=[text for _, text, _ in NOTHING_MORE])
def test_what_only_looks_like_a_fact_is_none(language: str, text: str, told: set[str]) -> None:
    assert read_told(language, text) == told


def test_whom_a_parting_names_behind_another_verb_did_not_part() -> None:
    assert read_framed("me separé hace un año y comparto la custodia de Vera", (), "es").retracted == ()


def test_kin_told_with_an_adjective_is_that_kin() -> None:
    told = read_told("es", "tengo un hermano mayor que se llama Gonzalo")
    assert "you|brother|gonzalo" in told
    assert "you|child|gonzalo" not in told
