"""Hebrew parts neither a verb nor a place from a value: what of its words is the name, and what somebody studies."""

import pytest

from memory.claims.reader import read_claims


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("הכלב שלי שוקו אכל שוקולד", ("dog", "שוקו")),
        ("לכלבה שלי שוקו יש פחד מרעמים", ("dog", "שוקו")),
        ("אני מתרגלת איטלקית בדואולינגו", ("learns", "איטלקית")),
        ("אני לומדת איטלקית בדואולינגו", ("studies", "איטלקית")),
        ("אני לומדת משפטים באוניברסיטת חיפה", ("studies", "משפטים")),
        ("אני לומדת יחסים בינלאומיים", ("studies", "יחסים בינלאומיים")),
    ],
)
def test_a_value_ends_where_its_clause_goes_on(text: str, told: tuple[str, str]) -> None:
    assert [(one.relation, one.object) for one in read_claims(text)] == [told]
