"""What agents give away in endings of 6 nimmt!, and the agent that gives nothing away."""

import re

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions, ValueKind
from kibitz.core.driver import Schedule, play
from kibitz.core.errors import AgentError, PositionError, SpecError
from kibitz.core.game import States
from kibitz.core.kernels import COMPILED
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import Purpose, Rngs, derive
from kibitz.core.table import Game
from kibitz.games.nimmt import response as module
from kibitz.games.nimmt.response import best_response, random_ending
from kibitz.games.nimmt.solver import Objective, solve
from kibitz.games.nimmt.state import CHOOSING, TAKING, hand_size
from tests.reference.open_endings import enumerate_response

OPEN = "nimmt:players=2,hands=open"
SPECS = [OPEN, f"{OPEN},deck=known", f"{OPEN},rows=free"]
OBJECTIVES: list[Objective] = ["points", "win"]

MIXED = (
    "turn=7 rows=80.81.89.90.98/47.79.82.86/41.45.61.74/4.13.25.37.38 "
    "hands=29.31.52/21.28.36 last=74/38"
)
"""Both seats mix two of three cards."""

compiled = pytest.mark.skipif(not COMPILED, reason="takes long as plain Python")


def ending(spec: str, seed: int, n_cards: int) -> tuple[Game, np.record]:
    game = load_game(spec)
    return game, random_ending(game, n_cards, seed)


class UniformAgent(Agent):
    """Gives equal weights to all of its actions, and plays the first."""

    name = "uniform"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        legal = [self.game.legal(view, int(seat)) for view, seat in zip(views, seats, strict=True)]
        choices = np.zeros((len(views), max(map(len, legal))), np.int64)
        for row, actions in zip(choices, legal, strict=True):
            row[: len(actions)] = actions
        weights = (choices > 0).astype(np.float64)
        return Decisions(choices[:, 0].copy(), choices, weights=weights)


class CuriousAgent(UniformAgent):
    """Keeps what it is asked."""

    name = "curious"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.calls: list[tuple[States, Games]] = []

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        self.calls.append((views.copy(), games.copy()))
        return super().act(views, seats, rngs, games)


# What an agent gives away.


