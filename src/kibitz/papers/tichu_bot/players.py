"""Who plays in the thesis on Tichu, and what it reports of them."""

from dataclasses import dataclass

from kibitz.games.tichu import GAME as FACTS
from kibitz.papers.plan import Player

GAME = "tichu:variant=thesis"

CALLS = "grand_cutoff=0.5,tichu_cutoff=0.5"
"""Cutoffs of calling models: what is as good as lost is not called."""


@dataclass(frozen=True)
class Rung:
    """An agent of the ladder: table 7.1."""

    name: str  # short, for keys
    player: Player
    against_all: float  # the thesis's average rewards
    against_rule: float
    against_random: float


def _of(model: str) -> str:
    return f"net:model=tichu-thesis-{model}"


LADDER = (
    Rung("bc", Player("Behavioural Cloning", _of("bc")), 19.8, 190.2, 481.7),
    Rung("scratch", Player("PPO (Scratch)", _of("scratch")), -110.0, 86.3, 432.1),
    Rung("ppo", Player("PPO (BC)", _of("ppo")), 17.2, 166.3, 458.0),
    Rung(
        "model",
        Player("PPO (BC) + Tichu Model", f"caller:{CALLS},of={_of('ppo')}"),
        *(33.7, 208.4, 510.3),
    ),
    Rung(
        "training",
        Player("PPO (BC) + Tichu Model (Training)", f"caller:{CALLS},of={_of('calls')}"),
        *(39.3, 199.9, 508.5),
    ),
)

RULE, RANDOM = Player("Rule", "rule"), Player("Random", "random")

SECONDS = 1.0
"""For a decision of the search in endings; the thesis has 10."""

SEARCH = Player(
    "PPO (BC) + Tichu Model (Training) + MCTS",
    f"endgame:cutoff=1000,time={SECONDS},of={LADDER[-1].player.spec}",
    sims=100_000.0,
)
"""The last rung, where there is a player that searches endings."""

SEARCHED = {"training": 37.2, "rule": 193.4, "random": 507.7}
"""What the thesis reports of it, by opponent."""

HAS_SEARCH = "endgame" in FACTS.bots

MATRIX = (
    (None, 111.5, -3.9, -14.0, -14.3),
    (-111.5, None, -90.1, -115.5, -122.9),
    (3.9, 90.1, None, -12.1, -13.1),
    (14.0, 115.5, 12.1, None, -6.8),
    (14.3, 122.9, 13.11, 6.8, None),
)
"""Table B.1: the average reward of a row's agent against a column's."""
