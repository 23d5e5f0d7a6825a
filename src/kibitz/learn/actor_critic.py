"""The paper's scheme for Sheephead: learning in a game of which much is hidden.

Ishii and others (2005) by way of Brau (2011), with what the latter left out. A hand is a partially
observable decision process. Its parts:

- *state evaluation*: worlds that fit what a seat knows, weighed by the bids in them;
- *action predictors*, one for each opponent, learnt from replayed hands (equation 11); or, as in
  the paper, the bot `rule`;
- *action selection*: the merit of an action is what follows it in those worlds, up to the next
  decision, as the critic judges it; actions are drawn by the Boltzmann distribution of merits;
- the *critic*: normalised Gaussian networks that learn from temporal differences by on-line EM
  (equations 8 and 9, corrected).

Picking, burying, calling and Nola are learnt, too. A step plays many hands with what is known at
its beginning, in kernels on several threads, and then learns from all of them, in their order: so
nothing depends on the number of threads.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.core.rng import RNG, key_of
from kibitz.core.table import Game
from kibitz.games.sheephead.lookahead import (
    MAX_WORLDS,
    N_NETS,
    OPPONENTS,
    STRENGTHS,
    Brain,
    Desk,
    make_desk,
    make_plan,
)
from kibitz.games.sheephead.ngnet import PICKS, PREDICTOR_NAMES
from kibitz.games.sheephead.situations import (
    CRITIC_INPUTS,
    CRITIC_NAMES,
    N_CRITICS,
    PAPER_INPUTS,
    PICKED,
)
from kibitz.games.sheephead.state import NOLA_PLAYING, SEATS
from kibitz.learn.algorithm import Algorithm, Draft, Metrics, State
from kibitz.learn.collecting import (
    CARDS_PER_HAND,
    LEARNER,
    RANDOM,
    RULE,
    Course,
    Harvest,
    make_harvest,
    play_hands,
)
from kibitz.learn.ngnet import NGnet, NGnetConfig
from kibitz.learn.predictors import blank_predictor, observe_situations, place_units, size_of, teach
from kibitz.search.ngnet import Net, pack

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NAMES = (*CRITIC_NAMES, *PREDICTOR_NAMES)
"""All networks, in the order that kernels know."""

LEAST_FIT = 30
"""Samples of a critic for each of its units: as long as there are not enough for all, it keeps them
and places as many as there can be, anew in every step."""

MOST_WAITING = 50_000
"""Samples that a critic keeps at most: of so many that are too much alike, it takes fewer units."""

TIDY_EVERY = 10
"""Steps after which units are deleted and inverses made anew."""


@dataclass(frozen=True)
class ActorCriticConfig:
    """Parameters of the scheme."""

    hands: int = 500  # per step
    learners: tuple[int, ...] = (1, 2, 3, 4, 5)  # at the table, hand after hand
    opponents: Literal["rule", "random"] = "rule"  # who has the other seats
    predictor: Literal["learnt", "rule"] = "learnt"
    features: Literal["full", "paper"] = "full"  # paper: its tables 1 to 3
    bids: bool = True  # whether bids are learnt; else learners bid like `rule`, as in the paper
    worlds: int = 6  # drawn for a decision
    units: int = 16  # of each critic, at most
    predictor_units: int = 8
    trace: float = 0.7  # lambda of TD(lambda); 0 is the paper's
    warm: float = 0.5  # first temperature, in tens of cents
    cool: float = 0.05  # last temperature
    cooling: int = 50_000  # hands in which it falls
    memory: float = 2000.0  # samples that a unit of a critic remembers, at first
    growth: float = 0.3  # of what it has seen, that it remembers later
    rate: float = 0.3  # of predictors
    slowing: int = 50_000  # hands after which that has halved
    workers: int = 2  # threads that play

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        for name, least, most in (
            ("hands", 1, 100_000),
            ("worlds", 1, MAX_WORLDS),
            ("units", 1, 128),
            ("predictor_units", 1, 128),
            ("cooling", 1, 10**9),
            ("slowing", 1, 10**9),
            ("workers", 1, 64),
        ):
            if not least <= getattr(self, name) <= most:
                raise SpecError(f"{name}={getattr(self, name)}: expected {least}..{most}")
        for name, low, high in (
            ("trace", 0.0, 1.0),
            ("warm", 1e-3, 100.0),
            ("cool", 1e-3, 100.0),
            ("memory", 10.0, 1e9),
            ("growth", 0.0, 1e3),
            ("rate", 0.0, 10.0),
        ):
            if not low <= getattr(self, name) <= high:
                raise SpecError(f"{name}={getattr(self, name)}: expected {low:g} to {high:g}")
        if not self.learners or not all(1 <= n <= SEATS for n in self.learners):
            raise SpecError(f"learners={list(self.learners)}: expected numbers from 1 to {SEATS}")


class ActorCritic(Algorithm):
    """Learns Sheephead by the scheme."""

    Config = ActorCriticConfig

    def __init__(self, game: Game, config: ActorCriticConfig, seed: int) -> None:
        """Prepare the first step."""
        super().__init__(game, config, seed)
        options = game.options
        is_ours = game.facts.name == "sheephead" and options["pass"] == "nola"
        if not is_ours or int(options["hands"]) != 1 or options["open"] == "true":
            raise SpecError(
                f"this learns single hands of sheephead with pass=nola, not {game.spec}"
            )
        self.paper = config.features == "paper"
        self.critics = [NGnet(n, 1, self._critic_config) for n in self._critic_inputs()]
        self.predictors = [
            blank_predictor(k >= OPPONENTS, self.paper) for k in range(2 * OPPONENTS)
        ]
        self.is_placed = np.zeros(2 * OPPONENTS, np.int64)
        self.seen = np.zeros(N_CRITICS)  # samples of each critic
        self.waiting = [(np.zeros((0, n)), np.zeros((0, 1))) for n in self._critic_inputs()]
        self.picks = np.ones((STRENGTHS, 2)) * [1.0, 0.5]  # asked and picked, by strength
        self.steps = 0
        self._plan = make_plan(config.worlds, config.predictor == "rule", self.paper)
        self._room: list[tuple[Any, Harvest, Desk, Any]] | None = None

    @property
    def _critic_config(self) -> NGnetConfig:
        return NGnetConfig(
            units=self.config.units,
            covariance="diagonal",
            regular=0.1,
            floor=0.02,
            ridge=1e-3,
            noise_floor=1e-2,
        )

    def _critic_inputs(self) -> list[int]:
        return [
            PAPER_INPUTS if self.paper and which < PICKED else n
            for which, n in enumerate(CRITIC_INPUTS)
        ]

    # What is known.

    def nets(self) -> dict[str, Net]:
        """Return all networks by name, in the order that kernels know."""
        found = [*(critic.as_net() for critic in self.critics), *self.predictors]
        return dict(zip(NAMES, found, strict=True))

    def brain(self) -> Brain:
        """Return what is known, for kernels."""
        networks, numbers = pack(self.nets())
        assert len(networks) == N_NETS
        return Brain(networks, numbers, self.pick_rates())

    def pick_rates(self) -> Floats:
        """Return how often hands of each strength pick, smoothed."""
        asked, picked = self.picks.T
        rates: Floats = np.clip(picked / asked, 0.01, 0.99)
        return rates

    @property
    def n_steps(self) -> int:
        """How many steps have been taken."""
        return self.steps

    @property
    def n_hands(self) -> int:
        """How many hands have been played."""
        return self.steps * int(self.config.hands)

    @property
    def temperature(self) -> float:
        """How much is left to chance now: falls from `warm` to `cool`."""
        config = self.config
        share = min(self.n_hands / config.cooling, 1.0)
        return float(config.warm * (config.cool / config.warm) ** share)

    # A step.

    def step(self) -> Metrics:
        """Play hands, and learn from them."""
        brain, lineups = self.brain(), self._lineups()
        parts = self._play(brain, lineups)
        losses = self._teach_predictors(brain, parts)
        errors = self._teach_critics(parts)
        self._count_picks(parts)
        self.steps += 1
        paid = np.concatenate([part.paid for part in parts])
        learns = lineups == LEARNER
        others = paid[~learns]
        return {
            "score": float(paid[learns].mean()),
            "opponents": float(others.mean()) if len(others) else 0.0,
            "nola": float(
                np.mean(np.concatenate([(p.picks >= 100).sum(axis=1) for p in parts]) == 0)
            ),
            **errors,
            **losses,
            "temperature": self.temperature,
        }

    def _lineups(self) -> Ints:
        """Draw who sits where in the hands of a step."""
        config = self.config
        rng = np.random.default_rng([self.seed, self.steps])
        other = RANDOM if config.opponents == "random" else RULE
        lineups = np.full((config.hands, SEATS), other)
        for k, row in enumerate(lineups):
            n = config.learners[(self.n_hands + k) % len(config.learners)]
            row[rng.permutation(SEATS)[:n]] = LEARNER
        return lineups

    def _play(self, brain: Brain, lineups: Ints) -> list[Harvest]:
        """Play the hands of a step, on threads; each hand is the same on any of them."""
        config, rooms = self.config, self._rooms()
        per = -(-config.hands // len(rooms))
        key = key_of(self.seed, 0)

        def run(k: int) -> Harvest:
            hands, harvest, desk, rngs = rooms[k]
            hands[:] = self.game.blank(len(hands))
            course = Course(
                key,
                self.n_hands + k * per,
                self.temperature,
                config.trace,
                int(config.bids),
            )
            own = lineups[k * per : k * per + len(hands)]
            play_hands(hands, own, course, harvest, (desk, brain, self._plan), rngs)
            return harvest

        with ThreadPoolExecutor(len(rooms)) as pool:
            return list(pool.map(run, range(len(rooms))))

    def _rooms(self) -> list[tuple[Any, Harvest, Desk, Any]]:
        """Return the memory of each thread."""
        if self._room is None:
            config = self.config
            per = -(-config.hands // config.workers)
            sizes = [min(per, config.hands - first) for first in range(0, config.hands, per)]
            self._room = [
                (
                    self.game.blank(n),
                    make_harvest(self.game.blank(n * CARDS_PER_HAND), n),
                    make_desk(self.game.blank(config.worlds + 3), config.worlds),
                    np.zeros(1, RNG),
                )
                for n in sizes
            ]
        return self._room

    def _teach_critics(self, parts: list[Harvest]) -> dict[str, float]:
        """Let critics learn what they should have said."""
        which, inputs, targets, said = (
            np.concatenate([getattr(part, name).reshape(-1, *shape) for part in parts])
            for name, shape in (
                ("critics", ()),
                ("inputs", (parts[0].inputs.shape[2],)),
                ("targets", ()),
                ("said", ()),
            )
        )

        def learn(k: int) -> None:
            rows = np.flatnonzero(which == k)
            if len(rows):
                self._teach_critic(k, inputs[rows], targets[rows, None])

        with ThreadPoolExecutor(self.config.workers) as pool:
            list(pool.map(learn, range(N_CRITICS)))
        known = which >= 0
        error = float(np.mean((said[known] - targets[known]) ** 2)) if known.any() else 0.0
        spread = float(targets[known].var()) if known.any() else 1.0
        return {"critic_error": error, "critic_share": 1 - error / max(spread, 1e-9)}

    def _teach_critic(self, k: int, inputs: Floats, targets: Floats) -> None:
        critic, config = self.critics[k], self.config
        x = np.ascontiguousarray(inputs[:, : critic.n_inputs])
        waited, known = self.waiting[k]
        if critic.n_units == 0 or len(waited):
            x, targets = np.concatenate([waited, x]), np.concatenate([known, targets])
            units = min(config.units, len(x) // LEAST_FIT)
            if units >= min(2, config.units):
                critic.fit(x, targets, rounds=5, seed=self.seed + k, units=units)
            is_whole = critic.n_units == config.units or len(x) >= MOST_WAITING
            self.waiting[k] = (x[:0], targets[:0]) if is_whole else (x, targets)
            self.seen[k] = len(x)
        else:
            per_unit = self.seen[k] / critic.n_units
            forget = 1 - 1 / (config.memory + config.growth * per_unit)
            critic.learn(x, targets, forget)
            self.seen[k] += len(x)
        if self.steps % TIDY_EVERY == TIDY_EVERY - 1:
            critic.tidy()

    def _teach_predictors(self, brain: Brain, parts: list[Harvest]) -> dict[str, float]:
        """Replay the hands: raise what opponents chose over what was expected of them."""
        if self.config.predictor == "rule":
            return {}
        rate = self.config.rate / (1 + self.n_hands / self.config.slowing)
        self._place_predictors(parts)
        networks, numbers = pack(self.nets())
        fresh = Brain(networks, numbers, brain.picks)

        def learn(k: int) -> tuple[float, int]:
            desk = make_desk(self.game.blank(3), 1)
            total, n, place = 0.0, 0, k % OPPONENTS + 1
            for part in parts:
                rows = _rows_of(part, place, k >= OPPONENTS)
                chosen = part.chosen.reshape(-1)
                table = (desk, fresh, self._plan)
                total += teach(part.views, rows, chosen, place, rate, table)
                n += len(rows)
            return total, n

        with ThreadPoolExecutor(self.config.workers) as pool:
            found = np.array(list(pool.map(learn, range(2 * OPPONENTS))))
        self._keep_predictors(fresh)
        picked, nola = found[:OPPONENTS].sum(axis=0), found[OPPONENTS:].sum(axis=0)
        return {
            "predictor_loss": float(picked[0] / max(picked[1], 1)),
            "nola_loss": float(nola[0] / max(nola[1], 1)),
        }

    def _place_predictors(self, parts: list[Harvest]) -> None:
        """Place the units of predictors that have none yet, once there are situations enough."""
        units = self.config.predictor_units
        for k in range(2 * OPPONENTS):
            in_nola = k >= OPPONENTS
            if self.is_placed[k]:
                continue
            rows = [_rows_of(part, k % OPPONENTS + 1, in_nola) for part in parts]
            n_inputs, n_outputs = size_of(in_nola, self.paper)
            seen = []
            for part, own in zip(parts, rows, strict=True):
                out = np.zeros((len(own), n_inputs))
                seats = part.views["turn"][own].astype(np.int64)
                observe_situations(part.views, own, seats, self.paper, out)
                seen.append(out)
            situations = np.concatenate(seen)
            if len(situations) >= 3 * units:
                self.predictors[k] = place_units(situations, n_outputs, units, self.seed + k)
                self.is_placed[k] = 1

    def _keep_predictors(self, brain: Brain) -> None:
        """Take what predictors have learnt out of the kernels' numbers."""
        for k, net in enumerate(self.predictors):
            record = brain.networks[N_CRITICS + k]
            n_inputs, n_units, n_outputs = net.size
            at = int(record["ngnet_first"]) + n_units * (2 * n_inputs + 1)
            weights = brain.numbers[at : at + n_outputs * (1 + n_inputs) * n_units]
            self.predictors[k] = net._replace(weights=weights.reshape(net.weights.shape).copy())

    def _count_picks(self, parts: list[Harvest]) -> None:
        for part in parts:
            asked = part.picks[part.picks >= 0]
            np.add.at(self.picks[:, 0], asked % 100, 1)
            np.add.at(self.picks[:, 1], asked[asked >= 100] - 100, 1)

    # What is kept.

    def state(self) -> State:
        """Return all that the next step depends on."""
        return {
            "steps": self.steps,
            "seen": self.seen.copy(),
            "picks": self.picks.copy(),
            "is_placed": self.is_placed.copy(),
            "waiting": {
                name: {"inputs": inputs, "targets": targets}
                for name, (inputs, targets) in zip(CRITIC_NAMES, self.waiting, strict=True)
            },
            "critics": {
                name: critic.state()
                for name, critic in zip(CRITIC_NAMES, self.critics, strict=True)
            },
            "predictors": {
                name: net._asdict()
                for name, net in zip(PREDICTOR_NAMES, self.predictors, strict=True)
            },
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.steps = int(state["steps"])
        if self.steps < 0:
            raise ValueError(f"{self.steps} steps")
        self.seen = _array(state, "seen", self.seen.shape)
        self.picks = _array(state, "picks", self.picks.shape)
        self.is_placed = _array(state, "is_placed", self.is_placed.shape).astype(np.int64)
        for name, critic in zip(CRITIC_NAMES, self.critics, strict=True):
            critic.restore(state["critics"][name])
        for k, (name, n) in enumerate(zip(CRITIC_NAMES, self._critic_inputs(), strict=True)):
            kept = state["waiting"][name]
            waits = len(kept["targets"])
            inputs = _array(kept, "inputs", (waits, n))
            self.waiting[k] = inputs, _array(kept, "targets", (waits, 1))
        for k, name in enumerate(PREDICTOR_NAMES):
            kept = state["predictors"][name]
            n_inputs, _, n_outputs = self.predictors[k].size
            units = len(np.atleast_2d(kept["centres"])[0])
            if not 1 <= units <= max(1, self.config.predictor_units):
                raise ValueError(f"{name} has {units} units")
            self.predictors[k] = Net(
                _array(kept, "centres", (n_inputs, units)),
                _array(kept, "precisions", (n_inputs, units)),
                _array(kept, "weights", (n_outputs, 1 + n_inputs, units)),
            )
            if (self.predictors[k].precisions <= 0).any():
                raise ValueError(f"{name} has precisions that are not above 0")

    def drafts(self) -> dict[str, Draft]:
        """Return the networks as one model; predictors only if they were learnt."""
        nets = self.nets()
        if self.config.predictor == "rule":
            nets = {name: net for name, net in nets.items() if name in CRITIC_NAMES}
        rates = np.zeros((1, 2, STRENGTHS))
        rates[0, 0] = self.pick_rates()
        strengths = np.arange(STRENGTHS, dtype=np.float64)[None]
        nets[PICKS] = Net(strengths, np.full((1, STRENGTHS), 100.0), rates)
        return {"model": Draft(self.config.features, {"value": 1}, nets, value="score", scale=10.0)}


def _array(kept: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Floats:
    """Return numbers of a checkpoint; refuse those of another shape, or that are not finite."""
    found = np.array(kept[name], np.float64)
    if found.shape != shape:
        raise ValueError(f"{name} is {found.shape}, here it is {shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} is not finite")
    return found


def _rows_of(part: Harvest, place: int, in_nola: bool) -> Ints:
    """Return where an opponent chose a card, in Nola or not."""
    chosen, places = part.chosen.reshape(-1), part.places.reshape(-1)
    rows = np.flatnonzero((chosen >= 0) & (places == place))
    rows = rows[(part.views["phase"][rows] == NOLA_PLAYING) == in_nola]
    return np.ascontiguousarray(rows)


ALGORITHM = ActorCritic
