"""Passwords, codes, keys and cards, written out or described in words.

A form that a service issues is a pattern in FORMS; words that describe a secret are in the language's `guard.txt`
("secret", "lock", "recipe"), and the functions below say how they must stand together.
"""

import math
import re
from collections import Counter

from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.spelling import fold_letters
from memory.guard.words import join_words, list_words
from memory.language.numbers import load_values

# As services write them: each begins in a way that is its service's alone, so nothing need be said of them.
FORMS = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----")),
    ("an API key", re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}")),
    (
        "an access token",
        re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|cpl_[A-Za-z0-9_-]{40,})"),
    ),
    ("a cloud access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}")),
    # Bounded: of "eyJ-eyJ-..." every beginning would be read to the end. A longer token is found as a credential.
    ("a web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,300}\.[A-Za-z0-9_-]{10,300}\.[A-Za-z0-9_-]{5}")),
    ("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]{1,200}:[^\s/@]{1,200}@")),
    ("a national number", re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")),
)
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){3,7}(?:[ -]?[A-Z0-9]{1,4})?\b")
# Grouped in any way; of numbers that long one in ten is valid by chance, so phone and order numbers mostly pass.
CARD = re.compile(r"(?<!\d)(?:\d[ .\-_/]{0,2}){12,18}\d(?!\d)")
TOKEN = re.compile(r"[A-Za-z0-9_+/=-]{24,}")
SHORTEST_TOKEN = 24
# A UUID names a thing and opens none.
IDENTIFIER = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
# "sk - live - 4 f 9 a": whoever reads it takes the gaps out.
SPLIT_KEY = re.compile(
    r"(?:\bs\s{0,3}k\s{0,3}[-_]|\bgh\s{0,3}[pousr]\s{0,3}_|\bA\s{0,3}K\s{0,3}I\s{0,3}A|\bxox)", re.IGNORECASE
)
# Shannon entropy per character above which a long mixed token is taken for a credential; words and paths lie below.
RANDOM_BITS = 3.7

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
LONGEST_CARD = 19
SHORTEST_CARD = 13


def find_secret_kind(annotated: AnnotatedText) -> str | None:
    """What secret a text seems to hold ("an API key"), or None."""
    return (
        find_written_secret(annotated.text)
        or find_spoken_card(annotated)
        or ("a password or code" if any(discloses_secret(sentence) for sentence in annotated.sentences) else None)
    )


def find_written_secret(text: str) -> str | None:
    for name, form in FORMS:
        if form.search(text):
            return name
    for match in SPLIT_KEY.finditer(text):
        if any(
            form.match("".join(text[match.start() : match.start() + LONGEST_KEY].split())) for _, form in FORMS[1:4]
        ):
            return "an API key"
    if any(is_luhn_valid(match.group()) for match in CARD.finditer(text)):
        return "a payment card number"
    if any(is_iban(match.group()) for match in IBAN.finditer(text)):
        return "a bank account number"
    if any(is_random_token(match.group().strip("+/=-")) for match in TOKEN.finditer(text)):
        return "a credential"
    return None


def is_random_token(token: str) -> bool:
    """Whether letters and digits are mixed so evenly that nobody wrote them as words."""
    if len(token) < SHORTEST_TOKEN or IDENTIFIER.fullmatch(token):
        return False
    is_mixed = any(char.isdigit() for char in token) and any(char.isalpha() for char in token)
    return is_mixed and shannon_entropy(token) > RANDOM_BITS


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
    if bolts and longest_digit_run(sentence.words) > SHORTEST_CODE:
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


def longest_digit_run(words: tuple[str, ...]) -> int:
    """The longest run of single digits, as in "3-9-1-4"."""
    longest = run = 0
    for word in words:
        run = run + 1 if len(word) == 1 and word.isdigit() else 0
        longest = max(longest, run)
    return longest


def is_luhn_valid(digits: str) -> bool:
    numbers = [int(char) for char in digits if char.isdigit()]
    # Nothing but zeros is a blank in a form, and passes the check.
    if not SHORTEST_CARD <= len(numbers) <= LONGEST_CARD or len(set(numbers)) == 1:
        return False
    doubled = [n if i % 2 == 0 else sum(divmod(2 * n, 10)) for i, n in enumerate(reversed(numbers))]
    return sum(doubled) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether the check digits of an account number are right."""
    compact = re.sub(r"[ -]", "", text)
    turned = compact[4:] + compact[:4]
    return len(compact) >= 15 and int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def shannon_entropy(token: str) -> float:
    counts = Counter(token)
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values())
