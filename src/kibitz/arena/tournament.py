"""Tournaments: matches that follow each other, with ratings that run along.

A tournament is a sequence of stages, each a match on deals of its own. Everything follows from
the settings and the results so far, so a tournament that was killed goes on from the deals that
its journal has, and ends as if nothing had happened.

Forms:
- round-robin: every choice of agents plays every deal from every seat;
- random: on every deal the agents sit down in a random circle, at tables of one or several sizes;
- evolve: random tables; after every generation the best agent by running Elo is cloned, the worst
  is dropped, and the factor K falls;
- ladder: anchors play each other and keep their ratings, then each agent plays the anchors.
"""

import math
from collections.abc import Generator, Iterator
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from kibitz.arena.job import PlayedDeals
from kibitz.arena.match import MAX_AGENTS, Match, Pool
from kibitz.arena.ratings import Ratings
from kibitz.arena.result import Result, label
from kibitz.arena.running import Ladder, RunningElo
from kibitz.arena.sample import Sample, join
from kibitz.arena.seating import LadderTables, RandomTables, Seating, round_robin
from kibitz.arena.statistics import Estimate
from kibitz.core.conduct import Conduct
from kibitz.core.driver import add_steps
from kibitz.core.errors import KibitzError, SpecError
from kibitz.core.outside import Document, First, Whole, Word, complaint
from kibitz.core.registry import load_agent, load_game
from kibitz.core.spec import join_spec, split_spec
from kibitz.core.table import Game

Form = Literal["round-robin", "random", "evolve", "ladder"]

K_START, K_FALL = 32.0, 0.9
"""Factor of the running Elo, and what is left of it after each generation."""

MOST_TURNS, FEWEST_DEALS = 50, 5
"""How often tables of different sizes take turns, and how many deals each has at least."""

_FORMS = {
    "round-robin": "a round robin",
    "random": "a tournament at random tables",
    "evolve": "an evolving tournament",
    "ladder": "a ladder",
}


