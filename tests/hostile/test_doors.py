"""Every public door with arguments it should not get: one sentence, or an answer; nothing else.

Run by `make hostile` with every array access of the kernels checked: what slips through a door
raises IndexError here, where it would read or write somebody else's memory.
"""

import math
import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import Game, KibitzError, arena
from kibitz.core.agent import Agent
from kibitz.core.conduct import Conduct
from kibitz.core.driver import Schedule, play
from kibitz.core.encoding import Encoding
from kibitz.core.game import movers
from kibitz.core.registry import game_names
from kibitz.core.rng import RNG, Purpose, derive
from kibitz.core.table import Origin

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="needs NUMBA_BOUNDSCHECK=1: make hostile"
    ),
]

SPECS = ["nimmt:players=3", "tichu", "sheephead", "connect4"]
NOTHING = [None, True, -1, 7, 2**63, -(2**63) - 1, 10**400, 0.5, -1.0, math.nan, math.inf]
WORDS = [
    "",
    " ",
    "x",
    "nimmt",
    "uct",
    "nimmt:players=99",
    "\ud800",
    "\0",
    "é" * 600,
    "1" * 5000,
    b"x",
]
THINGS = [[], {}, (), [None], {"a": 1}, {1, 2}, object(), Exception, print, Path("nowhere")]
ARRAYS = [
    np.int8(3),
    np.array(2),
    np.zeros(0),
    np.zeros(3),
    np.zeros(3, np.int64),
    np.full(3, 2**62),
    np.zeros((2, 2), np.int64),
    np.zeros(3, np.uint64),
    np.zeros(2, RNG),
    np.zeros(1, RNG)[0],
    np.array("text"),
    np.array([None]),
]
HOSTILE = [*NOTHING, *WORDS, *THINGS, *ARRAYS]


Door = Callable[[Any], object]


def knock(door: Callable[[], object], where: str) -> list[str]:
    """Try a door: it answers, or refuses in one sentence; list what it does instead."""
    try:
        door()
    except KibitzError as error:
        return [] if str(error) and "\n" not in str(error) else [f"{where}: {error!r}"]
    except Exception as error:
        return [f"{where}: {error!r:.200}"]
    return []


def knock_with_everything(doors: dict[str, Door]) -> None:
    """Try doors with everything hostile."""
    broken = []
    for name, door in doors.items():
        for value in HOSTILE:
            broken += knock(partial(door, value), f"{name}({value!r:.60})")
    assert not broken, "\n".join(broken)


@pytest.fixture(scope="module", params=SPECS)
def game(request: pytest.FixtureRequest) -> Game:
    return kibitz.load_game(request.param)


@pytest.fixture(scope="module")
def agent(game: Game) -> Agent:
    return kibitz.load_agent("random", game)


def others(game: Game) -> list[Game]:
    """Make games of other kinds and under other options."""
    specs = ["nimmt:players=10", "nimmt:players=2,rows=free", "tichu:match=1000", "connect4"]
    return [one for one in map(kibitz.load_game, specs) if one != game]


def test_specs_positions_and_records_from_anywhere(tmp_path: Path) -> None:
    game, table = kibitz.load_game("nimmt"), kibitz.load_game("nimmt").deal(seed=1)
    doors: dict[str, Door] = {
        "load_game": kibitz.load_game,
        "load_game defaults": lambda x: kibitz.load_game("nimmt", x),
        "load_agent": lambda x: kibitz.load_agent(x, game),
        "load_agent game": lambda x: kibitz.load_agent("random", x),
        "open_table": kibitz.open_table,
        "parse_record": kibitz.parse_record,
        "read_records": lambda x: list(kibitz.read_records(x)),
        "replay": kibitz.replay,
        "record": table.record,
        "Game": lambda x: Game(game.facts, x),
        "Game facts": lambda x: Game(x, game.options),
        "Game option": lambda x: Game(game.facts, {**game.options, "players": x}),
        "Origin": Origin,
        "Origin deal": lambda x: Origin(1, x),
        "Origin deals": lambda x: Origin(1, 0, 0, x),
        "Table": lambda x: kibitz.Table(game, x),
        "Table game": lambda x: kibitz.Table(x, Origin(1)),
    }
    knock_with_everything(doors)


