"""Reads the claims of a text, sentence by sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.building import LONGEST, claim_remark, find_language, word_statement, word_whole
from memory.claims.clauses.completion import (
    complete_claims,
    drop_contained,
    keep_antecedent,
    mark_ended,
    name_pronoun,
    name_theirs,
    resolve_pronouns,
)
from memory.claims.clauses.cutting import cut_clauses
from memory.claims.clauses.general import is_remark, is_worth_telling, tells_limit
from memory.claims.clauses.stretches import (
    CLAUSE_LEAST,
    STRETCH_LEAST,
    find_told_stretch,
    judge_beside_question,
    rate_stretch,
)
from memory.claims.corrected import CorrectedText
from memory.claims.dates.agenda import is_proposed, tells_only_time
from memory.claims.dates.appointments import add_appointments, claim_appointments
from memory.claims.dates.arrangements import claim_arrangements, put_arranged
from memory.claims.few_words.reading import read_few_words
from memory.claims.forms_of_address import name_address
from memory.claims.frames.contractions import restore_apostrophes
from memory.claims.health.blood import find_blood_types
from memory.claims.health.counsel import has_healer, tells_counsel
from memory.claims.health.denials import find_denied
from memory.claims.health.doses import put_known
from memory.claims.health.findings import is_found, read_found_slots
from memory.claims.health.moved_doses import find_changed_dose, find_moved_dose
from memory.claims.health.prescriptions import is_prescribed
from memory.claims.health.reactions import find_reactions
from memory.claims.judgement.asking import mark_asked
from memory.claims.judgement.judging import (
    NAMED_LEAST,
    SentenceJudgement,
    introduces_words,
    is_in_earnest,
    judge_sentences,
)
from memory.claims.lexicon import load_claim_words
from memory.claims.mentions import collect_mentions
from memory.claims.presupposed.reading import add_presupposed, find_presupposed
from memory.claims.readings import SentenceReading, TurnReading
from memory.claims.relations import ABOUT, REQUEST, UNSURE
from memory.claims.replies.replying import add_reply
from memory.claims.requests import (
    HOLE,
    RememberRequest,
    find_request,
    is_forget_order,
    name_request,
    restore_quoted,
    turn_back,
    word_body,
)
from memory.claims.sentence_claims import find_sentence_slots, read_sentence
from memory.claims.sentences import frame_turn, mask_turn, prepare_sentence
from memory.claims.slots.framed import FramedText, cut_slots, parts_with
from memory.claims.slots.kinds import names_only_shifts
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch
from memory.claims.slots.resolution import read_slots
from memory.claims.slots.sharing import list_told
from memory.claims.succession import find_moved, follow_known
from memory.claims.voices.others import has_frame, has_other_voice, has_own_part, has_sure_frame, speaks_for_others
from memory.claims.voices.suppositions import drop_supposed, pretends
from memory.claims.voices.whether import drop_advised, drop_asked
from memory.guard import find_order, find_secret, speech
from memory.guard.annotation import AnnotatedText, Sentence, annotate_text

MOST_CLAIMS: Final = 12
# What of a whole text is read of the body: what it does not bear, and its blood.
BODILY: Final = (find_reactions, find_blood_types)


def read_claims(
    text: str, previous: Sequence[str] = (), *, with_remarks: bool = False, asked: str = "", lead: str = ""
) -> list[Claim]:
    """The claims of a text in its order. ``previous`` are earlier turns of the same person, oldest first.

    ``with_remarks``: also the person's other sentences, which claim nothing but may change what is known.
    ``asked`` is what the assistant asked the person just before, and ``lead`` the talk that led to it: the turn before
    with what that answered in its turn.
    """
    reading = read_turn(text, previous, asked)
    is_laughing = bool(reading.laughs) or speech.is_joke(reading.whole)
    found: list[Claim] = []
    judgements = judge_sentences(reading.list_passages())
    for at, (one, judged) in enumerate(zip(reading.sentences, judgements, strict=True)):
        if one.is_request or not one.is_open or one.is_supposed:
            found += one.claims
            continue
        if one.sentence.is_question:
            judged = judge_beside_question(one.sentence, judged)
        claims = [
            claim
            for claim in one.claims
            if judged.believes(claim) and tells_by_itself(claim, one, is_masked=reading.is_masked)
        ]
        if not claims and (judged.is_sure or not is_laughing):
            claims = claim_unread(one, reading, judged, with_remarks=with_remarks)
        elif claims and judged.is_sure and len(reading.whole.text) <= LONGEST:
            claims = complete_claims(claims, one.sentence, is_masked=reading.is_masked)
        claims = read_few_words(claims, one, reading)
        before = reading.sentences[at - 1].sentence if at else None
        claims = [name_pronoun(claim, one.sentence, one.place, before) for claim in claims]
        claims = [replace(claim, is_sure=claim.is_sure or judged.is_sure) for claim in claims]
        laughs = reading.laughs_in(one)
        found += [claim for claim in claims if not is_laughing or is_in_earnest(claim, is_laughed_at=laughs)]
    own = [(one.sentence, one.place) for one in reading.sentences if one.is_open and not one.is_partial]
    found = add_reply(found, reading, asked, lead or "".join(previous[-1:]), previous, read_claims)
    found = add_presupposed(put_arranged(add_appointments(found, reading.asked), reading.arranged), reading.presupposed)
    return drop_contained(mark_asked(found, reading.whole, own)[:MOST_CLAIMS])


def tells_by_itself(claim: Claim, one: SentenceReading, *, is_masked: bool) -> bool:
    """Whether the clause of a claim whose words say as often something else is likely without those beside it."""
    sentence = one.sentence
    if is_prescribed(claim.relation, claim.object) or claim.relation not in UNSURE | {ABOUT}:
        return True
    low, high = claim.span[0] - one.place, claim.span[1] - one.place
    tokens = cut_clauses(sentence)
    places = [at for at, start in enumerate(tokens.starts) if low <= start < high]
    if not places or len(places) == len(tokens.starts):
        return True
    return rate_stretch(sentence, (places[0], places[-1] + 1), is_masked=is_masked) >= CLAUSE_LEAST


def read_turn(text: str, previous: Sequence[str] = (), asked: str = "") -> TurnReading:
    """The sentences of a turn with what each claims, before anything is judged by how likely it is."""
    (normal, masked, laughs), previous = mask_turn(text), [restore_apostrophes(turn) for turn in previous]
    whole = annotate_text(masked, load_claim_words())
    if speaks_for_others(whole):
        return TurnReading(whole, presupposed=find_presupposed(masked, whole, previous))
    mentions, presupposed = collect_mentions(previous), find_presupposed(masked, whole, previous)
    normal, masked, whole, framed, corrected = frame_turn(normal, masked, whole, previous)
    known = list_told(previous, whole.languages, find_language(whole) or "en", framed.known)
    told = tuple(known)
    turn = TurnProgress(
        (normal, masked),
        whole,
        framed,
        corrected,
        previous,
        find_changed_dose(masked, previous, asked),
        known,
        mentions,
    )
    for index, sentence in enumerate(map(prepare_sentence, whole.own_sentences)):
        turn.read_next(index, sentence)
    found = tuple(turn.found)
    taken = claim_appointments(framed.asked, [(one.sentence, one.place) for one in found if one.is_own])
    arranged = claim_arrangements(found, whole.languages, told)
    return TurnReading(whole, found, masked != normal, laughs, taken, arranged, presupposed, told)


@dataclass(slots=True)
class TurnProgress:
    """A turn, and what is carried from one of its sentences to the next.

    ``texts`` are the turn as it was written and with blanks for other voices; ``dosed`` is the dose that it changes.
    """

    texts: tuple[str, str]
    whole: AnnotatedText
    framed: FramedText
    corrected: CorrectedText
    previous: Sequence[str]
    dosed: Sequence[SlotMatch]
    known: list[KnownSlot]
    mentions: frozenset[str]
    found: list[SentenceReading] = field(default_factory=list)
    place: int = 0
    # Whether one before has said that others' words follow.
    is_introduced: bool = False
    # Whether this sentence was read with the one before.
    is_taken: bool = False
    # The words before this sentence, which say whom its pronouns mean.
    before: str = field(init=False)
    # What the body does not bear, wherever in the turn it is told.
    reacted: list[SlotMatch] = field(init=False)

    def __post_init__(self) -> None:
        last = self.previous[-1] if self.previous else ""
        self.before = last if len(last) <= LONGEST // 2 else ""
        languages = sorted(self.whole.languages or {"en"})
        self.reacted = [one for find in BODILY for one in find(self.texts[1], languages)]

    def read_next(self, index: int, sentence: Sentence) -> None:
        """Add what a sentence claims: as a request to remember, as not all the person's own, or as their own."""
        whole, (normal, masked) = self.whole, self.texts
        self.place = max(self.place, masked.find(sentence.raw[:12], self.place))
        request = None if self.is_taken else find_request(sentence)
        if self.is_taken or turn_back(sentence, request, self.found):
            self.is_taken = False
            return
        kept: list[Claim] = []
        if not self.dosed:
            kept, self.is_taken = read_remembered(
                whole, index, sentence, request, self.framed, self.place, self.previous
            )
        if kept:
            filled = [fill_request(one, sentence, whole, self.known) for one in kept]
            claims = tuple(restore_quoted(one, sentence, masked, normal) for one in filled)
            self.found.append(SentenceReading(sentence, self.place, claims, is_request=True))
            return
        self.is_introduced = self.is_introduced or introduces_words(sentence)
        closed = read_closed(sentence, whole, self.place, self.known, is_introduced=self.is_introduced)
        self.found.append(closed if closed is not None else self.read_own(index, sentence))

    def read_own(self, index: int, sentence: Sentence) -> SentenceReading:
        """A sentence that is all the person's own, which the next ones may go back to."""
        whole, place, end = self.whole, self.place, self.place + len(sentence.raw)
        self.before = keep_antecedent(self.before, sentence.words, find_language(whole) or "en")
        slots = find_sentence_slots(sentence, whole, self.known, cut_slots(self.framed.slots, place, end))
        sure = self.dosed if sentence.is_question else [*self.dosed, *self.reacted]
        slots = put_known(slots, cut_slots(sure, place, end))
        read = read_sentence(sentence, whole, self.mentions, place, slots, self.known, self.before)
        told = (mark_ended(name_theirs(one), self.known) for one in resolve_pronouns(read, self.before))
        claims = tuple(self.corrected.mark_claim(one) for one in told)
        one = settle_supposed(SentenceReading(sentence, place, claims), whole, self.framed, index)
        self.known += [KnownSlot(claim.subject, claim.relation, claim.object) for claim in one.claims]
        self.mentions |= collect_mentions([sentence.raw])
        self.before = word_whole(sentence)
        return one


