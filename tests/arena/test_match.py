"""Matches on duplicate deals."""

import multiprocessing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import Game, KibitzError, SpecError, arena
from kibitz.arena import Match, Result
from kibitz.arena.match import _Sizes
from kibitz.arena.seating import RandomTables
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.conduct import Conduct, Misbehaviour
from kibitz.core.decisions import Decisions
from kibitz.core.game import States
from kibitz.core.record import replay
from kibitz.core.rng import Rngs


@pytest.fixture(scope="module")
def game() -> Game:
    return kibitz.load_game("duel:players=3")


def agents(game: Game, n: int = 2) -> list[Agent]:
    return [kibitz.load_agent("random", game) for _ in range(n)]


class FailsOn(Agent):
    """Plays at random, but not on some deals."""

    name = "fails-on"
    deals: tuple[int, ...] = ()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        if any(number // 3 in self.deals for number in games.tolist()):
            raise RuntimeError("lost")
        asked = zip(views, seats.tolist(), strict=True)
        return Decisions(np.array([self.game.legal(view, seat)[0] for view, seat in asked]))


@pytest.mark.parametrize(
    "way",
    [
        {"batch_size": 1},
        {"batch_size": 7},
        {"workers": 2},
        {"workers": 3, "batch_size": 30},
        {"workers": 2, "pool": "processes"},
    ],
    ids=str,
)
def test_a_match_is_the_same_however_it_is_cut_and_whoever_plays_it(way: dict[str, Any]) -> None:
    players = ["highest", "random", "lowest", "closest"]
    whole = arena.play("nimmt:players=3", players, 40, 3, records=True)
    other = arena.play("nimmt:players=3", players, 40, 3, records=True, **way)
    assert (whole.scores == other.scores).all()
    assert (whole.lineup == other.lineup).all()
    assert whole.records == other.records
    assert (whole.n_decisions == other.n_decisions).all()


def test_deals_are_numbered_and_can_begin_anywhere(game: Game) -> None:
    whole = arena.play(game, agents(game), 50, seed=3)
    match = Match(game, agents(game), 20, 3, first_deal=30)
    list(match.play())
    assert (match.result().scores == whole.scores[30:]).all()
    assert match.result().deals.tolist() == list(range(30, 50))


def test_a_match_goes_on_from_what_was_played_before(game: Game) -> None:
    first = Match(game, agents(game), 60, 3, batch_size=30)
    batches = list(first.play())
    whole = first.result()
    match = Match(game, agents(game), 60, 3)
    for batch in batches[:4]:
        match.take(batch)
    assert match.next_deal == 40
    list(match.play())
    assert (match.result().scores == whole.scores).all()
    with pytest.raises(SpecError, match="do not go on from deal 60"):
        match.take(batches[0])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"lineup": np.zeros((10, 3, 2), np.int16)}, "seat others than the 2 agents"),
        ({"lineup": np.full((10, 3, 3), 2)}, "seat others"),
        ({"lineup": np.full((10, 3, 3), -1)}, "seat others"),
        ({"scores": np.full((10, 3, 3), np.nan)}, "scores that are no numbers"),
        ({"scores": np.zeros((0, 3, 3))}, "do not go on"),
        ({"seconds": np.zeros((3, 2))}, "have times of shape"),
        ({"n_decisions": np.zeros((2, 9), np.int64)}, "have times of shape"),
    ],
)
def test_deals_that_are_damaged_are_not_taken(
    game: Game, change: dict[str, Any], sentence: str
) -> None:
    (played,) = Match(game, agents(game), 10, 3, batch_size=30).play()
    match = Match(game, agents(game), 10, 3)
    with pytest.raises(SpecError, match=sentence):
        match.take(replace(played, **change))
    match.take(played)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt()], ids=repr)
def test_an_agent_cannot_end_the_program(game: Game, error: BaseException, workers: int) -> None:
    class Leaver(FailsOn):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            raise error

    with pytest.raises(Misbehaviour, match=f"deal 0, .* raised {type(error).__name__}"):
        arena.play(game, [Leaver(game)], 10, 1, workers=workers)


def test_a_match_that_nobody_follows_any_more_keeps_what_was_played(game: Game) -> None:
    for workers in (1, 2):
        match = Match(game, agents(game), 1000, 3, batch_size=15, workers=workers)
        for batch in match.play():
            if batch.end >= 20:
                break
        assert len(match.result().deals) == 20
    with pytest.raises(KibitzError, match="not a single deal"):
        Match(game, agents(game), 10, 3).result()


