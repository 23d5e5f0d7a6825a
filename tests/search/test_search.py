"""Tree search, flat Monte Carlo, and what they report."""

import time
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError, arena
from kibitz.core.agent import Agent
from kibitz.core.decisions import Decisions
from kibitz.core.game import choose
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.search.agent import LONGEST_CHUNK, Found, SearchAgent, SearchConfig
from kibitz.search.evaluation import adapt, enter, forget
from kibitz.search.learned import mast, ppa
from kibitz.search.mcs import McsAgent, McsConfig
from kibitz.search.tree import SEARCH
from kibitz.search.uct import MastAgent, MastConfig, PpaAgent, PpaConfig, UctAgent, UctConfig
from kibitz.search.values import RANK, WIN, value_of

OPEN = "nimmt:players=2,hands=open"
AGENTS = [
    (McsAgent, McsConfig(sims=200)),
    (UctAgent, UctConfig(sims=200)),
    (MastAgent, MastConfig(sims=200)),
    (PpaAgent, PpaConfig(sims=200)),
]


def decide(agent: Agent, position: str | None = None, seed: int = 1) -> Decisions:
    table = agent.game.deal(seed=seed) if position is None else kibitz.open_table(position)
    seat = table.seat_to_move
    assert seat is not None
    return agent.decide(table.view(seat), seat)


@pytest.mark.parametrize(("kind", "config"), AGENTS, ids=lambda one: getattr(one, "name", ""))
@pytest.mark.parametrize("spec", ["connect4", OPEN, "nimmt:players=4"])
def test_every_simulation_is_accounted_for(kind: type[Agent], config: Any, spec: str) -> None:
    game = kibitz.load_game(spec)
    found = decide(kind(game, config))
    assert found.visits is not None
    assert found.visits.sum() == 200
    assert found.info["sims"] == [200]
    assert found.choices is not None
    table = game.deal(seed=1)
    assert found.choices[0].tolist() == table.legal()
    assert found.actions[0] in table.legal()
    low, high = (0, 1) if game.n_seats == 2 else game.score_range
    assert found.values is not None
    assert ((low <= found.values) & (found.values <= high)).all()
    assert found.errors is not None
    assert (found.errors[found.visits > 2] >= 0).all()


@pytest.mark.parametrize(("kind", "config"), AGENTS, ids=lambda one: getattr(one, "name", ""))
def test_the_same_stream_gives_the_same_search(kind: type[Agent], config: Any) -> None:
    for spec in ("connect4", "nimmt:players=3"):
        agent = kind(kibitz.load_game(spec), config)
        first, other, again = decide(agent), decide(agent, seed=2), decide(agent)
        assert first.weights is not None
        assert again.weights is not None
        assert (first.weights == again.weights).all()
        assert other.info["sims"] == [200]


@pytest.mark.parametrize(
    ("moves", "best"),
    [
        ("121212", 1),  # three in a column: win at once
        ("12121", 1),  # the same three of the other: block
        ("4455", 3),  # an open row of two that wins on both sides unless ...
    ],
)
def test_uct_wins_and_blocks_in_connect_4(moves: str, best: int) -> None:
    agent = UctAgent(kibitz.load_game("connect4"), UctConfig(sims=3000))
    found = decide(agent, f"connect4 {moves}")
    good = {best, 6} if moves == "4455" else {best}
    assert int(found.actions[0]) in good


def test_flat_search_tries_all_actions_equally_often() -> None:
    game = kibitz.load_game("nimmt:players=5")
    found = decide(McsAgent(game, McsConfig(sims=105)))
    assert found.visits is not None
    assert sorted(found.visits[0].tolist()) == [10] * 5 + [11] * 5
    drawn = decide(McsAgent(game, McsConfig(sims=1000, allocation="random")))
    assert drawn.visits is not None
    assert len(set(drawn.visits[0].tolist())) > 1
    assert drawn.visits.min() > 50


