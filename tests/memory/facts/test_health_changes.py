"""What changes of somebody's health in another conversation than it was told in: doses, illnesses, a pregnancy."""

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.claims.reader import read_claims
from memory.facade import MemoryFacade
from memory.facts.antecedents import list_doses
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.memory.api.fact_calls import list_bank, list_held, tell

memory = MemoryFacade("key:test")


def hold_threads(user: EndUser, clock: Clock, turns: tuple[str, ...]) -> None:
    """Each turn in a thread of its own, three weeks behind the one before."""
    for place, message in enumerate(turns):
        memory.store_exchange(user, NewExchange(f"t{place}", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=21)


def list_active(user: EndUser, *relations: str) -> list[tuple[str, str]]:
    with user_scope(user):
        facts = Fact.objects.for_user(user).active().filter(relation__in=relations, polarity=True)
        return sorted(facts.values_list("subject_key", "object"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("turns", "doses"),
    [
        (("I take ramipril 5 mg.", "the doctor upped it to 10 mg"), ["10 mg"]),
        (("I take metformin 500 mg.", "My dog is called Biscuit.", "the doctor upped it to 850"), ["850 mg"]),
        (("My doctor put me on sertraline 50 mg.", "the doctor says to go up to 100"), ["100 mg"]),
        (("I take levothyroxine 75 mcg.", "Endocrinologist says we go up to 100."), ["100 mcg"]),
        (("Ich nehme Ramipril 5 mg.", "Der Arzt hat es auf 10 erhöht"), ["10 mg"]),
        (("Tomo enalapril 10 mg.", "el médico dice que suba a 20"), ["20 mg"]),
        (("Je prends du Lévothyrox 75 mg.", "l'endocrino dit qu'on passe à 100"), ["100 mg"]),
        (("Prendo il ramipril 5 mg.", "il medico dice di salire a 10"), ["10 mg"]),
        (("Tomo enalapril 10 mg.", "a médica disse para subir para 20"), ["20 mg"]),
        # The rent is no dose, nor is what may be of either of two.
        (("I take metformin 500 mg.", "my rent went up to 900"), ["500 mg"]),
        (("I take ramipril 5 mg.", "I take enalapril 5 mg.", "the doctor upped it to 10"), ["5 mg", "5 mg"]),
    ],
)
def test_a_dose_changes_weeks_after_it_was_told(
    user: EndUser, clock: Clock, turns: tuple[str, ...], doses: list[str]
) -> None:
    hold_threads(user, clock, turns)
    assert [dose for _, dose in list_active(user, "takes_dose")] == doses
    assert list_active(user, "takes")


@pytest.mark.django_db
def test_a_dose_of_another_unit_is_of_no_known_medicine(user: EndUser, clock: Clock) -> None:
    hold_threads(user, clock, ("I take ramipril 5 mg.",))
    assert list_doses(user, "the doctor upped it to 10 ml") == []
    assert list_doses(user, "the doctor upped it to 10 mg") == ["I take ramipril 5 mg."]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "since"),
    [
        ("My daughter Lotte has coeliac disease.", "Lotte isn't coeliac after all, they mixed up the samples."),
        ("My daughter Lotte has coeliac disease.", "Lotte doesn't have coeliac disease"),
        ("Unsere Tochter Lotte hat Zöliakie.", "Lotte hat doch keine Zöliakie"),
        ("Unsere Tochter Lotte hat Zöliakie.", "Lotte non è celiaca, avevano scambiato i campioni!"),
        ("Ma fille Jade est coeliaque.", "Jade n'est pas coeliaque finalement"),
        ("A minha filha Inês é celíaca.", "afinal a Inês não é celíaca"),
        ("הבת שלי נועה צליאקית", "נועה לא צליאקית בסוף"),
    ],
)
def test_an_illness_that_turns_out_wrong_is_over(user: EndUser, clock: Clock, told: str, since: str) -> None:
    hold_threads(user, clock, (told,))
    assert list_active(user, "has_condition")
    hold_threads(user, clock, (since,))
    assert not list_active(user, "has_condition")
    assert list_active(user, "daughter")


