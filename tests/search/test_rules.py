"""Selection rules, priors, worlds and tree reuse."""

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError, arena
from kibitz.core.agent import Agent
from kibitz.core.decisions import Decisions
from kibitz.core.rng import Purpose, derive
from kibitz.search.gumbel import GumbelAgent, GumbelConfig
from kibitz.search.pimc import FoundInWorlds, PimcAgent
from kibitz.search.roots import draw
from kibitz.search.uct import UctAgent, UctConfig
from kibitz.search.worlds import add_up, draw_one, keep_by_weight

CONNECT4 = kibitz.load_game("connect4")
OPEN = kibitz.load_game("nimmt:players=2,hands=open")
HIDDEN = kibitz.load_game("nimmt:players=3")

WINS_AT_1, BLOCKS_AT_1 = "connect4 121212", "connect4 12121"


def decide(spec: str, position: str, seed: int = 1) -> Decisions:
    table = kibitz.open_table(position)
    seat = table.seat_to_move
    assert seat is not None
    agent = kibitz.load_agent(spec, table.game)
    return agent.decide(table.view(seat), seat, derive(seed, Purpose.AGENT))


@pytest.mark.parametrize(
    "spec",
    [
        "puct:sims=2000",
        "puct:sims=2000,tau=0.7",
        "puct:sims=2000,guide=winning-move",
        "gumbel:sims=2000",
        "gumbel:sims=2000,noise=1",
        "uct:sims=2000,rule=novelty",
        "uct:sims=2000,rule=rave",
        "uct:sims=2000,rule=grave",
        "uct:sims=500,playout=winning-move",
    ],
)
def test_every_rule_wins_and_blocks_in_connect_4(spec: str) -> None:
    assert decide(spec, WINS_AT_1).actions.tolist() == [1]
    assert decide(spec, BLOCKS_AT_1).actions.tolist() == [1]


def test_a_guide_moves_visits_to_its_choice() -> None:
    plain = decide("puct:sims=100", WINS_AT_1)
    guided = decide("puct:sims=100,guide=winning-move,weight=100", WINS_AT_1)
    assert plain.weights is not None
    assert guided.weights is not None
    assert guided.weights[0, 0] > plain.weights[0, 0]


def test_halving_shares_the_budget_in_phases() -> None:
    agent = GumbelAgent(CONNECT4, GumbelConfig(sims=700, considered=4))
    table = CONNECT4.deal(seed=1)
    desk = agent.make_desk()
    found = agent.search_alone(desk, table.view(0).reshape(1), 0, derive(3, Purpose.AGENT), 1)
    visits = sorted(found.visits.tolist())
    assert visits[:3] == [0, 0, 0]  # never considered
    assert visits[3] == visits[4] == 700 // (2 * 4)  # dropped after the first of two phases
    assert sum(visits) == 700
    assert visits[5] >= 700 // (2 * 4) + 700 // (2 * 2) - 1


def test_gumbel_gives_an_improved_policy() -> None:
    found = decide("gumbel:sims=300", WINS_AT_1)
    assert found.weights is not None
    assert found.weights.sum() == pytest.approx(1)
    assert found.weights[0].argmax() == 0


def test_regret_matching_mixes_where_no_pure_choice_is_safe() -> None:
    found = decide("uct:sims=4000,rule=regret", OPEN.deal(seed=3).position)
    assert found.weights is not None
    shares = found.weights[0] / found.weights.sum()
    assert shares.max() < 0.99
    assert shares.sum() == pytest.approx(1)


def test_regret_matching_needs_simultaneous_choices() -> None:
    with pytest.raises(AgentError, match="rule=regret mixes actions"):
        UctAgent(CONNECT4, UctConfig(rule="regret"))


def test_novelty_fades() -> None:
    eager = decide("uct:sims=400,rule=novelty,beta=1000000", WINS_AT_1)
    sober = decide("uct:sims=400,rule=novelty,beta=0.001", WINS_AT_1)
    assert eager.weights is not None
    assert sober.weights is not None
    assert sober.weights[0, 0] > eager.weights[0, 0]


@pytest.mark.parametrize(
    "spec", ["pimc:sims=300,worlds=10", "ismcts:sims=300", "ismcts:sims=300,observers=multiple"]
)
def test_searches_over_worlds_beat_random_play(spec: str) -> None:
    agents = [kibitz.load_agent(name, HIDDEN) for name in (spec, "random")]
    result = arena.play(HIDDEN, agents, 20, 1)
    assert result.sample.score(0).mean > result.sample.score(1).mean + 2