@pytest.mark.parametrize("budget", [{"sims": 200}, {"sims": 200, "threads": 2}])
def test_flat_search_gives_all_weight_to_what_it_plays(budget: dict[str, Any]) -> None:
    found = decide(McsAgent(kibitz.load_game("nimmt:players=5"), McsConfig(**budget)))
    assert found.choices is not None
    assert found.weights is not None
    assert found.weights[0].tolist() == (found.choices[0] == found.actions[0]).tolist()


def test_the_factorial_budget_saves_simulations_near_the_end() -> None:
    game = kibitz.load_game("nimmt:players=3")
    agent = McsAgent(game, McsConfig(sims=1000, budget="factorial"))
    assert [agent.n_sims(n) for n in (10, 5, 4, 3, 2)] == [1000, 1000, 240, 60, 20]
    per_action = McsAgent(game, McsConfig(sims=100, budget="per-action"))
    assert [per_action.n_sims(n) for n in (10, 2)] == [1000, 200]


def test_flat_search_beats_random_players_as_known() -> None:
    result = arena.play("nimmt:players=5", [_mcs(100), "random"], 60, 1)
    assert result.sample.score(0).mean > -9  # 6.8 to 7.6 heads are known


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "deals", "heads", "wins"),
    [
        ("mcs:sims=100,budget=factorial,allocation=random", 2000, 7.6, 0.40),
        ("mcs:sims=1000", 400, 5.43, 0.505),
        ("mcs:sims=5000", 150, 4.89, 0.548),
    ],
)
def test_flat_search_takes_as_many_heads_as_known(
    spec: str, deals: int, heads: float, wins: float
) -> None:
    """Numbers of other engines; the first budget is that of the paper on deep learning."""
    sample = arena.play("nimmt:players=5,rows=lowest", [spec, "random"], deals, 1).sample
    for found, known, rounding in ((sample.score(0), -heads, 0.06), (sample.wins(0), wins, 0.005)):
        assert abs(found.mean - known) < 2 * found.margin + rounding  # four standard errors


def _mcs(sims: int) -> Agent:
    return McsAgent(kibitz.load_game("nimmt:players=5"), McsConfig(sims=sims))


@pytest.mark.parametrize("tree", ["decoupled", "sequential", "open-loop", "information-set"])
def test_every_kind_of_tree_beats_random_play(tree: Any) -> None:
    game = kibitz.load_game(OPEN)
    agent = UctAgent(game, UctConfig(sims=150, tree=tree))
    result = arena.play(game, [agent, kibitz.load_agent("random", game)], 20, 1)
    assert result.sample.wins(0).mean > 0.7


@pytest.mark.parametrize("tree", ["decoupled", "sequential"])
def test_trees_of_open_games_are_refused_where_there_are_secrets(tree: Any) -> None:
    with pytest.raises(AgentError, match="needs a game without secrets"):
        UctAgent(kibitz.load_game("nimmt:players=2"), UctConfig(tree=tree))


@pytest.mark.parametrize(("kind", "config"), AGENTS[1:], ids=lambda one: getattr(one, "name", ""))
def test_searches_with_secrets_beat_random_play(kind: type[Agent], config: Any) -> None:
    game = kibitz.load_game("nimmt:players=4")
    result = arena.play(game, [kind(game, config), kibitz.load_agent("random", game)], 20, 1)
    assert result.sample.score(0).mean > result.sample.score(1).mean + 3


def test_what_is_hidden_does_not_change_a_search() -> None:
    game = kibitz.load_game("nimmt:players=3")
    agent = UctAgent(game, UctConfig(sims=100))
    table = game.deal(seed=4)
    view = table.view(0)
    world = game.resample(view, 0, kibitz.core.rng.derive(1, 3))
    kibitz.core.game.conceal(world, 0)
    first, second = agent.decide(view, 0), agent.decide(world, 0)
    assert first.weights is not None
    assert second.weights is not None
    assert (first.weights == second.weights).all()


