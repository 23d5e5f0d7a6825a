"""`kibitz serve` says what it needs, in a sentence."""

import socket
import subprocess
import sys

import pytest

HIDE = """
import sys
for name in ("fastapi", "uvicorn"):
    sys.modules[name] = None
from kibitz.cli import main
sys.argv = ["kibitz", "serve"]
main()
"""


def serve(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command that does not get as far as serving."""
    command = [sys.executable, "-m", "kibitz", "serve", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_without_its_packages_it_says_how_to_get_them() -> None:
    done = subprocess.run([sys.executable, "-c", HIDE], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.strip().endswith("pip install 'kibitz[web]'")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--public-url", "kibitz.org"), "expected an address such as https://example.org"),
        (("--public-url", "http://["), "expected an address such as https://example.org"),
        (("--public-url", "http://a:99999"), "expected an address such as https://example.org"),
        (("--host", ""), "expected an address to listen at"),
        (("--port", "0", "--database", "/dev/null/play.db"), "name another"),
        (("--port", "0", "--database", __file__), "it is not a database"),
        (("--port", "0", "--database", "mysql://x/y"), "not in 'mysql'"),
        (("--port", "99999"), "less than or equal to 65535"),
        (("--host", "203.0.113.7", "--port", "0"), "cannot listen at 203.0.113.7"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(words: tuple[str, ...], said: str) -> None:
    done = serve(*words)
    assert (done.returncode, said in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_port_that_is_taken_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = serve("--port", str(taken.getsockname()[1]))
    assert (done.returncode, "try another --port" in done.stderr) == (2, True)


def test_the_help_has_an_example() -> None:
    assert "Example: kibitz serve" in serve("--help").stdout
