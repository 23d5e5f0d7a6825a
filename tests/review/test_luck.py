"""What cards were worth: the adjusted result has the mean of the result, and varies less."""

import numpy as np
import pytest

import kibitz
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Table
from kibitz.host import Host
from kibitz.review import luck
from kibitz.review.luck import Luck, luck_of, rounds_of


def played(spec: str, bot: str, seed: int) -> Host:
    """Return a game in which one bot sits at all seats."""
    game = kibitz.load_game(spec)
    host = Host(game.deal(seed=seed), [kibitz.load_agent(bot, game)] * game.n_seats)
    host.advance()
    return host


def test_the_adjusted_result_is_the_result_without_luck() -> None:
    lucky = Luck("rule", result=30.0, worth=12.0, error=2.0, spread=20.0)
    assert lucky.adjusted == 18
    assert lucky.interval == pytest.approx((18 - 3.92, 18 + 3.92))


def test_rounds_begin_with_their_cards_and_add_up_to_the_result() -> None:
    host = played("sheephead:hands=4", "rule", 1)
    rounds = rounds_of(kibitz.replay(host.record()))
    assert len(rounds) == 4
    gains = np.array([after - before for _, before, after in rounds])
    assert gains.sum(axis=0).tolist() == host.scores.tolist()
    for state, _, _ in rounds:
        assert state["money"].sum() == 0


def test_a_game_without_cards_has_no_luck() -> None:
    assert luck_of(played("connect4", "random", 1).record(), 0) is None


def test_what_some_win_others_lose_so_any_cards_are_worth_nothing() -> None:
    host = played("sheephead", "rule", 2)
    found = [luck_of(host.record(), seat, n=50) for seat in range(5)]
    worths = [one.worth for one in found if one is not None]
    assert len(worths) == 5
    assert sum(worths) == pytest.approx(0, abs=1e-9)


def test_the_error_shrinks_with_replays_and_holds_the_truth() -> None:
    record = played("sheephead", "rule", 3).record()
    few, many = luck_of(record, 0, n=50), luck_of(record, 0, n=3200)
    assert few is not None
    assert many is not None
    assert many.error < few.error / 5
    assert abs(few.worth - many.worth) < 4 * few.error


def test_luck_is_found_before_anybody_has_played() -> None:
    game = kibitz.load_game("sheephead")
    deals = [Table(game, game.deal(seed=seed).origin).state.copy() for seed in (1, 2)]
    rng = derive(0, Purpose.PLAYOUT)
    one, other = (luck.replay_round(game, deal, 400, rng).mean(axis=0) for deal in deals)
    assert np.abs(one - other).max() > 1


def test_the_adjusted_result_has_the_same_mean_and_less_variance() -> None:
    raw, adjusted = [], []
    for seed in range(100, 180):
        host = played("sheephead", "rule", seed)
        found = luck_of(host.record(), seed % host.game.n_seats, n=60)
        assert found is not None
        raw.append(found.result)
        adjusted.append(found.adjusted)
    off = np.std(np.subtract(raw, adjusted), ddof=1) / np.sqrt(len(raw))
    assert abs(np.mean(raw) - np.mean(adjusted)) < 3.5 * off
    assert np.var(adjusted) < 0.5 * np.var(raw)