def test_threads_add_up_their_trees() -> None:
    agent = UctAgent(kibitz.load_game("connect4"), UctConfig(sims=1000, threads=3))
    found = decide(agent)
    assert found.weights is not None
    assert 1000 <= found.weights.sum() <= 1002
    assert (found.weights == decide(agent).weights).all()


def test_time_is_kept() -> None:
    agent = UctAgent(kibitz.load_game("connect4"), UctConfig(time=0.2))
    decide(agent)
    began = time.perf_counter()
    found = decide(agent)
    assert 0.18 < time.perf_counter() - began < 2  # other jobs may hold it up
    assert found.info["sims"][0] > 1000


def test_a_tree_that_is_full_goes_on_without_new_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.search.agent.MAX_NODES", 50)
    found = decide(UctAgent(kibitz.load_game("connect4"), UctConfig(sims=2000)))
    assert found.weights is not None
    assert found.weights.sum() == 2000


@pytest.mark.parametrize("bad", [{"sims": 0}, {"time": -1.0}, {"threads": 0}, {"sims": 10**9}])
def test_budgets_that_make_no_sense_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="expected"):
        SearchConfig(**bad)


def test_all_views_of_a_batch_are_searched() -> None:
    game = kibitz.load_game("connect4")
    agent = UctAgent(game, UctConfig(sims=50))
    tables = [game.deal(seed=1), kibitz.open_table("connect4 44")]
    views = np.concatenate([table.batch.states for table in tables]).view(game.rules.STATE)
    rngs = np.zeros(2, kibitz.core.rng.RNG)
    for i in range(2):
        rngs[i] = kibitz.core.rng.derive(1, 3, i)
    found = agent.act(views, np.zeros(2, np.int64), rngs, np.arange(2))
    assert found.weights is not None
    assert found.weights.sum(axis=1).tolist() == [50, 50]


def test_the_principal_line_is_what_both_would_play() -> None:
    game = kibitz.load_game("connect4")
    found = decide(UctAgent(game, UctConfig(sims=2000)), "connect4 12121")
    (line,) = found.info["lines"]
    assert line[0] == (1, 1)  # the block
    assert [seat for seat, _ in line[:4]] == [1, 0, 1, 0]
    table = kibitz.open_table("connect4 12121")
    for seat, action in line:
        table.play(seat, action)


def test_an_open_loop_tells_what_its_seat_means_to_play() -> None:
    game = kibitz.load_game("nimmt:players=5")
    found = decide(UctAgent(game, UctConfig(sims=2000)))
    (line,) = found.info["lines"]
    assert line[0] == (0, found.actions[0])
    assert {seat for seat, _ in line} == {0}
    cards = [action for _, action in line]
    assert 1 < len(cards) == len(set(cards))
    assert set(cards) <= set(game.deal(seed=1).legal(0))


def test_a_tree_of_views_tells_what_is_played_one_after_the_other() -> None:
    agent = kibitz.load_agent("ismcts:sims=3000", kibitz.load_game("sheephead"))
    (line,) = decide(agent).info["lines"]
    table = agent.game.deal(seed=1)
    assert [line[0][0]] == table.movers
    assert len({seat for seat, _ in line}) > 1


@pytest.mark.parametrize(
    "spec",
    [
        "mcs:sims=100",
        "uct:sims=100,threads=3",
        "uct:sims=100,rule=regret",
        "pimc:sims=300,worlds=10",
        "pimc:sims=300,worlds=10,threads=2",
        "ismcts:sims=100,observers=multiple",
    ],
)
def test_every_line_begins_with_what_is_played(spec: str) -> None:
    for seed in range(3):
        found = decide(kibitz.load_agent(spec, kibitz.load_game("nimmt:players=3")), seed=seed)
        (line,) = found.info["lines"]
        assert line[0] == (0, found.actions[0])
        assert len(line) > 1 or not spec.startswith("uct:sims=100,threads")


