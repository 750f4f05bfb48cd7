"""How much memory a step takes: peaks of the resident size (Linux, glibc)."""

import ctypes
import gc
from pathlib import Path


def peak_memory(forget: bool = False) -> int:
    """Kilobytes of the largest resident size so far; `forget` starts anew from the present one."""
    if forget:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0])
