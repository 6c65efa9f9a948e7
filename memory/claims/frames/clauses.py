"""Cuts a turn into clauses: at marks, joints and relative words, and where speech runs on without any."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memory.claims.frames.numerals import read_number
from memory.claims.frames.participles import is_participle
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import HotWords
from memory.claims.taxonomy import ANIMALS

ENDS: Final = frozenset(".!?…\n")
JOINTS: Final = ("conj", "but", "sub", "if", "rel", "that")
VERBS: Final = ("verb", "frame", "named", "modal", "be 1", "be 3", "have 1", "have 3", "calls another")
FIRST: Final = ("be 1", "have 1")
# Before these a word that may be a verb is none: "my work", "the drive", "to live".
AS: Final = frozenset({"as", "como", "comme", "als", "come", "כ"})
LONGEST_ASKING: Final = 4
# Words of "la mia padrona di casa", and of a name.
LONGEST_OWNED: Final = 5
LONGEST_NAME: Final = 3
INTRODUCING: Final = ("conj", "but", "adv", "greets", "sub")
NO_VERB_AFTER: Final = ("det", "my", "his", "to", "of")


@dataclass(slots=True)
class HotClause:
    """``link`` is how it hangs on what stands before it: a mark, or the class of its first word."""

    tokens: list[HotToken]
    link: str
    is_asking: bool = False
    sentence: int = 0
    # A clause without a verb, which names what the next goes on about: "my sister Ana, she lives in Leeds".
    is_bare: bool = False
    # What "let's say" stands before: of the rest of its sentence nothing is so.
    is_supposed: bool = False
    text: str = field(default="", init=False)

    def __post_init__(self) -> None:
        spoken = " ".join(
            ["", *("·" if token.is_name else token.text for token in self.tokens if not token.is_mark), ""]
        )
        self.text = spoken.replace("-", " ")

    def says(self, phrases: Sequence[str]) -> bool:
        return any(phrase in self.text for phrase in phrases)

    def opens(self, phrases: Sequence[str]) -> bool:
        return self.text.startswith(tuple(phrases))


def cut_turn(tokens: Sequence[HotToken], words: HotWords) -> list[HotClause]:
    clauses: list[HotClause] = []
    sentence: list[HotToken] = []
    number = 0
    for token in [*tokens, None]:
        if token is None or (token.is_mark and token.text[0] in ENDS):
            if any(not one.is_mark for one in sentence):
                is_asking = (token is not None and "?" in token.text) or any(one.text == "¿" for one in sentence)
                clauses += cut_sentence(sentence, words, number, is_asking=is_asking)
                number += 1
            sentence = []
        else:
            sentence.append(token)
    return join_answers(clauses)


def mark_supposed(clauses: Sequence[HotClause], words: HotWords) -> None:
    """ "Let's say I live in Tokyo and earn more", "digamos que vivo en Lugo": a phrase may lie over two clauses."""
    sentence = -1
    for at, clause in enumerate(clauses):
        first = next((place for place, token in enumerate(clause.tokens) if not token.has(*INTRODUCING)), 0)
        behind = [one.text for one in clauses[at + 1 : at + 2] if one.sentence == clause.sentence]
        said = [HotClause(clause.tokens[first:], clause.link).text, *behind]
        if f" {' '.join(' '.join(said).split())} ".startswith(words.phrases["suppose"]):
            sentence = clause.sentence
        clause.is_supposed = clause.sentence == sentence


def join_answers(clauses: Sequence[HotClause]) -> list[HotClause]:
    """ "Favourite colour? Blue." asks nobody: who asks answers."""
    found: list[HotClause] = []
    for clause in clauses:
        before = found[-1] if found else None
        is_answer = before is not None and before.is_asking and before.is_bare and clause.is_bare
        if before is not None and is_answer and not clause.is_asking and names_favorite(before.tokens):
            found[-1] = HotClause([*before.tokens, *clause.tokens], before.link, False, clause.sentence)  # noqa: FBT003
        else:
            found.append(clause)
    return found


def names_favorite(tokens: Sequence[HotToken]) -> bool:
    return any(token.has("favorite") or token.plain.startswith("lieblings") for token in tokens)


def cut_sentence(tokens: list[HotToken], words: HotWords, number: int, *, is_asking: bool) -> list[HotClause]:
    cut = join_apposed_subjects(return_tails(cut_pieces(tokens, words), words.language), words)
    pieces = join_topics(join_pieces(cut, words, is_asking=is_asking))
    found: list[HotClause] = []
    for link, piece in pieces:
        for at, part in enumerate(cut_run_on(piece, words)):
            has_verb = any(is_verb(part, place) for place in range(len(part)))
            found.append(HotClause(part, link if at == 0 else "", is_asking, number, not has_verb))
    return found


def cut_pieces(tokens: list[HotToken], words: HotWords) -> list[tuple[str, list[HotToken]]]:
    pieces: list[tuple[str, list[HotToken]]] = []
    current: list[HotToken] = []
    link = "start"
    for at, token in enumerate(tokens):
        joint = find_joint(tokens, at, words)
        if joint and (current or link == "start" or token.is_mark):
            if any(not one.is_mark for one in current):
                pieces.append((link, current))
                current = []
                link = joint
            elif joint == "if" or (joint != "mark" and link != "start"):
                link = joint
        current.append(token)
    if any(not one.is_mark for one in current):
        pieces.append((link, current))
    return pieces


def find_joint(tokens: Sequence[HotToken], at: int, words: HotWords) -> str:
    token = tokens[at]
    if token.is_mark:
        return "mark"
    kind = next((kind for kind in JOINTS if kind in token.classes), "")
    # "Que" and "that" join only where a verb follows soon; else they compare or point.
    if kind in {"rel", "that"} and not any(is_verb(tokens, place) for place in range(at + 1, min(at + 5, len(tokens)))):
        return ""
    # "Arbeite nachts als Wachmann": what somebody is, and no clause.
    if kind == "sub" and token.text in AS and not any(is_verb(tokens, place) for place in range(at + 1, len(tokens))):
        return ""
    if kind == "rel" and words.language == "de" and not (at and tokens[at - 1].is_mark):
        return ""
    return kind


def is_verb(tokens: Sequence[HotToken], at: int) -> bool:
    token = tokens[at]
    if not token.has(*VERBS):
        return False
    before = tokens[at - 1] if at else None
    if before is None or token.has("be 1", "be 3", "have 1", "have 3"):
        return True
    # "I like that" and "which I like": a pronoun before it makes it a verb whatever it is.
    return not before.has(*NO_VERB_AFTER) or before.has("i", "he", "she", "they", "it", "clitic")


def join_pieces(
    pieces: Sequence[tuple[str, list[HotToken]]], words: HotWords, *, is_asking: bool
) -> list[tuple[str, list[HotToken]]]:
    """A piece without a verb goes on with what stands before it: the rest of a list, an apposition."""
    found: list[tuple[str, list[HotToken]]] = []
    for at, (link, piece) in enumerate(pieces):
        has_verb = any(is_verb(piece, place) for place in range(len(piece)))
        is_alone = link in {"if", "but"} or begins_wishing(piece, words) or is_further(pieces, at)
        is_alone = is_alone or (is_asking and begins_asking(piece, words))
        goes_on = found and any(is_verb(found[-1][1], at) for at in range(len(found[-1][1])))
        if (
            found
            and not has_verb
            and not is_alone
            and (goes_on or (link == "mark" and names(found[-1][1], piece, words.nouns)))
        ):
            found[-1][1].extend(piece)
        elif found and link == "conj" and not any(is_verb(found[-1][1], at) for at in range(len(found[-1][1]))):
            # "Me and my mate ran": what stands before the joint is half of the subject.
            found[-1] = (found[-1][0], [*found[-1][1], *piece])
        else:
            found.append((link, list(piece)))
    return found


def return_tails(pieces: Sequence[tuple[str, list[HotToken]]], language: str) -> list[tuple[str, list[HotToken]]]:
    """ "Tengo un gato que se llama Chispas y dos periquitos": what is counted on belongs to the verb of having."""
    found: list[tuple[str, list[HotToken]]] = []
    for link, piece in pieces:
        is_named = len(found) > 1 and found[-1][0] == "rel" and any(one.has("named") for one in found[-1][1])
        having = next((one for one in found[-2][1] if one.has("have 1")), None) if is_named else None
        if having is not None and link == "conj" and is_counted(piece, language):
            piece = [having, *piece[1:]]
        found.append((link, piece))
    return found


def is_counted(piece: Sequence[HotToken], language: str) -> bool:
    """ "And two budgies", "y una tortuga": how many, and no verb."""
    if len(piece) <= 2 or is_any_verb(piece):
        return False
    return piece[1].has("one") or read_number(piece, 1, len(piece), language) is not None


def join_apposed_subjects(
    pieces: Sequence[tuple[str, list[HotToken]]], words: HotWords
) -> list[tuple[str, list[HotToken]]]:
    """ "... y su novia, Aitana, es enfermera", "Mog, my old tabby, is 12": one clause, not three."""
    found: list[tuple[str, list[HotToken]]] = []
    at = 0
    while at < len(pieces):
        link, piece = pieces[at]
        if at + 2 < len(pieces) and is_apposed_subject([one for _, one in pieces[at : at + 3]], words):
            piece = [*piece, *pieces[at + 1][1], *pieces[at + 2][1]]
            at += 2
        found.append((link, list(piece)))
        at += 1
    return found


def is_apposed_subject(pieces: Sequence[Sequence[HotToken]], words: HotWords) -> bool:
    owner, name, predicate = ([token for token in piece if not token.is_mark] for piece in pieces)
    if owner and is_own_name(owner):
        owner, name = name, owner
    owned = [token for token in owner if not token.has("conj", "but")]
    marks = [piece[0].text for piece in pieces[1:]]
    if marks != [",", ","] or not owned or not predicate or not owned[0].has("my", "his") or is_any_verb(owned):
        return False
    return (
        any(token.plain in words.nouns for token in owned)
        and is_own_name(name)
        and is_verb(predicate, 0)
        and predicate[0].has("be 3", "have 3", "frame", "verb")
    )


def is_any_verb(tokens: Sequence[HotToken]) -> bool:
    return any(is_verb(tokens, at) for at in range(len(tokens)))


def names(before: Sequence[HotToken], piece: Sequence[HotToken], nouns: Mapping[str, str]) -> bool:
    """ "My youngest, Ivy, ...", "la mia padrona di casa, la signora Ottaviani, ...": a name beside whose it is."""
    spoken = [token for token in piece if not token.is_mark and not token.has("det")]
    owned = [token for token in before if not token.is_mark]
    # "The dog, Alfie, is nine": one's own.
    is_pet = len(owned) == 2 and owned[0].has("det") and owned[1].plain in nouns and nouns[owned[1].plain] in ANIMALS
    is_owned = len(owned) <= LONGEST_OWNED and (is_pet or any(token.has("my") for token in owned[:2]))
    return is_owned and is_own_name(spoken)


def is_own_name(tokens: Sequence[HotToken]) -> bool:
    spoken = [token for token in tokens if not token.has("det")]
    is_name = bool(spoken) and all(token.has("title") or (token.is_capital and not token.classes) for token in spoken)
    return is_name and len(spoken) <= LONGEST_NAME


def is_further(pieces: Sequence[tuple[str, list[HotToken]]], at: int) -> bool:
    """ "... and Jonah who just turned 3": a name with a clause of its own behind another's."""
    link, piece = pieces[at]
    names = [token for token in piece if not token.is_mark and not token.has("conj")]
    if link != "conj" or not 0 < at < len(pieces) - 1 or pieces[at - 1][0] != "rel" or pieces[at + 1][0] != "rel":
        return False
    return len(names) == 1 and names[0].is_capital