@pytest.mark.parametrize("way", [{}, {"batch_size": 1}, {"workers": 2}, {"batch_size": 600}])
def test_a_fault_stops_at_its_deal_however_the_match_is_cut(
    game: Game, way: dict[str, Any]
) -> None:
    frail = FailsOn(game)
    frail.deals = (17, 90)
    match = Match(game, [frail, *agents(game, 1)], 200, 3, **way)
    with pytest.raises(Misbehaviour, match="deal 17, rotation 0, raised RuntimeError"):
        list(match.play())
    assert match.result().deals.tolist() == list(range(17))


def test_forfeits_are_counted_and_cost_the_lowest_score(game: Game) -> None:
    frail = FailsOn(game)
    frail.deals = (17, 90)
    players = [frail, *agents(game, 1)]
    result = arena.play(game, players, 100, 3, conduct=Conduct(on_error="forfeit"))
    assert [(fault.deal, fault.rotation) for fault in result.faults] == [
        (deal, rotation) for deal in (17, 90) for rotation in (0, 1, 2)
    ]
    assert result.sample.per_deal[[17, 90], 0].tolist() == [game.score_range[0]] * 2
    counted = {row.spec: row.n_faults for row in result.standings()}
    assert counted == {"fails-on": 6, "random": 0}
    for fault in result.faults:
        assert fault.record is not None
        assert not replay(fault.record).is_over


class FailsLate(FailsOn):
    """Fails in most games, in some of them sooner than in others."""

    name = "fails-late"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        for view, seat, number in zip(views, seats.tolist(), games.tolist(), strict=True):
            if len(self.game.legal(view, seat)) <= (number + seat) % 4:
                raise RuntimeError("tired")
        return super().act(views, seats, rngs, games)


@pytest.mark.parametrize("way", [{"batch_size": 1}, {"batch_size": 12}, {"workers": 2}], ids=str)
def test_faults_have_the_same_order_however_the_match_is_cut(way: dict[str, Any]) -> None:
    game = kibitz.load_game("nimmt:players=3")
    players = [FailsLate(game), *agents(game, 1)]
    conduct = Conduct(on_error="forfeit")
    whole = arena.play(game, players, 20, 3, batch_size=60, conduct=conduct).faults
    assert len({fault.n_actions for fault in whole}) > 1
    assert arena.play(game, players, 20, 3, conduct=conduct, **way).faults == whole
    places = [(fault.deal, fault.rotation, fault.n_actions) for fault in whole]
    assert places == sorted(places)


def test_agents_that_are_not_registered_do_not_play_in_processes(game: Game) -> None:
    with pytest.raises(KibitzError, match="play with threads"):
        arena.play(game, [FailsOn(game)], 10, 1, pool="processes")


@pytest.mark.parametrize(
    ("players", "deals", "bad"),
    [
        (0, 10, {}),
        (1, 0, {}),
        (1, 2.5, {}),
        (1, "10", {}),
        (1, True, {}),
        (1, 10**8, {}),
        (1, 10, {"workers": 0}),
        (1, 10, {"workers": 1.5}),
        (1, 10, {"batch_size": 0}),
        (1, 10, {"batch_size": 7.0}),
        (1, 10, {"pool": "x"}),
        (2**15, 10, {}),
    ],
)
def test_a_match_needs_deals_agents_and_workers(
    game: Game, players: int, deals: Any, bad: dict[str, Any]
) -> None:
    with pytest.raises(SpecError):
        arena.play(game, agents(game, players), deals, 1, **bad)


def result_of(game: Game, lineup: Any, scores: Any, names: str) -> Result:
    shape = np.array(lineup).shape
    return Result(
        game,
        tuple(names.split()),
        0,
        np.arange(shape[0]),
        np.array(lineup, np.int16),
        np.array(scores, float),
        np.ones((len(names.split()), 2)),
        np.full((len(names.split()), 2), 4),
        1.0,
        [],
        [],
    )


