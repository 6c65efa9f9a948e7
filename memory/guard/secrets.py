"""Secrets that are described rather than told: "the code is the year my father was born", "the pin is four zeros".

What can be cut out of a text is redacted before it comes here (`redaction`); of a description every word counts, so the
bank refuses it whole. The words are in the language's `guard.txt` ("secret", "lock", "recipe"), and the functions below
say how they must stand together.
"""

import re

from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.redaction.forms import LONGEST_CARD, SHORTEST_CARD, is_luhn_valid
from memory.guard.redaction.texts import MARK, find_secrets
from memory.guard.spelling import fold_letters
from memory.guard.words import join_words, list_words
from memory.language.numbers import load_values

# "sk - live - 4 f 9 a": whoever reads it takes the gaps out.
SPLIT_KEY = re.compile(
    r"(?:\bs\s{0,3}k\s{0,3}[-_]|\bgh\s{0,3}[pousr]\s{0,3}_|\bA\s{0,3}K\s{0,3}I\s{0,3}A|\bxox)", re.IGNORECASE
)
WHOLE_KEY = re.compile(r"(?:sk|gh[pousr])[-_][A-Za-z0-9_-]{16}|(?:AKIA|ASIA)[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10}")

DIGITS = {word: str(value) for word, value in (load_values("hour") | load_values("amount")).items() if value < 10}
DIGITS |= dict.fromkeys(list_words("nought"), "0")
"""The digit of a folded number word."""
# A letter that is drawn: "draw an N".
LETTER = re.compile(rf"\b(?:{join_words('article of a letter')})\s(?:[A-Z]\b|[א-ת])|\s[א-ת](?=\s|[.,]|$)")
# Words that may stand between "password" and "is".
FURTHEST_LINK = 6
SHORTEST_CODE = 3
LONGEST_KEY = 120
PIN_OF_A_PLUG = re.compile(r"\d{1,2}")


def find_secret_kind(annotated: AnnotatedText) -> str | None:
    """What secret a text tells or describes, or None. Where one was taken out, a mark stands and nothing is told."""
    told = find_secrets(annotated.text)
    return told[0].kind if told else find_described_secret(annotated)


def find_described_secret(annotated: AnnotatedText) -> str | None:
    """What secret a text describes ("a password or code"), or None."""
    if find_split_key(annotated.text):
        return "an API key"
    told = [sentence for sentence in annotated.sentences if not MARK.search(sentence.raw)]
    return find_spoken_card(annotated) or (
        "a password or code" if any(discloses_secret(sentence) for sentence in told) else None
    )


def find_split_key(text: str) -> bool:
    return any(
        WHOLE_KEY.match("".join(text[match.start() : match.start() + LONGEST_KEY].split()))
        for match in SPLIT_KEY.finditer(text)
    )


def find_spoken_card(annotated: AnnotatedText) -> str | None:
    for sentence in annotated.sentences:
        run = ""
        for word in (*sentence.words, ""):
            if digit := word if word.isdigit() and len(word) == 1 else DIGITS.get(fold_letters(word)):
                run += digit
                continue
            if SHORTEST_CARD <= len(run) <= LONGEST_CARD and is_luhn_valid(run):
                return "a payment card number"
            run = ""
    return None


def discloses_secret(sentence: Sentence) -> bool:
    spans = [(start, end) for start, end in sentence.spans("secret") if not is_compound_term(sentence, start, end)]
    if any(is_disclosed(sentence, end) or is_named_as_secret(sentence, start) for start, end in spans):
        return True
    if spans and (sentence.is_question or find_recipes(sentence)):
        # "The password of the router? ..." is answered by what follows.
        return True
    if any(is_disclosed(sentence, max(end, other)) for (_, end), (_, other) in pair_codes_with_locks(sentence)):
        return True
    if discloses_lock_code(sentence) or discloses_access(sentence):
        return True
    return discloses_opening(sentence)


def find_recipes(sentence: Sentence) -> list[tuple[int, int]]:
    """Places that say what a secret is made of; "twice a week" is none."""
    often = {start for start, _ in sentence.spans("frequency")}
    return [span for span in sentence.spans("recipe") if span[0] not in often]


def is_named_as_secret(sentence: Sentence, place: int) -> bool:
    """Whether a word in front is said to be the secret: "tulip is my password"."""
    return any(
        start > 0 and 0 <= place - end <= 2
        for start, end in sentence.spans("link")
        if not sentence.has_at(end, "harmless")
    )


