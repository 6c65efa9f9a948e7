"""One turn of the hot path: read it, write what it tells, find what is known, say it.

All in one transaction under the lock of the conversation: a process that is killed leaves either the whole turn or
nothing, and a second one goes on from there. Nothing here asks another service.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from knowledge_graph.hotmem import threads
from knowledge_graph.hotmem.bullets import render_bullet
from knowledge_graph.hotmem.cues import read_cue
from knowledge_graph.hotmem.earlier import END_OF_REPLY, EarlierTalk, load_conversation
from knowledge_graph.hotmem.gating import NAMING
from knowledge_graph.hotmem.health import add_health
from knowledge_graph.hotmem.injection import compose_message
from knowledge_graph.hotmem.learning import TripleOutcome, TurnUpdate, describe_claim, record_reading
from knowledge_graph.hotmem.meaning import TakeNear, start_finding_near, take_none
from knowledge_graph.hotmem.own_language import find_own_language
from knowledge_graph.hotmem.ranking import RankedEdge
from knowledge_graph.hotmem.replies import RepliedReading, read_reply
from knowledge_graph.hotmem.retrieval import HotFindings, find_hot_facts
from knowledge_graph.hotmem.telemetry import record_turn
from knowledge_graph.hotmem.threads import HotThreadState
from knowledge_graph.models import HotTurn
from memory.access.deferred_writes import defer_writes
from memory.access.scope import user_scope
from memory.access.users import is_stranger
from memory.claims.claim import SPEAKER
from memory.claims.frames import HotReading
from memory.claims.frames.remembering import load_requests
from memory.claims.health.cues import load_health_cues
from memory.claims.health.dose_changes import load_dose_moves
from memory.claims.health.moved_doses import read_new_dose
from memory.claims.turns import read_turn
from memory.conf import HotPathConf, memory_conf
from memory.facts.antecedents import list_antecedents
from memory.facts.evidence import FactOrigin
from memory.facts.keys import fold_key
from memory.facts.pairs import judge_pair, read_statement
from memory.guard import redact_secrets
from memory.language.times import find_times
from memory.models import EndUser, Fact
from memory.models.facts import EvidenceKind
from memory.store.admission import WriteRefused, validate_field_text
from memory.tiers import MAX_TEXT_CHARS

SWITCHED_OFF: Final = "extraction_is_off"
NOT_OBSERVED: Final = "not_observed"
# What `warm_up` reads: it has every word of health loaded.
DOSED: Final = "I take ramipril 5 mg."
TOLD: Final = "I live in Rome and my brother Theo lives in Oslo."
ANSWERED: Final = (
    ("Where do you live?", "Rome"),
    ("Do you still live in Rome?", "no, Oslo"),
    ("How old is Theo?", "nine"),
)
STAGES: Final = ("intent", "extraction", "update", "retrieval")


@dataclass(frozen=True, slots=True)
class NewHotTurn:
    """What a person just said. Without ``observes`` nothing of it is kept."""

    thread_id: str
    text: str
    lang: str | None = None
    observes: bool = True
    # The assistant's last words, where no exchange of the conversation holds them yet.
    reply: str = ""


@dataclass(frozen=True, slots=True)
class HotBullet:
    """``is_near``: found by its meaning; else by what the turn names."""

    text: str
    triple: tuple[str, str, str]
    score: float
    is_near: bool = False


@dataclass(slots=True)
class HotTurnResult:
    """What a turn told, what became of it, and what is laid beside it. ``number`` counts the turns of its thread."""

    number: int
    reading: HotReading
    update: TurnUpdate
    bullets: list[HotBullet] = field(default_factory=list)
    system_message: str | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)


class StageClock:
    """Times the stages of a turn."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = dict.fromkeys(STAGES, 0.0)
        self._started = time.perf_counter()

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.ms[stage] = round((time.perf_counter() - started) * 1000, 3)

    def stop(self) -> dict[str, float]:
        return {**self.ms, "total": round((time.perf_counter() - self._started) * 1000, 3)}