def begins_asking(piece: Sequence[HotToken], words: HotWords) -> bool:
    """ "..., quels ciseaux me conseilles-tu": a question whose verb no list knows."""
    spoken = " ".join(["", *(token.text for token in piece if not token.is_mark), ""])
    return spoken.startswith(words.phrases["ask"])


def begins_wishing(piece: Sequence[HotToken], words: HotWords) -> bool:
    """ "Lavoro alla Lidl e vorrei imparare ...": the wish is a clause whether or not its verb is known."""
    spoken = " ".join(["", *(token.text for token in piece if not (token.is_mark or token.has("conj"))), ""])
    return spoken.startswith(words.phrases["wish"])


def join_topics(pieces: Sequence[tuple[str, list[HotToken]]]) -> list[tuple[str, list[HotToken]]]:
    """ "Mon plat préféré, c'est ...": what is named first is what the pronoun behind the mark means."""
    found: list[tuple[str, list[HotToken]]] = []
    for link, piece in pieces:
        words = [token for token in piece if not token.is_mark]
        before = found[-1][1] if found else []
        is_topic = bool(before) and not any(is_verb(before, at) for at in range(len(before)))
        takes_up = link == "mark" and len(words) > 1 and words[0].has("it", "he", "she", "they")
        if is_topic and takes_up and before[0].has("my", "det", "favorite", "i") and words[1].has("be 3", "named"):
            found[-1] = (found[-1][0], [*before, *words[1:]])
        else:
            found.append((link, piece))
    return found


