"""Secrets that are known by their form alone: what services issue, keys, cards, accounts, passwords in addresses.

A form begins in a way that is its service's own, or carries a check that chance seldom passes; of what surrounds it
nothing need be known. Every pattern is bounded and begins at a place of its own, so that a text is read once.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """Where a secret stands, and what it is ("github token"). ``rank``: of two that overlap the lower one counts."""

    start: int
    end: int
    kind: str
    rank: int = 1

    def move(self, by: int) -> "SecretSpan":
        return SecretSpan(self.start + by, self.end + by, self.kind, self.rank)


@dataclass(frozen=True, slots=True)
class SecretForm:
    """``signs``: a text in lower case without any of them has no such secret. Group 1, if any, is what is secret."""

    kind: str
    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    is_valid: Callable[[str], bool] | None = None


# Nothing of a token stands in front of it: else every place within a long one would be a beginning.
FRONT: Final = r"(?<![A-Za-z0-9])"
BACK: Final = r"(?![A-Za-z0-9])"
LONGEST_CARD, SHORTEST_CARD = 19, 13
# Shannon entropy per character from which a mixed token is taken for random; words and paths lie below.
RANDOM_BITS: Final = 3.7


def is_mixed(token: str) -> bool:
    return any(char.isdigit() for char in token) and any(char.isalpha() for char in token)


def measure_entropy(token: str) -> float:
    counts = Counter(token)
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values())


def is_luhn_valid(digits: str) -> bool:
    numbers = [int(char) for char in digits if char.isdigit()]
    # Nothing but zeros is a blank in a form, and passes the check.
    if not SHORTEST_CARD <= len(numbers) <= LONGEST_CARD or len(set(numbers)) == 1:
        return False
    doubled = [n if i % 2 == 0 else sum(divmod(2 * n, 10)) for i, n in enumerate(reversed(numbers))]
    return sum(doubled) % 10 == 0


# Of sixteen random digits one number in ten passes the check; with a network's own beginning and length one in sixty.
CARD_NETWORKS: Final = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)


def is_card(text: str) -> bool:
    digits = "".join(char for char in text if char.isdigit())
    return bool(CARD_NETWORKS.fullmatch(digits)) and is_luhn_valid(digits)


# How long an account number is, by country: of random letters and digits one in ninety-seven has the check digits.
IBAN_COUNTRIES: Final = {
    15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK", 21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
IBAN_LENGTHS: Final = {country: length for length, named in IBAN_COUNTRIES.items() for country in named.split()}


def is_iban(text: str) -> bool:
    """Whether an account number is as long as its country's, and its check digits are right."""
    compact = re.sub(r"[ -]", "", text).upper()
    if len(compact) != IBAN_LENGTHS.get(compact[:2]):
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


# Stand-ins of documents and templates: user:password@, ${PASSWORD}, <secret>, %s, ***.
PLACEHOLDER: Final = re.compile(
    r"\A(?:[$<{%*\[(].*|.*[>})\]]|\.{2,}.*|x{3,}|(?:your|my|some|the)?[-_ ]?(?:user|pass|passwd|password|pwd|pw|secret|"
    r"token|apikey|api[-_]key|key|example|changeme)(?:[-_]?(?:here|word))?)",
    re.IGNORECASE,
)


def is_no_placeholder(token: str) -> bool:
    return not PLACEHOLDER.fullmatch(token)


def is_opaque(token: str) -> bool:
    """Long, and of letters and digits: not a word, a name or a path."""
    return is_mixed(token) and "/" not in token and is_no_placeholder(token)


# How keys and tokens of other services begin; behind it stand sixteen characters or more.
ISSUED: Final = (
    *(
        "dapi",
        "xkeysib-",
        "xsmtpsib-",
        "shpat_",
        "shpss_",
        "shpca_",
        "shppa_",
        "sq0atp-",
        "sq0csp-",
        "lin_api_",
        "figd_",
    ),
    *(
        "ntn_",
        "pscale_tkn_",
        "pscale_pw_",
        "dp.pt.",
        "dp.st.",
        "glsa_",
        "glc_",
        "sgp_",
        "sntrys_",
        "sntryu_",
    ),
    *(
        "nrak-",
        "hvs.",
        "hvb.",
        "tskey-",
        "fo1_",
        "nfp_",
        "sbp_",
        "gsk_",
        "xai-",
        "r8_",
        "pplx-",
        "rubygems_",
        "dckr_pat_",
    ),
    *("pul-", "bkua_", "ccipat_", "pat-na1-", "pat-eu1-", "pmak-", "atatt3", "atctt3", "atbb", "rzp_live_"),
    *("rzp_test_", "access-production-", "cfpat-", "tfp_", "pnu_", "shippo_live_", "ezak", "dt0c01."),
    *(
        "mlsn.",
        "eaac",
        "oauth:",
        "phx_",
        "nvapi-",
        "tgp_v1_",
        "rnd_",
        "rpa_",
        "tvly-",
        "jina_",
        "flwseck-",
    ),
    *("amzn.mws.", "bbdc-", "v1.0-", "patat"),
)


