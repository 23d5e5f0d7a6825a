"""Who is asked about decisions: a game's coach, quicker or more patient, or with all cards open."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from kibitz.core.agent import Agent, parse_config
from kibitz.core.game import States, legal
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rng
from kibitz.core.spec import GameFacts, split_spec
from kibitz.core.table import Game
from kibitz.search.agent import MAX_SIMS, Reader, SearchAgent
from kibitz.search.desks import Desk
from kibitz.search.roots import begin_tree
from kibitz.search.tree import JOINT
from kibitz.search.uct import UctAgent

USUAL = "uct:sims=10000"
"""Who is asked in a game that names no coach."""

QUICK, PATIENT = 0.1, 20
"""How much of a coach's budget a first look takes, and a long one."""

FEWEST_SIMS, FEWEST_WORLDS = 200, 10
MOST_WORLDS = 2000


def coach_spec(facts: GameFacts) -> str:
    """Return who is asked about a game unless somebody is named."""
    return facts.coach or USUAL


def load_coach(game: Game, spec: str | None = None) -> Agent:
    """Return the coach of a game."""
    return load_agent(spec or coach_spec(game.facts), game)


def quick(coach: Agent) -> Agent:
    """Return a coach that spends a tenth, to see where a longer look is worth it.

    One that solves what it can, and asks another first, leaves all of it to the other.
    """
    before = getattr(coach, "before", coach)
    return _with_budget(before, QUICK)


def patient(coach: Agent) -> Agent:
    """Return a coach that thinks on while somebody looks; whoever asks stops it."""
    return _with_budget(coach, PATIENT)


def _with_budget(coach: Agent, share: float) -> Agent:
    """Return a coach with another budget, by whatever its budget is counted in."""
    config = coach.config
    changed: dict[str, Any] = {}
    if hasattr(config, "sims") and not config.time:
        sims = round(config.sims * share)
        is_flat = isinstance(coach, SearchAgent) and coach.is_flat
        changed["sims"] = MAX_SIMS if is_flat and share > 1 else max(FEWEST_SIMS, sims)
    if hasattr(config, "before"):  # who is asked where this one does not solve
        changed["before"] = _with_budget(coach.before, share).spec  # type: ignore[attr-defined]
    if hasattr(config, "worlds") and config.worlds:
        worlds = round(config.worlds * share)
        changed["worlds"] = min(MOST_WORLDS, max(FEWEST_WORLDS, worlds))
    return type(coach)(coach.game, replace(config, **changed)) if changed else coach


class OpenCoach(UctAgent):
    """Searches the true state as if all cards lay open: for looking back, never for play.

    It takes the place of a view, so nothing is sampled, and all seats choose by all cards.
    """

    name = "open"
    opens_worlds = True

    def grow(
        self, desk: Desk, view: States, seat: int, rng: Rng, share: int, chunk: int
    ) -> Iterator[Reader]:
        """Grow one tree below the true state."""
        n_sims = -(-self.n_sims(legal(view[0], seat, desk.tree.listed)) // share)
        desk.states[0] = view[0]
        desk.how.n_worlds = desk.how.samples_worlds = 0
        begin_tree(desk.tree, desk.how, desk.rule, desk.evaluator, seat, JOINT)
        for _ in self.run(desk, rng, n_sims, self.config.time, chunk):
            yield partial(self.read_root, desk)


def load_open_coach(game: Game) -> Agent:
    """Return who looks at true states of a game; `open_coach` of its facts has the parameters."""
    _, parameters = split_spec(game.facts.open_coach or USUAL)
    return OpenCoach(game, parse_config(OpenCoach, parameters))
