"""Chats from another product into one user's memory."""

from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.confinement import EVERYTHING, ScopeRefused, confine_to
from memory.access.users import find_user, get_or_create_user
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.management.learned import describe_counts
from memory.management.organizations import add_user_argument, resolve_organization, validate_external_id
from memory.management.progress import show_progress
from memory.models import EndUser, Organization
from memory.tiers import POLICIES, SCORED_TIERS, Tier
from memory.transfer.chats.importing import (
    FORMATS,
    ChatFile,
    ImportProgress,
    ImportSurvey,
    count_new_memories,
    import_chats,
)
from memory.transfer.chats.messages import STATEMENT_KINDS, BrokenExport, ImportedKind
from memory.transfer.chats.statements import Telling
from outcomes.exchanges.rereading import ReadingCounts

ACTOR = "command:import_chats"
NOUNS = {True: ("statement", ""), False: ("text", "")}


class Command(BaseCommand):
    help = (
        "Import a ChatGPT or Claude account export (conversations.json or the zip), what mem0, Zep or Hindsight list, "
        "a Letta agent file, transcripts of Claude Code (a file or a folder), or JSON Lines with thread, time, speaker "
        "and text. The whole file is checked first; the same file twice adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        add_user_argument(parser)
        parser.add_argument("--tier", choices=sorted(SCORED_TIERS), default=Tier.HISTORY.value)
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument("--agent", default="", help="the agent it belongs to; the person's own without one")
        parser.add_argument("--project", default="", help="the project it belongs to")
        parser.add_argument("--dry-run", action="store_true", help="check the file and say what would happen")

    def handle(self, *args: object, **options: Any) -> None:
        organization = resolve_organization(options["org"])
        validate_external_id(options["user"])
        tier = Tier(options["tier"])
        try:
            scope = EVERYTHING.narrow(options["agent"], options["project"])
        except ScopeRefused as error:
            raise CommandError(f"--{error.field.removesuffix('_id')}: {error.rule}") from None
        with confine_to(scope):
            self.take(organization, tier, options)

    def take(self, organization: Organization, tier: Tier, options: dict[str, Any]) -> None:
        try:
            file = ChatFile(options["file"], options["format"])
            # The whole file first: reading it twice costs seconds, half an import costs trust.
            with show_progress(self.stdout, "checked messages") as advance:
                survey = file.survey(on_message=lambda: advance(1))
            self.write_survey(survey)
            if options["dry_run"]:
                self.preview_import(organization, options["user"], file, survey, tier)
            else:
                self.import_file(organization, options["user"], file, survey, tier)
        except BrokenExport as fault:
            faults = "\n".join(map(str, [fault, *fault.others]))
            raise CommandError(f"{faults}\nNothing was imported from {options['file'].name}.") from None
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}") from None

    def write_survey(self, survey: ImportSurvey) -> None:
        found = f"{_format_count(survey.messages, 'message')} in {_format_count(len(survey.threads), 'thread')}"
        span = f", {survey.earliest:%Y-%m-%d} to {survey.latest:%Y-%m-%d}" if survey.earliest else ""
        self.stdout.write(f"{survey.kind}: {found}{span}")
        spoken = survey.holds[ImportedKind.MESSAGE]
        if spoken > survey.messages:
            self.stdout.write(f"long messages are split: {_format_count(spoken, 'memory', 'memories')}")
        for kind in list_kinds_beside(survey):
            self.stdout.write(f"{kind}: {_format_count(survey.holds[kind], *NOUNS[kind in STATEMENT_KINDS])}")
        for reason, count in sorted(survey.skipped.items(), key=lambda entry: (-entry[1], entry[0])):
            self.stdout.write(f"left out: {count:,} ({reason})")
            for name in survey.left.get(reason, []):
                self.stdout.write(f"  {name}")

    def preview_import(
        self, organization: Organization, user_id: str, file: ChatFile, survey: ImportSurvey, tier: Tier
    ) -> None:
        user = find_user(organization, user_id)
        new = count_new_memories(user, file, tier) if user else survey.holds
        for kind in list_kinds_beside(survey):
            place = Tier.MEMORY_BANK if kind in STATEMENT_KINDS else tier
            self.stdout.write(
                f"would add {new[kind]:,} of {kind} to {place}, {survey.holds[kind] - new[kind]:,} already there"
            )
        spoken = new[ImportedKind.MESSAGE]
        self.stdout.write(
            f"would add {spoken:,} to {tier} of {user_id}, {survey.holds[ImportedKind.MESSAGE] - spoken:,} already "
            "there; nothing was written"
        )

    def import_file(
        self, organization: Organization, user_id: str, file: ChatFile, survey: ImportSurvey, tier: Tier
    ) -> None:
        user = get_or_create_user(organization, user_id)
        latest = ImportProgress()

        def note(written: ImportProgress, batch: int) -> None:
            nonlocal latest
            latest = written
            advance(batch)

        with show_progress(self.stdout, "imported messages", survey.memories) as advance:
            try:
                latest = import_chats(user, file, tier=tier, now=timezone.now(), on_batch=note)
            except KeyboardInterrupt:
                raise CommandError(
                    f"stopped after {latest.added:,}; the same command again goes on from there", returncode=130
                ) from None
        self.write_progress(latest, survey, tier, user_id)
        self.explain_tier(tier)
        if memory_conf().flags["profile_detection"]:
            self.teach_facts(user, survey)

    def write_progress(self, done: ImportProgress, survey: ImportSurvey, tier: Tier, user_id: str) -> None:
        new, there, refused = (done.told[one] for one in (Telling.NEW, Telling.THERE, Telling.REFUSED))
        for kind in list_kinds_beside(survey):
            place = Tier.MEMORY_BANK if kind in STATEMENT_KINDS else tier
            beyond = f", {refused[kind]:,} refused" if refused[kind] else ""
            self.stdout.write(f"added {new[kind]:,} of {kind} to {place}, {there[kind]:,} already there{beyond}")
        spoken = ImportedKind.MESSAGE
        self.stdout.write(
            self.style.SUCCESS(
                f"added {new[spoken]:,} to {tier} of {user_id}, {there[spoken]:,} already there, "
                f"{sum(survey.skipped.values()):,} left out"
            )
        )

    def teach_facts(self, user: EndUser, survey: ImportSurvey) -> None:
        """Facts of what people said, read once all of it is stored: the newest thread often comes first."""
        counts = ReadingCounts()
        with show_progress(self.stdout, "read turns") as advance:
            try:
                MemoryFacade(ACTOR).extract_imported_facts(
                    user, survey.threads, now=timezone.now(), on_turns=advance, counts=counts
                )
            except KeyboardInterrupt:
                raise CommandError(
                    f"everything is imported; stopped after {describe_counts(counts)}; "
                    "extract_facts goes on from there",
                    returncode=130,
                ) from None
        self.stdout.write(describe_counts(counts))

    def explain_tier(self, tier: Tier) -> None:
        ttl = POLICIES[tier].ttl
        if ttl is not None:
            duration = f"{ttl.days} days" if ttl >= timedelta(days=2) else f"{int(ttl.total_seconds() // 3600)} hours"
            after = "stays findable" if memory_conf().promotion.keeps_expired else "is archived"
            self.stdout.write(
                f"after {duration} in {tier}, what has not proved useful leaves the tier and {after}; "
                "--tier patterns has no time limit"
            )


def list_kinds_beside(survey: ImportSurvey) -> list[ImportedKind]:
    """What the file holds beside messages."""
    return [kind for kind in ImportedKind if kind is not ImportedKind.MESSAGE and survey.holds[kind]]


def _format_count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
