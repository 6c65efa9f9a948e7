"""What is told of somebody else is theirs, under the relation that it tells, and never the person's."""

import pytest

from memory.claims import read_claims


def list_told(text: str) -> set[tuple[str, str, str]]:
    return {(one.subject, one.relation, one.object) for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My boss is allergic to nuts.", ("boss", "allergic_to", "nuts")),
        ("My wife is vegetarian.", ("wife", "diet", "vegetarian")),
        ("Mein Chef ist Vegetarier.", ("chef", "diet", "vegetarier")),
        ("Mon patron est allergique aux noix.", ("patron", "allergic_to", "noix")),
        ("אמא שלי אלרגית לאגוזים.", ("אמא", "allergic_to", "אגוזים")),
        ("אמא שלי לוקחת רמיפריל.", ("אמא", "takes", "רמיפריל")),
        ("אמא שלי נוהגת בסקודה.", ("אמא", "car", "סקודה")),
        ("אח שלי צמחוני.", ("אח", "diet", "צמחוני")),
        ("אמא שלי בת 34.", ("אמא", "age", "34")),
        ("אמא שלי אוהבת ג'אז.", ("אמא", "likes", "ג'אז")),
        ("חברה שלי גרה בחיפה.", ("חברה", "lives_in", "חיפה")),
        ("חברה שלי חולה סוכרת.", ("חברה", "has_condition", "סוכרת")),
    ],
)
def test_a_state_behind_a_noun_is_told_of_them_and_is_no_name(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)
    assert all(subject != "you" for subject, _, _ in list_told(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Greta ist allergisch gegen Nüsse.", ("greta", "allergic_to", "nüsse")),
        ("Lucía es alérgica a las nueces.", ("lucía", "allergic_to", "nueces")),
        ("Giulia è allergica alle noci.", ("giulia", "allergic_to", "noci")),
        ("Grace works as a plumber.", ("grace", "works_as", "plumber")),
        ("Mi amiga es dentista.", ("amiga", "works_as", "dentista")),
        ("La mia amica è dentista.", ("amica", "works_as", "dentista")),
        ("Mon amie est dentiste.", ("amie", "works_as", "dentiste")),
        ("A minha amiga é dentista.", ("amiga", "works_as", "dentista")),
    ],
)
def test_a_name_alone_and_a_trade_that_strangers_have_are_told_of_them(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)
    assert all(subject != "you" for subject, _, _ in list_told(text))


def test_a_hebrew_name_before_a_diet_is_not_the_person() -> None:
    assert not [one for one in list_told("נועה צמחונית.") if one[1] == "diet"]
    assert ("you", "diet", "צמחונית") in list_told("אני צמחונית.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("אחותי מיה גרה בחיפה.", ("you", "sister", "מיה")),
        ("הבוס שלי הוא יאיר.", ("you", "boss", "יאיר")),
        ("My boss is Baker.", ("you", "boss", "baker")),
        ("החברה שלי נועה לומדת בטכניון", ("you", "girlfriend", "נועה")),
    ],
)
def test_a_name_behind_a_noun_is_one(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)
