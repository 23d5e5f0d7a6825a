"""What all tests share: output does not depend on who looks at it."""

import os

for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "CLICOLOR_FORCE", "COLUMNS"):
    os.environ.pop(variable, None)
