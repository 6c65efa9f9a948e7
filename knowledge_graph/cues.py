"""Words that introduce a name, in six languages, and words that are no names. Case-folded, no accents. Pure."""

from functools import cache
from typing import Final

from knowledge_graph.words import load_fillers
from memory.language.calendar import MONTHS
from memory.language.folding import strip_accents
from memory.language.stems import LANGUAGES
from memory.language.stopwords import HEBREW_STOP_WORDS, STOP_WORDS


def split_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


LONGEST: Final = 3
"""Words an announcement has at most."""
TO_FINAL_LETTER: Final = str.maketrans("כמנפצ", "ךםןףץ")
HEBREW_NAME_PARTICLES: Final = "ולבמשכ"
INSIDE_NAMES: Final = split_words(
    """
    de del della di da du des la von van der of & ben bar
    """
)
COMPANY_ENDINGS: Final = split_words(
    """
    inc llc ltd gmbh ag sa srl spa corp co kg plc sas bv oy ab group university bank
    """
)

_RELATIONS: Final = """
wife husband partner girlfriend boyfriend son daughter brother sister mother father mum mom dad uncle aunt cousin nephew
niece grandmother grandfather grandma grandpa friend boss manager colleague neighbour neighbor coworker teammate doctor
therapist teacher dog cat roommate flatmate landlord mentor client daughter-in-law baby twin
esposa esposo marido mujer novia novio pareja hijo hija hermano hermana madre padre tio tia primo prima sobrino sobrina
abuela abuelo amigo amiga jefe jefa vecino vecina colega companero companera medico medica profesor profesora perro
perra gato gata
femme epouse mari conjoint compagnon compagne copain copine fils fille frere soeur mere oncle tante cousin
cousine neveu grand-mere grand-pere ami amie chef voisin voisine collegue medecin professeur chien chienne chat
ehefrau mann ehemann freund freundin sohn tochter bruder schwester mutter vater onkel cousine nichte neffe oma opa
chef chefin kollege kollegin nachbar nachbarin arzt arztin lehrer lehrerin hund hundin katze kater mitbewohner
mitbewohnerin
moglie marito compagno compagna fidanzato fidanzata figlio figlia fratello sorella nipote nonna nonno
zio zia cugino cugina amico amica capo collega vicino vicina dottore dottoressa maestra cane gatto gatta
"""
_HEBREW_RELATIONS: Final = """
אחותי אחי אמי אבי אשתי בעלי בתי בני דודי דודתי חברתי חברי סבתי סבי
"""
_HEBREW_OF_MINE: Final = """
אחות אח אמא אבא אישה בעל בת בן דוד דודה חבר חברה סבתא סבא בוס מנהל מנהלת שכן שכנה קולגה כלב כלבה חתול חתולה רופא רופאה
מורה בוסית בן-דוד נכד נכדה אחיין אחיינית
"""
_CALLED: Final = (
    *("called", "named", "name is", "llamo", "llama", "se llama", "llamado", "llamada", "appelle", "s'appelle"),
    *("nomme", "nommee", "heisse", "heisst", "namens", "chiama", "chiamo", "si chiama", "chiamato", "chiamata"),
    *("mr", "mrs", "ms", "dr", "prof", "senor", "senora", "monsieur", "madame", "herr", "herrn", "frau", "signor"),
    *("קוראים לי", "קוראים לו", "קוראים לה", "שמי", "שמו", "שמה", "בשם", "שמי הוא"),
)
_WORKS_AT: Final = (
    *("work at", "works at", "worked at", "working at", "work for", "works for", "worked for", "working for"),
    *("employed by", "employed at", "interview at", "job at", "offer from", "joined", "joining", "studies at"),
    *("study at", "studied at", "trabajo en", "trabaja en", "trabajaba en", "trabajo para", "estudio en"),
    *("travaille chez", "travaille a", "travaille pour", "arbeite bei", "arbeitet bei", "arbeitete bei"),
    *("lavoro in", "lavora in", "lavoro presso", "lavora presso", "lavoro per", "lavora per", "lavoro da"),
)
_LIVES_IN: Final = (
    *("live in", "lives in", "lived in", "living in", "moved to", "moving to", "born in", "grew up in", "flying to"),
    *("travel to", "trip to", "visited", "visiting", "based in", "flew to", "vivo en", "vive en", "vivia en"),
    *("mude a", "mudo a", "nacio en", "naci en", "viaje a", "habite a", "habitons a", "vis a", "vit a", "demenage a"),
    *("ne a", "nee a", "voyage a", "wohne in", "wohnt in", "lebe in", "lebt in", "gezogen nach", "reise nach"),
    *("ziehe nach", "geboren in", "abito a", "abita a", "vivo a", "vive a", "trasferito a", "trasferita a"),
    *("nato a", "nata a", "viaggio a"),
)
_PROJECT: Final = (*("project", "proyecto", "projet", "projekt", "progetto", "codename", "פרויקט", "הפרויקט"),)
_MINE: Final = split_words(
    """
    my our his her their your mi mis nuestro nuestra su sus mon ma mes notre son sa ses leur mein meine meinem
    meinen meiner unser unsere unserem unserer sein seine seinem seiner ihr ihre ihrem mia mio miei mie nostro
    nostra suo sua
    """
)
PERSONS_VERBS: Final = split_words(
    """
    lives lived likes liked loves loved said says told wants wanted asked thinks prefers hates knows studies teaches
    wrote joined called dijo quiere prefiere vive gusta habite veut aime prefere dit wohnt sagt mag abita vuole ama
    preferisce dice
    """
)
CALENDAR: Final = frozenset(MONTHS) | split_words(
    """
    monday tuesday wednesday thursday friday saturday sunday lunes martes miercoles jueves viernes sabado domingo
    lundi mardi mercredi jeudi vendredi samedi dimanche montag dienstag mittwoch donnerstag freitag samstag sonntag
    lunedi martedi mercoledi giovedi venerdi sabato domenica english spanish french german italian hebrew
    """
)
_GREETINGS: Final = split_words(
    """
    user assistant system tool human hello hi hey dear thanks thank yes no ok okay please sorry sure great good note
    remember today tomorrow yesterday let well maybe perhaps however also then first second finally i'm i've i'd
    i'll it's that's there's don't can't here's what's how's never always
    """
)


