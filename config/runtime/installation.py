"""The whole product on one machine: what ``manage.py up`` starts, in which order, and what it tells meanwhile."""

import errno
import json
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from config.embedded import EmbeddedError, Paths, unaddressed
from config.env import BASE_DIR
from config.runtime import keeping, leftovers
from config.runtime.programs import WebAddress, beat, child_environment, start_parts, web, worker
from config.supervisor import StartFailedError, StopRequestedError, Supervisor

REFUSED = 3


@dataclass(frozen=True, slots=True)
class Choices:
    address: WebAddress
    demo: bool = True


class Narration:
    """Tells a person what happens, in one line each."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say

    def started(self, name: str, seconds: float) -> None:
        self.say(f"  {name:<10} ready after {seconds:.1f} s")

    def trouble(self, name: str, message: str) -> None:
        self.say(f"! {name}: {message}")

    def line(self, name: str, text: str) -> None:
        self.say(f"  {name} | {text}")


class Installation:
    def __init__(self, place: Paths, choices: Choices, say: Callable[[str], None]) -> None:
        self._place = place
        self._choices = choices
        self._say = say
        self._narration = Narration(say)
        self._embedded = unaddressed()

    def run(self) -> int:
        """Run until a signal; returns the exit code."""
        address = self._choices.address
        hold = keeping.Hold(self._place, "up", self._embedded, address.url)
        if not keeping.wait_for_lock(hold, self._place, self._tell_wait):
            return self._refuse()
        refuse_taken_port(address)
        if leftovers.clear(self._place):
            self._say("Ended what a killed run had left behind.")
        supervisor = Supervisor(self._narration, self._place.log, partial(leftovers.remember, self._place))
        try:
            self._start(supervisor, hold)
            supervisor.watch()
        except StopRequestedError:
            pass
        except StartFailedError as error:
            self._say(f"! {error}")
            return 1
        finally:
            self._stop(supervisor, hold)
        return 0

    def _start(self, supervisor: Supervisor, hold: keeping.Hold) -> None:
        begun = time.monotonic()
        is_first = not self._place.access.exists()
        self._say(f"Starting Commonplace in {self._place.data}" + (" for the first time" if is_first else ""))
        start_parts(supervisor, self._place, self._embedded)
        hold.publish(parts=self._embedded, ready=self._embedded)
        self._step(supervisor, ["migrate", "--no-input"], "migrations", show=only_applied)
        address = self._choices.address
        supervisor.start([make(self._place, address) for make in (web, worker, beat)])
        if self._choices.demo:
            self._step(supervisor, ["prepare_demo", "--url", address.url], "demo")
        hold.publish(parts=self._embedded, ready=[*self._embedded, "web"])
        self._say(f"Everything runs after {time.monotonic() - begun:.1f} s.")
        self._say(self._welcome())

    def _step(
        self, supervisor: Supervisor, words: list[str], name: str, show: Callable[[str], str | None] | None = None
    ) -> None:
        begun = time.monotonic()
        argv = [sys.executable, str(BASE_DIR / "manage.py"), *words]
        environment = child_environment(self._place, self._choices.address)
        code = supervisor.run_step(argv, environment, BASE_DIR, self._shower(show) if show else None)
        if code:
            raise StartFailedError(f"the step {name} (manage.py {' '.join(words)}) ended with code {code}")
        self._say(f"  {name:<10} done after {time.monotonic() - begun:.1f} s")

    def _shower(self, show: Callable[[str], str | None]) -> Callable[[str], None]:
        def tell(line: str) -> None:
            text = show(line)
            if text:
                self._say(text)

        return tell

    def _stop(self, supervisor: Supervisor, hold: keeping.Hold) -> None:
        self._say("Stopping ...")
        begun = time.monotonic()
        supervisor.stop()
        leftovers.forget(self._place)
        hold.release()
        self._say(f"Stopped after {time.monotonic() - begun:.1f} s. The data stays in {self._place.data}")

    def _tell_wait(self, holder: keeping.Holder) -> None:
        self._say(f"Another command (process {holder.pid}) uses the database here; waiting until it is done ...")

    def _refuse(self) -> int:
        holder = keeping.current_holder(self._place)
        who = f"(process {holder.pid}) at {holder.address}" if holder else ""
        self._say(f"! Commonplace already runs {who} with the data in {self._place.data}.")
        self._say("  Stop it with `make down`, or choose another DATA_DIR and PORT.")
        return REFUSED

    def _welcome(self) -> str:
        try:
            access = json.loads(self._place.access.read_text(encoding="utf-8"))
        except OSError:
            return f"\n  Console  {self._choices.address.url}/console/\n  Data     {self._place.data}\n"
        return welcome(access, self._place)


def welcome(access: dict[str, str], place: Paths) -> str:
    from memory.demo import EXAMPLE_QUERY, USER_ID

    rows = [
        ("Console", access["console_url"]),
        ("Login", f"{access['console_user']}  /  {access['console_password'] or '(the password you chose)'}"),
        ("API", f"{access['api_url']}/api/v1/docs"),
        ("API key", access["api_key"]),
        ("Data", f"{place.data}  (logs in {place.log.name}/, this table in {place.access.name})"),
    ]
    table = "\n".join(f"  {name:<8} {value}" for name, value in rows)
    curl = (
        f"  curl -s {access['api_url']}/api/v1/users/{USER_ID}/search \\\n"
        f"    -H 'Authorization: Bearer {access['api_key']}' -H 'Content-Type: application/json' \\\n"
        f"    -d {shlex.quote(json.dumps({'query': EXAMPLE_QUERY, 'limit': 3}, ensure_ascii=False))}"
    )
    return f"\n{table}\n\n  Ask it something:\n\n{curl}\n\n  Ctrl-C stops everything.\n"


def only_applied(line: str) -> str | None:
    return line.rstrip() if line.startswith("  Applying") else None


def refuse_taken_port(address: WebAddress) -> None:
    with socket.socket() as probe:
        # As the server does: a port that only waits out its last connections is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise EmbeddedError(port_problem(address, error)) from error


def port_problem(address: WebAddress, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {address.port} is in use; stop what uses it or choose another: make up PORT={address.port + 1}"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"port {address.port} needs more rights than this user has; choose one above 1023: make up PORT=8000"
    return f"{address.host}:{address.port} cannot be listened on: {error.strerror}"


def stop_running(place: Paths, say: Callable[[str], None], within_s: float = 90.0) -> int:
    """Ask the ``up`` of a data directory to stop and wait until it has; 0 if nothing runs afterwards."""
    holder = keeping.current_holder(place)
    if holder is None:
        say("Nothing runs here.")
        return 0
    if not holder.pid:
        say("It is just starting; try again in a moment.")
        return 1
    say(f"Stopping process {holder.pid} ...")
    os.kill(holder.pid, signal.SIGTERM)
    end = time.monotonic() + within_s
    while keeping.current_holder(place) is not None:
        if time.monotonic() > end:
            say(f"! process {holder.pid} has not stopped after {within_s:.0f} s; see {place.log}")
            return 1
        time.sleep(0.1)
    say("Stopped.")
    return 0
