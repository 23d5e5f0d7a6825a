"""What the thesis on planning models makes of its numbers, and what ours say to that."""

REMARKS: dict[str, tuple[str, ...]] = {
    "figure-5.2": (
        "The thesis's iteration 10 wins less than its games against the first network let expect, "
        "for which its author names chance first. Shares depend on who else plays, so they need "
        "not agree.",
    ),
    "gains": (
        "Every network was taught once, with one seed. Intervals are over deals: they say how "
        "these networks play, not what others, taught the same way, would gain.",
        "There are nine such intervals, and one in twenty excludes zero by chance.",
    ),
    "table-5.1": (
        "Ours see priors and visits by their logarithms, in which PUCT is nearly a sum, and "
        "imitate searches of 100 simulations; so they predict more of them.",
    ),
}
