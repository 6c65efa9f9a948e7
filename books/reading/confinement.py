"""Takes from the process that reads a document whatever reading does not need: memory, time, files, network, children.

Each measure stands alone, and one that a system lacks is left out: on Linux all hold, on macOS those of `resource`.
"""

import ctypes
import platform
import resource
import signal
import socket
import struct
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
RETURN_EPERM = 0x00050001
RETURN_ALLOW = 0x7FFF0000
RETURN_KILL = 0x80000000
# Numbers of system calls as the two machines have them. Of those left out none opens a socket, a file or a process.
FORBIDDEN = {
    # socket, socketpair, connect, clone, fork, vfork, execve, kill, ptrace, execveat, process_vm_readv and writev,
    # io_uring_setup, clone3, open, openat, openat2, unlink, unlinkat, rename, tkill
    "x86_64": (
        0xC000003E,
        (41, 53, 42, 56, 57, 58, 59, 62, 101, 322, 310, 311, 425, 435, 2, 257, 437, 87, 263, 82, 200),
    ),
    # socket, socketpair, connect, clone, execve, kill, ptrace, execveat, process_vm_readv and writev, io_uring_setup,
    # clone3, openat, openat2, unlinkat, tkill
    "aarch64": (0xC00000B7, (198, 199, 203, 220, 221, 129, 117, 281, 270, 271, 425, 435, 56, 437, 35, 130)),
}
# Standard input, output and errors; no other file can be opened after that.
OPEN_FILES = 3


class FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def confine_process(memory_bytes: int, cpu_seconds: int) -> None:
    """Limit this process for good. Whatever it imports it must have imported before."""
    set_limit(resource.RLIMIT_CORE, 0)
    set_limit(resource.RLIMIT_FSIZE, 0)
    set_limit(resource.RLIMIT_CPU, cpu_seconds)
    set_limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    set_limit(resource.RLIMIT_AS, memory_bytes)
    if sys.platform != "darwin":
        # Counts every process of the user on some systems, so that only none at all is a sure limit.
        set_limit(resource.RLIMIT_NPROC, 0)
    socket.socket.connect = refuse_connection  # type: ignore[method-assign]
    if sys.platform == "linux":
        filter_system_calls()


def set_limit(kind: int, limit: int) -> None:
    try:
        resource.setrlimit(kind, (limit, limit))
    except (ValueError, OSError):
        # macOS knows no limit of address space, and lowers none below what is in use.
        return


def refuse_connection(*_: object) -> None:
    raise PermissionError("documents are read without a network")


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it dies, also by kill -9."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def filter_system_calls() -> bool:
    """Have the kernel refuse sockets, files and processes, if it knows how; whether it does now."""
    if platform.machine() not in FORBIDDEN:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    program = build_filter(*FORBIDDEN[platform.machine()])
    buffer = ctypes.create_string_buffer(program, len(program))
    handed = FilterProgram(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(handed), 0, 0) == 0)


def build_filter(machine: int, forbidden: tuple[int, ...]) -> bytes:
    """A program of the kernel's packet filter: another machine's calls kill, forbidden ones fail, the rest pass."""
    load_machine, load_number = build_instruction(0x20, 4), build_instruction(0x20, 0)
    checks = b"".join(
        build_instruction(0x15, number, len(forbidden) - place, 0) for place, number in enumerate(forbidden)
    )
    # Calls of the other table of x86_64 have numbers from here on.
    other_table = build_instruction(0x35, 0x40000000, len(forbidden) + 1, 0)
    return b"".join(
        (
            load_machine,
            build_instruction(0x15, machine, 1, 0),
            build_instruction(0x06, RETURN_KILL),
            load_number,
            other_table,
            checks,
            build_instruction(0x06, RETURN_ALLOW),
            build_instruction(0x06, RETURN_EPERM),
        )
    )


def build_instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
