"""Claiming the rest: only where the seat's own view makes it certain."""

import random

import pytest

import kibitz
from kibitz.core.rng import Purpose, derive
from kibitz.games.sheephead.claims import rest
from kibitz.host import Host
from kibitz.web.claiming import claim
from kibitz.web.refusals import Refused
from kibitz.web.showing import shown_state


def claimed() -> tuple[Host, int]:
    """Play hands at random until somebody may claim the rest with several cards."""
    game = kibitz.load_game("sheephead")
    for seed in range(400):
        host, pick = Host(game.deal(seed), [None] * game.n_seats), random.Random(seed)
        while not host.is_over:
            seat = next(iter(host.waiting))
            cards = rest(host.view(seat), seat)
            if cards is not None and len(cards) > 1:
                return host, seat
            host.play(seat, pick.choice(host.legal(seat)))
    raise AssertionError("nobody could claim")


def test_a_claim_gives_what_any_play_of_any_hidden_cards_would_have_given() -> None:
    host, seat = claimed()
    game, view = host.game, host.view(seat)
    cards = rest(view, seat)
    assert cards is not None
    claim(host, seat)
    assert host.is_over
    taken = []
    for number in range(20):
        world = game.resample(view, seat, derive(3, Purpose.PLAYOUT, number))
        table = kibitz.open_table(game.format(world))
        pick = random.Random(number)
        while not table.is_over:
            for mover in table.movers:
                own = [card for card in cards if card in table.legal(seat)]
                options = own[:1] if mover == seat else table.legal(mover)
                table.play(mover, pick.choice(options))
                break
        taken.append(int(table.state.tricks[seat]))
    assert len(set(taken)) == 1


def test_a_snapshot_offers_a_claim_exactly_where_it_would_be_played() -> None:
    host, seat = claimed()
    view, number = host.view(seat), host.decision(seat)
    assert shown_state(host.game, view, seat, number)["claim"]
    assert not shown_state(host.game, view, seat, None)["claim"]
    game = kibitz.load_game("connect4")
    assert not shown_state(game, game.deal(1).view(0), 0, 0)["claim"]


def test_what_is_not_certain_cannot_be_claimed() -> None:
    for spec in ("sheephead", "connect4", "nimmt:players=3"):
        game = kibitz.load_game(spec)
        host = Host(game.deal(1), [None] * game.n_seats)
        with pytest.raises(Refused, match="not certain"):
            claim(host, next(iter(host.waiting)))