def test_threads_of_flat_search_try_all_actions() -> None:
    game = kibitz.load_game("nimmt:players=5")
    found = decide(McsAgent(game, McsConfig(sims=640, threads=64)))
    assert found.visits is not None
    assert found.visits.tolist() == [[64] * 10]
    found = decide(McsAgent(game, McsConfig(sims=320, threads=64)))
    assert found.visits is not None
    assert (found.visits > 15).all()  # 32 of each on average, half of the arms in a thread


def test_adaptive_playouts_learn_what_wins() -> None:
    for policy in (mast(3.5, False, 10), ppa(0.4, False, 10)):
        forget(policy)
        enter(policy)
        state = kibitz.load_game("duel:players=2").deal(seed=1).state
        rng = kibitz.core.rng.derive(1, 3)
        action = int(choose(state, 0, policy, rng))
        code = int(policy.codes[0])
        before = float(policy.weight[code])
        adapt(policy, np.array([0.0, 1.0]), 2)
        lost = float(policy.weight[code])
        enter(policy)
        while int(choose(state, 0, policy, rng)) != action:
            enter(policy)
        adapt(policy, np.array([1.0, 0.0]), 2)
        assert float(policy.weight[code]) > lost
        assert lost <= before


@pytest.mark.parametrize(
    ("scores", "winners"),
    [
        pytest.param([1, -1, 1, -1], {0, 2}, id="two teams"),
        pytest.param([2, -1, 1, -1, -1], {0, 2}, id="some pay others"),
        pytest.param([-3, -9, -20], {0, 1}, id="everybody for himself"),
        pytest.param([4, 4], set(), id="a draw"),
    ],
)
def test_whoever_scores_more_than_the_average_has_won(scores: list[int], winners: set[int]) -> None:
    game = kibitz.load_game(f"nimmt:players={len(scores)}")
    state = game.deal(seed=1).state
    for policy in (ppa(0.4, False, 104), mast(3.5, False, 104)):
        forget(policy)
        enter(policy)
        for seat in range(len(scores)):
            choose(state, seat, policy, derive(1, Purpose.PLAYOUT, seat))
        codes = policy.codes[: len(scores)].copy()
        before = float(policy.weight[codes[0]])
        adapt(policy, np.array(scores, float), len(scores))
        weights = policy.weight[codes]
        gained = weights >= before if before > 1 else weights > before  # MAST begins high
        assert set(np.flatnonzero(gained).tolist()) == winners


def test_a_team_wins_as_a_whole() -> None:
    how = np.zeros(1, SEARCH)[0]
    how.n_seats, how.n_sides = 4, 2
    how.speaks[:4] = 1, 1, 0, 0
    expected = {
        WIN: ([[60.0, 40, 60, 40], [1, 0, 1, 0]], [[50.0, 50, 50, 50], [0.5] * 4]),
        RANK: ([[60.0, 40, 60, 40], [1, 0, 1, 0]], [[50.0, 50, 50, 50], [0.5] * 4]),
    }
    for how.value_kind, cases in expected.items():
        for scores, values in cases:
            assert [value_of(np.array(scores), how, seat) for seat in range(4)] == values
    how.speaks[:4], how.n_sides = 1, 4
    how.value_kind = WIN
    assert [value_of(np.array([3.0, 5, 5, 1]), how, seat) for seat in range(4)] == [0, 0.5, 0.5, 0]
    how.value_kind = RANK
    ranks = [value_of(np.array([3.0, 5, 5, 1]), how, seat) for seat in range(4)]
    assert ranks == pytest.approx([1 / 3, 5 / 6, 5 / 6, 0])


def test_searches_value_the_wins_of_a_team() -> None:
    game = kibitz.load_game("tichu")
    desk = UctAgent(game, UctConfig(sims=10, value="win")).make_desk()
    assert desk.how["speaks"][: game.n_seats].sum() == 2


def test_ppa_moves_weight_from_what_was_not_played() -> None:
    policy = ppa(0.4, True, 10)
    forget(policy)
    enter(policy)
    state = kibitz.load_game("duel:players=2").deal(seed=1).state  # three cards
    choose(state, 0, policy, kibitz.core.rng.derive(1, 3))
    adapt(policy, np.array([1.0, 0.0]), 2)
    worths = sorted(float(policy.worth[code]) for code in policy.sons[:3])
    assert worths == pytest.approx([-0.4 / 3, -0.4 / 3, 0.4 - 0.4 / 3])