class Settings(Document):
    """What defines a tournament; it is stored with it, and read again to resume."""

    game: Word
    agents: Annotated[tuple[Word, ...], Field(min_length=1, max_length=200), First]
    form: Form = "round-robin"
    deals: Annotated[int, Field(ge=1, le=1_000_000)] = 2000  # of a ladder: per agent
    seed: Whole = 0
    sizes: Annotated[tuple[Whole, ...], Field(max_length=16), First] = ()  # of random tables
    anchors: Annotated[tuple[Word, ...], Field(max_length=200), First] = ()  # of a ladder
    generation: Annotated[Whole, Field(ge=1)] = 1000  # games of an evolving tournament
    records: bool = False
    on_error: Literal["stop", "forfeit"] = "stop"
    deadline: float | None = None

    def __init__(self, **values: Any) -> None:
        """Check the settings; SpecError says what is wrong."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SpecError(f"settings of a tournament: {complaint(error)}") from None

    @staticmethod
    def read(values: dict[str, Any]) -> "Settings":
        """Check settings that were stored as JSON, which has lists where these have tuples."""
        return Settings(
            **{key: tuple(one) if isinstance(one, list) else one for key, one in values.items()}
        )


CONDUCT = tuple(field.name for field in fields(Conduct))
"""Settings that may change when a tournament is resumed: what faults are, and lead to."""


@dataclass(frozen=True)
class Stage:
    """One match of a tournament."""

    number: int
    title: str
    game: Game
    entrants: tuple[int, ...]  # who plays; the match's agents in this order
    seating: Seating
    first_deal: int
    deals: int


class Journal(Protocol):
    """Where a tournament is kept while it is played."""

    def begin(self, stage: Stage, agents: tuple[str, ...]) -> list[PlayedDeals]:
        """Open a stage; return what has been played of it."""

    def append(self, played: PlayedDeals) -> None:
        """Keep more deals of the stage opened last."""


@dataclass(frozen=True)
class Row:
    """How an entrant did in the whole tournament."""

    entrant: int
    name: str
    spec: str
    role: str  # "anchor", "dropped" or nothing
    n_games: int
    score: Estimate  # points per game
    wins: Estimate  # share of games won, ties split
    rating: Estimate  # Elo by maximum likelihood
    elo: float | None  # running, at random tables
    skill: tuple[float, float] | None  # running, on a ladder: mean and standard deviation
    seconds_per_move: float
    n_faults: int


class Tournament:
    """A tournament while it is played, and what it says so far."""

    def __init__(
        self,
        settings: Settings,
        *,
        workers: int = 1,
        pool: Pool = "threads",
        batch_size: int | None = None,
    ) -> None:
        """Load games and agents; SpecError if the settings do not make a tournament."""
        self.settings = settings
        self.workers, self.pool, self.batch_size = workers, pool, batch_size
        self.games = _load_games(settings)
        given = [*settings.agents, *settings.anchors]
        self.specs = [load_agent(spec, self.games[0]).spec for spec in given]
        self.conduct = Conduct(settings.on_error, settings.deadline)
        self.elo = RunningElo(len(self.specs), k=K_START)
        self.ladder = Ladder(len(self.specs)) if settings.form == "ladder" else None
        self._elo_history: list[npt.NDArray[np.float64]] = []  # by stage: [games, entrants then]
        self.events: list[str] = []
        self.is_resumed = False  # whether some of it was played before
        self._has_begun = False
        self._dropped: set[int] = set()
        self._stages: list[tuple[Stage, Result]] = []
        self._n_followed = 0  # stages that the running ratings have counted
        _check(self)

    @property
    def names(self) -> list[str]:
        """A name for every entrant."""
        return label(self.specs)

    @property
    def at_random(self) -> bool:
        """Whether tables are drawn at random: a running Elo follows such games."""
        return self.settings.form in ("random", "evolve")

    @property
    def n_anchors(self) -> int:
        """How many entrants are anchors: the last ones."""
        return len(self.settings.anchors)

    @property
    def n_games(self) -> int:
        """How many games the whole tournament has."""
        settings, game = self.settings, self.games[0]
        if settings.form == "round-robin":
            return settings.deals * round_robin(game, len(settings.agents)).n_games
        if settings.form == "ladder":
            among_anchors = self.n_anchors if self.n_anchors > 1 else 0
            return settings.deals * (among_anchors + len(settings.agents) * game.n_sides)
        return settings.deals * len(settings.agents)

    def play(self, journal: Journal | None = None) -> Generator[tuple[Stage, PlayedDeals]]:
        """Play to the end, beginning with what the journal has; this can be done once.

        Raises:
            Misbehaviour: an agent's fault; `rows` tells what was played before.
            KeyboardInterrupt: Ctrl-C; likewise.
            KibitzError: a worker process died, or the journal cannot be written; likewise.
        """
        if self._has_begun:
            raise KibitzError("this tournament has been played: make another one from its settings")
        self._has_begun = True
        for stage in self._plan():
            match = self._match(stage)
            try:
                for played in journal.begin(stage, match.specs) if journal is not None else []:
                    self.is_resumed = True
                    match.take(played)
                    yield stage, played
                with closing(match.play()) as batches:
                    for played in batches:
                        if journal is not None:
                            journal.append(played)
                        yield stage, played
            finally:
                if match.has_played:
                    self._stages.append((stage, match.result()))
            self._follow()

    def _match(self, stage: Stage) -> Match:
        """Seat the agents of a stage."""
        return Match(
            stage.game,
            [load_agent(self.specs[entrant], stage.game) for entrant in stage.entrants],
            stage.deals,
            self.settings.seed,
            seating=stage.seating,
            first_deal=stage.first_deal,
            workers=self.workers,
            pool=self.pool,
            batch_size=self.batch_size,
            records=self.settings.records,
            conduct=self.conduct,
        )

    def _follow(self) -> None:
        """Let the running ratings follow the stages that they have not counted yet.

        They are counted on copies: Ctrl-C in the middle must not leave a half-counted stage.
        """
        for stage, result in self._stages[self._n_followed :]:
            sample = result.sample
            lineup = np.array(stage.entrants)[sample.lineup].reshape(-1, sample.lineup.shape[2])
            scores = sample.scores.reshape(lineup.shape)
            elo, ladder, history = deepcopy(self.elo), deepcopy(self.ladder), []
            if self.at_random:
                history.append(elo.history(lineup, scores))
            if ladder is not None:
                for agents, points in zip(lineup.tolist(), scores.tolist(), strict=True):
                    ladder.update(agents, points)
            self.elo, self.ladder, self._n_followed = elo, ladder, self._n_followed + 1
            self._elo_history += history

    def _plan(self) -> Iterator[Stage]:
        """Yield the stages one after the other; later ones may depend on what came of earlier."""
        settings = self.settings
        if settings.form == "round-robin":
            everybody = tuple(range(len(self.specs)))
            seating = round_robin(self.games[0], len(everybody))
            yield Stage(0, "round robin", self.games[0], everybody, seating, 0, settings.deals)
        elif settings.form == "random":
            yield from self._random_tables(0, 0, settings.deals, tuple(range(len(self.specs))))
        elif settings.form == "evolve":
            yield from self._generations()
        else:
            yield from self._ladder_stages()

    def _random_tables(
        self, number: int, first_deal: int, deals: int, pool: tuple[int, ...], title: str = ""
    ) -> Iterator[Stage]:
        """Seat a pool at random tables, the sizes taking turns."""
        turns = min(MOST_TURNS, math.ceil(deals / len(self.games) / FEWEST_DEALS))
        turns = 1 if len(self.games) == 1 else turns
        parts = [len(part) for part in np.array_split(np.arange(deals), turns * len(self.games))]
        for i, part in enumerate(part for part in parts if part):
            game = self.games[i % len(self.games)]
            seating = RandomTables(len(pool), tuple(game.sides.tolist()), self.settings.seed)
            name = title or f"tables of {game.n_seats}"
            yield Stage(number + i, name, game, pool, seating, first_deal, part)
            first_deal += part

    def _generations(self) -> Iterator[Stage]:
        """Breed: after every generation the best is cloned and the worst dropped."""
        pool = list(range(len(self.specs)))
        per_generation, n_generations = _generations(self.settings)
        number, deal = 0, 0
        for generation in range(n_generations):
            deals = min(per_generation, self.settings.deals - deal)
            title = f"generation {generation + 1}"
            for stage in self._random_tables(number, deal, deals, tuple(pool), title):
                yield stage
                number, deal = stage.number + 1, stage.first_deal + stage.deals
            if deal < self.settings.deals:
                self._breed(pool, title)

    def _breed(self, pool: list[int], title: str) -> None:
        """Clone the best of a pool in place of the worst; K falls."""
        ratings = self.elo.ratings
        best, worst = max(pool, key=lambda e: ratings[e]), min(pool, key=lambda e: ratings[e])
        names = self.names
        pool.remove(worst)
        self._dropped.add(worst)
        pool.append(self.elo.add(float(ratings[best])))
        self.specs.append(self.specs[best])
        self.elo.k *= K_FALL
        self.events.append(
            f"{title}: {names[best]} ({ratings[best]:.0f}) is cloned as {self.names[-1]}, "
            f"{names[worst]} ({ratings[worst]:.0f}) is dropped"
        )

    def _ladder_stages(self) -> Iterator[Stage]:
        """Let the anchors settle their ratings, then every agent climb."""
        game, settings = self.games[0], self.settings
        sides = tuple(game.sides.tolist())
        n = len(settings.agents)
        anchors = tuple(range(n, len(self.specs)))
        first_deal = 0
        if len(anchors) > 1:
            seating = RandomTables(len(anchors), sides, settings.seed)
            yield Stage(0, "anchors", game, anchors, seating, 0, settings.deals)
            first_deal = settings.deals
        if self.ladder is not None:
            self.ladder.frozen |= set(anchors)
        for agent in range(n):
            climb = LadderTables(len(anchors), sides, settings.seed)
            entrants, title = (agent, *anchors), f"{self.names[agent]} climbs"
            yield Stage(1 + agent, title, game, entrants, climb, first_deal, settings.deals)
            first_deal += settings.deals

    @property
    def sample(self) -> Sample:
        """All games so far."""
        played = [(result.sample, stage.entrants) for stage, result in self._stages]
        if not played:
            raise KibitzError("not a single deal has been played to its end")
        samples, entrants = zip(*played, strict=True)
        return join(samples, entrants, len(self.specs))

    @property
    def results(self) -> list[tuple[Stage, Result]]:
        """The stages so far, and what came of them."""
        return self._stages

    def elo_history(self) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
        """Return the running Elo of every entrant, and after how many games it had each."""
        self._follow()
        begins = np.cumsum([0, *map(len, self._elo_history)])
        lines = []
        for entrant in range(len(self.specs)):
            parts = [
                (begin + 1.0 + np.arange(len(history)), history[:, entrant])
                for begin, history, (stage, _) in zip(
                    begins[:-1], self._elo_history, self._stages, strict=True
                )
                if entrant in stage.entrants
            ]
            games, ratings = zip(*parts, strict=True) if parts else ((), ())
            lines.append((np.concatenate([*games, []]), np.concatenate([*ratings, []])))
        return lines

    def times(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Seconds and decisions of every entrant at every step: [entrants, steps]."""
        seconds: list[npt.NDArray[Any]] = []
        decisions: list[npt.NDArray[Any]] = []
        for stage, result in self._stages:
            for source, parts in ((result.seconds, seconds), (result.n_decisions, decisions)):
                spread = np.zeros((len(self.specs), source.shape[1]), source.dtype)
                spread[list(stage.entrants)] = source
                parts.append(spread)
        return add_steps(seconds), add_steps(decisions)

    def ratings(self) -> Ratings:
        """Fit ratings to all games; those of anchors come from the games among anchors."""
        anchors = self._anchor_ratings()
        return self.sample.ratings({entrant: one.mean for entrant, one in anchors.items()})

    def _anchor_ratings(self) -> dict[int, Estimate]:
        """Rate the anchors by the games among themselves; a single one has a rating of 0."""
        first = len(self.settings.agents)
        if self.n_anchors < 2:
            return {first + i: Estimate(0, 0, 0) for i in range(self.n_anchors)}
        ratings = self._stages[0][1].sample.ratings()
        return {first + i: ratings.estimate(i) for i in range(self.n_anchors)}

    def rows(self) -> list[Row]:
        """Rank the entrants that have played by their rating, best first."""
        self._follow()
        sample, ratings = self.sample, self.ratings()
        seconds, decisions = (part.sum(axis=1) for part in self.times())
        faults = [
            stage.entrants[fault.agent] for stage, result in self._stages for fault in result.faults
        ]
        anchors = self._anchor_ratings()
        rows = [
            Row(
                entrant,
                name,
                self.specs[entrant],
                "anchor" if entrant in anchors else "dropped" if entrant in self._dropped else "",
                sample.n_games(entrant),
                sample.score(entrant),
                sample.wins(entrant),
                anchors[entrant] if entrant in anchors else ratings.estimate(entrant),
                float(self.elo.ratings[entrant]) if self.at_random else None,
                None if self.ladder is None else _skill(self.ladder, entrant),
                float(seconds[entrant] / max(decisions[entrant], 1)),
                faults.count(entrant),
            )
            for entrant, name in enumerate(self.names)
            if sample.n_games(entrant)
        ]
        return sorted(rows, key=lambda row: -row.rating.mean)


