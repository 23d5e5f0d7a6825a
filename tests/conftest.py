"""What all tests share: output does not depend on who looks at it."""

import os
import signal
import tempfile

for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "CLICOLOR_FORCE", "COLUMNS"):
    os.environ.pop(variable, None)
for variable in ("LC_ALL", "LC_MESSAGES"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"  # what people are told is in English

# A shell that starts tests in the background lets them, and what they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tournaments of tests are kept apart from those of whoever runs the tests.
_folder = tempfile.TemporaryDirectory(prefix="kibitz-tests-")
os.environ["KIBITZ_DATABASE"] = f"{_folder.name}/results.db"
