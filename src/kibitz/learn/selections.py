"""Selections of searches: what a search saw and tried at every step of every simulation.

Games of self-play run side by side, each with a tree, and one call of the base network values the
leaves of all. A base network does not change, so what it said of a position is remembered for good.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import States, apply
from kibitz.core.kernels import kernel
from kibitz.core.rng import RNG, Purpose, Rngs, derive
from kibitz.core.table import Game, Table
from kibitz.learn.searching import Answers, symmetries_of, tempered, with_noise
from kibitz.search.answers import answer_leaves, wants_all_seats
from kibitz.search.forest import Forest, Steps
from kibitz.search.models import Model
from kibitz.search.planning import (
    Columns,
    best_places,
    planned_outside,
    recorded,
    see_asked,
)
from kibitz.search.puct import PuctAgent, PuctConfig
from kibitz.search.roots import Roots, make_roots

Rows = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

STEPS_PER_SIM = 24
"""Choices of a simulation that there is room for, on average; of more, the last are not kept."""

Plan = Callable[[Rows, States, Ints], Rows]
"""What a planning model says of decisions, outside of kernels: from rows [decisions, size],
positions and seats to a number for every action."""


class Remembering(Answers):
    """What a network that does not change says of positions, computed once each."""

    def __init__(self, model: Model, game: Game) -> None:
        """Begin without anything to remember."""
        self._model = model
        self._heads = model.card.sizes
        self._mirrors = symmetries_of(game, model.encoding)
        self._known: dict[bytes, Rows] = {}
        self.n_asked = self.n_computed = 0

    def answer(self, rows: Rows) -> Rows:
        """Return the outputs of all heads, side by side."""
        made = self._model.evaluate(rows)
        return np.concatenate([made["policy"], made["value"]], axis=1)


def remembering(model: Model, game: Game) -> Model:
    """Return the same model with a memory; it must have a policy and a value."""
    session: Any = Remembering(model, game)
    return Model(model.card, model.encoding, model.n_inputs, [], session)


class Points(NamedTuple):
    """Selections: [points] where nothing else is said."""

    rows: Rows  # what there was to see, variances included: [points, size]
    chosen: Ints  # the place of the action that was tried
    seats: Ints  # whose choice it was
    results: npt.NDArray[np.float32]  # G: what came of the game for that seat, -1 to 1
    games: Ints  # the number of the game
    positions: States  # in which it was; none unless they are wanted

    def take(self, places: npt.NDArray[Any]) -> "Points":
        """Return some of them."""
        positions = self.positions[places] if len(self.positions) else self.positions
        return Points(
            *(self.rows[places], self.chosen[places], self.seats[places]),
            *(self.results[places], self.games[places], positions),
        )


def _points(rows: Rows, chosen: Ints, seats: Ints, positions: States) -> Points:
    """Return selections of a game that has not ended."""
    n = len(chosen)
    return Points(rows, chosen, seats, np.zeros(n, np.float32), np.zeros(n, np.int64), positions)


def join(parts: Sequence[Points]) -> Points:
    """Put points together."""
    return Points(*(np.concatenate(part) for part in zip(*parts, strict=True)))


@kernel
def _follow(
    roots: States, chosen: Ints, seats: Ints, depths: Ints, first: int, out: States
) -> None:
    """Write the position of every choice; choices of one way down the tree follow each other."""
    for row in range(len(chosen)):
        if depths[row] == 0:
            out[row] = roots[0]
        else:
            out[row] = out[row - 1]
            apply(out[row], seats[row - 1], chosen[row - 1] + first)


@dataclass(frozen=True)
class Playing:
    """How games of self-play go, beside the rule; as in the thesis, table B.1."""

    sims: int = 200
    lanes: int = 64  # games side by side
    alpha: float = 0.3  # of the Dirichlet noise
    noise: float = 0.25  # its share of the priors of roots
    temperature: float = 1.1  # of what is drawn from visits
    drawn: int = 10  # decisions of a game that are drawn; then the most visited is played
    heat: float = 0.0  # at which a planning model outside draws what is tried; 0: the best
    share: float = 1.0  # of all selections that is kept
    keeps_positions: bool = False


class SelfPlay:
    """Plays games by a base network and a rule, and keeps the selections."""

    def __init__(self, game: Game, base: Model, columns: Columns, how: Playing) -> None:
        """Keep what does not change; `base` is best one that remembers."""
        self._game, self._base, self._columns, self._how = game, base, columns, how

    def play(self, rule: np.record | Plan, games: int, seed: int) -> Points:
        """Play so many games to their ends, by a rule of the kernel or a planning model outside."""
        run = _Run(self._game, self._base, self._columns, self._how, rule, seed)
        waiting = list(range(games))[::-1]
        running: list[_GameOf] = []
        done: list[Points] = []
        while waiting or running:
            while waiting and len(running) < self._how.lanes:
                running.append(_GameOf(self._game, seed, waiting.pop()))
            run.move(running)
            done += [one.end() for one in running if one.table.is_over]
            running = [one for one in running if not one.table.is_over]
        return join(done)


class _GameOf:
    """A game that is played, and the selections of its searches."""

    def __init__(self, game: Game, seed: int, number: int) -> None:
        self.table: Table = game.deal(seed=seed, deal=number)
        self.number, self.n_decisions = number, 0
        self.kept: list[Points] = []

    def end(self) -> Points:
        """Return all selections, with the result for whoever chose."""
        points = join(self.kept)
        scores = np.asarray(self.table.scores, np.float64)
        lead = scores[points.seats] - scores[1 - points.seats]
        return points._replace(
            results=np.sign(lead).astype(np.float32),
            games=np.full(len(lead), self.number, np.int64),
        )


class _Run:
    """Searches of all games that run, and what they choose."""

    def __init__(
        self,
        game: Game,
        base: Model,
        columns: Columns,
        how: Playing,
        rule: np.record | Plan,
        seed: int,
    ) -> None:
        self._game, self._base, self._columns, self._how = game, base, columns, how
        self._plan: Plan | None = rule if callable(rule) else None
        self._rng = np.random.default_rng(seed)
        self._seed = seed
        agent = PuctAgent(game, PuctConfig(sims=how.sims, leaves=1), base)
        self._desk = agent.make_desk()
        most = STEPS_PER_SIM * how.sims
        self._desk.rule = (
            recorded(rule, columns, most) if self._plan is None else planned_outside()  # type: ignore[arg-type]
        )
        asks_all = wants_all_seats(base, game)
        self._forest = Forest(self._desk, agent.tree_size, how.lanes, 1, asks_all)
        self._steps: list[tuple[Steps, Points]] = []

    def move(self, running: list[_GameOf]) -> None:
        """Search all games, keep the selections, and play."""
        seats = np.array([one.table.seat_to_move for one in running], np.int64)
        views: States = self._game.blank(len(running))
        rngs: Rngs = np.zeros(len(running), RNG)
        for k, one in enumerate(running):
            views[k] = one.table.view(int(seats[k]))
            rngs[k] = derive(self._seed, Purpose.AGENT, one.number, one.n_decisions)
        self._search(views, seats, rngs)
        roots = make_roots(len(running), self._columns.n)
        self._forest.read(roots)
        for k, (one, points) in enumerate(zip(running, self._read(views), strict=True)):
            one.kept.append(self._thinned(points))
            one.table.play(int(seats[k]), self._choose(roots, k, one.n_decisions))
            one.n_decisions += 1

    def _search(self, views: States, seats: Ints, rngs: Rngs) -> None:
        forest = self._forest
        self._steps = []
        forest.begin(views, seats, rngs, np.full(len(views), self._how.sims))
        leaves = forest.select()
        assert leaves is not None
        priors, values, _ = answer_leaves(self._base, self._game, leaves)
        noise = self._how.alpha, self._how.noise
        forest.absorb(leaves, with_noise(priors, leaves, noise, self._rng), values)
        while True:
            leaves = forest.select()
            if leaves is not None:
                forest.absorb(leaves, *answer_leaves(self._base, self._game, leaves))
            if not self._steer() and leaves is None:
                return

    def _steer(self) -> bool:
        """Ask the planning model about all trees that wait for it, and keep what it chose."""
        steps = self._forest.asking() if self._plan is not None else None
        if steps is None or self._plan is None:
            return False
        rows = see_asked(self._forest, steps, self._columns, sees_variance=True)
        positions = self._forest.positions(steps)
        outputs = self._plan(rows, positions, steps.seats)
        if self._how.heat:
            noise = self._rng.gumbel(size=outputs.shape).astype(np.float32)
            outputs = outputs + np.float32(self._how.heat) * noise
        places = best_places(steps, outputs, self._columns)
        self._forest.steer(steps, places)
        chosen = steps.actions[np.arange(len(places)), places] - self._columns.first
        self._steps.append((steps, _points(rows, chosen, steps.seats, positions)))
        return True

    def _read(self, views: States) -> list[Points]:
        """Return what every tree has seen and tried."""
        if self._plan is not None:
            trees = np.concatenate([steps.trees for steps, _ in self._steps])
            points = join([points for _, points in self._steps])
            return [points.take(np.flatnonzero(trees == k)) for k in range(len(views))]
        return [self._read_rule(rule, views, k) for k, rule in enumerate(self._forest.rules)]

    def _read_rule(self, rule: np.record, views: States, k: int) -> Points:
        n = int(rule["n_rows"])
        chosen, seats = rule["chosen"][:n].copy(), rule["seats"][:n].copy()
        positions: States = self._game.blank(n if self._how.keeps_positions else 0)
        if self._how.keeps_positions:
            depths = np.ascontiguousarray(rule["depths"][:n])
            _follow(views[k : k + 1], chosen, seats, depths, self._columns.first, positions)
        return _points(rule["rows"][:n].copy(), chosen, seats, positions)

    def _thinned(self, points: Points) -> Points:
        """Keep the share of selections that is wanted."""
        if not self._how.keeps_positions:
            points = points._replace(positions=points.positions[:0])
        if self._how.share >= 1:
            return points
        kept = np.flatnonzero(self._rng.random(len(points.chosen)) < self._how.share)
        return points.take(kept)

    def _choose(self, roots: Roots, k: int, number: int) -> int:
        """Draw from visits in the beginning of a game (eq. 4.28), later play the most visited."""
        visits = roots.visits[k, : roots.n_actions[k]]
        place = int(visits.argmax())
        if number < self._how.drawn:
            weights = tempered(visits, self._how.temperature)
            place = int(self._rng.choice(len(weights), p=weights / weights.sum()))
        return int(roots.actions[k, place])