def is_issued(token: str) -> bool:
    """Whether a random tail stands behind a known beginning: "api_version_of_the_server" is a name."""
    tail = max(re.split(r"[_.:-]", token), key=len)
    return len(tail) >= SHORTEST_TAIL and is_mixed(tail) and count_changes(tail) >= LEAST_CHANGES


def is_shuffled(token: str) -> bool:
    tail = re.split(r"[_-]", token)[-1]
    has_cases = any(char.islower() for char in tail) and any(char.isupper() for char in tail)
    has_digits = len(DIGIT_RUN.findall(tail)) > 1
    return has_cases and has_digits and count_changes(tail) >= MOST_CHANGES_OF_NAMES


def count_changes(token: str) -> float:
    """The share of places at which small letters, capitals and digits give way to one another."""
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" for char in token]
    return sum(one != other for one, other in pairwise(kinds)) / max(1, len(kinds) - 1)


SHORTEST_TAIL: Final = 12
# Random letters and digits change at .6 of their places, hexadecimal ones at .47; "sizeEndCentDir64Locator" at .41.
LEAST_CHANGES, MOST_CHANGES_OF_NAMES = 0.25, 0.5
DIGIT_RUN: Final = re.compile(r"\d+")

FORMS: Final = (
    SecretForm(
        "private key",
        ("private key-----", "private key block-----"),
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}(?:-----END [A-Z ]{0,40}-----)?)?"
        ),
    ),
    SecretForm(
        "github token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(FRONT + r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{30,255})"),
    ),
    SecretForm(
        "gitlab token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"),
        re.compile(FRONT + r"gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_.-]{18,255}"),
    ),
    SecretForm("aws key", ("akia", "asia"), re.compile(FRONT + r"(?:AKIA|ASIA)[A-Z0-9]{16}" + BACK)),
    SecretForm(
        "aws secret",
        ("secret",),
        re.compile(
            r"(?i)(?:aws|secret)[ _-]?(?:secret[ _-]?)?access[ _-]?key\W{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"
        ),
    ),
    SecretForm("google key", ("aiza",), re.compile(FRONT + r"AIza[A-Za-z0-9_-]{30,60}")),
    SecretForm("google key", ("gocspx-",), re.compile(FRONT + r"GOCSPX-[A-Za-z0-9_-]{20,60}")),
    SecretForm("google token", ("ya29.",), re.compile(FRONT + r"ya29\.[A-Za-z0-9_-]{20,300}")),
    SecretForm(
        "slack token",
        ("xox", "xapp-", "hooks.slack.com/"),
        re.compile(
            FRONT + r"(?:xox[abeoprs][.-][A-Za-z0-9.-]{10,255}|xapp-\d-[A-Za-z0-9-]{20,255})"
            r"|(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,100}"
        ),
    ),
    SecretForm(
        "stripe key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        re.compile(FRONT + r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{10,255}"),
    ),
    SecretForm("anthropic key", ("sk-ant-",), re.compile(FRONT + r"sk-ant-[A-Za-z0-9_-]{16,255}"), is_mixed),
    SecretForm("openai key", ("sk-",), re.compile(FRONT + r"sk-(?!ant-)[A-Za-z0-9_-]{20,255}"), is_mixed),
    SecretForm("telegram token", (":aa",), re.compile(r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,36}")),
    SecretForm("npm token", ("npm_",), re.compile(FRONT + r"npm_[A-Za-z0-9]{30,60}"), is_mixed),
    SecretForm("pypi token", ("pypi-",), re.compile(FRONT + r"pypi-[A-Za-z0-9_-]{40,300}")),
    SecretForm(
        "hugging face token", ("hf_", "api_org_"), re.compile(FRONT + r"(?:hf_|api_org_)[A-Za-z0-9]{30,60}" + BACK)
    ),
    SecretForm("sendgrid key", ("sg.",), re.compile(FRONT + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}")),
    SecretForm("digitalocean token", ("do", "_v1_"), re.compile(FRONT + r"do[opr]_v1_[a-f0-9]{40,80}")),
    SecretForm("commonplace key", ("cpl_", "cpa_", "cpr_"), re.compile(FRONT + r"cp[lar]_[A-Za-z0-9_-]{40,60}")),
    SecretForm(
        "api key", ISSUED, re.compile(FRONT + rf"(?i:{'|'.join(map(re.escape, ISSUED))})[\w.-]{{16,255}}"), is_issued
    ),
    SecretForm("api key", ("-us",), re.compile(FRONT + r"[0-9a-f]{32}-us\d{1,2}" + BACK)),
    SecretForm("api key", ("sk",), re.compile(FRONT + r"SK[0-9a-f]{32}" + BACK)),
    SecretForm("discord token", (".",), re.compile(FRONT + r"[MNO][A-Za-z0-9]{23,27}\.[\w-]{6}\.[\w-]{27,40}" + BACK)),
    SecretForm(
        "webhook",
        ("/webhooks/", "/webhook/", "/hooks/catch/"),
        re.compile(r"(?<=/)(?:web)?hooks?/[\w@/-]{20,300}"),
        is_mixed,
    ),
    SecretForm("private key", ("age-secret-key-",), re.compile(r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}")),
    # Whoever issues it: letters of both cases and digits, changing more often than in any name or path.
    SecretForm(
        "key", (), re.compile(r"(?<![\w/+.=-])(?:[A-Za-z]{2,12}[_-]){0,3}[A-Za-z0-9]{20,200}(?![\w/+=-])"), is_shuffled
    ),
    # Bounded: of "eyJ-eyJ-..." every beginning would be read to the end.
    SecretForm(
        "web token",
        ("eyj",),
        re.compile(
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}(?:\.[A-Za-z0-9_-]{5,2000}){0,3}"
        ),
    ),
    SecretForm(
        "password in an address",
        ("://",),
        re.compile(r"(?<=://)[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>]{2,200})@(?=[\w\[$])"),
        is_no_placeholder,
    ),
    SecretForm(
        "credential",
        ("basic ", "bearer "),
        re.compile(r"(?i)\b(?:basic|bearer)\s([A-Za-z0-9+/=_.~-]{16,1000})(?![A-Za-z0-9])"),
        is_opaque,
    ),
    SecretForm(
        "password",
        ("-u ", "--user"),
        re.compile(r"(?:\s-u|--user)[ =]['\"]?[\w.@-]{1,64}:([^\s'\"]{3,100})"),
        is_no_placeholder,
    ),
    SecretForm(
        "password",
        (";password=", "; password=", ";pwd="),
        re.compile(r"(?i);\s?(?:password|pwd)=([^;\s\"']{3,100})"),
        is_no_placeholder,
    ),
    SecretForm(
        "password", ("sshpass", "mysql"), re.compile(r"(?:sshpass|mysql\w{0,10}) [^|;\n]{0,80}?-p([^\s'\"-]{4,60})")
    ),
    SecretForm(
        "payment card number",
        (),
        re.compile(r"(?<![\w.+-])(?:\d[ .\-_/]?){12,18}\d(?![\w-]|\.\d)"),
        is_card,
    ),
    SecretForm(
        "bank account number",
        (),
        re.compile(
            r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])",
            re.IGNORECASE,
        ),
        is_iban,
    ),
)
# A run as long as the shortest card, account or key without a sign needs: most texts have none.
LONG_NUMBER: Final = re.compile(r"\d{2}(?:[ .\-_/]?[A-Za-z0-9]){8}|(?<![A-Za-z0-9])[A-Za-z0-9]{20}")


