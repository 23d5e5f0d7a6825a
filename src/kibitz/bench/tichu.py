"""How fast leads of Tichu are listed, logs of it are read, and decisions looked ahead."""

import tempfile
from pathlib import Path
from time import thread_time

import kibitz
from kibitz.bench.measure import Benchmark, Sample, Target, cpu_time, nanoseconds
from kibitz.core.game import apply, deal, movers, random_action
from kibitz.core.record import Record
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu.bsw import read_log, write_log
from kibitz.games.tichu.state import TURN
from kibitz.search.timing import list_actions

SEED = 1
LEADS = 1024
ROUNDS = 40
"""Of the log that is read again and again."""

AHEAD = "best:worlds=64"
AHEAD_ROUNDS = 4

NAMES = ("Anna", "Bert", "Cleo", "Dora")


def tichu_benchmarks() -> list[Benchmark]:
    """Measure the list of leads, and the rounds of a BSW log that become records."""
    return [
        Benchmark(
            name="tichu.lead_list",
            unit="ns",
            about=f"list what may be led from 14 cards, mean over {LEADS:,} deals; CPU time",
            ours=_leads,
            target=Target(2000, at_most=True),
            lower_is_better=True,
        ),
        Benchmark(
            name="tichu.import_bsw",
            unit="rounds/s",
            about=f"a BSW log of {ROUNDS} rounds of convention, read into records and replayed; "
            "CPU time",
            ours=_import_bsw,
            target=Target(1000),
        ),
        Benchmark(
            name="tichu.lookahead",
            unit="ms",
            about=f"a decision of {AHEAD}, mean over all decisions of {AHEAD_ROUNDS} rounds of "
            "best; CPU time",
            ours=_look_ahead,
            target=Target(50, at_most=True),
            lower_is_better=True,
        ),
    ]


def _leads() -> Sample:
    game = kibitz.load_game("tichu")
    states = game.blank(LEADS)
    for number, state in enumerate(states):
        rng = derive(SEED, Purpose.PLAYOUT, number)
        deal(state, rng)
        while state.phase != TURN:
            for seat in range(game.n_seats):
                if movers(state) >> seat & 1:
                    apply(state, seat, random_action(state, seat, rng))
    return nanoseconds(lambda n: cpu_time(lambda: list_actions(states, n)))


def _look_ahead() -> Sample:
    game = kibitz.load_game("tichu")
    best, ahead = (kibitz.load_agent(spec, game) for spec in ("best:worlds=0", AHEAD))
    asked = []
    for seed in range(AHEAD_ROUNDS):
        table = game.deal(seed)
        while not table.is_over:
            seat = table.movers[0]
            asked.append((table.view(seat), seat))
            table.play(seat, int(best.decide(*asked[-1]).actions[0]))

    def decide(seconds: float) -> float:
        n, began = 0, thread_time()
        while n % len(asked) or (thread_time() - began) < seconds:
            ahead.decide(*asked[n % len(asked)])
            n += 1
        return 1e3 * (thread_time() - began) / n

    for one in asked:
        ahead.decide(*one)
    return decide


def _import_bsw() -> Sample:
    game = kibitz.load_game("tichu")
    agents = [kibitz.load_agent("convention:weights=first", game)] * game.n_seats
    text = ""
    for seed in range(ROUNDS):
        table = game.deal(seed)
        kibitz.play_out(table, agents)
        text += write_log(table.record(NAMES))

    def read(seconds: float) -> float:
        with tempfile.TemporaryDirectory(prefix="kibitz-bench-") as folder:
            path = Path(folder) / "game.tch"
            path.write_text(text, encoding="utf-8")
            n, began = 0, thread_time()
            while (spent := thread_time() - began) < seconds:
                n += sum(isinstance(found, Record) for found in read_log(path))
            return n / spent

    read(0.01)
    return read
