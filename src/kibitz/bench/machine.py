"""What figures were measured on."""

import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path


@cache
def cpu_model() -> str:
    """Give the processor's name for itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@cache
def compiler_version() -> str | None:
    """Give the version of g++, or None if there is none."""
    path = shutil.which("g++")
    if path is None:
        return None
    answer = subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None


def describe() -> str:
    """Write down the machine and the tools in one line."""
    import numba

    cores = os.cpu_count() or 1
    return (
        f"{cpu_model()}, {cores} {'core' if cores == 1 else 'cores'}, "
        f"python {platform.python_version()}, numba {numba.__version__}, "
        f"g++ {compiler_version() or 'not found'}"
    )
