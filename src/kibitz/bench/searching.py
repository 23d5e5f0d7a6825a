"""Speeds of searches: simulations, whole searches, and what a tree takes of memory and time."""

from collections.abc import Callable
from functools import partial

from kibitz import arena
from kibitz.bench import peers
from kibitz.bench.measure import Benchmark, Sample, Target, cpu_time, rate, wall_time
from kibitz.bench.networks import PAPER_MOVE, POSITIONS, guided_move, network_search
from kibitz.bench.planning import planning_benchmarks
from kibitz.core.agent import Agent
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import Purpose, derive
from kibitz.search.uct import UctAgent, UctConfig

NIMMT = "nimmt:players=5,rows=lowest"
CONNECT4 = "connect4"
OPEN_NIMMT = "nimmt:players=2,hands=open,rows=lowest"
MASTF = "mast:sims=1000,tree=sequential,c=1.8"  # of the Monte Carlo paper
TIMED_DEALS = 50  # of a game that takes milliseconds
TREE_NODES = 100_000
SEED = 1


def searching_benchmarks() -> list[Benchmark]:
    """List the benchmarks of searches."""
    return [*_of_connect4(), *planning_benchmarks(), *_of_nimmt()]


def _of_connect4() -> list[Benchmark]:
    return [
        _sims("connect4.uct", CONNECT4, "uct:sims=1000"),
        _with_network("connect4.net_search", 300, 2),
        _with_network("connect4.net_search_32", 32, 1),
        Benchmark(
            name="connect4.gumbel_search",
            unit="sims/s",
            about="searches of 300 simulations by gumbel, a network at every leaf, beside puct's; "
            "CPU time",
            ours=partial(network_search, 300, "gumbel"),
            peers={"puct": partial(network_search, 300)},
            least_ratio={"puct": 0.7},
        ),
        _one("connect4.search_1000", CONNECT4, "uct:sims=1000"),
        _at_most(
            "connect4.time_kept",
            "x",
            "what a search with time=0.1 takes, divided by that; wall time",
            _time_kept,
            1.2,
        ),
        Benchmark(
            name="connect4.tree_memory",
            unit="MB",
            about=f"memory of a tree of {TREE_NODES:,} nodes that is full",
            ours=_tree_memory,
            target=Target(50, at_most=True),
            lower_is_better=True,
            most_repeats=1,
        ),
    ]


def _of_nimmt() -> list[Benchmark]:
    return [
        _sims("nimmt.mcs", NIMMT, "mcs:sims=1000", 400_000),
        _sims("nimmt.uct_open", OPEN_NIMMT, "uct:sims=1000", 300_000),
        _sims("nimmt.mast_open", OPEN_NIMMT, "mast:sims=1000", 300_000),
        _one("nimmt.search_1000", NIMMT, "uct:sims=1000"),
        _at_most(
            "nimmt.puct_move",
            "ms",
            "a move of alpha05 with 50 simulations at a table of five, hidden layers of 100 "
            f"and 100, mean over a round; a report took {PAPER_MOVE:,g} ms; CPU time",
            partial(guided_move, 50),
            PAPER_MOVE / 300,
        ),
        _one("nimmt.best_move", "nimmt:players=10", "best", 20),
        _at_most(
            "nimmt.best_time",
            "x",
            "a game of best against random, divided by one of MASTF(1000); CPU time",
            _best_time,
            1.1,
        ),
    ]


def _sims(name: str, game: str, agent: str, target: float | None = None) -> Benchmark:
    return Benchmark(
        name=name,
        unit="sims/s",
        about=f"simulations of {agent} from the first position of {game}; CPU time",
        ours=partial(_simulations, game, agent),
        target=None if target is None else Target(target),
        outside={"open_spiel": peers.open_spiel_search} if game == CONNECT4 else {},
        least_ratio={"open_spiel": 6} if game == CONNECT4 else {},
    )


def _with_network(name: str, n: int, least_ratio: float) -> Benchmark:
    return Benchmark(
        name=name,
        unit="sims/s",
        about=f"searches of {n} simulations, a network at every leaf, "
        f"{POSITIONS} positions at once; CPU time",
        ours=partial(network_search, n),
        outside={"mctx": partial(peers.mctx_search, n)},
        least_ratio={"mctx": least_ratio},
    )


def _one(name: str, game: str, agent: str, most: float = 10) -> Benchmark:
    about = f"one search by {agent} in the first position of {game}; CPU time"
    return _at_most(name, "ms", about, partial(_search_time, game, agent), most)


def _at_most(
    name: str, unit: str, about: str, ours: Callable[[], Sample], most: float
) -> Benchmark:
    """Return a benchmark of which less is better."""
    target = Target(most, at_most=True)
    return Benchmark(
        name=name, unit=unit, about=about, ours=ours, target=target, lower_is_better=True
    )


def _searcher(spec: str, agent: str) -> Callable[[], object]:
    """Return what searches the first position of a game once."""
    table = load_game(spec).deal(seed=SEED)
    seat = table.movers[0]
    view = table.view(seat)
    player = load_agent(agent, table.game)
    return lambda: player.decide(view, seat)


def _simulations(spec: str, agent: str) -> Sample:
    """Count simulations; a search makes a thousand of them."""
    search = _searcher(spec, agent)

    def work(n: int) -> float:
        return cpu_time(lambda: [search() for _ in range(n)])

    searches = rate(work)
    return lambda seconds: 1000 * searches(seconds)


def _search_time(spec: str, agent: str) -> Sample:
    search = _searcher(spec, agent)
    searches = rate(lambda n: cpu_time(lambda: [search() for _ in range(n)]))
    return lambda seconds: 1000 / searches(seconds)


def _time_kept() -> Sample:
    search = _searcher(CONNECT4, "uct:time=0.1")
    search()  # compiles, and touches the memory
    return lambda seconds: wall_time(search) / 0.1


def _best_time() -> Sample:
    """Let both play the same deals against the random player, in turn."""
    game = load_game(OPEN_NIMMT)
    rival = load_agent("random", game)
    best, mastf = load_agent("best", game), load_agent(MASTF, game)

    def spent(agent: Agent, deals: int) -> float:
        return cpu_time(lambda: arena.play(game, [agent, rival], deals, SEED))

    for agent in (best, mastf):
        spent(agent, 1)  # compiles
    return lambda seconds: spent(best, TIMED_DEALS) / spent(mastf, TIMED_DEALS)


def _tree_memory() -> Sample:
    """Fill a tree, then add up what its pools take for the nodes they have."""
    game = load_game(CONNECT4)
    agent = UctAgent(game, UctConfig(sims=TREE_NODES))

    def sample(seconds: float) -> float:
        desk = agent.make_desk()
        view = game.deal(seed=SEED).view(0).reshape(1)
        agent.search_alone(desk, view, 0, derive(SEED, Purpose.AGENT), 1)
        return sum(pool.nbytes for pool in desk.tree) / 1e6

    return sample
