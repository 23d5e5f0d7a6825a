"""What the thesis on Tichu makes of its numbers, and what ours say to that."""

REMARKS: dict[str, tuple[str, ...]] = {
    "table-7.1": (
        "Against everybody the order is PPO (BC), model in training, model on top, Scratch, clone; "
        "the thesis has training, model, clone, PPO (BC), Scratch. The first three of ours are "
        "within 4 points, Scratch is 8 below them and the clone 19 below Scratch.",
        "Against Rule ours are within 13 points of each other: +108.4 to +121.2, where the thesis "
        "has +86.3 to +208.4. Its calling models add 42 points there, ours take 3 away.",
    ),
    "table-7.1/search": (
        "The search gains on the same agent without it, as in the thesis and with the policy of "
        "all known; less than half of the thesis's gain, in 300 rounds, at most 1 s a decision.",
    ),
    "figure-7.1": (
        "As in the thesis the current policy beats its earlier versions at every stage. The lead "
        "falls from +243 to +28 because the earlier versions get better: the last 60 snapshots "
        "are drawn from, the first are those of the random beginning.",
    ),
    "figure-7.2": (
        "As in the thesis singles become rarer and larger combinations more frequent: singles "
        "fall from 78 to 64 % within 1.5 million decisions. After that they rise again to 67 %, "
        "while the agent goes on improving; full houses fall from 6.6 to 4.3 %, straights rise.",
    ),
    "figure-7.3": (
        "The thesis has PPO (BC) begin at 0.15 calls of Tichu in a game and lose them all. Ours "
        "loses more than half of them first, then learns to call again, Grand Tichu too.",
        "From scratch calls vanish within 1.5 million decisions, as the thesis expects: at first "
        "they are lost three times in four.",
    ),
    "table-b.1": (
        "Scratch loses to everybody by 90 to 123 points in the thesis; here it beats the clone, "
        "and loses 6 to 9 to the others.",
    ),
}
