"""How many threads to compute with."""

import os
from pathlib import Path


def physical_cores() -> int:
    """Physical cores this process may run on; logical ones where the system does not say."""
    allowed = _allowed_cpus()
    siblings = {_siblings(cpu) for cpu in allowed}
    return max(1, len(siblings))


def _allowed_cpus() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _siblings(cpu: int) -> str:
    """A name that the logical CPUs of one core share."""
    listing = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return listing.read_text()
    except OSError:
        return str(cpu)
