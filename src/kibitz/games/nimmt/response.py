"""What an agent gives away: the best response to it in endings of the open two-player game.

The opponent knows the probabilities of whatever the agent does, not the choice it has made. A
strategy is known exactly only to the agent itself: we ask it several times in every position and
count. The best response to counts uses their chance deviations too, so it makes an agent look
worse than it is. Hence a second figure: responses are chosen by half of the answers and judged by
the other half, which can only miss something. The truth lies between the two, on average, and for
an agent that does not draw they are equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, check_agent
from kibitz.core.batch import conceal_all
from kibitz.core.conduct import asking
from kibitz.core.decisions import Decisions
from kibitz.core.errors import AgentError, PositionError, SpecError, clip
from kibitz.core.game import Actions, Seat, States, apply, legal, movers, random_action
from kibitz.core.kernels import allocating_kernel, kernel
from kibitz.core.rng import RNG, Purpose, Rngs, absorb, derive, key_of, start
from kibitz.core.table import Game, check_seed, is_whole
from kibitz.games.nimmt.solver import (
    BOTH,
    FRAME,
    OBJECTIVES,
    SEARCH,
    Progress,
    Solution,
    check_game,
    check_size,
    commit,
    list_choices,
    payoff,
)
from kibitz.games.nimmt.state import CHOOSING, FREE, HAND_CARDS, LOWEST, STATE, hand_size
from kibitz.search.matrix import SIZE, Floats

By = Literal["actions", "weights"]
Ints = npt.NDArray[np.int64]

MAX_RESPONSE_CARDS = {LOWEST: 6, FREE: 5}
"""Most cards in a hand: the agent is asked in every position that can be reached."""

MIN_SAMPLES = 2
MOST_AT_ONCE = 4096  # questions in one call

# What may choose the response, and what judges it: all answers, or one half and the other.
_ALL, _EVEN, _ODD = 0, 1, 2


@dataclass(frozen=True)
class Response:
    """What an agent gets in a position against an opponent who knows how it plays."""

    agent: str
    seat: Seat  # of the agent
    equilibrium: float  # what its seat can be sure of
    value: float  # what it gets against the best response to all of its answers
    cautious_value: float  # and if one half of them chooses the response, the other judges it
    n_positions: int  # in which it was asked
    by: By  # what its strategy was taken from

    @property
    def exploitability(self) -> float:
        """What the agent gives away; too high on average if it draws and was asked seldom."""
        return self.equilibrium - self.value

    @property
    def at_least(self) -> float:
        """What the agent gives away; too low on average if it draws and was asked seldom."""
        return self.equilibrium - self.cautious_value


@dataclass(frozen=True)
class _Level:
    """All positions after as many decisions, in which somebody has a choice."""

    states: States
    places: Ints  # of the positions among the children of the level above
    values: Floats  # of all children, those of the first position first: [2, children]


def random_ending(game: Game, n_cards: int, seed: int, number: int = 0) -> np.record:
    """Deal, and play at random until both hands have so many cards.

    Args:
        game: the open game of two.
        n_cards: what both hold in the end.
        seed: what cards and play derive from.
        number: of the ending; each number is another one.
    """
    check_game(game)
    if not is_whole(n_cards) or not 1 <= n_cards <= HAND_CARDS:
        raise PositionError(f"an ending has 1 to {HAND_CARDS} cards each, got {clip(n_cards)}")
    if game.options["draft"] == "true":
        raise SpecError("endings are played from dealt hands: leave out draft=true")
    state = game.deal(check_seed(seed), number).state.copy()
    rng = derive(seed, Purpose.PLAYOUT, number)
    while state.phase != CHOOSING or hand_size(state) > n_cards:
        waiting = int(movers(state))
        for seat in range(2):
            if waiting >> seat & 1:
                apply(state, seat, int(random_action(state, seat, rng)))
    return state


def check(state: np.record) -> None:
    """Refuse positions in which an agent would be asked too often."""
    check_size(state, MAX_RESPONSE_CARDS, "an agent is tested in positions of")


def best_response(
    solution: Solution,
    agent: Agent,
    seat: Seat = 0,
    samples: int = 20,
    by: By = "actions",
    stream: tuple[int, ...] = (0,),
    progress: Progress | None = None,
) -> Response:
    """Find what an agent gets against the best response to its strategy, in a solved position.

    Args:
        solution: the position, the objective and what there is to get.
        agent: who is tested.
        seat: where it sits.
        samples: how often it is asked in every position; its strategy is the mean of the answers.
        by: count the actions it decides on, or take the weights that it gives for probabilities;
            an agent that gives none is taken by its actions.
        stream: a seed and further words that the agent's random streams derive from.
        progress: told how many questions are answered, of how many.

    Raises:
        PositionError: the position has too many cards.
        AgentError: the agent was made for another game, or does something illegal.
    """
    check_agent(agent, solution.game)
    check(solution.state)
    if seat not in (0, 1) or samples < MIN_SAMPLES:
        raise SpecError(
            f"expected seat 0 or 1 and at least {MIN_SAMPLES} samples, "
            f"got {clip(seat)} and {clip(samples)}"
        )
    key = key_of(stream[0], Purpose.AGENT, *stream[1:], seat)
    levels = list(_unfold(solution))
    survey = _Survey(agent, seat, samples, by, key, progress)
    survey.n_questions = samples * sum(len(survey.find(level.states)) for level in levels)
    strategies = [survey.ask(level.states) for level in levels]
    value = _respond(levels, [play[[_ALL, _ALL]] for play in strategies], seat, solution.values[0])
    halves = [
        _respond(levels, [play[pair] for play in strategies], seat, solution.values[0])
        for pair in ([_EVEN, _ODD], [_ODD, _EVEN])
    ]
    total = sum(solution.values)
    own = [found if seat == 0 else total - found for found in (value, *halves)]
    return Response(
        agent=agent.spec,
        seat=seat,
        equilibrium=solution.values[seat],
        value=own[0],
        cautious_value=(own[1] + own[2]) / 2,
        n_positions=survey.n_positions,
        by=survey.by,
    )


def _unfold(solution: Solution) -> Iterator[_Level]:
    """List all positions level by level, with the values of those children that end the game."""
    search, frame = np.zeros(1, SEARCH)[0], np.zeros(1, FRAME)[0]
    search.objective = OBJECTIVES.index(solution.objective)
    states: States = np.zeros(1, STATE)
    states[0] = solution.state
    places = np.zeros(1, np.int64)
    if movers(states[0]) == BOTH and hand_size(states[0]) == 1:  # nothing to ask
        commit(states[0], int(states[0].hand[0, 0]), int(states[0].hand[1, 0]))
    n_open = 1 if movers(states[0]) else 0
    while n_open:
        n = int(_count_children(states, frame))
        values, children, below = np.empty(n), np.empty(n + 1, STATE), np.empty(n, np.int64)
        n_open = _expand(states, frame, search, values, children, below)
        yield _Level(states, places, np.stack([values, values]))
        states, places = children[:n_open], below[:n_open]


def _respond(levels: list[_Level], strategies: list[Floats], seat: Seat, value: float) -> float:
    """Go back from the end: choose by one strategy, judge by another; return the value to seat 0.

    Args:
        levels: all positions; values of children are written here.
        strategies: of the agent, by level: [chooses and judges, positions, actions].
        seat: of the agent.
        value: of the position if nobody has anything to decide.
    """
    frame = np.zeros(1, FRAME)[0]
    for k in reversed(range(len(levels))):
        level = levels[k]
        found = np.empty((2, len(level.states)))
        _respond_once(level.states, frame, level.values, strategies[k], seat, found)
        if k:
            levels[k - 1].values[:, level.places] = found
        else:
            value = float(found[1, 0])
    return value


@kernel
def _count_children(states: States, frame: np.record) -> int:
    """Count the joint actions in all positions."""
    total = 0
    for k in range(len(states)):
        n, m = list_choices(states[k], frame)
        total += n * m
    return total


@kernel
def _expand(
    states: States,
    frame: np.record,
    search: np.record,
    values: Floats,
    children: States,
    places: Ints,
) -> int:
    """Write the values of children that end the game, and the other children with their places.

    Returns:
        How many others there are; `children` has room for one more, which is scratch.
    """
    place, n_open = 0, 0
    for k in range(len(states)):
        n, m = list_choices(states[k], frame)
        for cell in range(n * m):
            children[n_open] = states[k]
            child = children[n_open]
            if commit(child, frame.choices[0, cell // m], frame.choices[1, cell % m]):
                values[place] = payoff(child, frame, search)
            else:
                places[n_open] = place
                n_open += 1
            place += 1
    return n_open


@kernel
def _respond_once(
    states: States, frame: np.record, values: Floats, strategies: Floats, seat: Seat, out: Floats
) -> None:
    """Write two values to seat 0 of every position: as the response is chosen, and as judged."""
    begin = 0
    for k in range(len(states)):
        n, m = list_choices(states[k], frame)
        own, others = (n, m) if seat == 0 else (m, n)
        for j in range(others):
            chosen_by, judged_by = 0.0, 0.0
            for i in range(own):
                cell = begin + (i * m + j if seat == 0 else j * m + i)
                chosen_by += strategies[0, k, i] * values[0, cell]
                judged_by += strategies[1, k, i] * values[1, cell]
            is_better = chosen_by < out[0, k] if seat == 0 else chosen_by > out[0, k]
            if j == 0 or is_better:
                out[0, k], out[1, k] = chosen_by, judged_by
        begin += n * m


class _Survey:
    """Asks an agent for its strategy."""

    def __init__(
        self,
        agent: Agent,
        seat: Seat,
        samples: int,
        by: By,
        key: np.uint64,
        progress: Progress | None,
    ) -> None:
        self.agent = agent
        self.seat = seat
        self.samples = samples
        self.by = by
        self.n_positions = 0
        self.n_questions = 0
        self._n_answered = 0
        self._key = key
        self._progress = progress

    def find(self, states: States) -> Ints:
        """Return the positions in which the agent decides."""
        return np.flatnonzero(states["deciding"] >> self.seat & 1)

    def ask(self, states: States) -> Floats:
        """Return the strategy in every position: by all answers and by halves of them.

        Returns:
            Probabilities: [all, even and odd answers; positions; actions].
        """
        strategies = np.zeros((3, len(states), SIZE))
        strategies[:, :, 0] = 1.0  # where it has nothing to decide
        asked = self.find(states)
        if len(asked) == 0:
            return strategies
        total = np.zeros((2, len(asked), SIZE))
        n = self.samples * len(asked)
        for begin in range(0, n, MOST_AT_ONCE):
            questions = np.arange(begin, min(begin + MOST_AT_ONCE, n))
            self._add_answers(states, asked, questions, total)
        self.n_positions += len(asked)
        n_odd = self.samples // 2
        strategies[_ALL, asked] = (total[0] + total[1]) / self.samples
        strategies[_EVEN, asked] = total[0] / (self.samples - n_odd)
        strategies[_ODD, asked] = total[1] / n_odd
        return strategies

    def _add_answers(self, states: States, asked: Ints, questions: Ints, total: Floats) -> None:
        """Ask some questions of a level, and add the probabilities of what is done."""
        n = len(questions)
        places = questions // self.samples
        seats = np.full(n, self.seat)
        views: States = np.empty(n, STATE)
        conceal_all(states, asked[places], seats, views)
        games = self.n_positions * self.samples + questions
        rngs: Rngs = np.empty(n, RNG)
        _start_streams(rngs, self._key, games)
        with asking(self.agent.spec):
            decisions = self.agent.act(views.copy(), seats, rngs, games)
            self.agent.end(games)
            choices, weights = self._read(decisions, n)
        halves = questions % self.samples % 2
        bad = 0
        if choices.shape == weights.shape == (n, choices.shape[-1]):
            bad = _add_weights(views, self.seat, choices, weights, halves, places, total)
        if bad >= 0:
            raise AgentError(
                f"agent {clip(self.agent.spec)} at seat {self.seat} answers with nothing legal "
                f"in {self.agent.game.format(views[bad])}"
            )
        self._n_answered += n
        if self._progress is not None:
            self._progress(self._n_answered, self.n_questions)

    def _read(self, decisions: Decisions, n: int) -> tuple[Actions, Floats]:
        """Return actions and their weights."""
        choices, weights = decisions.choices, decisions.weights
        if self.by == "actions" or choices is None or weights is None:
            self.by = "actions"
            return np.asarray(decisions.actions, np.int64).reshape(-1, 1), np.ones((n, 1))
        choices, weights = choices.copy(), np.nan_to_num(weights.astype(np.float64))
        if decisions.n_choices is not None and choices.shape[1]:
            silent = decisions.n_choices == 0  # who says no more than what it does
            choices[silent, 0], weights[silent, 0] = decisions.actions[silent], 1
        return choices, weights


@kernel
def _start_streams(rngs: Rngs, key: np.uint64, games: Ints) -> None:
    """Set every stream to the beginning of that of its game."""
    for i in range(len(rngs)):
        start(rngs[i], absorb(key, games[i]))


@allocating_kernel
def _add_weights(
    views: States,
    seat: Seat,
    choices: Actions,
    weights: Floats,
    halves: Ints,
    places: Ints,
    total: Floats,
) -> int:
    """Add the probabilities of all choices to `total`, by half, place and index of the action.

    Returns:
        -1, or the first view where there are none, or where they are not legal.
    """
    listed = np.empty(SIZE, np.int64)
    for k in range(len(views)):
        n = legal(views[k], seat, listed)
        weight, found = weights[k].sum(), 0.0
        for c in range(choices.shape[1]):
            for i in range(n):
                if listed[i] == choices[k, c] and weights[k, c] > 0.0:
                    total[halves[k], places[k], i] += weights[k, c] / weight
                    found += weights[k, c]
        if not (weight > 0.0 and abs(found / weight - 1.0) < 1e-9):
            return k
    return -1
