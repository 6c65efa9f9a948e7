"""What a parse of a turn tells: rules over dependency labels, for whoever names a trained pipeline.

Verbs and nouns are those of the frames; the parse says what belongs to which over any distance. Labels are those of
English pipelines (ClearNLP: `dobj`, `attr`, `pobj`), of Universal Dependencies (`obj`, `cop`, `obl`) and of German ones
(TIGER: `sb`, `oa`, `pd`). Whether somebody asks, supposes or hedges is judged by the clauses, not here.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from memory.claims.frames.facts import UNSURE
from memory.claims.frames.jobs import matches_job
from memory.claims.frames.numerals import load_values
from memory.claims.frames.objects import PLACES
from memory.claims.frames.phrases import SPEAKER
from memory.claims.frames.triples import HotTriple
from memory.claims.frames.words import Frame, HotWords
from memory.claims.taxonomy import ANIMALS, PEOPLE
from memory.guard.spelling import fold_letters

SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "sb"})
OBJECTS: Final = frozenset({"dobj", "obj", "oa"})
PREDICATES: Final = frozenset({"attr", "acomp", "oprd", "pd", "xcomp"})
# Phrases behind a preposition: their own node in the first, the noun with its case in the second.
PREPOSITIONS: Final = frozenset({"prep", "mo", "op", "agent"})
OBLIQUES: Final = frozenset({"obl", "obl:arg", "obl:mod", "obl:agent", "nmod"})
CASES: Final = frozenset({"case"})
BEHIND_PREPOSITIONS: Final = frozenset({"pobj", "nk", "pcomp"})
POSSESSIVES: Final = frozenset({"poss", "nmod:poss", "det:poss", "det", "nk"})
APPOSED: Final = frozenset({"appos", "app", "flat", "flat:name"})
INSIDE: Final = frozenset({"compound", "amod", "flat", "flat:name", "flat:foreign", "pnc", "name", "fixed"})
JOINED: Final = frozenset({"conj", "cj"})
# In German ones the conjunction stands between the two.
JOINING: Final = frozenset({"cd"})
# What else a name behind "called" is taken for.
NAMES: Final = frozenset({"obl", "obl:arg", "flat", "flat:name", "nk"})
COPULAS: Final = frozenset({"cop"})
COUNTS: Final = frozenset({"nummod"})
DATIVES: Final = frozenset({"iobj", "obj", "obl:arg", "dative", "da", "expl", "expl:pv"})
LIKING: Final = "likes"
SYMMETRIC_NOUNS: Final = {"friend": "friend_of"}
# From the noun of a phrase down: a parse is a tree, but whoever annotates may err.
DEEPEST: Final = 4


class ParsedToken(Protocol):
    """A word of a parse, as `spacy.tokens.Token` has it."""

    i: int
    idx: int
    text: str
    lower_: str
    lemma_: str
    dep_: str
    pos_: str

    @property
    def head(self) -> "ParsedToken": ...
    @property
    def children(self) -> Iterable["ParsedToken"]: ...


def read_dependencies(parse: Iterable[ParsedToken], words: HotWords) -> list[HotTriple]:
    """The triples of a parse, each with its place in the text."""
    found: dict[tuple[str, str, str], HotTriple] = {}
    for token in parse:
        for triple in (
            *read_verb(token, words),
            *read_having(token, words),
            *read_copula(token, words),
            *read_called(token, words),
            *read_friends(token, words),
            *read_apposition(token, words),
        ):
            found.setdefault(triple.key, triple)
    return list(found.values())


def list_children(token: ParsedToken, labels: frozenset[str]) -> list[ParsedToken]:
    return [child for child in token.children if child.dep_.lower() in labels]


def list_joined(token: ParsedToken) -> list[ParsedToken]:
    """A word and those joined to it: "Cádiz and Tarifa"."""
    found = [token]
    for one in found:
        if len(found) <= DEEPEST:
            between = [
                child for conjunction in list_children(one, JOINING) for child in list_children(conjunction, JOINED)
            ]
            found += [child for child in (*list_children(one, JOINED), *between) if child not in found]
    return found


def classify(token: ParsedToken, words: HotWords) -> frozenset[str]:
    return words.classify(token.lower_) | words.classify(token.lemma_.casefold())


def is_negated(token: ParsedToken, words: HotWords) -> bool:
    """Whether a word is denied: English parses mark it `neg`, the other schemes tell it by the word alone."""
    return any(child.dep_ == "neg" or "not" in words.classify(child.lower_) for child in token.children)


def find_frames_of(token: ParsedToken, words: HotWords) -> list[Frame]:
    """The frames of one word that a verb opens, by its form or its lemma."""
    forms = dict.fromkeys((token.lower_, fold_letters(token.lower_), token.lemma_.casefold()))
    frames = [frame for form in forms for frame in words.frames.get(form, ()) if len(frame.words) == 1]
    return list(dict.fromkeys(frames))


def read_verb(token: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    if token.pos_ not in {"VERB", "AUX", "ADJ"}:
        return
    for frame in find_frames_of(token, words):
        if frame.is_ending or frame.relation in {"duration", "time", "age", "friends"}:
            continue
        relation = frame.relation
        if is_negated(token, words):
            if relation != LIKING:
                continue
            relation = "dislikes"
        subjects, objects = find_arguments(token, frame, words)
        yield from tell_all(subjects, relation, objects, words)


def find_arguments(
    token: ParsedToken, frame: Frame, words: HotWords
) -> tuple[list[ParsedToken | None], list[ParsedToken]]:
    """Of "me gusta el mar" the subject is what is liked, and who likes it stands in the dative."""
    subjects = find_subjects(token, words)
    if frame.is_dative:
        liked = [one for one in subjects if one is not None]
        likers: list[ParsedToken | None] = [*list_children(token, DATIVES)]
        return likers, liked
    objects = find_objects_behind(token, frame.prepositions) if frame.prepositions else find_direct_objects(token)
    return subjects, objects


def find_subjects(token: ParsedToken, words: HotWords) -> list[ParsedToken | None]:
    """The subjects of a verb, or of the one it is joined to; None is the speaker, whom some languages leave out."""
    verb = token
    for _ in range(DEEPEST):
        found = list_children(verb, SUBJECTS)
        if found:
            return [one for subject in found for one in list_joined(subject)]
        if verb.dep_ not in JOINED | {"aux", "xcomp", "oc"} or verb.head is verb:
            break
        verb = verb.head
    is_first = "first" in classify(token, words) and not any(
        frame.is_third for frame in words.frames.get(token.lower_, ())
    )
    return [None] if words.drops_subjects and is_first else []


def find_direct_objects(token: ParsedToken) -> list[ParsedToken]:
    return [one for found in list_children(token, OBJECTS) for one in list_joined(found)]


def find_objects_behind(token: ParsedToken, prepositions: frozenset[str]) -> list[ParsedToken]:
    found: list[ParsedToken] = []
    for child in token.children:
        label = child.dep_.lower()
        if label in PREPOSITIONS and child.lower_ in prepositions:
            found += [one for noun in list_children(child, BEHIND_PREPOSITIONS) for one in list_joined(noun)]
        elif label in OBLIQUES and any(case.lower_ in prepositions for case in list_children(child, CASES)):
            found += list_joined(child)
    return found


def read_having(token: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    """ "I have three cats" tells what and how many."""
    if not classify(token, words) & {"have 1", "have 3"} or token.dep_ == "aux" or is_negated(token, words):
        return
    subjects: list[ParsedToken | None] = find_subjects(token, words)
    if not subjects and words.drops_subjects and "have 1" in words.classify(token.lower_):
        subjects = [None]
    things = [one for one in find_direct_objects(token) if not classify(one, words) & {"passing", "vague", "unit"}]
    yield from tell_all(subjects, "has", [one for one in things if not list_children(one, APPOSED)], words)
    for thing in things if subjects else ():
        count = next((find_count(child, words) for child in list_children(thing, COUNTS)), "")
        if count:
            yield make(spell_phrase(thing), "quantity", count, thing)


def find_count(token: ParsedToken, words: HotWords) -> str:
    value = load_values(words.language).get(fold_letters(token.lower_))
    return token.text if token.text.isdigit() else "" if value is None else str(value)


def read_copula(token: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    """ "My sister is a nurse": the predicate hangs on the verb in English, the verb on the predicate elsewhere."""
    if list_children(token, COPULAS):
        predicates, holder = [token], token
    elif classify(token, words) & {"be 1", "be 3"}:
        predicates, holder = list_children(token, PREDICATES), token
    else:
        return
    copula = next(iter(list_children(token, COPULAS)), token)
    if is_negated(holder, words) or is_negated(copula, words):
        return
    subjects: list[ParsedToken | None] = [*list_children(holder, SUBJECTS)]
    if not subjects and words.drops_subjects and "be 1" in words.classify(copula.lower_):
        subjects = [None]
    for subject in subjects:
        for predicate in [one for found in predicates for one in list_joined(found)]:
            yield from tell_predicate(subject, predicate, words)


def tell_predicate(subject: ParsedToken | None, predicate: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    relation = find_relation(subject, words) if subject is not None else ""
    if subject is not None and relation and is_own(subject, words) and predicate.pos_ == "PROPN":
        yield make(SPEAKER, SYMMETRIC_NOUNS.get(relation, relation), spell_phrase(predicate), predicate)
        return
    who = name_argument(subject, words)
    if not who or (
        subject is not None and who != SPEAKER and relation not in PEOPLE | ANIMALS and not is_name(subject)
    ):
        return
    kinds = classify(predicate, words)
    if predicate.pos_ == "PROPN" and who == SPEAKER:
        yield make(who, "name", spell_phrase(predicate), predicate)
    elif "occupation" in kinds or (predicate.pos_ == "NOUN" and matches_job(predicate.lower_, words.language)):
        if not kinds & {"no occupation", "passing"}:
            yield make(who, "works_as", spell_phrase(predicate), predicate)
    elif words.classify(predicate.lower_) & {"quality", "complement"} and "passing" not in kinds:
        yield make(who, "is", spell_phrase(predicate), predicate)


def read_called(token: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    """ "My cat is called Tom", "mi hermana se llama Ana": the name is a predicate, or with some the object."""
    if not classify(token, words) & {"named", "named 1"} or is_negated(token, words):
        return
    behind = [one for found in list_children(token, PREDICATES | OBJECTS | NAMES) for one in list_joined(found)]
    subjects = find_subjects(token, words) or ([None] if "named 1" in classify(token, words) else [])
    for subject in subjects:
        relation = find_relation(subject, words) if subject is not None else ""
        for name in filter(is_name, behind):
            if subject is not None and relation and is_own(subject, words):
                yield make(SPEAKER, SYMMETRIC_NOUNS.get(relation, relation), spell_phrase(name), name)
            elif name_argument(subject, words) == SPEAKER:
                yield make(SPEAKER, "name", spell_phrase(name), name)


def read_friends(token: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    """ "Leo and Kim are friends": each of whom are joined is a friend of the first."""
    if not any(frame.relation == "friends" for frame in find_frames_of(token, words)):
        return
    copulas = [*list_children(token, COPULAS), *([token.head] if token.dep_.lower() in PREDICATES else [])]
    verb = next(iter(copulas), None)
    if verb is None or is_negated(verb, words) or is_negated(token, words):
        return
    holders = [one for holder in (token, verb) for one in list_children(holder, SUBJECTS)]
    friends = list(dict.fromkeys(name_argument(one, words) for found in holders for one in list_joined(found)))
    # "You" stands first: who is a friend of whom is the same either way.
    friends = sorted(filter(None, friends), key=lambda one: one != SPEAKER)
    for other in friends[1:]:
        yield make(friends[0], "friend_of", other, token)


def read_apposition(token: ParsedToken, words: HotWords) -> Iterator[HotTriple]:
    """ "My boss Ramón": whoever is named beside a noun of a relation has that name."""
    relation = find_relation(token, words)
    if not relation or not is_own(token, words):
        return
    for name in list_children(token, APPOSED):
        if name.pos_ == "PROPN":
            yield make(SPEAKER, SYMMETRIC_NOUNS.get(relation, relation), spell_phrase(name), name)


def find_relation(token: ParsedToken, words: HotWords) -> str:
    plain = (fold_letters(token.lower_), fold_letters(token.lemma_.casefold()))
    return next((words.nouns[one] for one in plain if one in words.nouns), "")


def is_own(token: ParsedToken, words: HotWords) -> bool:
    return any("my" in words.classify(one.lower_) for one in list_children(token, POSSESSIVES))


def is_name(token: ParsedToken) -> bool:
    return token.pos_ == "PROPN" and token.text[0].isupper()


def name_argument(token: ParsedToken | None, words: HotWords) -> str:
    """The canonical form of who or what fills a place, or nothing for a pronoun whose meaning no parse tells."""
    if token is None:
        return SPEAKER
    kinds = words.classify(token.lower_)
    if token.pos_ == "PRON" or kinds & {"he", "she", "they"}:
        return SPEAKER if kinds & {"i", "to me", "mine"} else ""
    relation = find_relation(token, words)
    if relation in PEOPLE | ANIMALS:
        named = [one for one in list_children(token, APPOSED) if is_name(one)]
        return spell_phrase(named[0]) if named else token.lower_
    return spell_phrase(token)


def spell_phrase(token: ParsedToken) -> str:
    """A noun with its adjectives and the parts of its name, in their order and in lower case."""
    found = [token]
    for one in found:
        if len(found) <= 2 * DEEPEST:
            found += [child for child in list_children(one, INSIDE) if child not in found]
    ordered = sorted(found, key=lambda one: one.i)
    return " ".join(one.lower_ for one in ordered)


def tell_all(
    subjects: Sequence[ParsedToken | None], relation: str, objects: Sequence[ParsedToken], words: HotWords
) -> Iterator[HotTriple]:
    for subject in subjects:
        who = name_argument(subject, words) if is_somebody(subject, words) else ""
        for one in objects:
            is_thing = one.pos_ != "PRON" and (relation not in PLACES or is_name(one))
            spoken = spell_phrase(one) if is_thing else ""
            if who and spoken and who != spoken:
                yield make(who, relation, spoken, one)


def is_somebody(token: ParsedToken | None, words: HotWords) -> bool:
    """Of what a small pipeline takes for a subject half is nobody: "had I been taller id have joined"."""
    if token is None or token.pos_ == "PRON" or find_relation(token, words) in PEOPLE | ANIMALS:
        return True
    return is_name(token)


def make(subject: str, relation: str, spoken: str, token: ParsedToken) -> HotTriple:
    return HotTriple(subject, relation, spoken, (token.idx, token.idx + len(token.text)), UNSURE)