def _generations(settings: Settings) -> tuple[int, int]:
    """Return the deals of a generation, and how many generations there are."""
    per_generation = max(1, round(settings.generation / len(settings.agents)))
    return per_generation, math.ceil(settings.deals / per_generation)


def _skill(ladder: Ladder, entrant: int) -> tuple[float, float]:
    return float(ladder.mu[entrant]), float(ladder.sigma[entrant])


def _load_games(settings: Settings) -> tuple[Game, ...]:
    """Load the game once for every size of table."""
    game = load_game(settings.game, defaults="arena")
    if not settings.sizes:
        return (game,)
    if settings.form not in ("random", "evolve"):
        raise SpecError(f"tables of several sizes need random tables, not {_FORMS[settings.form]}")
    if all(option.name != "players" for option in game.facts.options):
        raise SpecError(f"{game.facts.name} is not played at tables of several sizes")
    name, given = split_spec(settings.game)
    specs = [join_spec(name, {**given, "players": size}) for size in settings.sizes]
    return tuple(load_game(spec, defaults="arena") for spec in specs)


def _check(tournament: Tournament) -> None:
    """Refuse settings that do not make a tournament."""
    settings = tournament.settings
    if settings.form == "ladder" and not settings.anchors:
        raise SpecError("a ladder needs at least one anchor to climb")
    if settings.form != "ladder" and settings.anchors:
        raise SpecError(f"anchors belong to a ladder, not to {_FORMS[settings.form]}")
    if settings.form != "ladder" and len(settings.agents) < 2:
        raise SpecError(f"{_FORMS[settings.form]} needs at least two agents")
    n_entrants = len(settings.agents) + _generations(settings)[1] - 1
    if settings.form == "evolve" and n_entrants > MAX_AGENTS:
        raise SpecError(
            f"an evolving tournament has at most {MAX_AGENTS:,} entrants with all clones, this one "
            f"{n_entrants:,}: let a generation have more games"
        )
    for game in tournament.games:
        n_sides = game.n_sides
        if settings.form in ("random", "evolve") and len(settings.agents) < n_sides:
            raise SpecError(
                f"random tables of {n_sides} need as many agents, got {len(settings.agents)}: name "
                "more agents or play a round robin"
            )
        for spec in dict.fromkeys(tournament.specs):
            load_agent(spec, game)
