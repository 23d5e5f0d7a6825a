"""Claiming the rest: only where the seat's own view makes it certain."""

import random

import numpy as np
import pytest

import kibitz
from kibitz.core.rng import Purpose, derive
from kibitz.games.sheephead.claims import rest
from kibitz.games.tichu.cards import cards_of, phoenix_of
from kibitz.games.tichu.claims import Unseen
from kibitz.games.tichu.claims import rest as going_out
from kibitz.games.tichu.combinations import BOMB, DOG, NOTHING, classify
from kibitz.games.tichu.plays import MAX_PLAYS, list_plays
from kibitz.host import Host
from kibitz.review.questions import all_moves
from kibitz.web.claiming import claim, may_claim
from kibitz.web.refusals import Refused
from kibitz.web.showing import shown_state


def claimed(name: str = "sheephead", after: int = 0) -> tuple[Host, int]:
    """Play hands at random until somebody may claim the rest with several cards."""
    game = kibitz.load_game(name)
    for seed in range(after, 400):
        host, pick = Host(game.deal(seed), [None] * game.n_seats), random.Random(seed)
        while not host.is_over:
            seat = next(iter(host.waiting))
            if may_claim(game, host.view(seat), seat):
                return host, seat
            host.play(seat, pick.choice(host.legal(seat)))
    raise AssertionError("nobody could claim")


@pytest.mark.parametrize("after", range(0, 200, 40))
def test_a_claim_in_tichu_cannot_be_stopped_whoever_holds_what(after: int) -> None:
    host, seat = claimed("tichu", after)
    game, view = host.game, host.view(seat)
    plays = going_out(view, seat)
    assert plays is not None
    for number in range(20):
        world = game.resample(view, seat, derive(3, Purpose.PLAYOUT, number))
        table = kibitz.open_table(game.format(world))
        for play in plays:
            if play not in table.legal(seat):  # the table has played the last one by itself
                break
            assert table.movers == [seat]  # nobody else has a choice
            table.play(seat, play)
        assert table.state.finished[seat]


def test_a_claim_in_tichu_plays_the_own_cards_alone() -> None:
    host, seat = claimed("tichu")
    before = len(list(all_moves(host.record())))
    plays = going_out(host.view(seat), seat)
    claim(host, seat)
    made = list(all_moves(host.record()))[before:]
    assert [one.played for one in made if one.seat == seat and one.played in (plays or [])] == plays
    assert all(one.seat == seat or len(one.legal) == 1 for one in made)
    assert host.is_over or host.waiting


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


def test_what_is_called_unbeatable_is_not_beaten_by_the_hand_that_is_unseen() -> None:
    game, pick = kibitz.load_game("tichu"), random.Random(5)
    listed, n_sure = np.empty(MAX_PLAYS, np.int64), 0
    for _ in range(200):
        deck = pick.sample(range(56), 56)
        own, other, *played = (
            np.uint64(sum(1 << card for card in some)) for some in (deck[:6], deck[6:12], deck[12:])
        )
        view = game.deal(1).view(0)
        view.hand[0], view.played[1] = own, played[0]
        unseen = Unseen(view, 0, 6)
        for play in listed[: list_plays(own, NOTHING, 0, 0, 0, True, listed, 0)].tolist():
            table = classify(np.uint64(cards_of(play)), int(phoenix_of(play)), 0, True)
            if table[0] not in (DOG, BOMB) and not unseen.may_beat(play):
                answers = np.empty(MAX_PLAYS, np.int64)
                n = list_plays(other, *table, 0, True, answers, 0)
                kinds = {
                    classify(np.uint64(cards_of(one)), int(phoenix_of(one)), 0, True)[0]
                    for one in answers[:n].tolist()
                }
                assert kinds <= {BOMB}
                n_sure += 1
    assert n_sure > 100
