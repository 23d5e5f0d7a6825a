"""The command line: parse, call, print.

Modules that need the compiler are imported inside the commands, so that `kibitz --help` and
`kibitz games` start at once.
"""

import io
import os
import signal
import sys
import threading
from typing import Any

import typer

from kibitz.cli.app import app
from kibitz.cli.console import ignore_interrupts
from kibitz.cli.letters import PLAIN, register
from kibitz.core.errors import KibitzError

_UsageError: Any = typer.BadParameter.__mro__[1]
"""Base of all complaints of the option parser, which typer does not export by name."""


def main() -> None:
    """Run the command line; what a user did wrong is one sentence and exit code 2."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115  (started without standard streams)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    register()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not know our characters
            stream.reconfigure(errors=PLAIN)
    interrupts = _note_interrupts()
    try:
        code = app(prog_name="kibitz", standalone_mode=False)
        sys.stdout.flush()
    except KibitzError as error:
        code = _complain(str(error))
    except _UsageError as error:
        code = _complain(_sentence(error))
    except (KeyboardInterrupt, typer.Abort):
        code = _complain("stopped", 130)
    except BrokenPipeError:  # `kibitz ... | head`: nobody is listening any more
        code = _hang_up(1)
    except OSError as error:
        code = _hang_up(_complain(f"{error.strerror or error}: {error.filename or 'output'}"))
    except Exception:
        if not interrupts:
            raise
        code = _complain("stopped", 130)  # the compiler makes another error of an interrupt
    ignore_interrupts()  # while the interpreter takes itself apart, one would kill it
    sys.exit(code)


def _note_interrupts() -> list[int]:
    """Remember Ctrl-C in a list, beside raising KeyboardInterrupt as usual."""
    interrupts: list[int] = []
    tell = sys.unraisablehook

    def interrupt(signal_number: int, frame: object) -> None:
        interrupts.append(signal_number)
        raise KeyboardInterrupt

    def complain_unless_interrupted(problem: Any) -> None:
        if not interrupts:
            tell(problem)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
        # Whoever ends a command by SIGTERM gets what has been played too.
        signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
        sys.unraisablehook = complain_unless_interrupted
    return interrupts


def _complain(sentence: str, code: int = 2) -> int:
    print(f"error: {sentence}" if code == 2 else sentence, file=sys.stderr)
    return code


def _hang_up(code: int) -> int:
    """Send the rest of the output nowhere, so that the interpreter can flush it in peace."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _sentence(error: Any) -> str:
    """Put a complaint of the option parser into one sentence that says what to do."""
    command = error.ctx.command_path if error.ctx is not None else "kibitz"
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"
