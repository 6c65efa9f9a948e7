"""What a command says about the facts it read."""

from outcomes.exchanges.rereading import ReadingCounts


def describe_counts(counts: ReadingCounts, *, dry_run: bool = False) -> str:
    """One line, ending with whose turns were left out."""
    told = f"{counts.turns:,} turns read, {counts.statements:,} statements found"
    if not dry_run:
        told += f": {counts.new:,} new facts, {counts.supported:,} said again, {counts.ended:,} ended"
    if counts.others:
        told += f"; {counts.others:,} turns of other people left out"
    return told
