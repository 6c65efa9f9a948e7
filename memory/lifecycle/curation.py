"""What a person does with facts: state, confirm, correct, reject, restore, forget, decide. The bank follows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from memory.access.scope import user_scope
from memory.claims import read_claims
from memory.facts import changes, corrections, readings, reviews, splitting
from memory.facts.evidence import FactOrigin
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.profile import ProfileFact
from memory.facts.profile.rules import choose_field
from memory.facts.recording import FactEffect, RecordedFact
from memory.guard import find_order, find_unredacted_secret, redact_secrets
from memory.lifecycle import learning, publishing
from memory.lifecycle.learning import DraftedStatement, SpokenText
from memory.models import EndUser, Fact, FactEvidence, FactReview, MemoryItem
from memory.models.facts import STATEMENT_CHARS, EvidenceKind, FactState, ReviewDecision
from memory.store import archiving, writing
from memory.store.admission import WriteRefused, validate_field_text
from memory.tiers import Status, Trust

EFFECT_ORDER = (
    FactEffect.SUPERSEDED, FactEffect.REVIEW, FactEffect.ADDED, FactEffect.MERGED, FactEffect.REINFORCED,
    FactEffect.BLOCKED, FactEffect.PASSED_OVER,
)  # fmt: skip


def validate_statement(statement: str) -> str:
    """Without the secrets it told. Raises WriteRefused for what is too long, describes one, or gives orders."""
    text = validate_field_text(redact_secrets(statement).text, STATEMENT_CHARS, "statement")
    for found, rule in (
        (find_unredacted_secret(text), "holds a secret"),
        (find_order(text), "is an order to the assistant"),
    ):
        if found:
            raise WriteRefused("statement", f"this {rule}, which is no fact about a person")
    return text


def draft_statement(
    user: EndUser | None, statement: str, *, said_at: datetime, thread_id: str
) -> list[DraftedStatement]:
    """Read a statement that somebody made outside of a conversation. Raises WriteRefused. Asks the embedder."""
    text = validate_statement(statement)
    claims = tuple(claim for claim in read_claims(text) if not claim.is_remark)
    field = choose_field(claims[0]) if claims else "identity"
    stated = ProfileFact(field, text, "high", Trust.USER, claims)
    spoken = SpokenText(text, said_at, thread_id)
    return learning.draft_profile_facts(user, [stated], spoken, {"fact": "stated"})


def state_fact(
    user: EndUser, drafted: Sequence[DraftedStatement], *, thread_id: str, now: datetime, actor: str
) -> RecordedFact:
    """Record what ``draft_statement`` read.

    Of several facts in one statement the one that changed most is returned, with what all of them ended.
    """
    origin = FactOrigin(EvidenceKind.PERSON, uuid4(), None, thread_id)
    with user_scope(user):
        learned = learning.learn_facts(user, drafted, origin, now=now, actor=actor)
    first = min(learned.recorded, key=lambda one: EFFECT_ORDER.index(one.effect))
    first.closed = list({fact.pk: fact for one in learned.recorded for fact in one.closed}.values())
    first.review = first.review or next((one.review for one in learned.recorded if one.review), None)
    return first


def find_fact_to_change(user: EndUser, fact_id: UUID) -> Fact | None:
    """The fact under the lock. In the user's scope. A forgotten one is no longer there to be changed."""
    changes.lock_facts(user)
    fact = Fact.objects.for_user(user).filter(pk=fact_id).first()
    return None if fact is None or fact.state == FactState.FORGOTTEN else fact


def confirm_fact(user: EndUser, fact_id: UUID, *, now: datetime, actor: str) -> Fact | None:
    with user_scope(user):
        fact = find_fact_to_change(user, fact_id)
        if fact is None:
            return None
        bring_back(fact, now=now, actor=actor, reason="confirmed")
        changes.confirm_fact(fact, now=now, actor=actor)
        return fact


def reject_fact(user: EndUser, fact_id: UUID, *, now: datetime, actor: str, gives_back: bool = True) -> Fact | None:
    """It never was so. What the product published of it is archived; what the person wrote stays theirs to archive.

    With ``gives_back`` what it had replaced holds again: nothing took its place.
    """
    with user_scope(user):
        fact = find_fact_to_change(user, fact_id)
        if fact is not None and fact.state in publishing.HELD:
            if gives_back:
                publishing.give_place_back(user, fact, now=now, actor=actor)
            changes.retract_fact(fact, now=now, actor=actor)
            publishing.archive_closed(user, [fact], [], now=now, actor=actor)
        return fact


def drop_reading(user: EndUser, fact_id: UUID, *, now: datetime, actor: str) -> Fact | None:
    """The sentence is right, only what was read into it is wrong: it stays as a plain statement, with its evidence."""
    with user_scope(user):
        fact = find_fact_to_change(user, fact_id)
        if fact is not None and fact.state == FactState.ACTIVE and fact.relation not in OPEN_RELATIONS:
            publishing.give_place_back(user, fact, now=now, actor=actor)
            readings.drop_reading(fact, now=now, actor=actor)
        return fact


def take_reading_back(user: EndUser, fact: Fact, before: dict[str, Any], *, now: datetime, actor: str) -> None:
    readings.take_reading_back(fact, before, now=now, actor=actor)
    publishing.end_again(user, fact, now=now, actor=actor)


def restore_fact(user: EndUser, fact_id: UUID, *, now: datetime, actor: str) -> Fact | None:
    """Undo: it holds again, and its bank item comes back."""
    with user_scope(user):
        fact = find_fact_to_change(user, fact_id)
        if fact is None:
            return None
        was_rejected = fact.state == FactState.RETRACTED
        bring_back(fact, now=now, actor=actor, reason="taken back")
        if fact.state == FactState.ACTIVE:
            publishing.restore_bank_item(user, fact, now=now, actor=actor)
            if was_rejected:
                publishing.end_again(user, fact, now=now, actor=actor)
        return fact


