"""Row 23: a disk that is full stops what must be written, and nothing that is there is lost by it."""

import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from memory.benchmarks.serving import find_free_port
from memory.proving.faults import DEADLINE_S, search_timed
from memory.proving.installation import Stack
from memory.proving.patience import PATIENCE_S, eventually
from memory.proving.promises import Finding, UnmeasurableError
from memory.proving.stage import ProvingStage, end_installation, name_person

DISK_MIB = 700
PIECE = 2**20


@contextmanager
def mount_small_disk(place: Path) -> Iterator[Path]:
    """A file system of its own, in memory. Raises UnmeasurableError where this process may not mount one."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if not mount or not unmount:
        raise UnmeasurableError("a small file system cannot be mounted: there is no mount")
    place.mkdir()
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=0755", "none", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        raise UnmeasurableError(f"a small file system could not be mounted: {mounted.stderr.strip()[:100]}")
    try:
        yield place
    finally:
        subprocess.run([unmount, "--lazy", str(place)], check=False)


def fill_disk(filler: Path) -> None:
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while file.write(bytes(PIECE)) == PIECE:
            pass
    # What is less than a page is taken as well, also by what was freed meanwhile.
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


def prove_full_disk(stage: ProvingStage) -> Finding:
    """Memories are told while nothing can be written, and again once there is room, without anybody's hand."""
    with mount_small_disk(stage.stack.data_dir.parent / "small") as disk:
        small = ProvingStage(Stack(disk / "data", find_free_port(), find_free_port()), stage.is_brief, stage.say)
        try:
            small.start()
            return write_on_full_disk(small, disk / "filler")
        finally:
            end_installation(small.stack)


def write_on_full_disk(stage: ProvingStage, filler: Path) -> Finding:
    user, kept, answers, searches, hung = name_person("disk"), set[str](), Counter[int](), list[int](), 0
    path = f"/api/v1/users/{user}/memories"
    with stage.call(timeout_s=2 * DEADLINE_S) as client:

        def tell(number: int) -> int:
            told = {"text": f"Chest {number} holds spoons " + os.urandom(4000).hex(), "tier": "history"}
            with suppress(httpx.HTTPError):
                answer = client.post(path, json=told)
                kept.update([str(answer.json()["id"])] if answer.status_code == 201 else [])
                return answer.status_code
            return 0

        eventually(lambda: tell(0) == 201)
        for number in range(stage.scale(60, 1000)):
            fill_disk(filler)
            answers[tell(1 + number)] += 1
            if number % 10 == 0:
                searches.append(search_timed(client, user, number)[0])
        hung = answers[0] + searches.count(0)
        filler.unlink()
        begun = time.monotonic()
        is_back = eventually(lambda: tell(10_000) == 201, PATIENCE_S)
        seconds = time.monotonic() - begun
        indexed = stage.wait_until_indexed(user)
        lost = sum(client.get(f"{path}/{one}").status_code != 200 for one in kept)
    refused = {status: count for status, count in sorted(answers.items()) if status != 201}
    found = sum(status == 200 for status in searches)
    figure = (
        f"on a full disk of {DISK_MIB} MiB: writes answered {dict(sorted(answers.items()))}, {found} of "
        f"{len(searches)} searches answered, {hung} calls hung; with room again "
        f"{'written' if is_back else 'not written'} after {seconds:.0f} s; {lost} of {len(kept)} acknowledged lost, "
        f"{indexed.get('ready')} indexed"
    )
    is_refused = bool(refused) and set(refused) <= {503, 507} and not hung
    is_whole = not lost and is_back and indexed.get("ready") == len(kept)
    return Finding(figure, is_refused and is_whole and found == len(searches) > 0)
