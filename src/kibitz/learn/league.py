"""Leagues: opponents from a pool sit for whole games, on shares of the deals.

A pool has the learner as it is, bots, which never change, and snapshots of the learner, of which
the newest are kept. On deal d the learner plays side d modulo their number. Who is drawn for the
others follows from the seed, the number of the deal and what is in the pool when it is dealt: a run
that goes on from a checkpoint meets the same opponents.

    league = League(game, seed, Shares(latest=0.5, older=0.3, bots={"random": 0.2}))
    lanes = Lanes(game, 64, seed, agents=league.agents, lineup=league.lineup)
    ...
    league.add(draft, lanes)      # now and then: what the learner is now, as an opponent
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.errors import SpecError, clip
from kibitz.core.kernels import kernel
from kibitz.core.lanes import LEARNER, Lanes
from kibitz.core.memory import Ints
from kibitz.core.registry import load_agent
from kibitz.core.rng import RNG, Purpose, Rngs, absorb, key_of, start, unit
from kibitz.core.table import Game
from kibitz.learn.algorithm import Draft
from kibitz.learn.checkpoint import in_words
from kibitz.search.cards import Card, array_shapes, fit_card
from kibitz.search.models import Model
from kibitz.search.net import NetAgent, NetConfig
from kibitz.search.weights import as_layers


@dataclass(frozen=True)
class Shares:
    """How often each kind of opponent is drawn; only their proportions matter."""

    latest: float = 1.0  # the learner as it is; its decisions are learnt from as well
    older: float = 0.0  # its snapshots, each as often; the learner as it is while there are none
    bots: Mapping[str, float] = field(default_factory=dict)  # specs

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        given = [self.latest, self.older, *self.bots.values()]
        if not all(math.isfinite(x) and x >= 0 for x in given) or not sum(given) > 0:
            raise SpecError(f"shares are numbers from 0 on and not all 0, got {clip(given)}")


class Snapshot(NetAgent):
    """A network in memory that plays as an opponent."""

    def __init__(self, game: Game, draft: Draft, temperature: float) -> None:
        """Take a network as it is now; SpecError or AgentError if it does not fit the game."""
        if not isinstance(draft.network, list):
            raise SpecError("a snapshot is an mlp: other networks are played as models")
        Agent.__init__(self, game, NetConfig("a snapshot", temperature))
        facts: dict[str, Any] = {"game": game.spec, "version": game.facts.version}
        facts |= {"licence": "", "recipe": "", "seed": 0, "strength": ""}
        sizes = (len(draft.network[0][0]), *(len(bias) for _, bias in draft.network))
        facts |= {"encoding": draft.encoding, "heads": dict(draft.heads), "inputs": draft.inputs}
        facts |= {"layers": sizes, "value": draft.value, "scale": draft.scale}
        card = Card(**facts)
        encoding, n_inputs = fit_card(card, game, "a snapshot")
        layers = as_layers(draft.network, array_shapes(card), "a snapshot")
        layers = [(w.copy(), b.copy()) for w, b in layers]  # training goes on in the memory of some
        self.model = Model(card, encoding, n_inputs, layers)
        self._head = "policy" if "policy" in card.heads else "q"
        if self._head not in card.heads:
            raise SpecError("a snapshot needs a policy or q to choose an action")


class League:
    """A pool of opponents, and who of them sits where."""

    def __init__(
        self, game: Game, seed: int, shares: Shares, *, keep: int = 8, temperature: float = 1.0
    ) -> None:
        """Begin with the bots.

        Args:
            game: what is played.
            seed: what draws derive from.
            shares: how often each kind of opponent is drawn.
            keep: snapshots in the pool; when there are more, the oldest leaves.
            temperature: of the snapshots' play; see `net`.
        """
        if keep < 1:
            raise SpecError(f"a league keeps one snapshot or more, got {keep}")
        self.game, self.shares, self.keep = game, shares, keep
        self.temperature = temperature
        self.agents: list[Agent] = [load_agent(spec, game) for spec in shares.bots]
        self.pool: list[int] = []  # numbers of the snapshots in `agents`, the oldest first
        self._drafts: dict[int, Draft] = {}  # by number
        self._key = key_of(seed, Purpose.SEATING)

    def lineup(self, deals: Ints) -> npt.NDArray[np.int64]:
        """Return who sits where on some deals, for lanes: [deals, seats]."""
        n_sides = self.game.n_sides
        drawn = np.empty((len(deals), n_sides, 2))
        draw_units(self._key, np.asarray(deals, np.int64), np.zeros(1, RNG), drawn)
        kinds = np.array([self.shares.latest, self.shares.older, *self.shares.bots.values()])
        if not self.pool:
            kinds[:2] = kinds[0] + kinds[1], 0.0
        # The last kind that has a share ends at 1, whatever rounding has made of the sums.
        ends = np.cumsum(kinds) / kinds.sum()
        ends[np.flatnonzero(kinds)[-1] :] = 1.0
        kind = np.searchsorted(ends, drawn[:, :, 0], side="right")
        numbers = np.where(kind == 0, LEARNER, kind - 2)
        if self.pool:
            older = (drawn[:, :, 1] * len(self.pool)).astype(np.int64)
            numbers = np.where(kind == 1, np.array(self.pool)[older], numbers)
        numbers[np.arange(len(deals)), np.asarray(deals) % n_sides] = LEARNER
        return numbers[:, self.game.sides]

    def add(self, draft: Draft, lanes: Lanes | None = None) -> int:
        """Take what the learner is now into the pool; return its number.

        Args:
            draft: the network; a copy of it plays.
            lanes: games that go on and have the league's agents inside. Whoever leaves the pool
                stays in the games where it sits.
        """
        agent = Snapshot(self.game, draft, self.temperature)
        self.pool = self.pool[-self.keep + 1 :] if self.keep > 1 else []
        busy = set(self.pool) | (set() if lanes is None else set(lanes.seated().tolist()))
        places = range(len(self.shares.bots), len(self.agents))
        number = next((k for k in places if k not in busy), len(self.agents))
        self._put(number, agent, draft)
        self.pool.append(number)
        if lanes is not None:
            lanes.swap(number, agent)
        return number

    def _put(self, number: int, agent: Agent, draft: Draft) -> None:
        if number == len(self.agents):
            self.agents.append(agent)
        else:
            self.agents[number] = agent
        layers = agent.model.layers if isinstance(agent, Snapshot) else []
        self._drafts[number] = Draft(
            draft.encoding, dict(draft.heads), layers, draft.inputs, draft.value, draft.scale
        )

    def state(self) -> dict[str, Any]:
        """Return all snapshots as plain data; lanes have a state of their own."""
        snapshots: dict[str, Any] = {}
        for number, draft in self._drafts.items():
            one: dict[str, Any] = {"encoding": draft.encoding, "inputs": draft.inputs}
            one |= {"value": draft.value or "", "scale": draft.scale, "heads": dict(draft.heads)}
            layers = draft.network if isinstance(draft.network, list) else []
            arrays = {str(k): {"w": w, "b": b} for k, (w, b) in enumerate(layers)}
            snapshots[str(number)] = one | {"layers": arrays}
        return {"pool": np.array(self.pool, np.int64), "snapshots": snapshots}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned; make the lanes, or restore them, after that.

        Raises:
            SpecError: it is of another league.
        """
        first = len(self.shares.bots)
        del self.agents[first:]
        self._drafts = {}
        try:
            snapshots = {int(k): _read_draft(one) for k, one in state["snapshots"].items()}
            pool = [int(number) for number in state["pool"]]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SpecError(f"the checkpoint holds no league: {in_words(error)}") from None
        numbers = sorted(snapshots)
        if numbers != list(range(first, first + len(numbers))) or not set(pool) <= set(numbers):
            raise SpecError("the checkpoint holds a league of other bots")
        for number in numbers:
            draft = snapshots[number]
            self._put(number, Snapshot(self.game, draft, self.temperature), draft)
        self.pool = pool


def _read_draft(one: Mapping[str, Any]) -> Draft:
    """Read a network as `League.state` writes it."""
    arrays = one["layers"]
    layers = [(arrays[str(k)]["w"], arrays[str(k)]["b"]) for k in range(len(arrays))]
    heads = {str(name): int(size) for name, size in one["heads"].items()}
    value, scale = str(one["value"]) or None, float(one["scale"])
    return Draft(str(one["encoding"]), heads, layers, str(one["inputs"]), value, scale)


@kernel
def draw_units(key: np.uint64, deals: Ints, rngs: Rngs, out: npt.NDArray[np.float64]) -> None:
    """Draw some numbers from 0 to 1 for each deal: [deals, sides, 2]; `rngs` is scratch for one."""
    for i in range(len(deals)):
        start(rngs[0], absorb(key, deals[i]))
        for side in range(out.shape[1]):
            out[i, side, 0] = unit(rngs[0])
            out[i, side, 1] = unit(rngs[0])
