"""What the thesis on Tichu makes of its numbers, and what ours say to that."""

REMARKS: dict[str, tuple[str, ...]] = {}
