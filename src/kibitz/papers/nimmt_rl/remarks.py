"""What the paper on learning 6 nimmt! makes of its numbers, and what ours say to that."""

REMARKS: dict[str, tuple[str, ...]] = {}
