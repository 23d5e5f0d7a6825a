"""Fill the cache: run everything that compiles once, so that nobody waits for it later."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import numpy as np

from kibitz.core.driver import Schedule, play
from kibitz.core.encoding import Encoding
from kibitz.core.errors import AgentError
from kibitz.core.game import fingerprint
from kibitz.core.listing import list_legal
from kibitz.core.record import replay
from kibitz.core.registry import agent_names, load_agent, load_game
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game
from kibitz.search.models import model_names
from kibitz.search.playouts import random_games

Task = tuple[str, Callable[[], object]]


def tasks(name: str) -> Iterator[Task]:
    """Yield what there is to compile for a game, with a word for the progress bar."""
    game = load_game(name)
    yield "table", partial(_use_table, game)
    yield "playouts", partial(_play_at_random, game)
    for agent in agent_names(game.facts):
        yield agent, partial(_play_with, game, agent)
    for model in model_names(game.facts.name):
        for agent in ("net", "puct"):
            yield f"{agent} with {model}", partial(_play_with, game, f"{agent}:model={model}")
    if game.facts.coach:
        yield "coach", partial(_ask_once, game, game.facts.coach)
    for encoding in game.encodings.values():
        yield f"{encoding.name} features", partial(_observe, game, encoding)


def _use_table(game: Game) -> None:
    table = game.deal(seed=0)
    seat = table.movers[0]
    game.resample(table.view(seat), seat, derive(0, Purpose.PLAYOUT))
    fingerprint(table.batch.states, 0)
    table.play(seat, table.legal(seat)[0])
    replay(table.record())


def _play_at_random(game: Game) -> None:
    random_games(game.blank(2), 1, derive(0, Purpose.PLAYOUT), np.zeros(game.n_seats))


def _play_with(game: Game, agent: str) -> None:
    one = np.zeros(1, np.int64)
    schedule = Schedule(0, one, one, np.zeros((1, game.n_seats), np.int64))
    with suppress(AgentError):  # some agents are not for every game
        play(game, [load_agent(agent, game)], schedule)


def _ask_once(game: Game, agent: str) -> None:
    table = game.deal(seed=0)
    seat = table.movers[0]
    coach = load_agent(agent, game)
    coach.decide(table.view(seat), seat)
    for _ in coach.think(table.view(seat), seat):
        break


def _observe(game: Game, encoding: Encoding) -> None:
    table = game.deal(seed=0)
    views, seats = table.batch.states, np.array([table.movers[0]])
    encoding.observe(views, seats)
    encoding.observe_candidates(views, seats, list_legal(views, seats))
