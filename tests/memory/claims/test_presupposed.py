"""What questions and requests take for granted of the person."""

import pytest

from memory.claims.claim import SPEAKER
from memory.claims.reader import read_claims

HAD = [
    ("how often should I water my ficus?", "has", "ficus"),
    ("what do I do if my ficus drops its leaves", "has", "ficus"),
    ("can I take ibuprofen with my metformin?", "takes", "metformin"),
    ("what can I do about my eczema", "has_condition", "eczema"),
    ("best stretches for my bad knee", "has_condition", "bad knee"),
    ("is peanut oil safe with my peanut allergy", "allergic_to", "peanut"),
    ("how do I level my Creality Ender 3?", "has", "creality ender 3"),
    ("what papers does renewing my Ghanaian passport take?", "nationality", "ghanaian"),
    ("quick lunch before my shift at Lidl?", "works_at", "lidl"),
    ("how do I write my thesis on Roman coins", "studies", "roman coins"),
    ("is there a pension plan for me as a freelance illustrator?", "works_as", "freelance illustrator"),
    ("I'm on Arch, how do I get bluetooth working", "uses", "arch"),
    ("my Django app crashes with a 500", "uses", "django"),
    ("typing this on a Fairphone 5, camera meh. how do i get whatsapp across", "has", "fairphone 5"),
    ("schreib dir vom iPhone, sorry. wie heißt der Film mit dem Boot?", "has", "iphone"),
    ("je tape ça sur un vieux ThinkPad, comment le rendre plus rapide ?", "has", "thinkpad"),
    ("estou a escrever no MacBook, como ponho a cedilha?", "has", "macbook"),
    ("Wie oft muss ich meinen Ficus gießen?", "has", "ficus"),
    ("Übungen gegen meinen Tennisarm, die auch am Schreibtisch gehen", "has_condition", "tennisarm"),
    ("verträgt sich mein Ramipril mit Ibuprofen?", "takes", "ramipril"),
    ("schnelles abendessen nach meiner spätschicht bei Bosch?", "works_at", "bosch"),
    ("Wie heize ich unser Haus in Münster günstiger?", "lives_in", "münster"),
    ("¿cada cuánto riego mis geranios?", "has", "geranios"),
    ("qué ceno antes de mi turno de noche en Mercadona", "works_at", "mercadona"),
    ("En mi Ubuntu 24.04 no aparece el segundo monitor, qué pruebo", "uses", "ubuntu 24.04"),
    ("Combien de litres dans le réservoir de ma Clio 4 ?", "has", "clio 4"),
    ("mon appart à Pantin donne sur le canal", "lives_in", "pantin"),
    ("640 euros pour mon T2 à Villeurbanne c'est dans la moyenne ?", "lives_in", "villeurbanne"),
    ("mon appart à Pantin donne sur le canal", "lives_in", "pantin"),
    ("640 euros pour mon T2 à Villeurbanne c'est dans la moyenne ?", "rent", "640 euros"),
    ("Comment réviser pour mon partiel de droit pénal ?", "studies", "droit pénal"),
    ("Avec mon asthme, désherber en mai c'est l'enfer, tu conseilles quel masque ?", "has_condition", "asthme"),
    ("con la mia asma posso fare immersioni?", "has_condition", "asma"),
    ("pranzo veloce prima del mio turno all'Esselunga", "works_at", "esselunga"),
    ("Como trato a minha rosácea?", "has_condition", "rosácea"),
    ("Como poda a minha oliveira?", "has", "oliveira"),
    ("what to eat before a night shift at Morrisons", "works_at", "morrisons"),
    ("tips after my knee surgery", "has_condition", "knee surgery"),
    ("how do I price haircuts in my salon", "has", "salon"),
    ("Wie verbessere ich mein Spanisch?", "learns", "spanisch"),
    ("¿qué hago para mejorar en mi partido de pádel?", "hobby", "pádel"),
    ("מה מרגיע את האקזמה שלי בידיים", "has_condition", "אקזמה"),
    ("מה לבשל לפני המשמרת שלי באיכילוב?", "works_at", "איכילוב"),
]
PEOPLE = [
    ("write a birthday poem for my daughter Mia, she turns 7", "daughter", "mia", "7"),
    ("how do I tell my boss Priya that I'm leaving", "boss", "priya", ""),
    ("how do I train my beagle Otto not to bark?", "dog", "otto", ""),
    ("Wie sag ich meinem Chef, Herrn Lindner, dass ich aufhöre?", "boss", "herrn lindner", ""),
    ("meine Tochter Lena (9) will ein Handy, zu früh?", "daughter", "lena", "9"),
    ("Wie entferne ich Zecken bei meinem Kater Miso?", "cat", "miso", ""),
    ("¿Cómo le explico a mi hija Vera el divorcio?", "daughter", "vera", ""),
    ("Bigotes, mi gato persa, bebe muchísima agua, lo llevo ya?", "cat", "bigotes", ""),
    ("reformule ce mail à Driss, mon collègue des achats", "colleague", "driss", ""),
    ("Tartufo, il mio lagotto, abbaia al postino, come lo abituo?", "dog", "tartufo", ""),
    ("Que presente dou à minha mulher Dana?", "wife", "dana", ""),
    ("מה לקנות לאשתי דנה?", "wife", "דנה", ""),
]
OTHERS = [
    ("what can I cook for my son who's allergic to nuts?", "son", "allergic_to", "nuts"),
    ("Que faire à manger pour mon mari qui est diabétique ?", "mari", "has_condition", "diabétique"),
    ("Cosa cucino a mio figlio celiaco?", "figlio", "has_condition", "celiaco"),
    ("¿qué hago con el asma de mi hijo?", "hijo", "has_condition", "asma"),
    ("Was hilft gegen die Neurodermitis meiner Tochter?", "tochter", "has_condition", "neurodermitis"),
    ("cake without eggs please, my nephew Jonah's allergic", "jonah", "allergic_to", "eggs"),
    ("far breton sans lactose ? ma belle-mère ne le digère pas", "belle-mère", "allergic_to", "lactose"),
    ("עוגת יומולדת בלי חלב? הגיסה שלי רותם אלרגית", "רותם", "allergic_to", "חלב"),
    ("Gift for my mum? 70 years old, loves gardening", "mum", "age", "70"),
    ("אילו חטיפים אפשר לקנות לאבא שלי? בן 74 עם סוכרת סוג 2", "אבא", "age", "74"),
    ("Mi hijo de 6 años no duerme, ¿qué hago?", "hijo", "age", "6"),
    ("my 4-year-old daughter won't sleep, tips?", "daughter", "age", "4"),
]
NOTHING = [
    "typing this on my boss's iPhone, how do i switch the language",
    "scrivo dal portatile di casa dei miei, come faccio la tilde?",
    "how often does one water a ficus?",
    "should I buy a motorbike?",
    "if I had a dog, what should I feed my dog?",
    "si j'avais un cheval, mon cheval me coûterait combien ?",
    "translate into French: my wife Carol and I run a small hotel in Whitby",
    "write a short story, first person: my brother Felix keeps a lighthouse",
    "Traduis en anglais : Mon mari Thierry est plombier.",
    "invente une chanson de marin : j'ai perdu ma fiancée Rose",
    "תתרגם לאנגלית: אחותי דפנה גרה בחיפה",
    "can you check my email?",
    "my last question was unclear",
    "please fix my Chapter 3",
    "how much do nurses get for a night shift at St Thomas?",
    "אילו היה לי כלב, מה הייתי מאכיל את הכלב שלי?",
    "how long does my tomato soup keep?",
    "what should my next car be?",
    "¿qué le digo a mi vecino del gato?",
    "Wie kündige ich meinen Vertrag?",
]


