"""One spelling for what a reader takes as the same word, and the texts that are hidden inside a text."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from memory.guard.words import list_words

# What the joiners and the selector of a coloured form belong to: signs, and letters of scripts that join or part with
# them. Anywhere else they hide a word from its reader.
SIGN = "[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
JOINING = "[\u0600-\u08ff\u0900-\u0dff]"
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0e"
    "\ufeff\U000e0000-\U000e01ef]"
    f"|(?<!{SIGN})\ufe0f"
    f"|(?<!{SIGN})(?<!{SIGN}\ufe0f)(?<!{JOINING})\u200d|\u200d(?!{SIGN}|{JOINING})"
    f"|(?<!{JOINING})\u200c|\u200c(?!{JOINING})"
)
DIACRITICS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")
SAME_MARK = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "´": "'", "`": "'", "׳": "'", "״": '"', "→": ">", "־": " "})

# "4ºB" is no "4oB"; elsewhere the sign is a letter that hides another.
ORDINALS = {"º": "\ue0ba", "ª": "\ue0aa"}
KEPT_ORDINALS = {kept: sign for sign, kept in ORDINALS.items()}
ORDINAL = re.compile(r"(?<=\d)[ºª]")
ORDINAL_KEPT = re.compile(r"(?<=\d)[\ue0ba\ue0aa]")

# Letters of other alphabets that are read as Latin ones, and Latin ones whose stroke has no decomposition.
CONFUSABLES = str.maketrans(
    dict(zip("авеёкмнорстухіјѕԁԛԝһӏґьпг", "abeekmhopctyxijsdqwhlrbnr", strict=True))
    | dict(zip("αβγεηικνορτυχωζ", "abyenikvoptuxwz", strict=True))
    | dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
    | {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "ɑ": "a", "ɡ": "g", "æ": "ae", "œ": "oe", "ƅ": "b"}
)
LATIN = re.compile("[a-z]")
CONFUSING = re.compile("[\u0370-\u03ff\u0400-\u052f]")

# A 1 is an i or an l, so both readings are looked at.
LEET = str.maketrans("013457@$", "oieastas")
LEET_L = str.maketrans("013457@$", "oleastas")
LEET_WORD = re.compile(r"[a-z][013457@$]+[a-z]|[@$013457][a-z]{2}|[a-z]{2}[@$]", re.IGNORECASE)
BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{16,}={0,2}")
HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :,]?){8,}")
ESCAPES = re.compile(r"%[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{1,6};|&[a-z]{2,8};|\\u[0-9A-Fa-f]{4}")
UNICODE_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")
SPELT_OUT = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*|/·]{1,2}){6,}[^\W\d_](?![^\W_])")
GAPS = re.compile(r"[^\w]|_")
NO_LETTERS = re.compile(r"[^a-z]+")
# Tokens of a text that are decoded: each decoded text is read as a text of its own.
MOST_DECODED = 8
# Share of letters from which decoded bytes are words; of random ones few are.
READABLE = 0.85

# Words of orders and secrets, looked for where a text is turned round, shifted or spelt out letter by letter.
TELLTALES = list_words("telltale")


def normalise_text(text: str) -> str:
    """The text in compatibility form without what is not seen; case and accents stay."""
    # Most texts: nothing of them has another form.
    if text.isascii():
        return text
    kept = ORDINAL.sub(lambda found: ORDINALS[found[0]], INVISIBLE.sub("", text))
    plain = INVISIBLE.sub("", unicodedata.normalize("NFKC", kept).translate(SAME_MARK))
    return ORDINAL_KEPT.sub(lambda found: KEPT_ORDINALS[found[0]], plain)


@lru_cache(maxsize=8192)
def fold_letters(word: str) -> str:
    """A word in lower case and its plainest letters, lookalikes of other alphabets read as Latin ones."""
    word = word.casefold()
    if word.isascii():
        return word
    word = DIACRITICS.sub("", unicodedata.normalize("NFKD", word))
    plain = unicodedata.normalize("NFC", word).translate(CONFUSABLES)
    if CONFUSING.search(word) and not LATIN.search(word) and not plain.isascii():
        # A word of that alphabet itself, not one dressed up as Latin.
        return unicodedata.normalize("NFC", word)
    return plain


def decode_hidden_texts(text: str) -> Iterator[str]:
    """What the text says to somebody who decodes it: leet, escapes, base64, hex, shifted or reversed letters."""
    if ESCAPES.search(text):
        opened = UNICODE_ESCAPE.sub(lambda found: chr(int(found.group(1), 16)), text)
        yield normalise_text(html.unescape(unquote(opened)))
    if LEET_WORD.search(text):
        yield text.translate(LEET)
        yield text.translate(LEET_L)
    yield from decode_tokens(text)
    yield from unscramble_text(text)


def decode_tokens(text: str) -> Iterator[str]:
    tokens = [match.group() for match in BASE64.finditer(text)][:MOST_DECODED]
    for token in tokens:
        padded = token.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            found = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
        except binascii.Error:
            continue
        yield from decode_readable(found)
    for match in list(HEX.finditer(text))[:MOST_DECODED]:
        digits = re.sub(r"0x|\\x|[^0-9A-Fa-f]", "", match.group())
        yield from decode_readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def decode_readable(found: bytes) -> Iterator[str]:
    try:
        text = found.decode("utf-8")
    except UnicodeDecodeError:
        return
    plain = sum(char.isalpha() or char in " .,:'" for char in text)
    if plain >= READABLE * len(text):
        yield normalise_text(text)


def unscramble_text(text: str) -> Iterator[str]:
    """The text read backwards or with its alphabet shifted, where that shows a telltale word."""
    lower = text.lower()
    if any(word[::-1] in lower for word in TELLTALES):
        yield text[::-1]
    words = set(NO_LETTERS.split(lower))
    # Only where a telltale word comes out: 25 more readings of every text would cost 25 times as much.
    for shift in range(1, 26):
        if words & shift_telltales(shift):
            yield shift_letters(text, 26 - shift)
    joined = [GAPS.sub("", match.group()).lower() for match in SPELT_OUT.finditer(text)]
    yield from (f"{word}: " + " ".join(joined) for word in TELLTALES if any(word in run for run in joined))


@lru_cache(maxsize=26)
def shift_telltales(shift: int) -> frozenset[str]:
    return frozenset(shift_letters(word, shift) for word in TELLTALES)


def shift_letters(text: str, shift: int) -> str:
    if shift == 13:
        return codecs.encode(text, "rot13")
    turned_letters = {base + n: base + (n + shift) % 26 for base in (65, 97) for n in range(26)}
    return text.translate(turned_letters)


def find_spelt_out_word(text: str) -> str | None:
    """A word of orders or secrets that the text spells letter by letter, or None."""
    for match in SPELT_OUT.finditer(text):
        run = fold_letters(GAPS.sub("", match.group()))
        if found := next((word for word in TELLTALES if word in run or word[::-1] in run), None):
            return found
    return None


def is_encoded(text: str) -> bool:
    """Whether a token of the text is readable words in base64 or hex; nobody says of themselves anything in those."""
    return any(
        " " in found.strip() or any(word in found.lower() for word in TELLTALES) for found in decode_tokens(text)
    )
