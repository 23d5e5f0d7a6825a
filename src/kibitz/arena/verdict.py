"""Matches that go on until a sequential test has its verdict."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import numpy.typing as npt

from kibitz.arena.job import PlayedDeals
from kibitz.arena.match import Match
from kibitz.arena.sample import Sample
from kibitz.arena.sequential import Hypotheses, Sprt
from kibitz.core.table import Game


def make_test(game: Game, hypotheses: Hypotheses) -> Sprt:
    """Make the test that suits a game: pairs where one can only win, draw or lose.

    At tables of more sides agent 0 takes one and agent 1 the rest, and a deal counts by how much
    the mean of the first is above that of the second.
    """
    is_won_drawn_or_lost = game.n_sides == 2 and game.score_range == (-1, 1)
    pairs = is_won_drawn_or_lost and hypotheses.unit == "elo"
    lowest, highest = game.score_range
    return Sprt(hypotheses, pairs=pairs, games_per_deal=game.n_sides, reach=highest - lowest)


def play_until_verdict(match: Match, test: Sprt) -> Iterator[PlayedDeals]:
    """Play a match of two agents until the test is decided, or all deals have been played.

    Deals after the verdict are forgotten: how many of them there are is up to the clock.
    """
    if test.verdict is not None:
        return
    with closing(match.play()) as batches:
        for played in batches:
            before = test.deals
            if test.update(_samples(match.game, played, test.pairs)) is None:
                yield played
                continue
            yield match.cut(test.deals - before)
            return


def _samples(game: Game, played: PlayedDeals, pairs: bool) -> npt.NDArray[np.float64]:
    """Return what the test counts for each deal."""
    sample = Sample.of_seats(game.sides, 2, played.lineup, played.scores)
    ahead = sample.per_deal[:, 0] - sample.per_deal[:, 1]
    # Winning both games of a pair is +2, losing both -2: the share of what there is to win.
    return (ahead + 2) / 4 if pairs else ahead