def test_games_and_tables(game: Game) -> None:
    table = game.deal(seed=1)
    seat = table.movers[0]
    view, rng = table.view(seat), derive(1, Purpose.PLAYOUT)
    doors: dict[str, Door] = {
        "deal": game.deal,
        "deal number": lambda x: game.deal(1, x),
        "parse": game.parse,
        "format": game.format,
        "render": game.render,
        "render seat": lambda x: game.render(view, x),
        "legal": lambda x: game.legal(x, seat),
        "legal seat": lambda x: game.legal(view, x),
        "resample": lambda x: game.resample(x, seat, rng),
        "resample seat": lambda x: game.resample(view, x, rng),
        "resample rng": lambda x: game.resample(view, seat, x),
        "table legal": table.legal,
        "table view": table.view,
        "table render": table.render,
        "table text": table.text,
        "table text seat": lambda x: table.text(0, x),
        "table play": lambda x: game.deal(seed=1).play(seat, x),
        "table play seat": lambda x: game.deal(seed=1).play(x, 0),
    }
    knock_with_everything(doors)
    for other in others(game):
        state = other.deal(seed=1).state
        for call in (game.format, game.render, lambda s: game.legal(s, 0)):
            with pytest.raises(KibitzError, match="^expected a state of "):
                call(state)


def test_every_action_code_is_judged(game: Game) -> None:
    numbers = random.Random(1)
    codes = [0, 1, -1, 2**31, 2**62, -(2**62), *(numbers.getrandbits(20) for _ in range(300))]
    codes += [numbers.getrandbits(63) - 2**62 for _ in range(300)]
    broken = []
    for code in codes:
        for seat in range(game.n_seats):
            table = game.deal(seed=code % 5)
            broken += knock(partial(table.text, code, seat), f"text({code}, {seat})")
            broken += knock(partial(table.play, seat, code), f"play({seat}, {code})")
    assert not broken, "\n".join(broken)


def test_agents_that_are_asked_anything(game: Game, agent: Agent) -> None:
    table = game.deal(seed=1)
    seat = table.movers[0]
    view, rng = table.view(seat), derive(1, Purpose.AGENT)
    views, seats, rngs, games = view.reshape(1), np.array([seat]), rng.reshape(1), np.array([0])
    doors: dict[str, Door] = {
        "decide": lambda x: agent.decide(x, seat),
        "decide seat": lambda x: agent.decide(view, x),
        "decide rng": lambda x: agent.decide(view, seat, x),
        "act": lambda x: agent.act(x, seats, rngs, games),
        "act seats": lambda x: agent.act(views, x, rngs, games),
        "act rngs": lambda x: agent.act(views, seats, x, games),
        "act games": lambda x: agent.act(views, seats, rngs, x),
    }
    knock_with_everything(doors)
    for other in others(game):
        with pytest.raises(kibitz.AgentError):
            agent.decide(other.deal(seed=1).view(0), 0)


def test_matches_and_schedules(game: Game, agent: Agent) -> None:
    n = game.n_seats
    one, lineup = np.zeros(1, np.int64), np.zeros((1, n), np.int64)
    doors: dict[str, Door] = {
        "arena": lambda x: arena.play(x, [agent], 1, 1),
        "arena agents": lambda x: arena.play(game, x, 1, 1),
        "arena agent": lambda x: arena.play(game, [x], 1, 1),
        "arena seed": lambda x: arena.play(game, [agent], 1, x),
        "arena pool": lambda x: arena.Match(game, [agent], 1, 1, pool=x),
        "arena seating": lambda x: arena.Match(game, [agent], 1, 1, seating=x),
        "arena conduct": lambda x: arena.Match(game, [agent], 1, 1, conduct=x),
        "arena batch": lambda x: arena.Match(game, [agent], 1, 1, batch_size=x),
        "arena workers": lambda x: arena.Match(game, [agent], 1, 1, workers=x),
        "arena first deal": lambda x: arena.Match(game, [agent], 1, 1, first_deal=x),
        "conduct": Conduct,
        "conduct deadline": lambda x: Conduct("stop", x),
        "play_out": lambda x: kibitz.play_out(x, [agent] * n),
        "play_out agents": lambda x: kibitz.play_out(game.deal(seed=1), x),
        "schedule": lambda x: play(game, [agent], Schedule(x, one, one, lineup)),
        "schedule deals": lambda x: play(game, [agent], Schedule(1, x, one, lineup)),
        "schedule rotations": lambda x: play(game, [agent], Schedule(1, one, x, lineup)),
        "schedule lineup": lambda x: play(game, [agent], Schedule(1, one, one, x)),
        "play": lambda x: play(game, [agent], x),
        "play game": lambda x: play(x, [agent], Schedule(1, one, one, lineup)),
    }
    knock_with_everything(doors)
    for bad in (lineup + 1, lineup - 1, lineup[:, 1:], np.zeros((2, n), np.int64), lineup.T):
        with pytest.raises(KibitzError):
            play(game, [agent], Schedule(1, one, one, bad))