def bring_back(fact: Fact, *, now: datetime, actor: str, reason: str) -> None:
    if fact.state == FactState.MERGED:
        splitting.split_fact(fact, now=now, actor=actor)
    else:
        changes.restore_fact(fact, now=now, actor=actor, reason=reason)


def revise_fact(
    user: EndUser,
    fact_id: UUID,
    *,
    now: datetime,
    actor: str,
    statement: str | None = None,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    is_endless: bool = False,
    reason: str = "",
) -> Fact | None:
    """Correct the wording or the validity. The bank item says what the fact says. Raises WriteRefused."""
    text = validate_statement(statement) if statement is not None else None
    with user_scope(user):
        fact = find_fact_to_change(user, fact_id)
        if fact is None:
            return None
        start, end = valid_from or fact.valid_from, None if is_endless else valid_to or fact.valid_to
        if start and end and end < start:
            raise WriteRefused("valid_to", "must not be before valid_from")
        days = {"valid_from": valid_from, "valid_to": valid_to}
        corrections.revise_fact(fact, text, now=now, actor=actor, is_endless=is_endless, reason=reason, **days)
        if fact.state == FactState.MERGED:
            publishing.archive_closed(user, [fact], [], now=now, actor=actor)
            return fact
        if text is not None and fact.bank_item_id:
            revise_bank_item(user, fact, fact.bank_item_id, text, now=now, actor=actor)
        if fact.state == FactState.ACTIVE and fact.valid_to and fact.valid_to <= now:
            changes.end_fact(fact, now=now, actor=actor)
            publishing.archive_closed(user, [fact], [], now=now, actor=actor)
        return fact


def end_outlived(user: EndUser, *, now: datetime, actor: str) -> int:
    """End the facts whose end was set ahead and has come. Returns how many."""
    with user_scope(user):
        changes.lock_facts(user)
        outlived = list(Fact.objects.for_user(user).active().filter(valid_to__lte=now).defer("vector"))
        for fact in outlived:
            changes.end_fact(fact, now=now, actor=actor)
        publishing.archive_closed(user, outlived, [], now=now, actor=actor)
    return len(outlived)


def revise_bank_item(user: EndUser, fact: Fact, item_id: UUID, text: str, *, now: datetime, actor: str) -> None:
    """Raises WriteRefused for a wording that the bank does not take."""
    try:
        kept = writing.revise_memory(user, item_id, {"text": text}, now=now, actor=actor)
    except WriteRefused as error:
        raise WriteRefused("statement", error.rule) from error
    if kept is not None and kept.pk != item_id:
        fact.bank_item_id = kept.pk
    fact.is_curated = True
    fact.save(update_fields=["bank_item_id", "is_curated"])


def forget_fact(user: EndUser, fact_id: UUID, *, now: datetime, actor: str) -> bool:
    """Forget for good: the words go, from the bank too, and earlier turns do not bring them back.

    What it had replaced holds again, as after a rejection: nothing took its place.
    """
    with user_scope(user):
        fact = find_fact_to_change(user, fact_id)
        if fact is None:
            return False
        if fact.state in publishing.HELD:
            publishing.give_place_back(user, fact, now=now, actor=actor)
        published, told = fact.bank_item_id, find_telling_alone(user, fact)
        changes.forget_facts(user, [fact], now=now, actor=actor)
        if told:
            archiving.delete_memories(user, told, now=now)
        if published and not Fact.objects.for_user(user).filter(bank_item_id=published).exists():
            archiving.delete_memories(user, [published], now=now)
        return True


def find_telling_alone(user: EndUser, fact: Fact) -> list[UUID]:
    """The memories that say this fact and nothing else, as an imported line: left behind, they would tell all of it.

    Not conversations, which hold an answer too, nor what another fact rests on as well.
    """
    rows = FactEvidence.objects.filter(user=user, memory_id__isnull=False)
    own = rows.filter(fact=fact).values_list("memory_id", flat=True)
    told = {pk for pk in own if pk is not None and pk != fact.bank_item_id}
    shared = set(rows.filter(memory_id__in=told).exclude(fact=fact).values_list("memory_id", flat=True))
    texts = MemoryItem.objects.for_user(user).filter(pk__in=[pk for pk in told if pk not in shared])
    return [pk for pk, text in texts.values_list("pk", "text") if fold_key(text) == fold_key(fact.statement)]


def decide_review(
    user: EndUser, review_id: UUID, decision: ReviewDecision, *, now: datetime, actor: str
) -> FactReview | None:
    with user_scope(user):
        decided = reviews.decide_review(user, review_id, decision, now=now, actor=actor)
        if decided is None:
            return None
        review, ended = decided
        archive_ended(user, ended, review, now=now, actor=actor)
        return review


def archive_ended(user: EndUser, ended: list[Fact], review: FactReview, *, now: datetime, actor: str) -> None:
    """A person decided, so that the bank item goes with the fact, whoever wrote it; but not where another fact stands
    in it: to archive that would say of the medicine what was decided of its dose.
    """
    ids = {fact.bank_item_id for fact in ended if fact.bank_item_id}
    standing = Fact.objects.for_user(user).active().filter(bank_item_id__in=ids).values("bank_item_id")
    items = MemoryItem.objects.for_user(user).active().filter(pk__in=ids).exclude(pk__in=standing)
    reasons = dict.fromkeys(items.values_list("pk", flat=True), f"decided in review: {review.decision}")
    archiving.retire_memories(user, reasons, Status.ARCHIVED, now=now, actor=actor)