def test_searches_over_worlds_do_not_peek() -> None:
    table = HIDDEN.deal(seed=4)
    view = table.view(0)
    world = HIDDEN.resample(view, 0, derive(1, Purpose.PLAYOUT))
    kibitz.core.game.conceal(world, 0)
    for spec in ("pimc:sims=60,worlds=5", "ismcts:sims=60,observers=multiple,worlds=7"):
        agent = kibitz.load_agent(spec, HIDDEN)
        first, second = agent.decide(view, 0), agent.decide(world, 0)
        assert first.weights is not None
        assert second.weights is not None
        assert (first.weights == second.weights).all()
        assert first.weights.sum() >= 59


def test_trees_are_not_used_again_where_there_are_secrets() -> None:
    with pytest.raises(AgentError, match="reuse=true needs a game without secrets"):
        kibitz.load_agent("uct:reuse=true", HIDDEN)


def test_the_errors_of_pimc_are_those_of_worlds() -> None:
    table = HIDDEN.deal(seed=4)
    found = kibitz.load_agent("pimc:sims=400,worlds=8", HIDDEN).decide(table.view(0), 0)
    assert found.errors is not None
    assert (found.errors > 0).all()
    few = kibitz.load_agent("pimc:sims=5,worlds=30", HIDDEN).decide(table.view(0), 0)
    assert few.info["sims"] == [5]


def test_worlds_of_all_threads_are_the_sample_of_pimc() -> None:
    agent = kibitz.load_agent("pimc:sims=400,worlds=8", HIDDEN)
    assert isinstance(agent, PimcAgent)
    view, desk = HIDDEN.deal(seed=1).view(0).reshape(1), agent.make_desk()
    parts = [
        agent.search_alone(desk, view, 0, derive(3, Purpose.AGENT, thread), 2) for thread in (1, 2)
    ]
    fewer = FoundInWorlds.of(parts[0].worlds[:1], parts[0].beliefs[:1])  # its time was up
    for several in (parts, [fewer, parts[1]]):
        means = np.array([one.moments()[0] for part in several for one in part.worlds])
        assert len(means) == (8 if several is parts else 5)
        added = FoundInWorlds.add(several)
        values, errors = added.moments()
        np.testing.assert_allclose(values, means.mean(axis=0))
        np.testing.assert_allclose(errors, means.std(axis=0, ddof=1) / np.sqrt(len(means)))
        np.testing.assert_allclose(added.visits, sum(part.visits for part in several))


def test_worlds_that_nobody_believes_in_tell_no_line() -> None:
    agent = kibitz.load_agent("pimc:sims=400,worlds=4", HIDDEN)
    assert isinstance(agent, PimcAgent)
    view = HIDDEN.deal(seed=1).view(0).reshape(1)
    worlds = agent.search_alone(agent.make_desk(), view, 0, derive(3, Purpose.AGENT), 1).worlds
    found = FoundInWorlds.of(worlds, np.array([-np.inf, 0.0, 1.0, -np.inf]))
    assert found.lines == worlds[2].lines + worlds[1].lines


def test_pimc_searches_worlds_in_the_tree_asked_for() -> None:
    view = HIDDEN.deal(seed=1).view(0)
    visits = {}
    for tree in ("auto", "decoupled", "sequential"):
        found = kibitz.load_agent(f"pimc:sims=400,worlds=8,tree={tree}", HIDDEN).decide(view, 0)
        assert found.visits is not None
        visits[tree] = found.visits.tolist()
    assert visits["auto"] == visits["decoupled"] != visits["sequential"]


def test_pimc_leaves_worlds_out_when_time_is_up() -> None:
    agent = kibitz.load_agent("pimc:time=0.01,worlds=10000", HIDDEN)
    assert isinstance(agent, PimcAgent)
    view, desk = HIDDEN.deal(seed=1).view(0).reshape(1), agent.make_desk()
    for seed in (1, 2):  # compiled, measured
        found = agent.search_alone(desk, view, 0, derive(seed, Purpose.AGENT), 1)
    assert 0 < len(found.worlds) < 10_000


@pytest.mark.parametrize("name", ["pimc", "ismcts"])
def test_without_secrets_there_are_no_worlds(name: str) -> None:
    for game in (CONNECT4, OPEN):
        with pytest.raises(AgentError, match="hides nothing: use uct"):
            kibitz.load_agent(name, game)


def test_worlds_are_drawn_by_weight() -> None:
    shares = add_up(np.array([1.0, 0.0, 3.0]))
    rng = derive(5, Purpose.PLAYOUT)
    drawn = np.bincount([draw_one(shares, 3, rng) for _ in range(4000)], minlength=3)
    assert drawn[1] == 0
    assert abs(drawn[0] / 4000 - 0.25) < 0.03
    assert add_up(np.array([0.0, np.nan])).tolist() == [0.5, 1]
    assert keep_by_weight(np.array([1.0, 0, 3]), 4).tolist() == [0, 2, 2, 2]
    picked = np.bincount([draw(np.array([1.0, 3.0]), rng) for _ in range(2000)])
    assert abs(picked[0] / 2000 - 0.25) < 0.04


