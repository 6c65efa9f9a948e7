"""Of whom a fact speaks, in every language of the product."""

import pytest

from memory.facts.subjects import SubjectKind, classify_subject


@pytest.mark.parametrize(
    ("subject", "statement", "kind"),
    [
        ("you", "My dog is called Rex.", SubjectKind.SPEAKER),
        ("sister", "My sister lives in Oslo.", SubjectKind.PERSON),
        ("hund", "Mein Hund heißt Rex.", SubjectKind.ANIMAL),
        ("nachbar", "Mein Nachbar spielt Geige.", SubjectKind.PERSON),
        ("hermana", "Mi hermana vive en Lima.", SubjectKind.PERSON),
        ("chat", "Mon chat a douze ans.", SubjectKind.ANIMAL),
        ("cane", "Il mio cane ha tre anni.", SubjectKind.ANIMAL),
        ("irmã", "A minha irmã mora em Faro.", SubjectKind.PERSON),
        ("אחותי", "אחותי גרה בעכו", SubjectKind.PERSON),
        ("car", "My car is a diesel.", SubjectKind.THING),
        ("boiler", "The boiler is from 2019.", SubjectKind.THING),
        # A name is whom the words in front of it say.
        ("tom", "My son Tom is allergic to eggs.", SubjectKind.PERSON),
        ("mimi", "Our cat Mimi is 12 years old.", SubjectKind.ANIMAL),
        ("my daughter s dog", "My daughter's dog is a whippet.", SubjectKind.ANIMAL),
    ],
)
def test_a_subject_is_the_person_somebody_an_animal_or_a_thing(subject: str, statement: str, kind: SubjectKind) -> None:
    assert classify_subject(subject, statement) == kind


def test_a_name_is_whom_another_fact_says() -> None:
    assert classify_subject("rex", "Rex is three.") == SubjectKind.THING
    assert classify_subject("rex", "Rex is three.", frozenset({"pet"})) == SubjectKind.ANIMAL
    assert classify_subject("kim", "Kim is three.", frozenset({"daughter", "likes"})) == SubjectKind.PERSON