def test_encodings(game: Game) -> None:
    table = game.deal(seed=1)
    views, seats = np.repeat(table.batch.states, 3), np.zeros(3, np.int64)
    for encoding in game.encodings.values():
        assert encoding.observe(views, seats).shape == (3, encoding.size)
        doors: dict[str, Door] = {
            "observe": partial(_observe, encoding, seats),
            "observe seats": partial(encoding.observe, views),
            "parts": encoding.parts,
        }
        knock_with_everything(doors)
        for bad in (np.full(3, game.n_seats), np.full(3, -1), np.zeros(2, np.int64)):
            with pytest.raises(KibitzError):
                encoding.observe(views, bad)
        for other in others(game):
            strangers = np.repeat(other.deal(seed=1).batch.states, 3)
            assert not knock(partial(encoding.observe, strangers, seats), other.spec)


def _observe(encoding: Encoding, seats: Any, views: Any) -> object:
    return encoding.observe(views, seats)


def mutated(line: str, numbers: random.Random) -> str:
    """Change a position a little: words left out, doubled, swapped, and other letters."""
    words = line.split(" ")
    k, other = numbers.randrange(len(words)), numbers.randrange(len(words))
    kind = numbers.randrange(5)
    if kind == 0:
        del words[k]
    elif kind == 1:
        words.insert(other, words[k])
    elif kind == 2:
        words[k], words[other] = words[other], words[k]
    elif words[k]:
        letters = list(words[k])
        place = numbers.randrange(len(letters))
        letters[place] = numbers.choice("0123456789-.,/|?*=:ATKQJabcdhsS♣♠")
        if kind == 4:
            letters = letters[:place] + letters[place + 1 :]
        words[k] = "".join(letters)
    return " ".join(words)


def use(game: Game, agent: Agent, line: str) -> bool:
    """Do everything with a position that can be done, if it is one."""
    try:
        state = game.parse(line)
    except KibitzError:
        return False
    game.format(state)
    for seat in range(game.n_seats):
        if int(movers(state)) >> seat & 1:
            game.legal(state, seat)
            agent.decide(state, seat)
        for encoding in game.encodings.values():
            encoding.observe(state.reshape(1), np.array([seat]))
    table = kibitz.Table(game, Origin(1, deals=(line,)))
    for seat in range(game.n_seats):
        game.resample(table.view(seat), seat, derive(1, Purpose.PLAYOUT))
    kibitz.play_out(table, [agent] * game.n_seats)
    return True


def test_positions_that_were_tampered_with(game: Game, agent: Agent) -> None:
    numbers, n_used = random.Random(2), 0
    for seed in range(40):
        table = game.deal(seed=seed)
        for _ in range(numbers.randrange(20)):
            if (seat := table.seat_to_move) is not None:
                table.play(seat, numbers.choice(table.legal(seat)))
        line = game.format(table.state).partition(" ")[2]
        for _ in range(15):
            line_now = mutated(line, numbers)
            try:
                n_used += use(game, agent, line_now)
            except KibitzError:
                continue
            except Exception as error:
                raise AssertionError(f"{game.spec} {line_now}: {error!r}") from error
    assert n_used > 0  # some of them are positions still


def test_every_game_has_its_doors_tried() -> None:
    shipped = {
        name for name in game_names() if kibitz.load_game(name).facts.package.startswith("ki")
    }
    assert {spec.partition(":")[0] for spec in SPECS} == shipped
