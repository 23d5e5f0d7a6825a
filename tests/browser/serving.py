"""A server of web tables in a process of its own, for tests."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a server may take to answer for the first time."""


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
        return port


class Server:
    """`kibitz serve` with a database of its own; it can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        """Prepare a server; `start` starts it."""
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "kibitz", "serve", "--port", str(self.port)]
        command += ["--database", str(self._folder / "tables.db")]
        log = (self._folder / "server.log").open("ab")
        with log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, "LANG": "C.UTF-8"}
            )
        give_up = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, f"the server ended:\n{self.log}"
            assert time.monotonic() < give_up, f"no answer in {PATIENCE:.0f} s:\n{self.log}"
            time.sleep(0.1)

    @property
    def log(self) -> str:
        """What the server has printed."""
        return (self._folder / "server.log").read_text("utf-8", errors="replace")

    def kill(self) -> None:
        """End it without a warning, as a crash does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ask it to end, and wait."""
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/api/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
