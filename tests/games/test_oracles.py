"""Oracles: critics see all hands, and nobody who plays can be given one."""

import numpy as np
import pytest

from kibitz import SpecError, load_agent, load_game
from kibitz.core.encoding import Encoding, Oracle
from kibitz.core.game import action_index
from kibitz.core.table import Table

HIDING = ["nimmt:players=3", "tichu", "sheephead"]
GAMES = [*HIDING, "connect4"]


def seen_by_oracle(table: Table, state: np.record, seat: int) -> dict[str, np.ndarray]:
    oracle = table.game.oracle
    assert oracle is not None
    return oracle.parts(oracle.observe(np.array([state], state.dtype), np.array([seat]))[0])


def hands(table: Table, seat: int) -> list[set[int]]:
    """Read the hands of a position by relative seat, as places in a plane of cards."""
    state, n = table.state, table.game.n_seats
    name = table.game.facts.name
    order = [(seat + k) % n for k in range(n)]
    if name == "nimmt":
        return [{int(card) - 1 for card in state.hand[one] if card} for one in order]
    if name == "sheephead":
        order = [seat]
        while len(order) < n:
            order.append(int(state.left[order[-1]]))
    sets = [
        int(state.hand[one]) | (int(state.stock[one]) if name == "tichu" else 0) for one in order
    ]
    return [{card for card in range(56) if cards >> card & 1} for cards in sets]


@pytest.mark.parametrize("spec", HIDING)
def test_an_oracle_sees_every_hand_by_relative_seat(spec: str) -> None:
    table = load_game(spec).deal(seed=4)
    for seat in range(table.game.n_seats):
        shown = seen_by_oracle(table, table.state, seat)["hands"]
        expected = hands(table, seat)
        assert [set(np.flatnonzero(one)) for one in shown[: len(expected)]] == expected
        assert not shown[len(expected) :].any()


@pytest.mark.parametrize("spec", HIDING)
def test_an_oracle_begins_with_what_full_has(spec: str) -> None:
    table = load_game(spec).deal(seed=4)
    oracle, full = table.game.oracle, table.game.encodings["full"]
    assert oracle is not None
    states, seats = np.array([table.state], table.state.dtype), np.array([1])
    assert oracle.layout[: len(full.layout)] == full.layout
    shown = oracle.observe(states, seats)[0]
    assert (shown[: full.size] == full.observe(states, seats)[0]).all()


@pytest.mark.parametrize("spec", HIDING)
def test_in_a_view_an_oracle_shows_nothing_that_is_hidden(spec: str) -> None:
    table = load_game(spec).deal(seed=4)
    seat = table.movers[0]
    shown = seen_by_oracle(table, table.view(seat), seat)
    assert shown["hands"][0].any()
    assert not shown["hands"][1:].any()
    assert all(not shown[name].any() for name in shown.keys() & {"blind", "bury"})


def test_the_oracle_of_connect_4_says_whose_turn_it_is() -> None:
    table = load_game("connect4").deal(seed=1)
    assert [seen_by_oracle(table, table.state, seat)["turn"] for seat in (0, 1)] == [1, 0]


@pytest.mark.parametrize("spec", GAMES)
def test_no_agent_at_a_table_can_be_handed_an_oracle(spec: str) -> None:
    game = load_game(spec)
    oracle = game.oracle
    assert isinstance(oracle, Oracle)
    assert not isinstance(oracle, Encoding)
    # Models name one of game.encodings.
    assert oracle.name not in game.encodings
    assert all(one.record.dtype != oracle.record.dtype for one in game.encodings.values())
    # What would play by it finds no index for an action.
    table = game.deal(seed=1)
    with pytest.raises(KeyError):
        action_index(table.view(0), 0, table.legal()[0], oracle.record)
    # No agent spec can name it.
    for agent in ("puct:encoding=oracle", "puct:model=oracle", "oracle"):
        with pytest.raises(SpecError):
            load_agent(agent, game)
