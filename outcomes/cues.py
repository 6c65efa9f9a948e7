"""Implicit signals in what a user says next: thanks, corrections, repeated questions. Pure: text in, cues out.

In English, Hebrew, Spanish, French, German and Italian. Cues are only looked for at the start of a message, where
people react before they go on. An ambiguous cue is read as the more negative one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.language import extract_terms

THANKS = "thanks"
CORRECTS = "corrects"
REPEATS = "repeats"

OPENING = 160
"""Characters at the start of a message that are searched for a reaction."""
LONGEST_EVIDENCE = 200
SAME_QUESTION = 0.7
"""Share of words two messages have in common from which the later one asks again."""
FEWEST_WORDS = 2

CORRECTIONS = {
    "en": r"\b(?:that|this|it)(?:'s| is| was) (?:still )?(?:wrong|incorrect|not (?:right|correct|true|what i|it\b|how))"
    r"|\b(?:does|did|do|is|was)(?:n't| not) (?:work|help|right|correct|what i (?:asked|meant|wanted|said))"
    r"|\bstill (?:broken|failing|fails|wrong|not working|the same (?:error|problem))"
    r"|^(?:wrong|incorrect)\b|\byou(?:'re| are) (?:wrong|mistaken)\b|\byou misunderstood\b"
    r"|^actually,|\bi (?:meant|said)\b|\bthat(?:'s| is) not what\b",
    "he": r"\bלא נכון\b|\bזה לא (?:נכון|עובד|עבד|עזר|מה ש|זה)|\bלא (?:עובד|עבד|עזר)\b"
    r"|\bטעית\b|^טעות\b|\bהתכוונתי\b|\bלא (?:הבנת|לזה)\b|\bעדיין לא\b",
    "es": r"\bno (?:funciona|funcionó|sirve|sirvió|es (?:así|correcto|cierto|eso|lo que))"
    r"|\b(?:está|eso está) mal\b|^(?:mal|incorrecto|falso)\b|\bquise decir\b|\bte equivocas\b|\bme refería\b"
    r"|\bsigue (?:sin|fallando|igual)\b",
    "fr": r"\b(?:ce n'est|c'est) pas (?:ça|correct|juste|vrai|ce que)|\b(?:ne )?(?:marche|fonctionne) pas\b"
    r"|\bn'a pas (?:marché|fonctionné|aidé)\b|\bc'est faux\b|^faux\b|\bje voulais dire\b|\b(?:tu te trompes|vous vous "
    r"trompez)\b|\btoujours (?:pas|la même erreur)\b",
    "de": r"\b(?:das )?stimmt (?:so )?nicht\b|\b(?:funktioniert|klappt|geht) (?:immer noch )?"
    r"nicht\b|\bhat nicht (?:funktioniert|geklappt|geholfen)\b|\bdas ist (?:falsch|nicht (?:richtig|was ich))"
    r"|^falsch\b|\bich meinte\b|\bdu (?:irrst|liegst falsch)\b|\bimmer noch (?:nicht|derselbe)\b",
    "it": r"\bnon (?:funziona|va|ha funzionato|serve|è (?:così|corretto|giusto|vero|quello))"
    r"|\b(?:è|hai) sbagliato\b|^sbagliato\b|\bvolevo dire\b|\bintendevo\b|\bti sbagli\b|\bancora (?:non|lo stesso)\b",
}
REFUSAL = re.compile(
    r"^(?:no|nope|nah|non|nein|nö|nee|לא)(?=[,.!:;]|\s+(?:that|it|this|i|the|not|you)\b)"
    r"(?!\s*[,.!]?\s*(?:thanks|thank|problem|worries|gracias|merci|danke|grazie|תודה))"
)
"""A bare no: a correction, unless it answers a question."""
GRATITUDE = {
    "en": r"\b(?:thanks|thank you|thx|cheers|much appreciated)\b|\b(?:that|it|this)(?: finally)? (?:worked|works|"
    r"helped|did it|solved it|fixed it)\b|^(?:perfect|awesome|brilliant|excellent|amazing|wonderful)\b",
    "he": r"\bתודה\b|\b(?:זה )?(?:עובד|עבד)\b|^(?:מעולה|מצוין|מושלם|אדיר)(?:\b|$)|\bעזרת\b|\bזה עזר\b",
    "es": r"\bgracias\b|\b(?:funciona|funcionó|sirvió)\b|^(?:perfecto|excelente|genial|estupendo)\b",
    "fr": r"\bmerci\b|\b(?:ça|cela) (?:marche|fonctionne|a marché|a fonctionné)\b|^(?:parfait|super|génial)\b",
    "de": r"\b(?:danke|vielen dank|dankeschön)\b|\b(?:hat geklappt|hat funktioniert|funktioniert jetzt|klappt jetzt)\b"
    r"|^(?:perfekt|super|prima|ausgezeichnet|toll)\b",
    "it": r"\bgrazie\b|\b(?:funziona|ha funzionato)\b|^(?:perfetto|ottimo|eccellente|fantastico)\b",
}
BEFOREHAND = re.compile(
    r"\bin advance\b|\bpor adelantado\b|\bde antemano\b|\bd'avance\b|\bim voraus\b|\bin anticipo\b|\bמראש\b"
)
"""Thanks in advance, which say nothing about the answer before."""
CORRECTION = re.compile("|".join(f"(?:{pattern})" for pattern in CORRECTIONS.values()))
THANK = re.compile("|".join(f"(?:{pattern})" for pattern in GRATITUDE.values()))

_SMALL_TALK = """
a all again and are bye cheers cool day do evening fine good goodbye great ha haha hello hey hi how i is it k later
lol lot morning much nice night nope ok okay oh perfect please right see so super sure thank thanks that thx ty
understood very well wow yeah yep yes you no got noted awesome
buenas buenos dias noches tardes gracias hola muchas vale si claro adios perfecto bien de nada
bonjour bonsoir salut merci beaucoup oui non d'accord ca va bien parfait au revoir super
hallo guten tag morgen abend danke vielen dank ja nein gut alles klar tschuss bitte sehr prima perfekt
ciao buongiorno buonasera grazie mille si va bene perfetto arrivederci prego
שלום היי תודה רבה כן לא בסדר טוב מעולה אוקיי ביי בוקר ערב לילה סבבה מצוין
"""
SMALL_TALK = frozenset(_SMALL_TALK.split())
LONGEST_SMALL_TALK = 8
APOSTROPHES = str.maketrans("’‘´", "'''")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
MARKS = str.maketrans("’‘´üáàíìç", "'''uaaiic")


@dataclass(frozen=True, slots=True)
class OutcomeCue:
    """``back`` says how many messages ago the thing it speaks of was said: 0 for the last one."""

    kind: str
    evidence: str
    back: int = 0


def find_cues(message: str, before: Sequence[str], answer: str = "") -> list[OutcomeCue]:
    """The cues in a message about the answers before it.

    ``before`` are the user's own earlier messages, newest first, ``answer`` is what the message reacts to.
    """
    if not before:
        return []
    found: list[OutcomeCue] = []
    opening = message.translate(APOSTROPHES).strip()[:OPENING].casefold()
    questioned = answer.rstrip().endswith(("?", "؟"))
    if wrong := CORRECTION.search(opening) or (None if questioned else REFUSAL.search(opening)):
        found.append(OutcomeCue(CORRECTS, wrong[0].strip()))
    elif (glad := THANK.search(opening)) and not BEFOREHAND.search(opening):
        found.append(OutcomeCue(THANKS, glad[0].strip()))
    if not is_small_talk(message) and (again := find_repeated_question(message, before)) is not None:
        found.append(OutcomeCue(REPEATS, before[again][:LONGEST_EVIDENCE], again))
    return found


def find_repeated_question(message: str, before: Sequence[str]) -> int | None:
    """The position of the latest earlier message that asked the same."""
    said = set(extract_terms(message[:2_000]))
    if len(said) < FEWEST_WORDS:
        return None
    for back, earlier in enumerate(before):
        words = set(extract_terms(earlier[:2_000]))
        if words and len(said & words) / len(said | words) >= SAME_QUESTION:
            return back
    return None


def is_small_talk(message: str) -> bool:
    """Whether it is a greeting, thanks or an acknowledgement, which needs no outcome."""
    words = [word.translate(MARKS) for word in WORD.findall(message.casefold().translate(MARKS))]
    return len(words) <= LONGEST_SMALL_TALK and all(word in SMALL_TALK for word in words)
