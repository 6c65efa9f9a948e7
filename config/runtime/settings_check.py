"""Whether the settings can be read, found out before anything is started with them.

``python -m config.runtime.settings_check`` says in one line which variable is wrong and what it must be.
"""

import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module

from config.env import BASE_DIR, report_bad_settings


def check_settings(environment: Mapping[str, str]) -> int:
    """Read the settings as a process with this environment will; it writes to this terminal what is wrong."""
    argv = [sys.executable, "-m", "config.runtime.settings_check"]
    return subprocess.run(argv, env=dict(environment), cwd=BASE_DIR, check=False).returncode


def load_settings() -> int:
    # By name: the runtime itself does without the settings, and asks in a process of its own.
    import_module("config.settings")
    return 0


if __name__ == "__main__":
    sys.exit(report_bad_settings(load_settings))