@pytest.mark.parametrize(
    "agent", ["uct:sims=150", "mcs:sims=150", "puct:sims=150", "ppa:sims=150", "mast:sims=150"]
)
@pytest.mark.parametrize("spec", ["connect4", OPEN, "nimmt:players=4"])
def test_views_searched_together_are_searched_as_each_alone(
    agent: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.search.agent.LONGEST_CHUNK", 300)  # two views in a call
    game = kibitz.load_game(spec)
    player = kibitz.load_agent(agent, game)
    assert isinstance(player, SearchAgent)
    tables = [game.deal(seed=seed) for seed in range(5)]
    for table in tables[2:]:
        for seat in table.movers:
            table.play(seat, table.legal(seat)[0])
    seats = np.array([table.movers[0] for table in tables])
    views = np.concatenate([t.view(int(s)).reshape(1) for t, s in zip(tables, seats, strict=True)])
    rngs = np.zeros(5, RNG)
    for k in range(5):
        rngs[k] = derive(4, Purpose.AGENT, k)
    alone = [
        player.search_alone(player.make_desk(), views[k : k + 1], int(seats[k]), rngs[k].copy(), 1)
        for k in range(5)
    ]
    together = player.act(views, seats, rngs, np.arange(5))
    assert together.choices is not None
    assert together.visits is not None
    assert together.values is not None
    assert together.errors is not None
    for k, found in enumerate(alone):
        n = len(found.actions)
        assert together.choices[k, :n].tolist() == found.actions.tolist()
        assert together.visits[k, :n].tolist() == found.visits.tolist()
        assert (together.choices[k, n:] == -1).all()
        means, errors = found.moments()
        np.testing.assert_array_equal(together.values[k, :n], means)
        np.testing.assert_array_equal(together.errors[k, :n], errors)
        picked = int(found.actions[player.pick(found, means, rngs[k])])
        assert together.actions[k] == picked
        (line,) = found.lines
        begins = [(int(seats[k]), picked)]
        assert together.info["lines"][k] == (line if line[:1] == begins else begins)


def test_more_simulations_than_one_call_makes_are_all_made() -> None:
    game = kibitz.load_game("connect4")
    found = decide(UctAgent(game, UctConfig(sims=LONGEST_CHUNK + 7)))
    assert found.visits is not None
    assert found.visits.sum() == LONGEST_CHUNK + 7


@pytest.mark.parametrize("spec", ["connect4", "nimmt:players=3"])
def test_ucb_begins_with_every_action_once_in_any_order(spec: str) -> None:
    game = kibitz.load_game(spec)
    table = game.deal(seed=1)
    seat, n = table.movers[0], len(table.legal())
    tried_first = np.zeros(n)
    for sims in (1, n):
        agent = UctAgent(game, UctConfig(sims=sims))
        for seed in range(700 if sims == 1 else 5):
            found = agent.decide(table.view(seat), seat, derive(seed, Purpose.AGENT))
            assert found.visits is not None
            if sims == n:
                assert found.visits[0].tolist() == [1] * n
            else:
                tried_first += found.visits[0]
    expected = 700 / n
    assert ((tried_first - expected) ** 2 / expected).sum() < 35  # chi square, 9 degrees at most


def test_an_agent_with_a_way_of_its_own_to_decide_is_asked_for_it() -> None:
    class Contrary(UctAgent):
        def pick(self, found: Found, values: Any, rng: Any) -> int:
            return int(np.argmin(found.visits))

    game = kibitz.load_game("connect4")
    found = decide(Contrary(game, UctConfig(sims=100)), "connect4 121212")  # column 1 wins
    assert found.visits is not None
    assert found.visits[0, 0] > 30
    assert found.actions[0] != 1
