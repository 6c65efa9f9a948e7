"""From bytes to text: by what the file says of itself, else by which reading makes words of it."""

import codecs
import re
import zlib
from collections import Counter

from books.reading.document import DocumentRefused, RefusalCode

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings of eight bits, Western first as it wins where nothing tells, each with the commonest letters beyond ASCII of
# those who write in it. Their bytes are the same, so it is how often a letter occurs that tells Hebrew from Russian.
EIGHT_BITS = {
    "cp1252": "éèàêçôâîûëïùäöüßñóíáúãõìòåøæ’“”–—…«»°£€·",
    "cp1255": "יוהלאתשמרבנ",
    "cp1251": "оеаинтсрвлкдмпуыья",
    "cp1253": "αοιετσνηυρπκλμόίάέήςώύ",
    "cp1256": "المينوتربعدسفهكقحجةأ",
    "cp1250": "ąęćłńóśźżčďěňřšťůžáéíúýőűäöüß„”–",
    "cp1254": "ığşçöüâİŞ’“”",
}
LATIN = frozenset({"cp1252", "cp1250", "cp1254"})
# The commonest characters: the 24 most written ones of Chinese are a fifth of any text, hiragana half of Japanese.
EAST_ASIAN = {
    "gb18030": "的一是不了人在有我他这中大来上个国到说们为子，。",
    "shift_jis": "あいうえおかがきくけこさしすせたちっつてでとなにのはまもやよらりるれわをん、。",
    "euc_kr": "이다는을가의에하고기지한사어도로서대",
    "big5": "的一是不了人在有我他這中大來上個國到說們為子，。",
}
RARE = 0.1
HEBREW_ENCODING = "cp1255"
HEBREW_WORDS = re.compile(r"(?<![a-zA-Zא-ת])[א-ת]{2,40}(?![a-zA-Zא-ת])")
END_WITHIN = re.compile("[ךםןףץ][א-ת]")
# Of Russian so many letters without a capital, one of the last five of the alphabet or one of these within a word are
# one text in a thousand.
FEWEST_HEBREW = 14
SAMPLE = 65_536
FOREIGN = re.compile(r"[^\x00-\x7f]")
BESIDE_ASCII = re.compile(r"(?<=[a-zA-Z])[^\W\d_a-zA-Z]|[^\W\d_a-zA-Z](?=[a-zA-Z])")
MAGIC = (
    b"\x7fELF", b"MZ", b"\x89PNG", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh",
    b"\xfd7zXZ", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"OggS", b"ID3", b"RIFF", b"\x00asm", b"SQLite format 3",
    b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"\x1f\x9d", b"MSCF", b"!<arch>\n",
)  # fmt: skip
# Stray bytes of a damaged file; what is no text has more of them.
FEW = 4
# What text of any encoding of bytes does not hold.
BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def looks_binary(head: bytes) -> bool:
    """Whether bytes without a mark of their encoding can be no text: those of a program, a picture, an archive."""
    if head.startswith(MAGIC) or is_packed(head):
        return True
    return guess_utf16(head) is None and len(BINARY.findall(head)) > max(FEW, len(head) // 50)


def is_packed(head: bytes) -> bool:
    """Whether this is the beginning of what zlib packed, which has no name in front: two bytes, and then it unpacks."""
    if len(head) < 6 or head[0] & 0x0F != 8 or int.from_bytes(head[:2], "big") % 31:
        return False
    try:
        zlib.decompressobj().decompress(head, 64)
    except zlib.error:
        return False
    return True


def decode_text(data: bytes, declared: str = "") -> str:
    """The text of a file without a kind of its own. ``declared`` is the encoding it names. Raises DocumentRefused."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    for stated in (guess_utf16(data[:SAMPLE]), "utf-8", declared):
        if stated and (text := try_decoding(data, stated)) is not None:
            return text
    mended = data.decode("utf-8", "replace")
    if 0 < mended.count("\ufffd") * 3 < len(FOREIGN.findall(mended)):
        # UTF-8 with a few bytes that are not: lines of another encoding among them, or damage.
        return mended
    few = max(FEW, len(data) // 50)
    if len(BINARY.findall(data)) > few:
        raise DocumentRefused(RefusalCode.KIND_MISMATCH, "The content is not text.")
    text = decode_eight_bits(data)
    if text.count("\ufffd") > few:
        raise DocumentRefused(RefusalCode.KIND_MISMATCH, "The content is not text in any known encoding.")
    return text


def try_decoding(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except (UnicodeError, LookupError):
        return None
    return text if isinstance(text, str) else None


def guess_utf16(sample: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Western text is zero, of Hebrew or Cyrillic always the same."""
    pairs = len(sample) // 2
    if pairs < 8:
        return None
    even, odd = sample[0 : pairs * 2 : 2], sample[1 : pairs * 2 : 2]
    for high, low, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        pages = Counter(high).most_common(2)
        blocks = sum(count for page, count in pages if page in {0, 4, 5, 6})
        if blocks > pairs * 0.9 and (high.count(0) > 0 or blocks == pairs) and len(set(low)) > len(set(high)) * 2:
            text = try_decoding(sample[: pairs * 2], encoding)
            return encoding if text is not None and 0 not in low else None
    return None


def decode_eight_bits(data: bytes) -> str:
    """By the encoding in which most of what is not ASCII becomes common letters of its languages."""
    sample = data[:SAMPLE]
    if is_hebrew(sample.decode(HEBREW_ENCODING, "replace")):
        return data.decode(HEBREW_ENCODING, "replace")
    rated = {encoding: rate_reading(sample, encoding) for encoding in EIGHT_BITS}
    best = max(rated, key=lambda encoding: rated[encoding])
    if rated[best] < 0.5:
        read = {encoding: try_decoding(data, encoding) or "" for encoding in EAST_ASIAN}
        shares = {encoding: rate_east_asian(text[:SAMPLE], encoding) for encoding, text in read.items()}
        likely = max(shares, key=lambda encoding: shares[encoding])
        if shares[likely] > RARE:
            return read[likely]
    return data.decode(best, "replace")


def is_hebrew(text: str) -> bool:
    """Whether these letters are Hebrew, of which a few words are enough: letters of word ends stand nowhere else.

    The same bytes are the commonest letters of Russian and Greek, within words as well.
    """
    words = HEBREW_WORDS.findall(text)
    letters = sum(map(len, words))
    others = sum(map(str.isalpha, FOREIGN.findall(text))) - letters
    return letters >= FEWEST_HEBREW and others * 20 <= letters and not any(map(END_WITHIN.search, words))


def rate_reading(sample: bytes, encoding: str) -> float:
    """The share of other than ASCII characters that are common; those of Latin scripts stand beside ASCII letters."""
    text = sample.decode(encoding, "replace")
    foreign = FOREIGN.findall(text)
    common = sum(char in EIGHT_BITS[encoding] for char in foreign)
    rate = (common + 1) / (len(foreign) + 1)
    if encoding in LATIN and (letters := [char for char in foreign if char.isalpha()]):
        rate *= min(1.0, len(BESIDE_ASCII.findall(text)) * 1.5 / len(letters))
    return rate


def rate_east_asian(text: str, encoding: str) -> float:
    """The share of the characters without which nobody writes a line in the language."""
    foreign = FOREIGN.findall(text)
    return sum(char in EAST_ASIAN[encoding] for char in foreign) / len(foreign) if foreign else 0.0