def warm_up() -> None:
    """Load the words that reading, judging and ranking need, which took 1.7 s in the first turn of a process; those of
    moved doses, requests, health and times took another .4 s of the first that needed them, and those of replies 80
    ms."""
    conf = memory_conf().hot
    for language in {*conf.languages, *conf.pipelines}:
        read_turn("I live in Rome.", (), language, conf.pipelines)
        load_dose_moves(language)
        load_requests(language)
    read_new_dose(DOSED)
    for asked, said in ANSWERED:
        read_reply(read_turn(said), said, (TOLD,), asked, TOLD, lang=None)
    add_health(read_turn(DOSED), DOSED, ())
    load_health_cues()
    find_times("at half past eight")
    read_cue("Where do I live?")
    judge_pair(read_statement("I live in Rome."), read_statement("I live in Oslo now."))


def run_hot_turn(user: EndUser, new: NewHotTurn, *, now: datetime, actor: str) -> HotTurnResult:
    """Read a turn, record what it tells, and choose what is laid beside it.

    For a stranger nothing is kept or known. Raises WriteRefused for a text or a language that breaks a rule.
    """
    clock, conf = StageClock(), memory_conf().hot
    refuse_unknown_language(new.lang, conf)
    text = validate_field_text(redact_secrets(new.text).text, MAX_TEXT_CHARS)
    if is_stranger(user):
        reading = read_turn(text, (), new.lang, conf.pipelines)
        return HotTurnResult(1, reading, TurnUpdate(), timings_ms=clock.stop())
    take_near = start_finding_near(user, text) if conf.injects and conf.similarity < 1 else take_none
    with user_scope(user), defer_writes():
        result = run_in_thread(user, new, text, clock, conf, take_near, now=now, actor=actor)
    result.timings_ms = clock.stop()
    record_turn(result.timings_ms, bullets=len(result.bullets), text=text)
    return result


def read_with_known(user: EndUser, text: str, talk: EarlierTalk, lang: str | None, conf: HotPathConf) -> RepliedReading:
    """A turn that tells nothing by itself may speak of whom another conversation introduced: "Doris died"."""
    previous = talk.turns
    own = "" if lang else find_own_language(user, text, previous)
    reading = add_health(read_turn(text, previous, lang, conf.pipelines, own=own), text, previous)
    is_open = not (reading.triples or reading.retracted or text.rstrip().endswith("?"))
    if is_open and (named := list_antecedents(user, f"{talk.asked} {text}".strip(), previous)):
        previous = [*previous, *named]
        reading = add_health(read_turn(text, previous, lang, conf.pipelines, own=own), text, previous)
    return read_reply(reading, text, previous, talk.asked, talk.lead, lang=lang)


def run_in_thread(
    user: EndUser,
    new: NewHotTurn,
    text: str,
    clock: StageClock,
    conf: HotPathConf,
    take_near: TakeNear,
    *,
    now: datetime,
    actor: str,
) -> HotTurnResult:
    threads.lock_thread(user, new.thread_id)
    before = load_conversation(user, new.thread_id, text, redact_secrets(new.reply[-END_OF_REPLY:]).text, now)
    state, talk = before.state, before.talk
    state.turn += 1
    with clock.measure("extraction"):
        replied = read_with_known(user, text, talk, new.lang, conf)
    reading = replied.reading
    with clock.measure("intent"):
        cue = read_cue(text, reading.intent, reading.lang, tells=bool(reading.triples or replied.replies))
    row = build_turn(user, new, state.turn, text, now)
    with clock.measure("update"):
        update = (
            learn_turn(user, new, row, replied, before.own_exchange, now=now, actor=actor)
            if conf.extracts
            else list_unlearned(replied, SWITCHED_OFF)
        )
    with clock.measure("retrieval"):
        findings = find_hot_facts(
            user, cue, state, thread_id=new.thread_id, intent=reading.intent, now=now, take_near=take_near
        )
    bullets = [describe_bullet(one, reading.lang) for one in findings.chosen]
    window = (render_bullet(edge, reading.lang) for edge in findings.window)
    message = compose_message([one.text for one in bullets], window, conf, now)
    move_state(state, update, findings, observes=new.observes)
    threads.save_thread(user, new.thread_id, state, now)
    if new.observes:
        keep_turn(row, reading, talk.asked, update, findings)
    return HotTurnResult(state.turn, reading, update, bullets, message)