def discloses_lock_code(sentence: Sentence) -> bool:
    """Whether a lock or a network is followed by what opens it: "wifi: ...", "the alarm goes off with ..."."""
    bolts = sentence.spans("bolt")
    answer = min((end for _, end in sentence.spans("link", "login", "enter", "disarm")), default=len(sentence.words))
    if bolts and any(start >= answer for start, _ in find_recipes(sentence)):
        return True
    is_opened = sentence.find_following("lock", "disarm", 8) or sentence.find_following("device", "disarm", 8)
    if is_opened and sentence.find_following("disarm", "recipe", FURTHEST_LINK):
        return True
    if sentence.has("drawing") and sentence.has("lock", "device") and LETTER.search(sentence.raw):
        return True
    if bolts and measure_digit_run(sentence.words) > SHORTEST_CODE:
        return True
    if bolts and any(has_code(sentence.words[end : end + 4], mixed_only=False) for _, end in sentence.spans("disarm")):
        return True
    return any(start <= 1 and sentence.words[end : end + 1] == (":",) for start, end in bolts)


def discloses_access(sentence: Sentence) -> bool:
    """Whether what lets somebody in is said to be made of something: "the bank login is her surname and ..."."""
    for _, end in sentence.spans("access"):
        for start, after in sentence.spans("link"):
            if 0 <= start - end <= 2 and any(0 <= recipe - after <= 8 for recipe, _ in find_recipes(sentence)):
                return True
    return False


def discloses_opening(sentence: Sentence) -> bool:
    """Whether it tells what to type, press or say where something is opened."""
    words = sentence.words
    if sentence.has("opener") and any(char.isdigit() for word in words for char in word):
        return True
    if not sentence.has("login"):
        return False
    behind = words[min(end for _, end in sentence.spans("login")) :]
    is_entered = sentence.has("enter") and (
        sentence.has("lock") or bool(find_recipes(sentence)) or has_code(words, mixed_only=False)
    )
    return is_entered or bool(find_recipes(sentence)) or has_code(behind[:FURTHEST_LINK], mixed_only=True)


def is_compound_term(sentence: Sentence, start: int, end: int) -> bool:
    """Whether the word only names a thing about secrets: a password manager, a PIN machine, pin 17 of a plug."""
    is_plug = sentence.words[start] == "pin" and end < len(sentence.words)
    if is_plug and PIN_OF_A_PLUG.fullmatch(sentence.words[end]):
        return True
    return sentence.has_at(end, "compound") or sentence.has_before(start, 1, "compound")


def pair_codes_with_locks(sentence: Sentence) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Places where a code and what it opens stand together, like "the code for the gate"."""
    # Fifty of each: nobody says more, and a piece of nothing else would make sixty thousand pairs.
    locks = sentence.spans("lock")[:50]
    return [
        (code, lock)
        for code in sentence.spans("code")[:50]
        for lock in locks
        if -4 <= lock[0] - code[1] <= 4 and lock != code
    ]


def is_disclosed(sentence: Sentence, place: int) -> bool:
    """Whether what the word means is said behind it."""
    words = sentence.words
    if has_code(words[place : place + 2], mixed_only=False):
        return True
    recipes = [start for start, _ in find_recipes(sentence)]
    for start, end in sentence.spans("link"):
        if not 0 <= start - place <= FURTHEST_LINK or end >= len(words):
            continue
        if any(end <= recipe <= end + FURTHEST_LINK for recipe in recipes):
            return True
        if not sentence.has_at(end, "harmless"):
            return True
    return False


def has_code(words: tuple[str, ...], *, mixed_only: bool) -> bool:
    """Whether a word looks like a code: digits of some length or one by one, or letters mixed with digits."""
    if not mixed_only and len(words) > SHORTEST_CODE and all(len(word) == 1 and word.isdigit() for word in words):
        return True
    for word in words:
        digits = sum(char.isdigit() for char in word)
        # What begins with a digit is a size, a time or a rank: 10am, 4x4, 2nd.
        if digits and digits < len(word) and len(word) > SHORTEST_CODE and not word[0].isdigit():
            return True
        if digits >= SHORTEST_CODE and not mixed_only:
            return True
    return False


def measure_digit_run(words: tuple[str, ...]) -> int:
    """The longest run of single digits, as in "3-9-1-4"."""
    longest = run = 0
    for word in words:
        run = run + 1 if len(word) == 1 and word.isdigit() else 0
        longest = max(longest, run)
    return longest
