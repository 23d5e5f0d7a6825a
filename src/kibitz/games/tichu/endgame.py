"""A player that thinks about the end of a round: all deals that are left, weighed and searched.

Müller (2020), "Tichu Bot", section 5.2. Another player decides until few deals of the unseen cards
are left. Then every deal is listed (`deals`), weighed by how well a policy explains what the others
have done (`belief`), and searched: with open cards to the last one (`rule=perfect`, `endings`), or
in one tree over all of them in which nobody sees more than his own cards (`rule=infoset`). What is
best in the weighted mean is played.
"""

import re
import threading
import time
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions, ValueKind, kinds_of
from kibitz.core.errors import SpecError
from kibitz.core.game import Actions, Seat, States, legal
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.tichu.belief import Floats, Judge, Memory, weigh_deals
from kibitz.games.tichu.cards import CALL
from kibitz.games.tichu.choices import MAX_LEGAL
from kibitz.games.tichu.deals import count_deals, list_deals
from kibitz.games.tichu.endings import Board, make_board, solve_actions
from kibitz.games.tichu.state import TURN
from kibitz.search.agent import MAX_SIMS, MAX_WORLDS
from kibitz.search.ismcts import IsmctsAgent, IsmctsConfig
from kibitz.search.tree import FIRST_WORLD

MAX_CUTOFF = 100_000
MAX_NODES = 100_000_000


@dataclass(frozen=True)
class EndgameConfig:
    """Parameters of a player that searches endings."""

    cutoff: int = 1000  # most deals that are left when it begins to think
    time: float = 10.0  # seconds for a decision, at most
    worlds: int = 64  # of the deals, that are searched
    nodes: int = 20_000  # positions of a deal; one that has more is not searched
    doubt: float = 0.05  # share of actions that nothing explains
    prior: float = 1.0  # points that a logarithm of the policy's probability counts
    rule: Literal["perfect", "infoset"] = "perfect"  # cards open, or one tree over all deals
    sims: int = 2000  # infoset: simulations of a decision
    explain: str = "of"  # the policy that explains the others: a spec without commas, or none
    of: str = "best"  # who plays until then

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        for name, low, high in (
            ("cutoff", 1, MAX_CUTOFF),
            ("time", 0, 3600),
            ("worlds", 1, MAX_WORLDS),
            ("nodes", 1, MAX_NODES),
            ("prior", 0, 1e6),
            ("sims", 1, MAX_SIMS),
        ):
            if not low <= getattr(self, name) <= high:
                raise SpecError(f"{name}={getattr(self, name)}: expected {low} to {high}")
        if not 0 < self.doubt <= 1:
            raise SpecError(f"doubt={self.doubt}: expected a number above 0 and at most 1")


class Thought(NamedTuple):
    """What was found about one decision."""

    actions: Actions
    gains: Floats  # points of the round, in every deal that was searched: [deals, actions]
    shares: Floats  # of these deals, which add up to 1
    liking: Floats  # logarithms of the policy's probabilities
    best: int


class _Pooled(IsmctsAgent):
    """Information set tree search over worlds that somebody else has weighed."""

    def __init__(self, game: Game, config: IsmctsConfig) -> None:
        super().__init__(game, config)
        self._given = threading.local()

    def fill_pool(self, states: States, seat: Seat, rng: Rng, until: float) -> Floats:
        """Take the worlds that are given; places that are left get the first, which weighs 0."""
        worlds, shares = self._given.pool
        n = len(worlds)
        states[FIRST_WORLD : FIRST_WORLD + n] = worlds
        states[FIRST_WORLD + n :] = worlds[0]
        return np.concatenate([shares, np.zeros(self.n_worlds - n)])

    def values(
        self,
        view: np.record,
        seat: Seat,
        pool: tuple[States, Floats],
        actions: Actions,
        rng: Rng,
    ) -> Floats:
        """Return what actions are worth, over all worlds: [1, actions]; NaN if hardly tried."""
        self._given.pool = pool
        views = np.empty(1, view.dtype)
        views[0] = view
        with self.desk() as desk:
            found = self.search_alone(desk, views, seat, rng)
        means, _ = found.moments()
        most = found.visits[np.isin(found.actions, actions)].max(initial=0)
        means = np.where(found.visits < most / 20, np.nan, means)
        worth = dict(zip(found.actions.tolist(), means.tolist(), strict=True))
        return np.array([[worth.get(action, np.nan) for action in actions.tolist()]])