def cut_run_on(tokens: list[HotToken], words: HotWords) -> list[list[HotToken]]:
    """ "me llamo ana vivo en madrid": where the next clause begins without a mark."""
    cuts = [0]
    for at in range(1, len(tokens) - 1):
        begun = range(cuts[-1], at)
        if begins_anew(tokens, at, words) and any(
            is_verb(tokens, place) or tokens[place].has("thou") for place in begun
        ):
            cuts.append(at)
    return [tokens[start:end] for start, end in zip(cuts, [*cuts[1:], len(tokens)], strict=True)]


def starts_asking(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "Bin Lehrer an ner Schule hast du ne Idee": a question of the listener that no mark begins."""
    spoken = f" {' '.join(token.text for token in tokens[at : at + LONGEST_ASKING])} "
    is_put = any(token.has("thou") for token in tokens[at : at + 2])
    return is_put and spoken.startswith(words.phrases["ask"]) and not tokens[at - 1].has("wh", "asks within")


def goes_with_auxiliary(tokens: Sequence[HotToken], at: int) -> bool:
    """ "Mio fratello si è appena trasferito": an adverb parts no participle from its verb."""
    back = at - 1
    while back > 0 and tokens[back].has("adv"):
        back -= 1
    return back < at - 1 and tokens[back].has("be 1", "be 3", "have 1", "have 3")


def is_object_of_perfect(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "Mi hermana ha encontrado trabajo": what else is "I work" is what she found. "Se ha casado" has no object."""
    if (
        at < 2
        or not tokens[at - 2].has("have 1", "have 3", "verb")
        or not is_participle(tokens[at - 1].text, words.language)
    ):
        return False
    return at < 3 or not tokens[at - 3].has("clitic")


def begins_anew(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    token, before = tokens[at], tokens[at - 1]
    if words.language == "de" and token.text in {"der", "die", "das"} and tokens[at + 1].has("named", "be 3", "have 3"):
        # "Zwei Kaninchen die heißen ...": a pronoun, for no noun follows.
        return not before.has("prep", "conj", "sub", "my")
    if before.has("prep", "my", "his", "that", "rel", "sub", "if", "conj", "not", "clitic", "be 1", "be 3", "i"):
        return False
    if token.has("asks thou") or starts_asking(tokens, at, words):
        return True
    if goes_with_auxiliary(tokens, at):
        return False
    follows = at + 1 < len(tokens) and any(is_verb(tokens, place) for place in range(at + 1, min(at + 4, len(tokens))))
    if token.has("i"):
        # German puts the subject behind its verb: "seit zwei Jahren wohne ich hier".
        return follows and not is_verb(tokens, at - 1)
    if words.drops_subjects and (token.has(*FIRST, "first") or (token.has("clitic") and follows)):
        return not (before.has("det", "of") or is_verb(tokens, at - 1) or is_object_of_perfect(tokens, at, words))
    if token.has("my") and not before.has("det", "verb", "frame", "have 1", "have 3"):
        return any(is_verb(tokens, place) for place in range(at + 2, min(at + 5, len(tokens))))
    return False
