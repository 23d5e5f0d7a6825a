"""Whole games for learning: who sits with the learners, and what they did.

Lanes begin anew for every batch of games, from a seed of its own, and only the first deal of every
slot counts. So a batch depends on its seed and on who plays and on nothing that went before, which
is what lets a run resume exactly; and long games are as frequent in it as they should be.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.errors import SpecError
from kibitz.core.game import Actions
from kibitz.core.lanes import LEARNER, Finished, Lanes, Turn
from kibitz.core.registry import load_agent
from kibitz.core.table import Game
from kibitz.learn.returns import Bools, Floats, rewards_of, running_scores

SELF = "self"
"""In place of an opponent's spec: everybody learns."""


class Chosen(NamedTuple):
    """What learners choose at a turn, and what they want to know of it later."""

    actions: Actions
    kept: Mapping[str, npt.NDArray[Any]]  # [decisions, ...]


class Episodes(NamedTuple):
    """The decisions of learners in whole games, by game, seat and number: [decisions]."""

    kept: Mapping[str, npt.NDArray[Any]]  # what was kept of them; `views` and `seats` always are
    rewards: Floats  # from each decision to the seat's next one, in points
    is_last: Bools  # whether the seat has no more decisions in this game
    scores: Floats  # of the seat at the end of the game
    n_games: int

    def __len__(self) -> int:
        """How many decisions there are."""
        return len(self.rewards)


class Tables:
    """Where learners play whole games: with each other, or one of them with others."""

    def __init__(self, game: Game, opponents: Sequence[str], n_games: int, *, by_turns: bool):
        """Seat everybody.

        Args:
            game: what is played.
            opponents: who takes turns to be met, deal by deal: specs of agents that have all seats
                but one, or SELF, and then everybody learns.
            n_games: games of a batch.
            by_turns: whether points count when they are made, as far as views show them, and not
                only at the end of a round.
        """
        if not opponents:
            raise SpecError(f"name somebody to learn against: {SELF}, or a spec such as random")
        if n_games < 1:
            raise SpecError(f"a step needs one game or more, got games={n_games}")
        self.game, self.n_games, self.by_turns = game, n_games, by_turns
        self.agents: list[Agent] = []
        rows = []
        for spec in opponents:
            seated = np.full((game.n_seats, game.n_seats), LEARNER)
            if spec != SELF:
                seated[:] = len(self.agents)
                np.fill_diagonal(seated, LEARNER)
                self.agents.append(load_agent(spec, game))
            rows.append(seated)
        self._lineup = np.stack(rows, axis=1).reshape(-1, game.n_seats)

    def play(self, choose: Callable[[Turn], Chosen], seed: int) -> Episodes:
        """Play a batch of whole games."""
        lanes = Lanes(self.game, self.n_games, seed, agents=self.agents, lineup=self._lineup)
        parts: list[Episodes] = []
        n_left, n_ended = self.n_games, 0
        while n_left:
            turn = lanes.ask()
            chosen = choose(turn)
            kept = {"views": turn.views, "seats": turn.seats, **chosen.kept}
            finished = lanes.answer(chosen.actions, **kept)
            if len(finished):
                parts.append(self._read(finished))
                n_left -= parts[-1].n_games
                n_ended += len(finished)
        for agent in self.agents:
            if agent.forgets:  # also games that nobody will end: the next batch has such numbers
                agent.end(np.arange(self.n_games + n_ended))
        return _join(parts)

    def _read(self, finished: Finished) -> Episodes:
        """Take the decisions of games whose deals belong to this batch."""
        kept, running = finished.kept, None
        if self.by_turns:
            running = running_scores(kept["views"], kept["seats"], self.game.n_seats)
        rewards = rewards_of(finished, running)
        counts = finished.games < self.n_games
        mine = counts[finished.decisions.games]
        return Episodes(
            {name: array[mine] for name, array in kept.items()},
            rewards[mine],
            finished.is_last[mine],
            finished.returns[mine],
            int(counts.sum()),
        )


def _join(parts: Sequence[Episodes]) -> Episodes:
    """Put decisions one after the other."""
    return Episodes(
        {name: np.concatenate([part.kept[name] for part in parts]) for name in parts[0].kept},
        np.concatenate([part.rewards for part in parts]),
        np.concatenate([part.is_last for part in parts]),
        np.concatenate([part.scores for part in parts]),
        sum(part.n_games for part in parts),
    )
