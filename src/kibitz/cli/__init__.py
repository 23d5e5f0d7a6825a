"""The command line: parse, call, print.

Modules that need the compiler are imported inside the commands, so that `kibitz --help` and
`kibitz games` start at once.
"""

import os
import sys

from kibitz.cli.app import app
from kibitz.core.errors import KibitzError


def main() -> None:
    """Run the command line; errors a user caused are one sentence and exit code 2."""
    try:
        app(prog_name="kibitz")
    except KibitzError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # `kibitz ... | head`: nobody is listening any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