class _Weighing(UctAgent):
    """Believes in the first world only."""

    n_worlds = 4

    @staticmethod
    def weigher(view: Any, seat: int, worlds: Any, rng: Any) -> Any:
        return np.array([0.0, -2000, -2000, -2000])


def test_an_agent_may_weigh_its_worlds() -> None:
    agent = _Weighing(HIDDEN, UctConfig(sims=50, tree="information-set"))
    table = HIDDEN.deal(seed=2)
    desk = agent.make_desk()
    agent.search_alone(desk, table.view(0).reshape(1), 0, derive(3, Purpose.AGENT), 1)
    # In one world every seat has one hand: its decisions at the root have no more arms than cards.
    assert desk.tree.shares.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("game", [CONNECT4, OPEN], ids=["connect4", "nimmt"])
def test_a_tree_is_used_again(game: Any) -> None:
    agent = kibitz.load_agent("uct:sims=500,reuse=true", game)
    other = kibitz.load_agent("random", game)
    table = game.deal(seed=1)
    sims: list[float] = []
    while not table.is_over and len(sims) < 3:
        for seat in table.movers:
            if len(table.legal(seat)) == 1:
                continue
            one: Agent = agent if seat == 0 else other
            found = one.decide(table.view(seat), seat)
            if seat == 0:
                assert found.weights is not None
                sims.append(found.weights.sum())
            table.play(seat, int(found.actions[0]))
    assert sims[0] == 500
    assert max(sims[1:]) > 500  # with what the last search knew already
    agent.end(np.zeros(1, np.int64))
    assert not agent._kept  # type: ignore[attr-defined]


def test_a_tree_of_many_seats_is_given_up_in_time() -> None:
    game = kibitz.load_game("nimmt:players=8,hands=open")
    agent = kibitz.load_agent("uct:sims=20,reuse=true", game)
    table = game.deal(seed=1)
    sims = []
    for _ in range(2):
        for seat in table.movers:
            found = agent.decide(table.view(seat), seat) if seat == 0 else None
            table.play(seat, table.legal(seat)[0] if found is None else int(found.actions[0]))
            if found is not None and found.weights is not None:
                sims.append(found.weights.sum())
    assert sims == [20, 20]


def test_large_tables_are_searched_by_the_clock() -> None:
    game = kibitz.load_game("nimmt:players=5")
    table = game.deal(seed=1)
    found = kibitz.load_agent("uct:time=0.02", game).decide(table.view(0), 0)
    assert int(found.actions[0]) in table.legal(0)


def test_games_do_not_share_a_tree() -> None:
    result = arena.play(CONNECT4, ["uct:sims=60,reuse=true", "uct:sims=60"], 6, 1, batch_size=3)
    again = arena.play(CONNECT4, ["uct:sims=60,reuse=true", "uct:sims=60"], 6, 1, batch_size=64)
    assert (result.sample.score(0).mean) == again.sample.score(0).mean


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uct:reuse=true,threads=2", "reuse=true needs threads=1"),
        ("uct:reuse=true,tree=open-loop", "got tree=open-loop: leave one of them out"),
        ("uct:rule=rave,playout=winning-move", "rule=rave needs playout=random"),
        ("mast:rule=grave", "brings its own playouts"),
        ("ppa:playout=centre", "use uct for a bot's"),
        ("uct:playout=mcs", "cannot ask mcs"),
        ("uct:epsilon=2", "expected 0 to 1"),
        ("uct:gamma=0", "gamma=0.0"),
        ("puct:tau=3", "tau=3.0: expected 0 to 2"),
        ("puct:guide=nobody", "nobody"),
        ("puct:weight=0", "weight=0.0"),
        ("gumbel:considered=0", "considered=0"),
        ("gumbel:noise=-1", "noise=-1.0"),
        ("gumbel:reuse=true", "use puct"),
        ("mast:k=1000", "expected 0 to 100"),
        ("ppa:alpha=-1", "expected 0 to 10"),
        ("uct:ref=-1", "ref=-1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(spec: str, message: str) -> None:
    with pytest.raises((SpecError, AgentError), match=message):
        kibitz.load_agent(spec, CONNECT4)


@pytest.mark.parametrize(
    "spec",
    [
        "pimc:worlds=0",
        "pimc:tree=open-loop",
        "pimc:reuse=true",
        "ismcts:worlds=-1",
        "ismcts:tree=sequential",
    ],
)
def test_worlds_that_make_no_sense_are_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        kibitz.load_agent(spec, HIDDEN)
