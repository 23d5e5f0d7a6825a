"""What the thesis on planning models makes of its numbers, and what ours say to that."""

REMARKS: dict[str, tuple[str, ...]] = {
    "figure-5.2": (
        "The thesis's iteration 10 wins less than its games against the first network let expect, "
        "for which its author names chance first. Ours rises throughout. Shares depend on who else "
        "plays, so they need not agree.",
    ),
    "table-5.1": (
        "Ours see priors and visits by their logarithms, in which PUCT is nearly a sum, and "
        "imitate searches of 100 simulations; so they predict more of them.",
    ),
}