@compiled
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("spec", "n_cards"), [(OPEN, 4), (SPECS[1], 4), (SPECS[2], 3)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_perfect_play_gives_nothing_away(
    spec: str, n_cards: int, objective: Objective, seat: int
) -> None:
    game, state = ending(spec, 6, n_cards)
    agent = load_agent(f"exact:objective={objective}", game)
    response = best_response(solve(game, state, objective), agent, seat, 2, "weights")
    assert response.by == "weights"
    assert response.exploitability == pytest.approx(0, abs=1e-9)
    assert response.at_least == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_tiny_perfect_play_gives_nothing_away(seat: int) -> None:
    game = load_game(OPEN)
    response = best_response(solve(game, MIXED), load_agent("exact", game), seat, 2, "weights")
    assert response.exploitability == pytest.approx(0, abs=1e-9)
    assert response.n_positions == 10


@compiled
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["highest", "uniform"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_best_response_is_the_one_that_enumeration_finds(
    spec: str, name: str, seat: int
) -> None:
    for seed in range(4):
        game, state = ending(spec, seed, 3)
        agent = UniformAgent(game) if name == "uniform" else load_agent(name, game)
        response = best_response(solve(game, state), agent, seat, 2, "weights")
        expected = enumerate_response(game, state, agent, seat)
        assert response.value == pytest.approx(expected if seat == 0 else -expected)
        assert response.at_least == pytest.approx(response.exploitability)


@compiled
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["random", "highest"])
def test_nobody_gets_more_than_the_equilibrium(name: str, objective: Objective) -> None:
    for spec, n_cards in zip(SPECS, (5, 4, 4), strict=True):
        game, state = ending(spec, 9, n_cards)
        solution = solve(game, state, objective)
        for seat in range(2):
            response = best_response(solution, load_agent(name, game), seat, 2)
            assert response.exploitability >= -1e-9
            assert response.by == "actions"


@compiled
def test_the_truth_about_an_agent_that_draws_lies_between_both_figures() -> None:
    game = load_game(OPEN)
    agent = load_agent("random", game)
    found = []
    for number in range(200):
        solution = solve(game, random_ending(game, 3, 2, number))
        true = best_response(solution, UniformAgent(game), 0, 2, "weights").exploitability
        for attempt in range(4):
            drawn = best_response(solution, agent, 0, 2, stream=(attempt, number))
            found.append((drawn.at_least - true, drawn.exploitability - true))
    low, high = np.mean(found, axis=0)
    errors = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert low < -2 * errors[0]
    assert high > 2 * errors[1]


@compiled
def test_an_agent_that_draws_is_known_well_by_many_samples() -> None:
    game = load_game(OPEN)
    solution = solve(game, MIXED)
    exact = best_response(solution, UniformAgent(game), 0, 2, "weights").exploitability
    found = best_response(solution, load_agent("random", game), 0, 4000)
    assert found.exploitability == pytest.approx(exact, abs=0.1)
    assert found.at_least == pytest.approx(exact, abs=0.1)


def test_tiny_actions_count_unless_weights_are_wanted() -> None:
    game = load_game(OPEN)
    solution = solve(game, MIXED)
    by_weights = best_response(solution, UniformAgent(game), by="weights")
    by_actions = best_response(solution, UniformAgent(game))
    assert (by_weights.by, by_actions.by) == ("weights", "actions")
    assert by_weights.value == pytest.approx(-14 / 3)  # 36 is best against any of the three cards
    assert by_actions.value == -6  # and against 29


@compiled
def test_an_agent_is_asked_about_all_positions_of_a_depth_at_once() -> None:
    game, state = ending(f"{OPEN},rows=free", 1, 4)
    agent = CuriousAgent(game)
    told: list[tuple[int, int]] = []
    response = best_response(
        solve(game, state),
        agent,
        samples=2,
        progress=lambda done, total: told.append((done, total)),
    )
    views = np.concatenate([views for views, _ in agent.calls])
    games = np.concatenate([games for _, games in agent.calls])
    assert len(agent.calls) == 7  # four turns: a card, a row; the last card is no choice
    assert len(views) == 2 * response.n_positions == len(set(games.tolist()))
    assert told[-1] == (len(views), len(views))
    assert {int(view.phase) for view in views} == {CHOOSING, TAKING}
    assert all(len(game.legal(view, 0)) > 1 for view in views)


@compiled
def test_what_is_found_depends_on_the_stream_and_not_on_the_size_of_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, state = ending(OPEN, 3, 4)
    solution, agent = solve(game, state), load_agent("random", game)
    found = best_response(solution, agent, stream=(5,))
    assert best_response(solution, agent, stream=(5, 1)) != found
    monkeypatch.setattr(module, "MOST_AT_ONCE", 7)
    assert best_response(solution, agent, stream=(5,)) == found


@compiled
def test_the_position_is_left_as_it_was() -> None:
    game, state = ending(SPECS[2], 5, 3)
    before = state.tobytes()
    best_response(solve(game, state), UniformAgent(game))
    assert state.tobytes() == before


class BadAgent(Agent):
    """Answers with a card that it may not hold."""

    name = "bad"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        return Decisions(np.full(len(views), 29))


class StrangeAgent(UniformAgent):
    """Gives weights that are no probabilities."""

    name = "strange"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        fine = super().act(views, seats, rngs, games)
        assert fine.weights is not None
        return Decisions(fine.actions, fine.choices, weights=-fine.weights)


@pytest.mark.parametrize("agent", [BadAgent, StrangeAgent])
def test_tiny_an_agent_that_answers_nonsense_is_named(agent: type[Agent]) -> None:
    game = load_game(OPEN)
    solution = solve(game, MIXED)
    with pytest.raises(AgentError, match=f"agent '{agent.name}' at seat 1 .* nothing legal in nim"):
        best_response(solution, agent(game), 1, by="weights")


@compiled
def test_what_takes_too_long_or_makes_no_sense_is_refused() -> None:
    game, state = ending(OPEN, 1, 7)
    with pytest.raises(PositionError, match="an agent is tested in positions of at most 6 cards"):
        module.check(state)
    agent, solution = load_agent("random", game), solve(game, MIXED)
    for seat, samples in ((2, 2), (0, 1)):
        with pytest.raises(SpecError, match="seat 0 or 1 and at least 2 samples, got"):
            best_response(solution, agent, seat, samples)
    with pytest.raises(PositionError, match="an ending has 1 to 10 cards each, got '11'"):
        random_ending(game, 11, 0)
    for wrong in ("3", None, 2.5):
        with pytest.raises(PositionError, match="1 to 10 cards"):
            random_ending(game, wrong, 0)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="leave out draft=true"):
        random_ending(load_game("nimmt:players=2,draft=true"), 3, 0)


# The agent that solves.


