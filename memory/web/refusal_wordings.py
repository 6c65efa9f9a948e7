"""What was wrong with something that was handed in, in the language of whoever looks; programs are answered in English.

Rules are written where they are checked, in rooms that know no page, and what is wrong with a document is kept with its
job. Pure: a sentence in, a sentence out. What has no words here, a name in it say, stays as it was written.
"""

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.translation import gettext_noop, pgettext_lazy

from memory.web.labels import name_secret, name_tier, name_word
from memory.web.quantities import localize_figure
from memory.web.sentences import compile_sentences, say_sentence
from memory.web.wordings import translate as _
from memory.web.yaml_wordings import word_yaml_problem

# Of the guard.
GUARDED: Final = (
    gettext_noop("{what}; the memory bank keeps facts, not orders"),
    gettext_noop("{what}; the memory bank keeps no secrets"),
    gettext_noop("claims an authority that no memory has"),
    gettext_noop("instructs whoever reads it"),
    gettext_noop("puts a wish into the person's mouth that would hand over data or control"),
    gettext_noop("tells whoever reads it what to recommend"),
    gettext_noop("imitates the marks around what a model is given"),
    gettext_noop("holds text that no page would show"),
    gettext_noop("spells words so that they are not read at once"),
    gettext_noop("hides a {rule} by another spelling"),
    gettext_noop("looks like it holds {secret}"),
    gettext_noop("reads as if it told a secret"),
    gettext_noop(
        "is a raw exchange or a turn of one; the memory bank keeps lasting statements, exchanges go to working"
    ),
    gettext_noop("is a joke; the memory bank keeps what is meant"),
    gettext_noop("supposes what is not so; the memory bank keeps what is"),
    gettext_noop("is gossip about people who are not close; the memory bank keeps what concerns the person"),
    gettext_noop("is common knowledge; the memory bank keeps what only this person can tell"),
    gettext_noop("will not hold tomorrow; the memory bank keeps what lasts"),
    gettext_noop("holds words to translate or to work on; the memory bank keeps what the person says of themselves"),
)
# Of texts, tags and facts.
WRITTEN: Final = (
    gettext_noop("control characters other than tab and newline are not allowed"),
    gettext_noop("lone surrogates are not valid text"),
    gettext_noop("must contain something to read"),
    gettext_noop("must be at most {most} characters, not {number}"),
    gettext_noop("a tag {what}"),
    gettext_noop("at most {most} tags, not {number}"),
    gettext_noop("only memory_bank items can always be injected"),
    gettext_noop("words of a document or tool can never always be injected"),
    gettext_noop("words of a document or tool cannot be stored into {tier}; only into working or books"),
    gettext_noop("is not the one this key or this request is confined to"),
    gettext_noop("this holds a secret, which is no fact about a person"),
    gettext_noop("this is an order to the assistant, which is no fact about a person"),
    gettext_noop("the memory bank is full of what people wrote; archive something there first"),
    gettext_noop("must not be before valid_from"),
)
# Of documents, whole sentences.
DOCUMENTS: Final = (
    gettext_noop("There is nothing to read in it."),
    gettext_noop("It would make more than {number} passages."),
    gettext_noop("The document holds a secret ({secrets}) on page {page}, which this key refuses."),
    gettext_noop("The document holds a secret ({secrets}) on passage {number}, which this key refuses."),
    gettext_noop("The document unpacks to more than {most} MiB, or to more than {ratio} times its size."),
    gettext_noop("The archive inside the document has too many parts, or one twice."),
    gettext_noop("The archive inside the document has parts that no document has."),
    gettext_noop("The archive inside the document is damaged."),
    gettext_noop("The document is protected by a password."),
    gettext_noop("The document holds macros; save it as one without them."),
    gettext_noop("The text is longer than {number} characters."),
    gettext_noop("The tables have more than {number} cells with content."),
    gettext_noop("The file is larger than {number} bytes."),
    gettext_noop("There is no text in the document."),
    gettext_noop("There is no text in the page."),
    gettext_noop("The content is not text."),
    gettext_noop("The content is not text in any known encoding."),
    gettext_noop("The name says .{claimed}, but the content is not of that kind."),
    gettext_noop("The name says .{claimed}, but the content is {found}."),
    gettext_noop("The content is an older Office document; save it as docx or xlsx."),
    gettext_noop("The content is not a document: it is a program, picture or archive."),
    gettext_noop("The content is an archive, neither docx nor xlsx."),
    gettext_noop("The file is empty."),
    gettext_noop("Only these kinds can be read: {kinds}."),
    gettext_noop("The document is damaged."),
    gettext_noop("The PDF file is damaged."),
    gettext_noop("The workbook is damaged."),
    gettext_noop("The document has tables nested too deeply to be read."),
    gettext_noop("The document is nested too deeply to be read."),
    gettext_noop("The page is nested too deeply to be read."),
    gettext_noop("The file has {number} pages; {most} can be read."),
    gettext_noop("The pages hold no text; a scan needs its text recognised first."),
    gettext_noop("The sheets are too wide to be read."),
    gettext_noop("The document cannot be read."),
    gettext_noop("Reading the document takes too much computing time."),
    gettext_noop("Reading the document takes too much memory."),
    gettext_noop("Reading takes longer than {number} seconds."),
    gettext_noop("The document gives more text than can be kept."),
    gettext_noop("A passage of it cannot be stored: it {what}."),
    gettext_noop("Reading it was begun {number} times and came to no end; nothing of it was stored."),
    gettext_noop("Only a failed job can be tried again; this one is {state}."),
    gettext_noop("The file is no longer kept; hand it in again."),
    gettext_noop("This job is over: {state}."),
)
# Of a personality's file. The more special of two stands first.
PERSONALITIES: Final = (
    gettext_noop("has more than {number} bytes"),
    gettext_noop("has more than {number} values"),
    gettext_noop("has more than {number} entries; those from here are not used"),
    gettext_noop("the character {character} is not allowed"),
    gettext_noop("holds no template"),
    gettext_noop("anchors and aliases are not allowed: write the value out"),
    gettext_noop("merges are not allowed: write the values out"),
    gettext_noop("tags such as {tag} are not allowed"),
    gettext_noop("is not valid UTF-8"),
    gettext_noop("is not YAML: {problem}"),
    gettext_noop("is not YAML"),
    gettext_noop("must be a mapping with the sections identity and communication"),
    gettext_noop("has a second document"),
    gettext_noop("is nested deeper than {number} levels"),
    gettext_noop("a key must be a word"),
    gettext_noop("is given more than once"),
    gettext_noop("must have a letter or a digit"),
    gettext_noop("{name} is a preset, which cannot be changed: choose another name"),
    gettext_noop("a person has at most {number} templates: delete one first"),
    gettext_noop("is in use: choose another one first"),
    gettext_noop("is a preset, which cannot be deleted"),
    gettext_noop("is required"),
    gettext_noop("this section is required"),
    gettext_noop("this section is empty: nothing is said of it"),
    gettext_noop("this section is missing: nothing is said of it"),
    gettext_noop("an entry has at most {number} characters; this one is not used"),
    gettext_noop("must be a mapping of fields; it is not used"),
    gettext_noop("must be a mapping of fields"),
    gettext_noop("is no field of a personality and is not used"),
    gettext_noop("must be a single value; it is not used"),
    gettext_noop("must be a text; this entry is not used"),
    gettext_noop("must be a text: put it in quotes"),
    gettext_noop("must have at most {most} characters, not {number}"),
    gettext_noop("must be true or false; it is not used"),
    gettext_noop("must be one of: {names}; it is not used"),
)
# Of what somebody wants changed. The more special of two stands first.
CHANGED: Final = (
    gettext_noop("is a topic already; map the suggestion to it instead"),
    gettext_noop("must be a topic that is in use"),
    gettext_noop("is a {kind} already; change it instead"),
    gettext_noop("would be one of more than {number} terms"),
    gettext_noop("must be another {kind} that is in use"),
    gettext_noop("must be a word of a-z, 0-9 and _ that begins with a letter, at most {number}"),
    gettext_noop("must each hold a letter or a digit"),
    gettext_noop("there is none yet: report an outcome “worked”, or save a question"),
    gettext_noop("another one goes on; wait until it has ended"),
    gettext_noop("name from 1 to {number} memories that should be found"),
    gettext_noop("names a memory that this person does not have"),
    gettext_noop("a person has at most {number} saved questions; delete one first"),
    gettext_noop("is archived: restore it before it is shared"),
    gettext_noop("is given to active memories alone: restore it first"),
    gettext_noop("waits for review: confirm it before it is shared"),
    gettext_noop("is text from outside: vouch for it before it is shared"),
    gettext_noop("an organisation may have {number} endpoints; delete one first"),
    gettext_noop("must be some of {names}"),
    gettext_noop("must be 1-128 of A-Z a-z 0-9 _ . @ : + | -"),
    gettext_noop("must be 1-128 of A-Z a-z 0-9 _ . @ : / -"),
    gettext_noop("holds a secret, which is taken out of every request; the signature tells who sends"),
    gettext_noop("must be an address of at most {number} printable ASCII characters"),
    gettext_noop("is no address"),
    gettext_noop("must begin with https:// or http://"),
    gettext_noop("must not hold a name or password"),
    gettext_noop("must be a host, an optional port and a path"),
    gettext_noop("was decided by somebody else"),
    gettext_noop("its facts are gone"),
    gettext_noop("the fact is gone"),
    gettext_noop("the memory is gone"),
    gettext_noop("say why it failed"),
    gettext_noop("each failure has a reason of its own"),
    gettext_noop("belongs to {number} spaces already, as many as one person may"),
    gettext_noop("is the last curator: name another first, or delete the space"),
    gettext_noop("only a promotion, an archiving, becoming dormant or an edit can be taken back"),
    gettext_noop("this was taken back already"),
    gettext_noop("something came after it ({kind}); only the last change can be taken back"),
    gettext_noop("was not corrected or confirmed last: there is nothing to take back"),
    gettext_noop("this verdict is on an answer; a new one on the same answer takes its place"),
    gettext_noop("the verdict no longer stands"),
    gettext_noop("must be one of {names}"),
    gettext_noop("must be at most {number}"),
)
# Of who governs and who belongs where.
GOVERNED: Final = (
    gettext_noop("This takes the role {roles} in the space."),
    gettext_noop("this is the last owner: make somebody else an owner first"),
    gettext_noop("{name} is a member already"),
    gettext_noop("is no member any more"),
    gettext_noop("this suggestion is {decided}"),
)
# Of messages to other systems.
SENT: Final = (
    gettext_noop("It is on its way already."),
    gettext_noop("What it told of is no longer kept."),
    gettext_noop("The endpoint is disabled; enable it first."),
    gettext_noop("leads to a private address of this machine or network"),
    gettext_noop("names a host that is not known"),
    gettext_noop("names a host that cannot be looked up"),
)
# Of the settings of a search.
SEARCHED: Final = (
    gettext_noop("must be a whole number of at most {number}"),
    gettext_noop("must be a list of some of {names}"),
    gettext_noop("leaves neither of vector and lexical to search by"),
    gettext_noop("is none of {names}"),
    gettext_noop("must be slugs of spaces that the person belongs to"),
    gettext_noop("belongs to another agent or project"),
)
# The states of a suggestion that is decided.
DECIDED: Final = {
    "approved": pgettext_lazy("suggestion", "approved already"),
    "mapped": pgettext_lazy("suggestion", "mapped already"),
    "rejected": pgettext_lazy("suggestion", "rejected already"),
    "gone": pgettext_lazy("suggestion", "gone"),
}
# What the fields of a refusal are called; a path or a number is the same in every language.
FIELD_NAMES: Final = {
    "aliases": pgettext_lazy("field", "other names"),
    "member": pgettext_lazy("field", "member"),
    "name": pgettext_lazy("field", "name"),
    "preset": pgettext_lazy("field", "preset"),
    "replaced_by": pgettext_lazy("field", "replacement"),
    "role": pgettext_lazy("field", "role"),
    "topic": pgettext_lazy("field", "topic"),
}
# The guard's rules, behind its reasons.
GUARD_RULES: Final = {
    "false authority": pgettext_lazy("guard rule", "false authority"),
    "rule override": pgettext_lazy("guard rule", "rule override"),
    "planted preference": pgettext_lazy("guard rule", "planted preference"),
    "covert promotion": pgettext_lazy("guard rule", "covert promotion"),
    "fence": pgettext_lazy("guard rule", "fence"),
    "hidden text": pgettext_lazy("guard rule", "hidden text"),
    "disguise": pgettext_lazy("guard rule", "disguise"),
    "secret": pgettext_lazy("guard rule", "secret"),
    "raw turn": pgettext_lazy("guard rule", "raw turn"),
    "joke": pgettext_lazy("guard rule", "joke"),
    "supposition": pgettext_lazy("guard rule", "supposition"),
    "gossip": pgettext_lazy("guard rule", "gossip"),
    "world knowledge": pgettext_lazy("guard rule", "world knowledge"),
    "passing state": pgettext_lazy("guard rule", "passing state"),
    "exercise": pgettext_lazy("guard rule", "exercise"),
}
# Secrets that a text describes.
DESCRIBED: Final = {
    "an API key": pgettext_lazy("secret", "an API key"),
    "a password or code": pgettext_lazy("secret", "a password or code"),
    "a payment card number": pgettext_lazy("secret", "a payment card number"),
}
FORMS: Final = compile_sentences(
    (*DOCUMENTS, *PERSONALITIES, *WRITTEN, *CHANGED, *GUARDED, *GOVERNED, *SENT, *SEARCHED)
)


