"""Lines with secrets and lines that only sound like them, in seven languages, in two halves of different phrasings.

Every secret is invented. Tokens of services are put together here, so that no scanner takes the files for a leak.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "secrets"
SECRET = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)
LETTERS = "k7Qz2mXp9LwR4tVb8NcY1hGd6JsF3eUa5oTi0KqZ2xWp7MvB4nRc"
TOKENS = {
    "github": "gh" + "p_" + LETTERS[:36],
    "github_fine": "github" + "_pat_" + LETTERS[:22] + "_" + LETTERS[:40],
    "gitlab": "gl" + "pat-" + LETTERS[:20],
    "aws_id": "AK" + "IA" + "QZ7X4MPL2WRT8VBN",
    "aws_secret": "wJ" + LETTERS[:38],
    "google": "AI" + "za" + LETTERS[:35],
    "slack": "xo" + "xb-" + "204817365501-" + LETTERS[:24],
    "stripe": "sk" + "_live_" + LETTERS[:24],
    "openai": "sk" + "-proj-" + LETTERS[:40],
    "anthropic": "sk" + "-ant-api03-" + LETTERS[:40],
    "telegram": "7204183655" + ":AA" + LETTERS[:33],
    "npm": "np" + "m_" + LETTERS[:36],
    "pypi": "py" + "pi-" + LETTERS + LETTERS[:20],
    "jwt": "ey" + "J" + LETTERS[:20] + "." + "ey" + "J" + LETTERS[:40] + "." + LETTERS[:32],
    "private_key": "-----BEGIN " + "PRIVATE KEY-----\n" + LETTERS + "\n" + LETTERS + "\n-----END " + "PRIVATE KEY-----",
}


@dataclass(frozen=True, slots=True)
class SecretLine:
    """``secrets`` are what must be gone; none in a harmless line."""

    language: str
    kind: str
    text: str
    secrets: tuple[str, ...]


def read_lines(half: str) -> Iterator[SecretLine]:
    for lines in read_voices(half).values():
        yield from lines


def read_voices(half: str) -> dict[str, list[SecretLine]]:
    """The lines by the comment above them: whoever writes them."""
    voices: dict[str, list[SecretLine]] = {}
    voice = ""
    for line in (FOLDER / f"{half}.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            voice = line.strip("# ")
        elif line:
            voices.setdefault(voice, []).append(parse_line(line))
    return voices


def parse_line(line: str) -> SecretLine:
    language, kind, text = line.split(" | ", 2)
    for name, token in TOKENS.items():
        text = text.replace(f"{{{name}}}", token)
    return SecretLine(language, kind, SECRET.sub(r"\1", text), tuple(SECRET.findall(text)))
