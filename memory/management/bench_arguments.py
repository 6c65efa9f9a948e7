"""What `manage.py bench` takes on its command line, measure by measure."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memory.evaluation.first_days import SETS as FIRST_DAYS
from memory.evaluation.quality import MODES
from memory.evaluation.scenarios import HALVES, SETS
from memory.retrieval.variants import list_boosts


def parse_whole(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def parse_positive(text: str) -> int:
    if not parse_whole(text):
        raise ArgumentTypeError("must be at least 1")
    return int(text)


def parse_modes(text: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in MODES]
    if unknown or not names:
        raise ArgumentTypeError(f"some of {','.join(MODES)}")
    return names


def parse_boosts(text: str) -> list[str]:
    boosts = list(list_boosts())
    names = boosts if text == "each" else list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in boosts]
    if unknown or not names:
        raise ArgumentTypeError(f'"each" or some of {",".join(boosts)}')
    return names


def add_dataset_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path, nargs="?", help="a data set; without it one of the product's own")
    parser.add_argument("--set", choices=[*SETS, *FIRST_DAYS], default=next(iter(SETS)), help="which of its own")
    parser.add_argument("--half", choices=HALVES, help="only this half of it")
    parser.add_argument("--limit", type=parse_positive, help="only the first questions")


def add_data_arguments(quality_parser: CommandParser, learning_parser: CommandParser) -> None:
    """What is asked, and how."""
    for kind in (quality_parser, learning_parser):
        add_dataset_arguments(kind)
    quality_parser.add_argument("--k", type=parse_positive, default=10, help="depth of the ranking in conversations")
    quality_parser.add_argument("--modes", type=parse_modes, help=f"some of {','.join(MODES)}; all without it")
    quality_parser.add_argument(
        "--without",
        type=parse_boosts,
        default=[],
        metavar="BOOSTS",
        help='ask also without each of these boosts, alone: names with commas, or "each"',
    )
    quality_parser.add_argument(
        "--misses", action="store_true", help="list the questions whose best memory is not first"
    )
    learning_parser.add_argument("--rounds", type=parse_positive, default=5)


def add_speed_arguments(parser: CommandParser) -> None:
    parser.add_argument("--memories", type=parse_positive, default=10_000, help="memories of the measured user")
    parser.add_argument("--others", type=parse_whole, default=0, help="memories of other users, loaded directly")
    parser.add_argument("--queries", type=parse_positive, default=200)
    parser.add_argument("--clients", type=parse_positive, default=1, help="calls at once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep what was loaded directly for the next such run")
    parser.add_argument("--url", help="measure the product at this address, with --key")
    parser.add_argument("--key")


def add_load_arguments(parser: CommandParser) -> None:
    parser.add_argument("--memories", type=parse_positive, default=10_000)
    parser.add_argument("--clients", type=parse_positive, default=20)
    parser.add_argument("--searches", type=float, default=20.0, help="a second, of all clients; 0 for no pause")
    parser.add_argument("--writes", type=float, default=50.0, help="a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each of the two measurements")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-rebuild", dest="rebuild", action="store_false", help="leave the index alone")


def add_claims_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path, nargs="+", help="turns or conversations, one JSON object a line")
    parser.add_argument("--misses", action="store_true", help="list what was missed and what was wrong")


def add_hot_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "file", type=Path, nargs="+", help="turns with their triples, or probes, one JSON object a line"
    )
    parser.add_argument("--misses", action="store_true", help="list what was missed and what was wrong")


def add_pairs_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path, nargs="+", help="pairs of statements or conversations, one a line")
    parser.add_argument("--misses", action="store_true", help="list what was judged wrongly")


def add_labels_arguments(kinds: Any) -> None:  # noqa: ANN401 -- argparse does not name what it returns
    """Of what the vocabulary is for: labels, and retrieval by them."""
    staged_parser = kinds.add_parser("staged", help="retrieval in stages beside the search, across conversations")
    staged_parser.add_argument("file", type=Path, nargs="+", help="questions across conversations, one a line")
    parser = kinds.add_parser("labels", help="what messages are labelled with by rules")
    parser.add_argument("file", type=Path, nargs="+", help="labelled messages, one JSON object a line")
    parser.add_argument("--misses", action="store_true", help="list what was labelled wrongly")


def add_constraints_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path, nargs="+", help="constraints with questions, one JSON object a line")
    parser.add_argument("--fillers", type=Path, help="other statements of a person, one JSON object a line")
    parser.add_argument("--misses", action="store_true", help="list the constraints that are not in the context")


def add_conversations_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path, nargs="+", help="conversations with questions, one JSON object a line")
    parser.add_argument("--later", type=parse_whole, default=30, help="days after the last turn to ask again")
    parser.add_argument("--misses", action="store_true", help="list the questions whose answer is not in the context")
    parser.add_argument(
        "--nightly", action="store_true", help="consolidate facts each night, and ask where the conversation went on"
    )
