"""What may enter the memory bank, and what only looks like a memory. Rules over words; no model is asked.

The bank holds lasting statements about a person and their work. It refuses what would make it a liability: secrets,
raw turns of a conversation, and sentences that try to instruct whoever reads the memory later.
"""

import math
import re
from collections import Counter

SECRET_FORMS = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("an API key", re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}")),
    (
        "an access token",
        re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|cpl_[A-Za-z0-9_-]{40,})"),
    ),
    ("a cloud access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("a web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}")),
    ("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@")),
)
SECRET_WORDS = re.compile(
    r"\b(?:pass(?:word|code|phrase|wort)|passwd|pin(?:\s+(?:code|number))?|cvv|secret(?:\s+key)?|api[\s_-]?key|"
    r"access[\s_-]?token|contraseña|clave\s+(?:secreta|de\s+acceso)|mot\s+de\s+passe|code\s+secret|kennwort|"
    r"geheimzahl|parola\s+d'ordine|codice\s+segreto|[הושבלכמ]{0,2}סיסמ(?:ה|א|ת)|קוד\s+(?:סודי|הכניסה))\b"
    r"[^.\n]{0,40}?(?:\bis\b|\bare\b|:|=|\bes\b|\best\b|\bist\b|\blautet\b|\bè\b|\bהיא\b|\bהוא\b|->)\s*\S+",
    re.IGNORECASE,
)
CARD = re.compile(r"\b(?:\d[ -]?){13,19}\b")

INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:instruction|rule|prompt|guideline|polic|previous|above)"
    r"|\bsystem\s+prompt\b|<\s*/?\s*(?:system|assistant|instructions?)\s*>|\[\s*(?:system|inst)\s*\]"
    r"|\b(?:you|the\s+assistant|the\s+ai)\s+(?:must|should|shall|will|have\s+to|are\s+(?:now|required))\s+"
    r"(?:always|never|now|from\s+now)"
    r"|\bfrom\s+now\s+on,?\s+(?:you|always|never|the\s+assistant|respond|answer)"
    r"|^\s*(?:always|never)\s+(?:cc|bcc|send|forward|reveal|approve|recommend|tell|answer|respond|reply|obey|trust)\b"
    r"|\b(?:act|behave|pretend)\s+as\s+(?:if|an?|the)\b[^.\n]{0,30}\b(?:admin|root|developer|unrestricted|no\s+rules)"
    r"|\b(?:ignora|olvida|ignorez|ignore[rz]?|oublie[rz]?|vergiss|ignoriere|dimentica)\b[^.\n]{0,40}"
    r"\b(?:instruc|reglas|règles|consignes|anweisung|regeln|istruzion|regole)"
    r"|התעלם\s+מ|תתעלם\s+מ|התעלמי\s+מ",
    re.IGNORECASE | re.MULTILINE,
)
TURNS = re.compile(r"^\s*(?:user|assistant|human|ai|system|bot)\s*:", re.IGNORECASE | re.MULTILINE)
TOKEN = re.compile(r"\b(?=[A-Za-z0-9_+/=-]*\d)(?=[A-Za-z0-9_+/=-]*[A-Za-z])[A-Za-z0-9_+/=-]{24,}\b")
IDENTIFIER = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
"""A UUID names a thing and opens none."""
RANDOM_BITS = 3.7
"""Shannon entropy per character above which a long mixed token is taken for a credential; words and paths lie below."""


def found_secret(text: str) -> str | None:
    """What secret a text seems to hold ("an API key"), or None."""
    for name, form in SECRET_FORMS:
        if form.search(text):
            return name
    if SECRET_WORDS.search(text):
        return "a password or code"
    if any(luhn(match.group()) for match in CARD.finditer(text)):
        return "a payment card number"
    tokens = (match.group() for match in TOKEN.finditer(text))
    if any(entropy(token) > RANDOM_BITS and not IDENTIFIER.fullmatch(token) for token in tokens):
        return "a credential"
    return None


def bank_refusal(text: str) -> str | None:
    """Why the memory bank refuses a text, or None when it takes it."""
    if secret := found_secret(text):
        return f"looks like it holds {secret}; the memory bank keeps no secrets"
    if len(TURNS.findall(text)) >= 2 or (TURNS.match(text) and "\n" in text):
        return "is a raw exchange; the memory bank keeps lasting statements, exchanges go to working"
    if INSTRUCTIONS.search(text):
        return "instructs whoever reads it; the memory bank keeps facts, not orders"
    return None


def luhn(digits: str) -> bool:
    numbers = [int(char) for char in digits if char.isdigit()]
    if not 13 <= len(numbers) <= 19 or len(set(numbers)) == 1:
        return False
    doubled = [n if i % 2 == 0 else sum(divmod(2 * n, 10)) for i, n in enumerate(reversed(numbers))]
    return sum(doubled) % 10 == 0


def entropy(token: str) -> float:
    counts = Counter(token)
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values())
