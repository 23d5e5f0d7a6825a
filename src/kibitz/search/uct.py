"""UCT and its relatives: a tree grown by upper confidence bounds, playouts below it.

The members differ by their playouts alone: `uct` plays at random or by a game's own bot, `mast` and
`ppa` learn on the way which moves win.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kibitz.core.agent import PolicyAgent
from kibitz.core.errors import AgentError, SpecError
from kibitz.core.game import max_legal
from kibitz.core.registry import load_agent
from kibitz.core.table import Game
from kibitz.search.agent import SearchAgent, SearchConfig
from kibitz.search.amaf import grave, remembering
from kibitz.search.learned import mast, ppa
from kibitz.search.novelty import novel
from kibitz.search.playouts import UNIFORM, epsilon_greedy
from kibitz.search.regret import by_regret
from kibitz.search.roots import DRAWN
from kibitz.search.selection import ucb
from kibitz.search.tree import JOINT, OWN, VIEW

TREES = {
    "decoupled": (JOINT, False),
    "sequential": (JOINT, True),
    "open-loop": (OWN, False),
    "information-set": (VIEW, False),
}
"""Kinds of trees: what leads from node to node, and whether choices are made one by one."""

Feature = Literal["none", "depth"]
Kind = Literal["auto", "decoupled", "sequential", "open-loop", "information-set"]


@dataclass(frozen=True)
class TreeConfig(SearchConfig):
    """Parameters of every search that grows a tree."""

    tree: Kind = "auto"
    reuse: bool = False  # keep the tree for the next move; games without secrets only

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        super().__post_init__()
        if self.reuse and self.threads > 1:
            raise SpecError(f"reuse=true needs threads=1, got threads={self.threads}")
        if self.reuse and self.tree not in ("auto", "decoupled", "sequential"):
            raise SpecError(
                f"reuse=true needs a tree of what everybody plays, got tree={self.tree}: leave "
                "one of them out"
            )


class TreeAgent(SearchAgent):
    """Base of agents that grow a tree of the kind that suits the game."""

    Config = TreeConfig
    opens_worlds = False  # searches sampled worlds as if nothing were hidden

    def __init__(self, game: Game, config: Any = None) -> None:
        """Choose the kind of tree."""
        super().__init__(game, config)
        self.reuses = self.config.reuse
        if self.reuses and game.has_secrets:
            raise AgentError(
                f"{self.name}:reuse=true needs a game without secrets, which {game.spec} is not: "
                "leave it out"
            )
        # Outcomes of simultaneous choices are too many to be met twice.
        self.keys_with_secrets = OWN if game.facts.simultaneous else VIEW
        if self.config.tree == "auto":
            return
        self.keys, self.is_sequential = TREES[self.config.tree]
        if self.keys != JOINT:
            self.keys_with_secrets = self.keys
        elif game.has_secrets and not self.opens_worlds:
            raise AgentError(
                f"{self.name}:tree={self.config.tree} needs a game without secrets, which "
                f"{game.spec} is not: use tree=open-loop or tree=information-set"
            )


@dataclass(frozen=True)
class UctConfig(TreeConfig):
    """Parameters of UCT."""

    c: float = 0.7  # exploration
    rule: Literal["ucb", "novelty", "rave", "grave", "regret"] = "ucb"
    beta: float = 10.0  # novelty: visits after which it fades
    ref: int = 50  # grave: visits of the decision whose AMAF values count
    bias: float = 0.001  # rave and grave: how soon real visits outweigh AMAF values
    gamma: float = 0.1  # regret: share of simulations that explore
    playout: str = "random"  # or the name of one of the game's own bots
    epsilon: float = 0.1  # share of random moves in a bot's playouts

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        for name, low, high in (
            ("c", 0, 100),
            ("beta", 1e-6, 1e9),
            ("bias", 0, 100),
            ("gamma", 0.001, 1),
            ("epsilon", 0, 1),
            ("ref", 0, 1_000_000),
        ):
            if not low <= getattr(self, name) <= high:
                raise SpecError(f"{name}={getattr(self, name)}: expected {low} to {high}")
        if self.playout != "random" and self.rule in ("rave", "grave"):
            raise SpecError(f"rule={self.rule} needs playout=random, got {self.playout}")


class UctAgent(TreeAgent):
    """Grows a tree by UCB1, or another rule, and plays out at random."""

    name = "uct"
    Config = UctConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Find the bot that plays out."""
        super().__init__(game, config)
        if self.config.rule == "regret" and not game.facts.simultaneous:
            raise AgentError(
                f"{self.name}:rule=regret mixes actions as simultaneous choices ask for, and "
                f"{game.spec} has none: use rule=ucb"
            )
        if self.config.rule == "regret":
            self.picks = DRAWN
        self._bot = bot_policy(self.name, self.config.playout, game)

    def make_rule(self) -> np.record:
        """Return UCB1, or the rule asked for."""
        config = self.config
        if config.rule == "novelty":
            return novel(config.c, config.beta, self.game.blank(1).itemsize)
        if config.rule in ("rave", "grave"):
            return grave(config.c, config.ref if config.rule == "grave" else 0, config.bias)
        if config.rule == "regret":
            return by_regret(config.gamma)
        return ucb(config.c)

    def make_evaluator(self) -> np.record:
        """Return random playouts, or those of a bot."""
        if self.config.rule in ("rave", "grave"):
            return remembering()
        if self.config.playout == "random":
            return UNIFORM
        return epsilon_greedy(self._bot, self.config.epsilon)


