"""What the thesis on planning models makes of its numbers, and what ours say to that."""

REMARKS: dict[str, tuple[str, ...]] = {}