@pytest.mark.parametrize(("text", "relation", "spoken"), HAD)
def test_what_a_question_takes_for_granted_is_claimed(text: str, relation: str, spoken: str) -> None:
    found = [one for one in read_claims(text) if (one.subject, one.relation) == (SPEAKER, relation)]
    assert [one.object for one in found] == [spoken]
    assert spoken in found[0].statement.casefold()


@pytest.mark.parametrize(("text", "relation", "name", "age"), PEOPLE)
def test_whom_a_question_names_is_claimed_with_their_age(text: str, relation: str, name: str, age: str) -> None:
    told = {(one.subject, one.relation, one.object) for one in read_claims(text)}
    assert (SPEAKER, relation, name) in told
    assert {one for one in told if one[1] == "age"} == ({(name, "age", age)} if age else set())


@pytest.mark.parametrize(("text", "subject", "relation", "spoken"), OTHERS)
def test_what_it_says_of_somebody_else_is_theirs(text: str, subject: str, relation: str, spoken: str) -> None:
    told = {(one.subject, one.relation, one.object) for one in read_claims(text)}
    assert (subject, relation, spoken) in told
    assert (SPEAKER, relation, spoken) not in told


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_the_persons_or_not_so_is_not_claimed(text: str) -> None:
    assert [(one.relation, one.object) for one in read_claims(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "forget about my dog Rex",
        "Vergiss alles über meine Frau Dana",
        "my wife Dana, she uses the password hunter2 for the bank, is that safe?",
    ],
)
def test_what_is_to_be_forgotten_and_a_secret_are_not_read(text: str) -> None:
    assert [one.object for one in read_claims(text)] == []


def test_the_cat_of_the_neighbour_is_the_neighbours() -> None:
    told = [one.object for one in read_claims("my neighbours cat keeps using my veg patch as a toilet, deterrents?")]
    assert told == ["veg patch"]


def test_what_a_next_sentence_says_of_whom_a_question_named_is_told_with_who_they_are() -> None:
    said = [
        one.statement
        for one in read_claims("Wieviel Futter für meine Hündin Frieda? Sie ist 11, kastriert und wiegt 23 Kilo")
    ]
    assert "Meine Hündin Frieda: Sie ist 11, kastriert und wiegt 23 Kilo." in said