class EndgameAgent(Agent):
    """Plays like another player until few deals are left; then it searches them."""

    name = "endgame"
    Config: ClassVar[type[Any]] = EndgameConfig
    rest = "of"

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the other player, and the policy that explains."""
        super().__init__(game, config)
        for spec in (self.config.of, self.config.explain):
            if self.name in re.split(r"[:=,]", spec):
                raise SpecError(f"{self.name} sits on top of another player, not of itself")
        self.of = load_agent(self.config.of, game)
        self._liker = Judge(game, self.of, 1e-6)
        self._judge: Judge | None = None
        if self.config.explain != "none":
            is_own = self.config.explain == "of"
            explaining = self.of if is_own else load_agent(self.config.explain, game)
            self._judge = Judge(game, explaining, self.config.doubt)
        self._tree: _Pooled | None = None
        if self.config.rule == "infoset":
            sims, worlds = self.config.sims, self.config.worlds
            self._tree = _Pooled(game, IsmctsConfig(sims=sims, worlds=worlds, playout="rule"))
        self._memories: dict[tuple[int, int], Memory] = {}
        self._desks = threading.local()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Let the other player decide, and think again about endings."""
        decided = self.of.act(views, seats, rngs.copy(), games)
        thoughts = {}
        for k in range(len(views)):
            if not self._is_searched(decided.actions[k]):
                continue
            thought = self.ponder(views[k], int(seats[k]), rngs[k : k + 1], int(games[k]))
            if thought is not None:
                thoughts[k] = thought
        if not thoughts:
            return decided
        rest = np.array([k for k in range(len(views)) if k not in thoughts], np.int64)
        parts = [(np.array([k]), _told(one)) for k, one in thoughts.items()]
        if len(rest):
            parts.append((rest, decided.take(rest)))
        return Decisions.merge(len(views), parts)

    @staticmethod
    def _is_searched(action: int) -> bool:
        """Whether a decision of the other player may be replaced: calls are left to it."""
        return action >> 60 != CALL

    def ponder(self, view: np.record, seat: Seat, rngs: Rngs, game: int) -> Thought | None:
        """Search the deals that are left; None if there are too many, or they are too large."""
        if view.phase < TURN or count_deals(view, seat) > self.config.cutoff:
            return None
        ends = time.perf_counter() + self.config.time
        worlds = self.game.blank(self.config.cutoff)
        n = int(list_deals(view, seat, worlds))
        actions = _choices(view, seat)
        if n < 1 or len(actions) < 2:
            return None
        worlds = worlds[:n]
        shares = self._weigh(view, worlds, seat, rngs, game)
        worlds, shares = _keep(worlds, shares, self.config.worlds)
        if self._tree is not None:
            gains = self._tree.values(view, seat, (worlds, shares), actions, rngs[0])
            shares = np.ones(1)
        else:
            searched = self._solve(worlds, shares, seat, actions, ends)
            if searched is None:
                return None
            gains, shares = searched
        asked = np.repeat(np.asarray([view], view.dtype), len(actions))
        liking = self._liker.log_chances(asked, np.full(len(actions), seat), actions)
        worth = shares @ gains + self.config.prior * np.maximum(liking, -20.0)
        if np.isnan(worth).all():
            return None
        return Thought(actions, gains, shares, liking, int(np.nanargmax(worth)))

    def _weigh(self, view: np.record, worlds: States, seat: Seat, rngs: Rngs, game: int) -> Floats:
        """Weigh deals by what the seat has seen of the round, if it has seen all of it."""
        shares = None
        memory = self._memories.get((game, seat))
        if memory is not None and self._judge is not None:
            memory.see(view)
            shares = weigh_deals(self._judge, memory, worlds, seat, rngs[0])
        return np.full(len(worlds), 1 / len(worlds)) if shares is None else shares

    def _solve(
        self, worlds: States, shares: Floats, seat: Seat, actions: Actions, ends: float
    ) -> tuple[Floats, Floats] | None:
        """Solve deals, the most probable first; None if most of their weight is too large."""
        board = self._board()
        board.budget[1] = self.config.nodes
        gains, kept, missed = [], [], 0.0
        for k in np.argsort(-shares, kind="stable").tolist():
            out = np.zeros(len(actions))
            if solve_actions(board, worlds[k], seat, actions, out):
                gains.append(out)
                kept.append(shares[k])
            else:
                missed += shares[k]
            if missed > 0.5 or time.perf_counter() > ends:
                break
        if not kept or missed > 0.5:
            return None
        return np.array(gains), np.array(kept) / sum(kept)

    def _board(self) -> Board:
        """Return this thread's memory."""
        board: Board | None = getattr(self._desks, "board", None)
        if board is None:
            board = self._desks.board = make_board(self.game.blank(1))
        return board

    @property
    def watches(self) -> bool:
        """Whether anything is explained, or the other player wants to see what happens."""
        return self._judge is not None or self.of.watches

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Remember what happens, in every game and for every seat by itself."""
        if self.of.watches:
            self.of.watch(views, seats, games)
        for k in range(len(views)):
            key = int(games[k]), int(seats[k])
            memory = self._memories.get(key)
            if memory is None:
                memory = self._memories[key] = Memory(self.game.blank(1))
            memory.see(views[k])

    def end(self, games: Games) -> None:
        """Forget games that are over."""
        if self.of.forgets:
            self.of.end(games)
        over = set(map(int, games))
        for key in [key for key in list(self._memories) if key[0] in over]:
            del self._memories[key]


def _choices(view: np.record, seat: Seat) -> Actions:
    """Return what a seat may do, but for a call."""
    listed = np.empty(MAX_LEGAL, np.int64)
    actions = listed[: legal(view, seat, listed)]
    return actions[actions >> 60 != CALL]


def _keep(worlds: States, shares: Floats, most: int) -> tuple[States, Floats]:
    """Keep so many worlds: as often as their weight says, and each once with what it got."""
    if len(worlds) <= most:
        return worlds, shares
    places = (np.arange(most) + 0.5) / most
    drawn = np.minimum(np.searchsorted(np.cumsum(shares), places), len(worlds) - 1)
    kept, counts = np.unique(drawn, return_counts=True)
    return worlds[kept], counts / most


def _told(one: Thought) -> Decisions:
    """Return what was found as the answer to one view."""
    n, values = len(one.actions), one.shares @ one.gains
    spread = np.sqrt(one.shares**2 @ (one.gains - values) ** 2)
    weights = (np.arange(n) == one.best).astype(float)
    visits = np.full((1, n), float(len(one.gains)))
    return Decisions(
        one.actions[one.best : one.best + 1],
        one.actions[np.newaxis],
        np.array([n]),
        weights[np.newaxis],
        visits,
        values[np.newaxis],
        spread[np.newaxis],
        kinds_of(1, ValueKind.SCORE),
    )
