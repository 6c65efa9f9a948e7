"""Becomes one process of the product, for containers and unit files: ``python -m config.runtime.run web``.

The options are those of the process table, so that a container runs what ``manage.py up`` runs.
"""

import argparse
import os
import sys

from config.embedded import installation_paths
from config.env import BASE_DIR, env_path, report_bad_settings
from config.runtime.programs import (
    WebAddress,
    build_beat_program,
    build_books_program,
    build_mcp_program,
    build_web_program,
    build_worker_program,
)
from config.runtime.settings_check import check_settings

PROGRAMS = {
    "web": build_web_program,
    "worker": build_worker_program,
    "books": build_books_program,
    "beat": build_beat_program,
    "mcp": build_mcp_program,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run one process of the product in the foreground.")
    parser.add_argument("name", choices=PROGRAMS)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    paths = installation_paths(env_path("DATA_DIR", BASE_DIR / ".data"))
    program = PROGRAMS[given.name](paths, WebAddress(given.host, given.port))
    refused = check_settings(program.environment)
    if not refused:
        os.chdir(program.cwd)
        os.execve(program.argv[0], list(program.argv), dict(program.environment))  # noqa: S606 - this process ends here
    return refused


if __name__ == "__main__":
    sys.exit(report_bad_settings(main))