@pytest.mark.parametrize(
    ("told", "since", "of"),
    [
        ("I'm diabetic.", "turns out I don't have diabetes, the lab mixed it up", "you"),
        ("Soy celíaca.", "al final no soy celíaca", "you"),
        ("I'm allergic to nuts.", "I'm not allergic to nuts after all", "you"),
        ("My daughter Lotte has coeliac disease.", "she's not coeliac after all!", "lotte"),
        ("My daughter Lotte has coeliac disease.", "Lotte isn't just coeliac, she's deaf too", ""),
        ("My daughter Lotte has coeliac disease.", "I'm not coeliac myself", ""),
        ("My daughter Lotte has coeliac disease.", "Is Lotte not coeliac?", ""),
    ],
)
def test_what_is_denied_is_of_whom_the_words_name(told: str, since: str, of: str) -> None:
    ended = [claim.subject for claim in read_claims(since, (told,)) if claim.tense == "over"]
    assert ended == ([of] if of else [])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "since", "is_over"),
    [
        ("I'm pregnant, due in March.", "Our daughter Ines was born this morning, 2.1 kilos.", True),
        ("Je suis enceinte.", "Notre fils Malo est né ce matin.", True),
        ("Estoy embarazada.", "Nuestra hija Inés nació esta mañana.", True),
        ("Sono incinta.", "Nostra figlia Viola è nata stamattina.", True),
        ("Estou grávida.", "A nossa filha Rita nasceu ontem.", True),
        ("Ich bin schwanger.", "Unsere Tochter Ida ist heute Morgen auf die Welt gekommen.", True),
        ("אני בהריון", "הבת שלנו מאיה נולדה הבוקר", True),
        ("I'm 34 weeks pregnant.", "Our son Leo was born on Monday!", True),
        ("I'm six months pregnant.", "our daughter Ida was born at 5:40", True),
        ("im 12 weeks pregnant", "our son Leo arrived on Friday, 3.2 kilos", True),
        ("Ich bin schwanger.", "Unsere Tochter Ida ist am Montag geboren.", True),
        ("Je suis enceinte de 5 mois.", "Notre fils Malo est né lundi.", True),
        ("Estoy embarazada de 5 meses.", "Nuestra hija Inés nació el lunes.", True),
        ("Sono incinta di 5 mesi.", "Nostra figlia Viola è nata lunedì.", True),
        ("Estou grávida de 20 semanas.", "A nossa filha Rita nasceu na segunda.", True),
        ("אני בהריון", "הבת שלנו מאיה נולדה ביום שני", True),
        ("I'm pregnant, due in March.", "My nephew Leo was born this morning.", False),
        ("Estoy embarazada.", "Mi sobrino Leo nació ayer.", False),
        ("I'm pregnant, due in March.", "Our daughter Ines was born in Leeds.", False),
    ],
)
def test_a_birth_ends_the_pregnancy(user: EndUser, clock: Clock, told: str, since: str, is_over: bool) -> None:
    hold_threads(user, clock, (told, since))
    assert bool(list_active(user, "has_condition")) != is_over


def tell_known(user: EndUser, clock: Clock, question: str) -> str:
    told = memory.compose_context(user, question, now=clock(), thread_id="asked").injection
    return told.partition("KNOWN CONTEXT")[2].partition("END CONTEXT")[0]


@pytest.mark.django_db
def test_a_friends_pregnancy_limits_no_answer_about_work(user: EndUser, clock: Clock) -> None:
    friends = ("mi amiga Petra está embarazada", "my cousin Priya had her baby!!", "My sister Ida has a nut allergy.")
    hold_threads(user, clock, (*friends, "I work at Lidl."))
    assert "Lidl" in tell_known(user, clock, "where do i work?")
    for question in ("where do i work?", "how is my work going?"):
        told = tell_known(user, clock, question)
        assert "Petra" not in told
        assert "Priya" not in told
    # Whom the person lives with and eats with they have to heed, unless a fact alone is asked for.
    assert "Ida" in told
    assert "Priya" not in told