def read_remembered(
    whole: AnnotatedText,
    index: int,
    sentence: Sentence,
    request: RememberRequest | None,
    framed: FramedText,
    place: int,
    previous: Sequence[str],
) -> tuple[list[Claim], bool]:
    """What a sentence asks to be remembered, and whether the next sentence holds it."""
    if request is None or has_frame(sentence) or parts_with(sentence.raw, framed.slots, place):
        return [], False
    if tells_only_time(sentence.raw, find_language(whole) or "en") or names_only_shifts(sentence.raw):
        # "From now on it's Thursdays" is no wish about answers.
        return [], False
    return read_request(whole, index, request, place, previous)


def settle_supposed(one: SentenceReading, whole: AnnotatedText, framed: FramedText, index: int) -> SentenceReading:
    """Without what holds only if something else does. "Explain it like I'm five" is kept for nothing at all."""
    languages = tuple(sorted(whole.languages or ()))
    raw = one.sentence.raw
    around = whole.own_sentences[max(0, index - 1) : index]
    is_asked = any(before.is_question and is_proposed(before.raw, raw, whole.languages) for before in around)
    is_supposed = is_asked or framed.is_supposed(raw, one.place)
    told = () if is_supposed else drop_asked(one.claims, one.sentence, languages)
    claims = tuple(drop_supposed(drop_advised(told, one.sentence, languages), one.sentence, languages))
    is_supposed = is_supposed or (not claims and pretends(one.sentence, languages))
    return replace(one, claims=claims, is_supposed=is_supposed or (not told and bool(one.claims)))