def test_all_games_of_a_deal_are_one_sample() -> None:
    game = kibitz.load_game("duel:players=2")
    result = result_of(
        game, [[[0, 1], [1, 0]]] * 2, [[[3, 1], [1, 1]], [[0, 2], [2, 4]]], "random random"
    )
    assert result.sample.per_deal.tolist() == [[2, 1], [2, 2]]
    first, second = result.standings()
    assert (first.label, first.score.mean) == ("random", 2)
    assert (second.label, second.score.mean) == ("random #2", 1.5)
    assert first.wins.mean == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    assert first.seconds_per_move == 0.25
    (pair,) = result.paired()
    assert pair.difference.mean == 0.5
    assert result.sample.lead(1, 0).mean == -0.5
    assert [rank.mean for rank in result.sample.ranks(0)] == pytest.approx([0.625, 0.375])


def test_differing_deals_count_where_exactly_one_beats_the_defender() -> None:
    game = kibitz.load_game("duel:players=2")
    tables = [[0, 2], [2, 0], [1, 2], [2, 1]]
    scores = [
        [[1, 0], [0, 1], [0, 1], [0, 1]],  # a wins from both sides, b from the second
        [[1, 1], [1, 0], [1, 0], [1, 0]],  # only b wins, from the first
    ]
    result = result_of(game, [tables] * 2, scores, "a b d")
    differing = result.sample.differing(0, 1, 2)
    assert (differing.n, differing.wins) == (2, 1)
    with pytest.raises(SpecError, match="both sides"):
        result.sample.differing(0, 2, 1)
    large = kibitz.load_game("duel:players=3")
    with pytest.raises(SpecError, match="two sides"):
        arena.play(large, agents(large, 3), 5, 1).sample.differing(0, 1, 2)


def test_an_agent_alone_has_no_spread(game: Game) -> None:
    (row,) = arena.play(game, agents(game, 1), 50, seed=1).standings()
    assert row.score.mean == pytest.approx(1)  # one agent on all seats shares three turns
    assert row.score.margin == pytest.approx(0)
    assert row.wins.mean == pytest.approx(1 / 3)


def test_random_tables_give_everybody_the_same_number_of_games() -> None:
    game = kibitz.load_game("nimmt:players=3")
    players = ["highest", "random", "lowest", "closest", "random"]
    loaded = [kibitz.load_agent(spec, game) for spec in players]
    seating = RandomTables(5, (0, 1, 2), seed=1)
    result = arena.play(game, loaded, 400, 1, seating=seating)
    assert [len(result.sample.game_scores(a)) for a in range(5)] == [1200] * 5
    ratings = result.sample.ratings()
    assert abs(ratings.difference(1, 4).mean) < 3 * ratings.difference(1, 4).margin


def test_highest_against_random_players_has_its_known_mean() -> None:
    result = arena.play("nimmt:players=5", ["highest", "random"], 6000, 1)
    error = result.sample.score(0).margin / 1.96
    assert abs(result.sample.score(0).mean - -10.32) < 3 * error
    assert error < 0.05


def test_team_mates_are_one_side_in_every_statistic() -> None:
    plain = kibitz.load_game("duel:players=4")
    game = Game(replace(plain.facts, teams=lambda options: (0, 1, 0, 1)), plain.options)
    result = result_of(game, [[[0, 1, 0, 1], [1, 0, 1, 0]]], [[[5, 2, 5, 2], [1, 3, 1, 3]]], "a b")
    assert result.sample.per_deal.tolist() == [[4, 1.5]]
    assert result.sample.wins(0).mean == 1
    assert result.sample.n_games(0) == 2


def test_a_forfeit_costs_the_whole_team() -> None:
    plain = kibitz.load_game("duel:players=4")
    game = Game(replace(plain.facts, teams=lambda options: (0, 1, 0, 1)), plain.options)
    low, high = game.score_range

    class Absent(FailsOn):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            raise RuntimeError

    players = [Absent(game), kibitz.load_agent("random", game)]
    result = arena.play(game, players, 3, 1, conduct=Conduct(on_error="forfeit"))
    assert result.scores[0].tolist() == [[low, high, low, high], [high, low, high, low]]


def test_a_worker_process_that_dies_is_told_and_costs_nothing_played() -> None:
    game = kibitz.load_game("connect4")
    match = Match(game, agents(game), 5000, 1, workers=2, pool="processes", batch_size=100)

    batches = match.play()
    next(batches)
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(KibitzError, match="a worker process died"):
        list(batches)
    assert match.has_played


def test_batches_grow_only_by_what_batches_of_their_size_took() -> None:
    sizes = _Sizes(None, 100)
    for _ in range(16):  # submitted before the first came back
        sizes.note(1, 0.2)
    assert sizes.size == 2
    sizes.note(2, 3.0)
    assert sizes.size == 1