# What programs are told in the words of the API, and people in their own, English too.
PLAIN: Final = {
    "a memory_bank item needs at least one tag": _("a statement of the memory bank needs at least one tag"),
}


def word_refusal(text: str) -> str:
    reason, bracket, rule = text.removesuffix(")").rpartition(" (")
    if bracket and text.endswith(")") and rule in GUARD_RULES:
        return f"{word_refusal(reason)} ({GUARD_RULES[rule]})"
    text = str(PLAIN.get(text, text))
    said = say_sentence(text, FORMS, WORDED)
    return text if said is None else said


def name_field(field: str) -> str:
    return str(FIELD_NAMES.get(field, field))


def name_roles(roles: str) -> str:
    return str(_(" or ")).join(map(name_word, roles.split(" or ")))


def name_decided(state: str) -> str:
    return str(DECIDED.get(state, state))


def name_rule(rule: str) -> str:
    return str(GUARD_RULES.get(rule, rule))


def name_described(secret: str) -> str:
    return str(DESCRIBED[secret]) if secret in DESCRIBED else name_secret(secret)


def name_secrets(kinds: str) -> str:
    return ", ".join(map(name_secret, kinds.split(", ")))


WORDED: Final[Mapping[str, Callable[[str], str]]] = {
    "what": word_refusal,
    "rule": name_rule,
    "secret": name_described,
    "secrets": name_secrets,
    "tier": name_tier,
    "number": localize_figure,
    "most": localize_figure,
    "roles": name_roles,
    "decided": name_decided,
    "problem": word_yaml_problem,
    "kind": name_word,
}
