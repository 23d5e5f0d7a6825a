"""What figures were measured on."""

import shutil
import subprocess
from functools import cache

from kibitz.core.provenance import machine


@cache
def compiler_version() -> str | None:
    """Return the version of g++, or None if there is none."""
    path = shutil.which("g++")
    if path is None:
        return None
    answer = subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None


def describe() -> str:
    """Write down the machine and the tools in one line."""
    import numba

    return f"{machine()}, numba {numba.__version__}, g++ {compiler_version() or 'not found'}"
