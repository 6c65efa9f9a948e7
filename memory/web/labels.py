"""What the console calls things. Pure: words only."""

from collections.abc import Iterable

from django.utils.translation import get_language_bidi, pgettext_lazy

from memory.tiers import Outcome, Tier, Trust
from memory.web.wordings import translate as _

TIER_NAMES = {
    Tier.WORKING: _("Working"),
    Tier.HISTORY: _("History"),
    Tier.PATTERNS: _("Patterns"),
    Tier.MEMORY_BANK: _("Memory bank"),
    Tier.BOOKS: _("Books"),
}
TRUST_NAMES = {
    Trust.EXTERNAL: _("words from outside"),
    Trust.ASSISTANT: _("an assistant's words"),
    Trust.USER: _("a person's words"),
}
OUTCOME_NAMES = {
    Outcome.WORKED: _("worked"),
    Outcome.PARTIAL: _("partly worked"),
    Outcome.FAILED: _("failed"),
    Outcome.UNKNOWN: _("unknown"),
}
# What an operator may say came of something.
VERDICTS = ((Outcome.WORKED, _("Worked")), (Outcome.PARTIAL, _("Partly")), (Outcome.FAILED, _("Failed")))
SIGNAL_NAMES = {
    "thanks": _("thanked"),
    "corrects": _("corrected"),
    "repeats": _("asked again"),
    "tool_error": _("a tool failed"),
    "tool_timeout": _("a tool ran out of time"),
}
# What the guard takes a text for.
WARNING_NAMES = {
    "secret": _("a secret"),
    "false authority": _("a claim of authority"),
    "rule override": _("an order to the assistant"),
    "planted preference": _("a wish that somebody planted"),
    "covert promotion": _("advertising"),
    "disguise": _("something in disguise"),
    "raw turn": _("a turn of a conversation"),
    "joke": _("a joke"),
    "supposition": _("a supposition"),
    "gossip": _("gossip"),
    "world knowledge": _("common knowledge"),
    "passing state": _("something that holds only today"),
    "exercise": _("words to work on"),
}
# What the guard took out of a text, by the kind in its mark.
SECRET_NAMES = {
    "api key": pgettext_lazy("secret", "API key"),
    "bank account number": pgettext_lazy("secret", "bank account number"),
    "code": pgettext_lazy("secret", "code"),
    "credential": pgettext_lazy("secret", "credential"),
    "key": pgettext_lazy("secret", "key"),
    "national number": pgettext_lazy("secret", "national number"),
    "one time code": pgettext_lazy("secret", "one-time code"),
    "passphrase": pgettext_lazy("secret", "passphrase"),
    "password": pgettext_lazy("secret", "password"),
    "password in an address": pgettext_lazy("secret", "password in an address"),
    "payment card number": pgettext_lazy("secret", "payment card number"),
    "pin": pgettext_lazy("secret", "PIN"),
    "private key": pgettext_lazy("secret", "private key"),
    "recovery code": pgettext_lazy("secret", "recovery code"),
    "security answer": pgettext_lazy("secret", "security answer"),
    "security code": pgettext_lazy("secret", "security code"),
    "seed phrase": pgettext_lazy("secret", "seed phrase"),
    "web token": pgettext_lazy("secret", "web token"),
    "webhook": pgettext_lazy("secret", "webhook"),
    "wifi password": pgettext_lazy("secret", "wifi password"),
}
# What a service issues has the service's name in front: "github token".
ISSUED_NAMES = {
    "key": pgettext_lazy("secret", "{service} key"),
    "secret": pgettext_lazy("secret", "{service} secret"),
    "token": pgettext_lazy("secret", "{service} token"),
}
SERVICE_NAMES = {
    "anthropic": "Anthropic",
    "aws": "AWS",
    "commonplace": "Commonplace",
    "digitalocean": "DigitalOcean",
    "discord": "Discord",
    "github": "GitHub",
    "gitlab": "GitLab",
    "google": "Google",
    "hugging face": "Hugging Face",
    "npm": "npm",
    "openai": "OpenAI",
    "pypi": "PyPI",
    "sendgrid": "SendGrid",
    "slack": "Slack",
    "stripe": "Stripe",
    "telegram": "Telegram",
}
# Words that are kept or computed as codes and shown as they are. Of degrees apart, as languages inflect them otherwise.
DEGREES = {
    "high": pgettext_lazy("confidence", "high"),
    "medium": pgettext_lazy("confidence", "medium"),
    "low": pgettext_lazy("confidence", "low"),
}
WORDS = {
    "simple": pgettext_lazy("task", "simple"),
    "complex": pgettext_lazy("task", "complex"),
    "read": _("read"),
    "write": _("write"),
    "admin": _("admin"),
    "text": _("text"),
    "texts": _("texts"),
    "number": _("number"),
    "word": _("word"),
    "block": _("block"),
    "reader": _("reader"),
    "writer": _("writer"),
    "curator": _("curator"),
    **{outcome.value: name for outcome, name in OUTCOME_NAMES.items()},
    "active": _("active"),
    "archived": _("archived"),
    "dormant": _("dormant"),
    "saved": _("saved"),
    "turn": _("turn"),
    "stored": _("stored"),
    "reinforced": _("reinforced"),
    "retracted": _("retracted"),
    "superseded": _("superseded"),
    "ignored": _("ignored"),
    "dropped": _("dropped"),
    "sample": pgettext_lazy("comparison", "by sample"),
    "full": pgettext_lazy("comparison", "in full"),
    "person": _("person"),
    "topic": _("topic"),
    "category": _("category"),
    "place": pgettext_lazy("what is named", "place"),
    "organisation": pgettext_lazy("what is named", "organisation"),
    "project": pgettext_lazy("what is named", "project"),
    "tool": pgettext_lazy("what is named", "tool"),
    "product": pgettext_lazy("what is named", "product"),
    "thing": pgettext_lazy("what is named", "thing"),
    "dataset": pgettext_lazy("what is named", "data set"),
    "docker": pgettext_lazy("kind of work", "containers"),
    "datagov_query": pgettext_lazy("kind of work", "open data"),
    "debugging": pgettext_lazy("kind of work", "debugging"),
    "coding_help": pgettext_lazy("kind of work", "programming"),
    "doc_rag": pgettext_lazy("kind of work", "reading documents"),
    "writing": pgettext_lazy("kind of work", "writing"),
    "planning": pgettext_lazy("kind of work", "planning"),
    "personal": pgettext_lazy("kind of work", "personal matters"),
    "general": pgettext_lazy("kind of work", "anything else"),
}
ARROW = pgettext_lazy("between what was and what is", "→")
# By kind, before a name; parts of the product have no other name.
ACTORS = {"key": _("API key"), "operator": _("operator"), "command": _("command")}
PARTS = {
    "consolidation": _("consolidation"),
    "conversation": _("the conversation"),
    "detector": _("language model"),
    "import": _("import"),
    "model": _("language model"),
    "person": _("the person"),
    "profile": _("reading of conversations"),
    "promotion": _("promotion"),
}