@pytest.mark.django_db
def test_a_line_that_is_over_in_part_says_so(user: EndUser, clock: Clock) -> None:
    hold_threads(user, clock, ("My daughter Lotte has coeliac disease.", "Lotte doesn't have coeliac disease"))
    told = tell_known(user, clock, "What can I cook for Lotte?")
    lines = [line for line in told.splitlines() if "has coeliac" in line]
    assert all("since" in line for line in lines)


@pytest.mark.parametrize(
    ("turn", "thing"),
    [
        ("no peanuts pls i swell up like a balloon, and dev doesnt do dairy", "peanuts"),
        ("nada de cacahuetes que me hincho", "cacahuetes"),
        ("pas de cacahuètes, je gonfle", "cacahuètes"),
        ("keine Erdnüsse bitte, da schwelle ich an", "erdnüsse"),
        ("niente arachidi che mi gonfio", "arachidi"),
        ("nada de amendoim que eu incho", "amendoim"),
        ("בלי בוטנים בבקשה, אני מתנפחת", "בוטנים"),
        ("i cant do shellfish, it makes my throat close up", "shellfish"),
        ("no prawns please. They make my face swell up.", "prawns"),
        ("Ich kann keine Garnelen essen, davon schwillt mir das Gesicht an", "garnelen"),
        ("Keine Krabben bitte. Sie lassen mein Gesicht anschwellen.", "krabben"),
        ("no puedo comer mariscos, se me cierra la garganta", "mariscos"),
        ("je ne peux pas manger d'arachides, ça me fait gonfler le visage", "arachides"),
        ("non posso mangiare i gamberi, mi si chiude la gola", "gamberi"),
        ("não posso comer camarão, minha garganta fecha", "camarão"),
        ("אני לא יכולה לאכול שרימפס, זה סוגר לי את הגרון", "שרימפס"),
        ("i can't do karaoke, it makes my throat sore", ""),
        ("without my inhaler i can't breathe", ""),
        ("no peanuts please, we have a cake", ""),
    ],
)
def test_an_allergy_is_told_by_what_it_does(turn: str, thing: str) -> None:
    told = [claim.object for claim in read_claims(turn) if claim.relation == "allergic_to"]
    assert told == ([thing] if thing else [])


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    ("turn", "line"),
    [
        ("i cant do shellfish, it makes my throat close up", "I can't do shellfish, it makes my throat close up. ("),
        ("no prawns please. They make my face swell up.", "No prawns please. They make my face swell up. ("),
        ("nada de gambas. Me hinchan la cara.", "Nada de gambas. Me hinchan la cara. ("),
    ],
)
def test_what_something_does_is_told_with_what_does_it(api: ApiClient, user: EndUser, turn: str, line: str) -> None:
    memory.store_exchange(user, NewExchange("told", turn, "I see."), now=timezone.now())
    profiling.profile_due_exchanges(user, now=timezone.now())
    told = api.post("context", {"query": "what am i allergic to?", "thread_id": "new"}).json()["injection"]
    assert line in told
    assert not any(one.lstrip("• ").startswith(("It makes", "They make", "Me hinchan")) for one in told.splitlines())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("turns", "doses"),
    [
        (("Tomo 20 mg de omeprazol.", "El médico me ha subido a 40."), [("omeprazol", "40 mg")]),
        (("Prendo 5 mg di ramipril.", "Il medico me l'ha portato a 10."), [("ramipril", "10 mg")]),
        (("Ich nehme 5 mg Ramipril.", "Der Arzt hat mich auf 10 mg hochgesetzt"), [("ramipril", "10 mg")]),
        (
            ("dr okafor has started me on levothyroxine 25 mcg", "okafor upped my levo to 50 after the recheck"),
            [("levothyroxine", "50 mcg")],
        ),
        (
            ("I take levothyroxine 25 mcg", "I take sertraline 50 mg", "okafor upped my levo to 50"),
            [("levothyroxine", "50 mcg"), ("sertraline", "50 mg")],
        ),
        (("I take levothyroxine 25 mcg", "they raised my rent to 50"), [("levothyroxine", "25 mcg")]),
        (("tomo 5 mg de enalapril", "a mi suegro le han puesto 20 mg"), [("enalapril", "5 mg")]),
    ],
)
def test_a_changed_dose_is_of_its_medicine(
    user: EndUser, clock: Clock, turns: tuple[str, ...], doses: list[tuple[str, str]]
) -> None:
    hold_threads(user, clock, turns)
    assert list_active(user, "takes_dose") == doses
    assert [drug for _, drug in list_active(user, "takes")] == [drug for drug, _ in doses]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "since", "is_over"),
    [
        ("I'm vegetarian.", "I started eating meat again.", True),
        ("Soy vegetariana.", "He vuelto a comer carne.", True),
        ("Soy vegetariana.", "Ya como pescado otra vez.", True),
        ("Ich bin Vegetarierin.", "Seit ein paar Wochen esse ich wieder Fleisch.", True),
        ("Je suis végétarienne.", "j'ai recommencé à manger de la viande", True),
        ("Sono vegetariana.", "ho ricominciato a mangiare carne", True),
        ("Sou vegetariana.", "voltei a comer carne", True),
        ("אני צמחונית", "חזרתי לאכול בשר", True),
        ("I'm pescatarian.", "I've gone back to eating chicken", True),
        ("I'm vegetarian.", "I've gone back to eating cheese", False),
        ("I'm pescatarian.", "I'm eating fish again", False),
        ("I eat halal.", "I'm eating beef again", False),
        ("I'm gluten free.", "I started eating meat again.", False),
        ("I'm vegetarian.", "Tilda eats meat again", False),
    ],
)
def test_eating_again_what_a_diet_leaves_out_ends_it(
    user: EndUser, clock: Clock, told: str, since: str, is_over: bool
) -> None:
    hold_threads(user, clock, (told, since))
    assert bool(list_active(user, "diet")) != is_over


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "since"),
    [
        (
            "unser Sohn Fiete verträgt keine Laktose",
            "Fiete sein Test ist negativ, er ist doch nicht laktoseintolerant, das war was anderes.",
        ),
        ("Jodie can't have dairy", "Jodie isn't lactose intolerant after all"),
        ("my son Jodie can't eat gluten", "Jodie isn't coeliac after all"),
        ("mi hija Ana no tolera la lactosa", "al final Ana no es intolerante a la lactosa"),
        ("ma fille Zoé ne supporte pas le lactose", "finalement Zoé n'est pas intolérante au lactose"),
        ("mia figlia Zoe non tollera il lattosio", "alla fine Zoe non è intollerante al lattosio"),
        ("a minha filha Zoe não tolera lactose", "afinal a Zoe não é intolerante à lactose"),
    ],
)
def test_an_intolerance_is_over_in_other_words(user: EndUser, clock: Clock, told: str, since: str) -> None:
    hold_threads(user, clock, (told,))
    assert list_active(user, "allergic_to")
    hold_threads(user, clock, (since,))
    assert not list_active(user, "allergic_to", "has_condition")