def test_what_is_lost_is_not_had() -> None:
    assert not [
        one for one in read_claims("J'ai perdu mon CDI chez Camaïeu quand ça a fermé.") if one.polarity and one.object
    ]


@pytest.mark.parametrize(
    "text", ["my daughter turns 6 in June, ideas?", "cosa regalo a mia figlia, compie 6 anni a giugno"]
)
def test_an_age_to_come_is_none_yet(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation == "age"]


def test_a_long_text_is_not_read_for_what_it_takes_for_granted() -> None:
    pasted = "The committee met again on the matter of the bridge and adjourned without a vote. " * 8
    assert not any(one.object == "ficus" for one in read_claims(f"{pasted} How is my ficus?"))


ENGAGED = [
    ("My dentist, Dr. Patel, says I grind my teeth. Any exercises?", "dentist", "dr. patel"),
    ("My dentist Dr. Patel says I grind my teeth.", "dentist", "dr. patel"),
    ("Dr. Patel, my dentist, wants 900 for a bridge. Is that a lot?", "dentist", "dr. patel"),
    ("How do I ask Dr. Feldman, my family doctor, for a referral?", "doctor", "dr. feldman"),
    ("My therapist says I should journal more, her name is Dr. Anand.", "therapist", "dr. anand"),
    ("my accountant Ben wants the receipts by Friday, what do I send?", "accountant", "ben"),
    ("My builder Dave is late again, what do I say?", "builder", "dave"),
    ("Meine Hausärztin ist toll, sie heißt Dr. Kern.", "doctor", "dr. kern"),
    ("Mein Hausarzt, Dr. Kern, meint, ich soll mehr trinken.", "doctor", "dr. kern"),
    ("Mein Steuerberater Herr Kunz braucht die Belege, was schicke ich ihm?", "accountant", "herr kunz"),
    ("Mi dentista, la doctora Ruiz, dice que aprieto los dientes. ¿Qué hago?", "dentist", "doctora ruiz"),
    ("Mi psicóloga dice que escriba, se llama Lucía.", "therapist", "lucía"),
    ("Hazme la carta para el pediatra, el doctor Llorente.", "doctor", "doctor llorente"),
    ("Ma dentiste, le docteur Morel, dit que je grince des dents. Que faire ?", "dentist", "docteur morel"),
    ("preventivo della dottoressa Pellegrini, la mia dentista: 900, è tanto?", "dentist", "dottoressa pellegrini"),
    ("A minha advogada, a dra. Rita Lopes, mandou-me este contrato.", "lawyer", "dra. rita lopes"),
]


@pytest.mark.parametrize(("said", "relation", "name"), ENGAGED)
def test_who_works_for_the_person_is_known_by_name(said: str, relation: str, name: str) -> None:
    [claim] = [one for one in read_claims(said) if one.relation == relation]
    assert (claim.subject, claim.object) == (SPEAKER, name)
    # The sentence that is kept holds the name.
    assert name in claim.statement.casefold()


@pytest.mark.parametrize(
    "said",
    [
        "Please sign my letters Helena Adeyemi from now on",
        "my older Anna is fine, what about school for my younger Tom?",
        "the doctor says Dr. House is good",
    ],
)
def test_what_names_nobody_engages_nobody(said: str) -> None:
    assert not [one for one in read_claims(said) if one.relation in {"letters", "older", "younger", "doctor"}]


def test_beside_a_request_the_other_sentence_takes_for_granted_what_it_did() -> None:
    told = {(one.relation, one.object) for one in read_claims("Call me Bea. Quick lunch before my shift at Lidl?")}
    assert told == {("goes_by", "bea"), ("works_at", "lidl")}


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("my Pixel 8 dies before lunch every day", "pixel 8"),
        ("the chain on my Brompton keeps slipping uphill", "brompton"),
        ("Ma Sandero a passé le contrôle technique, champagne", "sandero"),
        ("mein Corolla ist durch den TÜV, Sekt!", "corolla"),
        ("mi Xiaomi se apaga antes del almuerzo", "xiaomi"),
        ("la mia Vespa ha passato la revisione, spumante!", "vespa"),
        ("o meu ThinkPad apaga antes do almoço", "thinkpad"),
        ("נורת מנוע דולקת ביונדאי שלי כבר שבוע", "יונדאי"),
    ],
)
def test_what_is_called_by_its_make_is_had_whatever_is_told_of_it(text: str, thing: str) -> None:
    [had] = [one for one in read_claims(text) if one.relation == "has"]
    assert had.object == thing
    # The whole of what was said is kept, and once.
    assert len(had.statement) > len(text) - 3
    assert [one for one in read_claims(text) if one.relation != "has"] == []


@pytest.mark.parametrize(
    "text", ["my car is filthy", "I sold my Corolla last week", "wir fliegen im Mai, da ist unser Emil 18 Monate"]
)
def test_what_names_no_make_or_is_had_no_more_is_not_read_so(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation == "has" and one.polarity]