@cache
def _announcements() -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, phrases in (
        ("person", _CALLED),
        ("organisation", _WORKS_AT),
        ("place", _LIVES_IN),
        ("project", _PROJECT),
    ):
        found.update(dict.fromkeys(phrases, kind))
    found.update(dict.fromkeys(_HEBREW_RELATIONS.split(), "person"))
    found.update((f"{word} שלי", "person") for word in _HEBREW_OF_MINE.split())
    found.update((f"ה{word} שלי", "person") for word in _HEBREW_OF_MINE.split())
    return found


@cache
def _relations() -> frozenset[str]:
    return frozenset(_RELATIONS.split())


def find_announced_kind(before: list[str]) -> str | None:
    """The kind of name that the words just before announce."""
    for length in range(min(LONGEST, len(before)), 0, -1):
        if kind := _announcements().get(" ".join(before[-length:])):
            return kind
    # "my sister Dana", "mi hermana Dana", "la mia amica Dana"
    if len(before) > 1 and before[-1] in _relations() and before[-2] in _MINE:
        return "person"
    return None


@cache
def _grammar() -> frozenset[str]:
    said = {strip_accents(word) for word in HEBREW_STOP_WORDS.union(*STOP_WORDS.values())}
    return frozenset(said) | _GREETINGS | load_fillers(LANGUAGES) | _relations()


def is_function_word(bare: str) -> bool:
    return bare in _grammar()
