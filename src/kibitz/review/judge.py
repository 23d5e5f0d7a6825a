"""How an agent plays beside another: the explanation method of the paper on learning 6 nimmt!.

An agent is judged at tables where a second agent and `random` sit beside it. Asked in the same
position with the same random numbers, how often do the two choose the same (*similarity*)? How do
their mean scores on the same cards compare (*performance*)? And how often does each follow a habit
of the game when it can? An outcome, such as a call that is won, is seen when a round has ended;
there each agent has its own. With a rigged agent beside the plain one, this tells how much of the
rig was in the plain one already.

Every deal is played from every seat, and the deal is the unit of all intervals. Decisions with one
legal action are none: nobody is asked.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kibitz.arena.match import Match
from kibitz.arena.sample import Sample
from kibitz.arena.seating import SameTables
from kibitz.arena.statistics import Estimate, mean_of, ratio_of, share_of
from kibitz.core.agent import Agent, Games, Seats, check_agents
from kibitz.core.decisions import NO_ACTION, Decisions
from kibitz.core.errors import SpecError
from kibitz.core.game import Seat, States, movers
from kibitz.core.habits import Habit, Seen
from kibitz.core.kernels import kernel
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game

JUDGED, BESIDE, FILLER = 0, 1, 2
"""The agents of a table, by index."""

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Page:
    """Decisions that were noted together."""

    games: Ints  # [decisions]
    same: Flags  # [decisions]
    seen: list[tuple[Seen, Flags]]  # of each habit, and whether the other agent followed it


@dataclass(frozen=True)
class _Ends:
    """Rounds that ended at the same time."""

    games: Ints  # [rounds]
    possible: list[Flags]  # of each outcome: [rounds, seats, levels]
    done: list[Flags]


class _Witness(Agent):
    """Sits for the agent that is judged, and notes what the other one would do in its place."""

    name = "witness"

    def __init__(self, judged: Agent, other: Agent, habits: tuple[Habit, ...]) -> None:
        super().__init__(judged.game)
        self.judged, self.other = judged, other
        self.habits = [habit for habit in habits if not habit.is_outcome]
        self.outcomes = [habit for habit in habits if habit.is_outcome]
        self.pages: list[_Page] = []
        self.ends: list[_Ends] = []
        # A rigged agent says itself what it would have done: that is not searched for twice.
        self._asks = other.spec != getattr(getattr(judged, "of", None), "spec", None)

    @property
    def spec(self) -> str:
        """That of the agent that is judged."""
        return self.judged.spec

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Let the agent decide, and note how."""
        streams = rngs.copy()
        decisions = self.judged.act(views, seats, rngs, games)
        actions = np.asarray(decisions.actions, np.int64)
        unrigged = decisions.info.get("unrigged")
        if self._asks or unrigged is None:
            unrigged = self.other.act(views, seats, streams, games).actions
        others = np.asarray(unrigged, np.int64)
        seen = [
            (habit.look(views, seats, actions), habit.look(views, seats, others).done)
            for habit in self.habits
        ]
        self.pages.append(_Page(games.copy(), actions == others, seen))
        return decisions

    def decide(self, view: np.record, seat: Seat, rng: Rng | None = None) -> Decisions:
        """Decide without a note: nothing is played."""
        self.other.decide(view, seat, rng)
        return self.judged.decide(view, seat, rng)

    @property
    def watches(self) -> bool:
        """Whether one of the two wants to see what happens, or outcomes are to be seen."""
        return bool(self.outcomes) or self.judged.watches or self.other.watches

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Show both, as far as they look, and note what came of rounds that have ended."""
        if self.outcomes:
            self._note_ends(views, games)
        for agent in (self.judged, self.other):
            if agent.watches:
                agent.watch(views, seats, games)

    def _note_ends(self, views: States, games: Games) -> None:
        """Look at rounds that have ended, once for all seats: what came of them is public."""
        is_end = np.zeros(len(views), np.bool_)
        find_ends(views, is_end)
        games, first = np.unique(games[is_end], return_index=True)
        if not len(games):
            return
        views, nothing = views[is_end][first], np.full(len(games), NO_ACTION)
        seats = [np.full(len(games), seat) for seat in range(self.game.n_seats)]
        seen = [[one.look(views, seat, nothing) for seat in seats] for one in self.outcomes]
        possible = [np.stack([one.possible for one in by_seat], axis=1) for by_seat in seen]
        done = [np.stack([one.done for one in by_seat], axis=1) for by_seat in seen]
        self.ends.append(_Ends(games, possible, done))

    @property
    def forgets(self) -> bool:
        """Whether one of the two wants to know what is over."""
        return self.judged.forgets or self.other.forgets

    def end(self, games: Games) -> None:
        """Let both know what is over."""
        self.judged.end(games)
        self.other.end(games)


@kernel
def find_ends(views: States, is_end: Flags) -> None:
    """Find the views of games in which nobody moves: rounds that have ended."""
    for k in range(len(views)):
        is_end[k] = movers(views[k]) == 0


@dataclass(frozen=True)
class Rate:
    """How often something was done when it was possible."""

    at: int  # the level of the habit, or the stage of the game
    possible: Estimate  # share of decisions in which it could be done, or of rounds at each seat
    judged: Estimate
    beside: Estimate
    n: int  # decisions in which it could be done, or rounds at each seat


@dataclass(frozen=True)
class Followed:
    """What is known of a habit."""

    habit: Habit
    by_level: list[Rate]
    by_group: dict[int, list[Rate]]  # of each level


@dataclass(frozen=True)
class Verdict:
    """What came of judging an agent."""

    game: Game
    judged: str  # specs
    beside: str
    table: tuple[str, ...]  # who sat at every table
    seed: int
    n_deals: int
    n_games: int
    n_decisions: int
    elapsed: float
    similarity: Estimate  # share of decisions in which both choose the same
    score: Estimate  # points per game of the judged one
    beside_score: Estimate
    difference: Estimate  # of these, on the same deals
    performance: Estimate | None  # the other's mean over the judged one's, if scores have one sign
    habits: list[Followed] = field(default_factory=list)


class Judgement:
    """One agent judged beside another; `play` plays, `verdict` says what came of it."""

    def __init__(
        self,
        game: Game,
        judged: Agent,
        beside: Agent,
        deals: int,
        seed: int,
        *,
        habits: tuple[Habit, ...] = (),
        workers: int = 1,
    ) -> None:
        """Set the tables.

        Args:
            game: what is played.
            judged: the agent that is judged; one of its kind sits at every table.
            beside: the agent that it is compared with; it takes half of the seats that are left,
                the larger half, and `random` the others.
            deals: how many deals; each is played from every seat.
            seed: what all cards and streams derive from.
            habits: what both are watched for.
            workers: how many batches to play at the same time.
        """
        check_agents([judged, beside], game)
        if game.n_sides < 2:
            raise SpecError(f"{game.spec} has one side: nobody sits beside an agent")
        self.game, self.habits = game, habits
        self._witness = _Witness(judged, load_agent(beside.spec, game), habits)
        self._agents = [self._witness, beside, load_agent("random", game)]
        n = game.n_sides
        row = [JUDGED, *[BESIDE] * (n // 2), *[FILLER] * (n - 1 - n // 2)]
        self.seating = SameTables(
            tuple(
                tuple(int(turned[side]) for side in game.sides)
                for turned in (np.roll(row, turn) for turn in range(n))
            )
        )
        self._row = row
        self._match = Match(game, self._agents, deals, seed, seating=self.seating, workers=workers)

    @property
    def n_games(self) -> int:
        """How many games there are to play."""
        return self._match.n_games

    @property
    def has_played(self) -> bool:
        """Whether any deal has been played to its end."""
        return self._match.has_played

    def play(self) -> Iterator[int]:
        """Play; yields how many games were played since it last did."""
        for played in self._match.play():
            yield played.scores.shape[0] * played.scores.shape[1]

    def verdict(self) -> Verdict:
        """Say what came of all deals that were played to their end."""
        result = self._match.result()
        notes = _Notes(self._witness, np.array(self.seating.tables), len(result.deals))
        per_deal = result.sample.per_deal
        judged, beside = per_deal[:, JUDGED], per_deal[:, BESIDE]
        low, high = self.game.score_range
        return Verdict(
            game=self.game,
            judged=self._witness.spec,
            beside=self._agents[BESIDE].spec,
            table=tuple(self._agents[one].spec for one in self._row),
            seed=result.seed,
            n_deals=len(result.deals),
            n_games=result.n_games,
            n_decisions=len(notes.deals),
            elapsed=result.elapsed,
            similarity=notes.share(notes.same),
            score=_score(result.sample, JUDGED),
            beside_score=_score(result.sample, BESIDE),
            difference=result.sample.paired(JUDGED, BESIDE),
            performance=ratio_of(beside, judged) if low >= 0 or high <= 0 else None,
            habits=notes.all_followed(),
        )


def _score(sample: Sample, agent: int) -> Estimate:
    return mean_of(sample.played(agent))


class _Notes:
    """All that was noted about deals that were played to their end."""

    def __init__(self, witness: _Witness, tables: Ints, n_deals: int) -> None:
        self.witness, self.pages, self.n_deals = witness, witness.pages, n_deals
        self.tables = tables  # the agent at each seat of each game of a deal
        deals, _ = self._places([page.games for page in self.pages])
        self._is_whole = deals < n_deals
        self.deals = deals[self._is_whole]

    def _places(self, games: list[Ints]) -> tuple[Ints, Ints]:
        """Return the deals of games, and their numbers among the tables of a deal."""
        deals, tables = np.divmod(
            np.concatenate(games or [np.zeros(0, np.int64)]), len(self.tables)
        )
        return deals, tables

    @cached_property
    def same(self) -> Flags:
        """Whether both chose the same: [decisions]."""
        return np.concatenate([page.same for page in self.pages])[self._is_whole]

    def share(self, hits: Flags, trials: Flags | None = None) -> Estimate:
        """Estimate in which share of decisions something is so, of all or of some."""
        trials = np.ones(len(hits), np.bool_) if trials is None else trials
        return self._share(self.deals, hits, trials)

    def _share(self, deals: Ints, hits: Flags, trials: Flags) -> Estimate:
        counts = [np.bincount(deals[some], minlength=self.n_deals) for some in (hits, trials)]
        return share_of(*counts)

    def all_followed(self) -> list[Followed]:
        """Sum up habits, then outcomes."""
        habits, outcomes = self.witness.habits, self.witness.outcomes
        found = [self.followed(i, habit) for i, habit in enumerate(habits)]
        return found + [self.outcome(i, outcome) for i, outcome in enumerate(outcomes)]

    def outcome(self, i: int, outcome: Habit) -> Followed:
        """Sum up the i-th outcome: of every agent at its own seats, once for each round."""
        ends, n_seats = self.witness.ends, self.tables.shape[1]
        no_rounds = np.zeros((0, n_seats, len(outcome.levels)), np.bool_)
        possible = np.concatenate([one.possible[i] for one in ends] or [no_rounds])
        done = np.concatenate([one.done[i] for one in ends] or [no_rounds])
        deals, tables = self._places([one.games for one in ends])
        agents = self.tables[tables]  # [rounds, seats]
        is_whole = (deals < self.n_deals)[:, None]
        deals = np.repeat(deals[:, None], n_seats, axis=1)

        def rate(at: int, column: int) -> Rate:
            could, did = possible[:, :, column], done[:, :, column]
            judged, beside = ((agents == who) & is_whole for who in (JUDGED, BESIDE))
            return Rate(
                at,
                self._share(deals, could & judged, judged),
                self._share(deals, could & did & judged, could & judged),
                self._share(deals, could & did & beside, could & beside),
                int((could & judged).sum()),
            )

        by_level = [rate(level, column) for column, level in enumerate(outcome.levels)]
        return Followed(outcome, by_level, {})

    def followed(self, i: int, habit: Habit) -> Followed:
        """Sum up the i-th habit."""
        seen = [page.seen[i] for page in self.pages]
        possible = np.concatenate([one.possible for one, _ in seen])[self._is_whole]
        judged = np.concatenate([one.done for one, _ in seen])[self._is_whole]
        beside = np.concatenate([done for _, done in seen])[self._is_whole]
        groups = np.concatenate([one.groups for one, _ in seen])[self._is_whole]

        def rate(at: int, column: int, among: Flags) -> Rate:
            could = possible[:, column] & among
            return Rate(
                at,
                self.share(could, among),
                self.share(could & judged[:, column], could),
                self.share(could & beside[:, column], could),
                int(could.sum()),
            )

        everywhere = np.ones(len(groups), np.bool_)
        levels = list(enumerate(habit.levels))
        return Followed(
            habit,
            [rate(level, column, everywhere) for column, level in levels],
            {
                level: [rate(at, column, groups == at) for at in np.unique(groups).tolist()]
                for column, level in levels
            },
        )