def read_closed(
    sentence: Sentence, whole: AnnotatedText, place: int, known: Sequence[KnownSlot], *, is_introduced: bool
) -> SentenceReading | None:
    """A sentence that is not all the person's own, with what a doctor bids them in it, or None for one that is.

    "The doctor thinks we should go to 75" is the doctor's voice, and the person's dose.
    """
    language = find_language(whole) or "en"
    if find_moved_dose(sentence.raw, language, known) is not None or find_denied(sentence.raw, language, known):
        return None
    if has_healer(sentence) and any(is_found(one, sentence) for one in read_found_slots(sentence, whole.languages)):
        return None
    is_closed = is_introduced or has_sure_frame(sentence) or find_secret(sentence.raw) is not None
    is_closed = is_closed or is_forget_order(sentence.raw)
    if not is_closed and len(whole.text) <= LONGEST and tells_counsel(sentence):
        claim = replace(claim_remark(sentence, whole, place), is_remark=False, is_sure=True)
        return SentenceReading(sentence, place, (claim,), is_open=False)
    if is_closed or has_other_voice(sentence) or find_order(sentence.raw):
        is_partial = not is_closed and has_own_part(sentence)
        return SentenceReading(sentence, place, is_open=is_partial, is_partial=is_partial)
    return None


def claim_unread(
    one: SentenceReading, reading: TurnReading, judged: SentenceJudgement, *, with_remarks: bool
) -> list[Claim]:
    """What a sentence is worth of which no clause claims anything: what it tells as a whole, a remark, or nothing."""
    sentence, whole = one.sentence, reading.whole
    # What goes on longer was written elsewhere as often as not: there only what a rule knows is claimed.
    # Nor is a sentence whose middle was quoted said by the person as it stands.
    is_short = len(whole.text) <= LONGEST and HOLE not in sentence.raw
    is_told = is_short and judged.is_telling and is_worth_telling(sentence, is_sure=judged.is_sure)
    if not one.is_partial and ((tells_limit(sentence) and judged.reaches(NAMED_LEAST)) or is_told):
        return [replace(claim_remark(sentence, whole, one.place), is_remark=False)]
    if is_short and judged.among >= STRETCH_LEAST[1]:
        tokens = cut_clauses(sentence)
        stretch = find_told_stretch(sentence, tokens, is_masked=reading.is_masked)
        statement = word_statement(sentence, tokens, *stretch) if stretch else ""
        if statement:
            return [replace(claim_remark(sentence, whole, one.place), statement=statement, is_remark=False)]
    is_kept = with_remarks and not one.is_partial and is_remark(sentence)
    return [claim_remark(sentence, whole, one.place)] if is_kept else []


