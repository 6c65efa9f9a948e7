"""Replay a conversation on the hot path: what would be read of each turn, kept of it and laid beside it."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from knowledge_graph.hotmem.turn import HotTurnResult, NewHotTurn, run_hot_turn, warm_up
from memory.access.users import get_or_create_user
from memory.conf import memory_conf
from memory.evaluation.loading import create_benchmark_organization
from memory.evaluation.probes import count_repeated
from memory.scoring import find_percentile
from memory.store.admission import WriteRefused

ACTOR: Final = "command:hotmem"


class Command(BaseCommand):
    help = (
        "Replay a conversation on the hot path, turn by turn, as a person of its own who is erased at the end. FILE "
        "has a turn a line: plain text, or JSON objects with text and, where there are several, thread_id."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["replay"])
        parser.add_argument("file", type=Path)
        parser.add_argument("--json", action="store_true", help="one JSON object a turn")

    def handle(self, *args: object, **options: Any) -> None:
        turns = list(read_turns(options["file"]))
        if not turns:
            raise CommandError(f"{options['file']}: no turn in it")
        warm_up()
        with create_benchmark_organization(timezone.now()) as organization:
            user = get_or_create_user(organization, "replay")
            results = []
            for turn in turns:
                try:
                    result = run_hot_turn(user, turn, now=timezone.now(), actor=ACTOR)
                except WriteRefused as error:
                    raise CommandError(f"{turn.text[:60]}: {error}") from error
                results.append(result)
                lines = [json.dumps(describe(turn, result))] if options["json"] else render_turn(turn, result)
                self.stdout.write("\n".join(lines))
        if not options["json"]:
            self.stdout.write(self.style.SUCCESS(summarize(results)))


def read_turns(path: Path) -> Iterator[NewHotTurn]:
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        for line in filter(None, lines):
            given = json.loads(line) if line.startswith("{") else {"text": line}
            thread, reply = str(given.get("thread_id") or "replay"), str(given.get("last_reply") or "")
            yield NewHotTurn(thread, str(given["text"]), given.get("lang"), reply=reply)
    except (OSError, ValueError, KeyError) as error:
        raise CommandError(f"{path}: {error!r}") from error


def describe(turn: NewHotTurn, result: HotTurnResult) -> dict[str, Any]:
    return {
        "thread_id": turn.thread_id,
        "turn": result.number,
        "text": turn.text,
        "lang": result.reading.lang,
        "intent": result.reading.intent,
        "facts": [[*one.triple, one.status, one.reason] for one in result.update.told],
        "dropped": [[one.text, one.reason] for one in result.reading.dropped],
        "retracted": [[fact.subject, fact.relation, fact.object] for fact in result.update.retracted],
        "superseded": [[fact.subject, fact.relation, fact.object] for fact in result.update.superseded],
        "bullets": [one.text for one in result.bullets],
        "system_message": result.system_message,
        "timings_ms": result.timings_ms,
    }


def render_turn(turn: NewHotTurn, result: HotTurnResult) -> list[str]:
    shown = describe(turn, result)
    lines = [
        f"{result.number}. {turn.text}",
        f"   {shown['lang']} {shown['intent']} {result.timings_ms['total']:.0f} ms",
    ]
    lines += [f"   {status}: {s} · {r} · {d}{f' ({why})' if why else ''}" for s, r, d, status, why in shown["facts"]]
    lines += [f"   dropped: {text} ({reason})" for text, reason in shown["dropped"]]
    for state in ("retracted", "superseded"):
        lines += [f"   {state}: {' · '.join(triple)}" for triple in shown[state]]
    return [*lines, *(f"   • {bullet}" for bullet in shown["bullets"])]


def summarize(results: Sequence[HotTurnResult]) -> str:
    said = [(result.number, bullet.triple) for result in results for bullet in result.bullets]
    again = count_repeated(said, memory_conf().hot.novelty_turns)
    p95 = find_percentile([result.timings_ms["total"] for result in results], 0.95)
    return f"{len(results)} turns, {len(said)} bullets, {again} of them said within the turns of rest, p95 {p95:.1f} ms"