def refuse_unknown_language(lang: str | None, conf: HotPathConf) -> None:
    if lang is not None and lang not in conf.languages:
        raise WriteRefused("lang", f"must be one of {', '.join(conf.languages)}, or left out")


def build_turn(user: EndUser, new: NewHotTurn, number: int, text: str, now: datetime) -> HotTurn:
    digest = threads.digest_words(text)
    return HotTurn(pk=uuid4(), user=user, thread_id=new.thread_id, number=number, text=text, digest=digest, at=now)


def learn_turn(
    user: EndUser,
    new: NewHotTurn,
    row: HotTurn,
    replied: RepliedReading,
    exchange: tuple[UUID, UUID | None] | None,
    *,
    now: datetime,
    actor: str,
) -> TurnUpdate:
    """Record what a turn tells.

    Its evidence is the stored exchange of the same words if that came first, else the turn itself: counted once.
    """
    if not new.observes:
        return list_unlearned(replied, NOT_OBSERVED)
    if not replied.tells:
        return TurnUpdate()
    origin = FactOrigin(EvidenceKind.HOT_TURN, row.pk, None, new.thread_id)
    if exchange is not None:
        row.exchange_id, row.memory_id = exchange
        origin = FactOrigin(EvidenceKind.EXCHANGE, *exchange, new.thread_id)
    return record_reading(user, replied, row.text, origin, now=now, actor=actor)


def list_unlearned(replied: RepliedReading, reason: str) -> TurnUpdate:
    """What a turn told, none of it kept, each with the reason."""
    told = [describe_claim(one, reason) for one in replied.replies]
    told += [TripleOutcome(one.key, one.confidence, "skipped", reason) for one in replied.reading.triples]
    return TurnUpdate(told)


def describe_bullet(one: RankedEdge, lang: str) -> HotBullet:
    return HotBullet(
        render_bullet(one.edge, lang, as_sentence=one.as_sentence), one.edge.triple, round(one.score, 3), one.is_near
    )


def move_state(state: HotThreadState, update: TurnUpdate, findings: HotFindings, *, observes: bool) -> None:
    told = [one.fact for one in update.told if one.fact is not None]
    if observes:
        state.add_mentions([*sorted(findings.entities), *list_names(told)])
    state.add_recent([*(fact.pk for fact in told), *(one.edge.fact_id for one in findings.chosen)])
    state.add_shown((one.edge.fact_id, one.score) for one in findings.chosen)


def list_names(facts: Sequence[Fact]) -> list[str]:
    """Whom the facts of a turn are about."""
    subjects = [fact.subject_key for fact in facts if fact.subject_key != SPEAKER]
    return [*subjects, *(fold_key(fact.object) for fact in facts if fact.relation in NAMING)]


def keep_turn(row: HotTurn, reading: HotReading, asked: str, update: TurnUpdate, findings: HotFindings) -> None:
    row.lang, row.intent = reading.lang, reading.intent
    told = {one.edge.fact_id for one in findings.chosen}
    row.trace = {
        "asked": asked,
        "facts": [describe_outcome(one) for one in update.told],
        "dropped": [{"text": one.text, "reason": one.reason} for one in reading.dropped],
        "retracted": [str(fact.pk) for fact in update.retracted],
        "superseded": [str(fact.pk) for fact in update.superseded],
        "bullets": [[str(one.edge.fact_id), round(one.score, 3)] for one in findings.chosen],
        "sentences": [str(one.edge.fact_id) for one in findings.chosen if one.as_sentence],
        "near": [str(one.edge.fact_id) for one in findings.chosen if one.is_near],
        "passed_over": [
            [str(one.edge.fact_id), round(one.score, 3)] for one in findings.ranked if one.edge.fact_id not in told
        ][:20],
        "window": [str(edge.fact_id) for edge in findings.window],
    }
    threads.save_turn(row)


def describe_outcome(one: TripleOutcome) -> dict[str, Any]:
    subject, relation, value = one.triple
    return {
        "s": subject, "r": relation, "d": value, "status": one.status, "reason": one.reason,
        "fact": str(one.fact.pk) if one.fact is not None else None,
    }  # fmt: skip
