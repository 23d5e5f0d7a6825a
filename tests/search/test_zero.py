"""AlphaZero's player of Connect 4, by the network that ships."""

import kibitz
from kibitz import arena

GAME = kibitz.load_game("connect4")


def test_it_plays_by_the_network_that_ships_and_sees_fours() -> None:
    agent = kibitz.load_agent("alphazero:sims=32", GAME)
    assert agent.decide(GAME.parse("112233"), 0).actions[0] == 4  # makes four in the bottom row
    assert agent.decide(GAME.parse("1122337"), 1).actions[0] == 4  # and so does the other seat
    assert agent.config.model == "connect4-alphazero"


def test_it_opens_in_the_centre() -> None:
    agent = kibitz.load_agent("alphazero", GAME)
    assert agent.decide(GAME.deal(1).view(0), 0).actions[0] == 4


def test_the_network_alone_beats_random() -> None:
    result = arena.play(GAME, ["net:model=connect4-alphazero", "random"], 50, 3)
    assert result.sample.wins(0).low > 0.7
