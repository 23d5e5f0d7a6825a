"""Where results come from: the machine they were made on and the commit of the code."""

import os
import platform
import subprocess
from functools import cache
from pathlib import Path


@cache
def cpu_model() -> str:
    """Return the processor's name for itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> str:
    """Name the processor, its cores and this Python in one line."""
    cores = os.cpu_count() or 1
    unit = "core" if cores == 1 else "cores"
    return f"{cpu_model()}, {cores} {unit}, python {platform.python_version()}"[:200]


@cache
def commit() -> str:
    """Name the commit of the code, if it is in a checkout; `-dirty` if files differ from it."""
    here = str(Path(__file__).parent)
    command = ["git", "-C", here, "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return answer.stdout.strip()[:100] or "unknown"