# Ids of memories and turns: one in five hundred passed for an account number, and the call that named it failed.
UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
UUID_CHARS: Final = 36


def is_of_uuid(text: str, start: int, end: int, *, has_sign: bool) -> bool:
    """Whether a find lies in an id, or shares characters with one where no sign but its form speaks for it."""
    around = UUID.search(text, max(0, start - UUID_CHARS), end + UUID_CHARS)
    if around is None or around.start() >= end or around.end() <= start:
        return False
    return not has_sign or (around.start() <= start and end <= around.end())


def find_forms(text: str, lowered: str) -> Iterator[SecretSpan]:
    """``lowered`` is the text in lower case, whatever its length: it is asked for signs only."""
    has_number: bool | None = None
    for form in FORMS:
        if form.signs:
            if not any(sign in lowered for sign in form.signs):
                continue
        else:
            if has_number is None:
                has_number = LONG_NUMBER.search(text) is not None
            if not has_number:
                continue
        group = 1 if form.pattern.groups else 0
        for match in form.pattern.finditer(text):
            is_found = form.is_valid is None or form.is_valid(match[group])
            # What stands behind a sign ("Bearer ...") may be an id and a secret.
            if is_found and (group or not is_of_uuid(text, *match.span(), has_sign=bool(form.signs))):
                yield SecretSpan(match.start(group), match.end(group), form.kind, rank=0)