def read_request(
    whole: AnnotatedText, index: int, request: RememberRequest, place: int, previous: Sequence[str]
) -> tuple[list[Claim], bool]:
    """What is to be remembered, and whether the next sentence holds any of it."""
    sentence = whole.own_sentences[index]
    body, takes_next = word_body(whole, index, request, place)
    if len(body) > LONGEST or len(body) < 3:
        return [], False
    span = (place, place + len(sentence.raw))
    if not request[2] and (read := read_body(body, previous)):
        return [replace(one, statement=body, span=span, is_request=True) for one in read], takes_next
    relation = name_request(sentence, body, is_standing=request[2])
    told = Claim("you", relation, body.rstrip("."), body, span, lang=find_language(whole), is_request=True)
    return [name_address(told)], takes_next


def read_body(body: str, previous: Sequence[str]) -> list[Claim]:
    """The claims of what is to be remembered, read by itself: "don't forget I'm allergic to nuts" denies nothing."""
    return [claim for one in read_turn(body, previous).sentences for claim in one.claims]


def fill_request(claim: Claim, sentence: Sentence, whole: AnnotatedText, known: Sequence[KnownSlot]) -> Claim:
    """What is to be remembered, with the slot that its words fill."""
    language = find_language(whole) or "en"
    slots = read_slots(sentence.raw, whole.languages, known)
    slot = next(iter(slots), None) or find_moved(sentence.raw, language, known)
    if slot is None or claim.relation != REQUEST:
        return claim
    slot = follow_known(slot, sentence.raw, language, known)
    return replace(claim, subject=slot.subject, relation=slot.relation, object=slot.object, replaces=slot.replaces)