def test_an_intolerance_told_twice_is_not_over() -> None:
    told = read_claims("unser Sohn Fiete verträgt keine Laktose", ("unser Sohn verträgt keine Laktose",))
    assert ("fiete", "allergic_to", True) in {(one.subject, one.relation, one.polarity) for one in told}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "since", "is_over"),
    [
        ("my mum is in hospital with a broken hip", "mum is home from hospital with a frame", True),
        ("mum's in hospital", "mum's home now", True),
        ("meine Mutter liegt im Krankenhaus", "Mama ist wieder zuhause", True),
        ("ma mère est à l'hôpital", "ma mère est rentrée à la maison", True),
        ("mum's in hospital", "dad is home now", False),
    ],
)
def test_who_is_home_is_in_hospital_no_longer(
    user: EndUser, clock: Clock, told: str, since: str, is_over: bool
) -> None:
    hold_threads(user, clock, (told, since))
    with user_scope(user):
        active = list(Fact.objects.for_user(user).active().order_by("last_seen").values_list("statement", flat=True))
    assert len(active) == (1 if is_over else 2), active


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    ("turns", "taken"),
    [
        (
            ("I take warfarin 3mg and bisoprolol 2.5mg", "he's changed my warfarin to apixaban 5mg twice a day"),
            {"bisoprolol": "2.5mg", "apixaban": "5mg"},
        ),
        (
            (
                "Ich nehme Ramipril 5 mg morgens und Atorvastatin 20 mg abends",
                "Ramipril hab ich abgesetzt, ich nehme jetzt Candesartan 8 mg",
            ),
            {"atorvastatin": "20 mg", "candesartan": "8 mg"},
        ),
        (("I take warfarin 3mg", "my doctor changed my warfarin to apixaban 5mg"), {"apixaban": "5mg"}),
        (("I take ramipril 5mg", "Doc stopped the ramipril, I'm on candesartan 8mg now"), {"candesartan": "8mg"}),
        (
            ("I take sertraline 50mg", "I'm on propranolol 40mg", "switched to metoprolol 50mg now"),
            {"sertraline": "50mg", "metoprolol": "50mg"},
        ),
        (
            ("Tomo sertralina 50 y enalapril 10", "me han cambiado el enalapril por losartán 50"),
            {"sertralina": "50", "losartán": "50"},
        ),
        (
            ("I take lisinopril 10mg", "I now also take bisoprolol 2.5mg"),
            {"lisinopril": "10mg", "bisoprolol": "2.5mg"},
        ),
    ],
)
def test_a_medicine_that_is_changed_leaves_the_others(
    api: ApiClient, user: EndUser, clock: Clock, turns: tuple[str, ...], taken: dict[str, str]
) -> None:
    tell(api, user, clock, turns)
    assert {value for _, _, value in list_held(api, "takes")} == set(taken)
    assert {drug: dose for drug, _, dose in list_held(api, "takes_dose")} == taken
    assert api.get("facts/reviews").json()["items"] == []
    assert not any(text.startswith("My warfarin") for text in list_bank(user))


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    ("told", "since", "doses"),
    [
        ("prendo Eutirox 50", "mi hanno aumentato l'Eutirox a 75", [("eutirox", "75")]),
        ("Ich nehme L-Thyroxin 75", "Das L-Thyroxin wurde auf 100 erhöht", [("l-thyroxin", "100")]),
        ("nehm Metformin 500 zweimal am Tag", "Metformin ist jetzt 1000 zweimal täglich", [("metformin", "1000")]),
        ("je prends du Levothyrox 75", "mon Levothyrox est passé à 100", [("levothyrox", "100")]),
        ("I'm on Elvanse 30mg", "Elvanse is 50mg now, sleeping badly", [("elvanse", "50mg")]),
        ("אני לוקחת אלטרוקסין 50", "הרופאה העלתה לי את האלטרוקסין ל-75", [("אלטרוקסין", "75")]),
        ("Tomo Eutirox 50", "me han subido el Eutirox a 75", [("eutirox", "75")]),
        ("Tomo metformina 500", "a metformina agora é 850", [("metformina", "850")]),
        ("I'm on lithium 400", "my lithium has gone up to 600", [("lithium", "600")]),
        (
            "I take ramipril 5 mg and metformin 500",
            "metformin was raised to 850",
            [("metformin", "850"), ("ramipril", "5 mg")],
        ),
        ("prendo Eutirox 50", "devo prendere Eutirox per 6 mesi", [("eutirox", "50")]),
    ],
)
def test_a_dose_moves_without_its_unit(
    api: ApiClient, user: EndUser, clock: Clock, told: str, since: str, doses: list[tuple[str, str]]
) -> None:
    tell(api, user, clock, (told, since))
    assert [(drug, dose) for drug, _, dose in list_held(api, "takes_dose")] == doses
    assert [drug for _, _, drug in list_held(api, "takes")] == [drug for drug, _ in doses]
