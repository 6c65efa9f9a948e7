"""What a command says about the facts it read."""

from outcomes.exchanges.rereading import ReadingCounts


def describe_counts(counts: ReadingCounts, *, dry_run: bool = False) -> str:
    """One line, ending with whose turns were left out."""
    people = f" ({counts.others:,} of other people)" if counts.others else ""
    told = f"{counts.turns:,} turns read{people}, {counts.statements:,} statements found"
    if not dry_run:
        told += f": {counts.new:,} new facts, {counts.supported:,} said again, {counts.ended:,} ended"
    if counts.machines:
        told += f"; {counts.machines:,} turns of machines left out"
    return told
