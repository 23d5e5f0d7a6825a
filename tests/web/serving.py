"""Runs a server as a process of its own, for tests that kill it: python -m tests.web.serving."""

import sys

from kibitz.web.config import Config
from kibitz.web.server import run

if __name__ == "__main__":
    config = Config(database=sys.argv[1], warms=False, counts_requests=False)
    run(config, "127.0.0.1", int(sys.argv[2]), lambda address: print(address, flush=True))
