"""Which of the processor's instructions the library computes with."""

import os
from pathlib import Path

VARIABLE = "CT2_FORCE_CPU_ISA"
CPU_INFO = Path("/proc/cpuinfo")


def choose_instructions(cpu_info: Path = CPU_INFO) -> None:
    """Ask for AVX-512 where the processor has it without slowing down for it; to be called before a model is loaded.

    The library itself stops at AVX2: processors from before 2019 lowered their clock for wider numbers. Those that
    multiply small integers in them (VNNI) do not, and take a fifth to a third less for a text. An operator's own choice
    stays.
    """
    if VARIABLE not in os.environ and "avx512_vnni" in read_flags(cpu_info):
        os.environ[VARIABLE] = "AVX512"


def read_flags(cpu_info: Path) -> set[str]:
    """Of the first processor; none where there is no such file, as on macOS."""
    try:
        lines = cpu_info.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return set()
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), set())