def name_word(code: str) -> str:
    """In the language of whoever looks; a code that is not known, a kind of work say, as it is."""
    return str(WORDS.get(code) or DEGREES.get(code) or code)


def draw_arrow() -> str:
    """The way one reads, whatever the words on either side: the marks around it keep them from turning it about."""
    mark = "\N{RIGHT-TO-LEFT MARK}" if get_language_bidi() else "\N{LEFT-TO-RIGHT MARK}"
    return f"{mark}{ARROW}{mark}"


def name_tier(tier: str) -> str:
    return str(TIER_NAMES[Tier(tier)]) if tier in set(Tier) else tier


def name_secret(kind: str) -> str:
    """In the language of whoever looks; a kind that is none of the guard's, written by somebody say, as it is."""
    if kind in SECRET_NAMES:
        return str(SECRET_NAMES[kind])
    service, _blank, issued = kind.rpartition(" ")
    if service in SERVICE_NAMES and issued in ISSUED_NAMES:
        return str(ISSUED_NAMES[issued]).format(service=SERVICE_NAMES[service])
    return kind


def describe_warnings(rules: Iterable[str]) -> str:
    return str(_(" and ")).join(str(WARNING_NAMES.get(rule, rule)) for rule in rules)


def describe_actor(actor: str) -> str:
    """Who did something: an API key, an operator, or a part of the product by its own name."""
    # Actors are stored as kind and name, which the product's own parts do without.
    kind, colon, name = actor.partition(":")
    return f"{ACTORS[kind]} {name}" if colon and kind in ACTORS else str(PARTS.get(actor) or actor.replace("_", " "))