@dataclass(frozen=True)
class MastConfig(UctConfig):
    """Parameters of UCT with MAST playouts."""

    k: float = 3.5  # how sharply playouts prefer what has won
    feature: Feature = "depth"  # what tells moves apart beside seat and action

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        super().__post_init__()
        _refuse_other_playouts(self)
        if not 0 <= self.k <= 100:
            raise SpecError(f"k={self.k}: expected 0 to 100")


class MastAgent(UctAgent):
    """Grows a tree by UCB1; playouts prefer moves that won before."""

    name = "mast"
    Config = MastConfig

    def make_evaluator(self) -> np.record:
        """Return MAST."""
        return mast(self.config.k, self.config.feature == "depth", _most(self.game))


@dataclass(frozen=True)
class PpaConfig(UctConfig):
    """Parameters of UCT with playout policy adaptation."""

    alpha: float = 0.4  # how quickly playouts learn
    feature: Feature = "depth"  # what tells moves apart beside seat and action

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        super().__post_init__()
        _refuse_other_playouts(self)
        if not 0 <= self.alpha <= 10:
            raise SpecError(f"alpha={self.alpha}: expected 0 to 10")


class PpaAgent(UctAgent):
    """Grows a tree by UCB1; playouts adapt to the moves of winners."""

    name = "ppa"
    Config = PpaConfig

    def make_evaluator(self) -> np.record:
        """Return PPA."""
        return ppa(self.config.alpha, self.config.feature == "depth", _most(self.game))


def _refuse_other_playouts(config: UctConfig) -> None:
    """Refuse rules and bots that bring playouts of their own."""
    if config.playout != "random":
        raise SpecError(f"playout={config.playout}: these playouts learn, use uct for a bot's")
    if config.rule in ("rave", "grave"):
        raise SpecError(f"rule={config.rule} brings its own playouts: use uct")


def bot_policy(agent: str, name: str, game: Game) -> np.record:
    """Return the policy of one of a game's bots, which must be compiled."""
    bot = load_agent(name, game)
    if not isinstance(bot, PolicyAgent):
        raise AgentError(f"{agent} cannot ask {name} in its kernels: name a bot such as random")
    return bot.policy


def _most(game: Game) -> int:
    return int(max_legal(game.blank(1)[0]))