def test_exact_draws_by_the_equilibrium() -> None:
    game = load_game(OPEN)
    state = game.parse(MIXED)
    n = 2000 if COMPILED else 200
    views = game.blank(n)
    views[:] = state
    rngs = np.array([derive(1, Purpose.AGENT, k) for k in range(n)])
    found = load_agent("exact", game).act(views, np.zeros(n, np.int64), rngs, np.arange(n))
    assert set(found.actions.tolist()) == {29, 52}
    assert (found.actions == 29).mean() == pytest.approx(0.25, abs=0.04 if COMPILED else 0.12)
    assert found.weights is not None
    assert found.weights[0, :3] == pytest.approx([0.25, 0, 0.75])


@pytest.mark.parametrize("seat", [0, 1])
def test_exact_says_what_every_card_is_worth(seat: int) -> None:
    game, state = ending(OPEN, 1, 3)
    solution = solve(game, state, "win")
    strategy = solution.strategies[seat]
    found = load_agent("exact:objective=win", game).decide(state, seat)
    assert found.values is not None
    assert found.kind(0) == ValueKind.WIN
    assert found.values[0, : len(strategy.actions)] == pytest.approx(strategy.values)
    assert np.nanmax(found.values[0]) == pytest.approx(solution.values[seat], abs=1e-6)


def taking(spec: str, n_cards: int) -> np.record:
    """Return a position in which somebody takes a row, with so many cards left."""
    game = load_game(spec)
    for seed in range(1000):
        table = game.deal(seed)
        while table.movers:
            if table.state.phase == TAKING and hand_size(table.state) == n_cards:
                return table.state.copy()
            for seat in table.movers:
                table.play(seat, table.legal(seat)[-1])
    raise AssertionError("nobody takes a row")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("spec", SPECS)
def test_exact_plays_a_batch_as_it_solves_its_positions_alone(
    spec: str, objective: Objective
) -> None:
    game = load_game(spec)
    cards = [2, 3, 4, 5, 2, 3, 4, 5, 3, 8] if COMPILED else [2, 3, 2, 8]
    states = [ending(spec, seed, n)[1] for seed, n in enumerate(cards)]
    states += [states[0], states[1]]
    seats = [k // 2 % 2 for k in range(len(states))]
    if "free" in spec:
        states += [taking(spec, 2), taking(spec, 3)]
        seats += [int(state.deciding) >> 1 for state in states[-2:]]
    views = game.blank(len(states))
    views[:] = states
    rngs = np.array([derive(1, Purpose.AGENT, k) for k in range(len(states))])
    agent = load_agent(f"exact:cards=5,objective={objective}", game)
    found = agent.act(views, np.array(seats), rngs, np.arange(len(states)))
    assert found.choices is not None
    assert found.weights is not None
    for k, (state, seat) in enumerate(zip(states, seats, strict=True)):
        assert found.actions[k] in game.legal(state, seat)
        if hand_size(state) > 5:
            continue
        strategies = solve(game, state, objective).strategies
        (strategy,) = (one for one in strategies if one.seat == seat)
        n = len(strategy.actions)
        assert found.choices[k, :n].tolist() == strategy.actions
        assert found.weights[k, :n].tolist() == strategy.probabilities.tolist()
        assert np.isnan(found.weights[k, n:]).all()


def test_exact_does_not_mind_that_the_other_has_chosen() -> None:
    table = kibitz.open_table(f"{OPEN} {MIXED}")
    agent = load_agent("exact", table.game)
    before = agent.decide(table.view(1), 1)
    table.play(0, "31")
    after = agent.decide(table.view(1), 1)
    assert np.array_equal(before.weights, after.weights, equal_nan=True)  # type: ignore[arg-type]


@compiled
@pytest.mark.parametrize("spec", [OPEN, f"{OPEN},rows=free", "nimmt:players=2,draft=true"])
def test_exact_plays_whole_games_and_wins_more_than_its_beginning(spec: str) -> None:
    game = load_game(spec)
    agents = [load_agent("exact:cards=4", game), load_agent("closest", game)]
    n = 60
    lineup = np.array([[k % 2, 1 - k % 2] for k in range(n)])
    outcome = play(game, agents, Schedule(3, np.arange(n) // 2, np.arange(n) % 2, lineup))
    own = outcome.scores[np.arange(n), np.arange(n) % 2]
    other = outcome.scores[np.arange(n), 1 - np.arange(n) % 2]
    assert own.mean() > other.mean()


def test_exact_refuses_what_it_cannot_be() -> None:
    game = load_game("nimmt")
    for spec, message in (
        ("exact:cards=8", "expected 1..7"),
        ("exact:before=exact", "another agent"),
        ("exact:before=closets", "did you mean 'closest'"),
        ("exact:objective=heads", "expected points|win"),
    ):
        with pytest.raises(SpecError, match=re.escape(message)):
            load_agent(spec, game)
