"""What all tests of learning share: torch, on one thread, or a sentence that says why not."""

from typing import Any

import pytest

NO_TORCH = "torch is not installed: `make test-train` installs it"


@pytest.fixture(scope="session")
def torch() -> Any:
    """Load torch on one thread, or skip the test; so no test imports it by itself."""
    module = pytest.importorskip("torch", reason=NO_TORCH)
    module.set_num_threads(1)
    return module
