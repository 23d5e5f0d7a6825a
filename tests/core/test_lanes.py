"""Lanes: games that are dealt again one by one, and hand out all that happened in them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import kibitz
from kibitz import AgentError, Game, IllegalAction, SpecError
from kibitz.core import slots
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.batch import Batch
from kibitz.core.decisions import Decisions
from kibitz.core.driver import Schedule, play
from kibitz.core.game import Actions, Scores, States
from kibitz.core.lanes import LEARNER, Finished, Lanes, Turn
from kibitz.core.record import Record
from kibitz.core.rng import Rngs, below
from kibitz.core.table import Origin, Table
from kibitz.search.random import RandomAgent

SEED = 7


@pytest.fixture
def game() -> Game:
    return kibitz.load_game("duel:players=3,rounds=2")


def first(turn: Turn) -> Actions:
    """Choose the first action that is listed."""
    return turn.legal.actions[turn.legal.offsets[:-1]]


def at_random(turn: Turn) -> Actions:
    """Choose as the random agent does, from the streams of the turn."""
    lists = np.split(turn.legal.actions, turn.legal.offsets[1:-1])
    draws = [one[below(rng, len(one))] for one, rng in zip(lists, turn.rngs, strict=True)]
    return np.array(draws)


class Randomly(Agent):
    """Chooses like `at_random`."""

    name = "learner"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        lists = [self.game.legal(view, int(seat)) for view, seat in zip(views, seats, strict=True)]
        return Decisions(
            np.array([one[below(rng, len(one))] for one, rng in zip(lists, rngs, strict=True)])
        )


def run(lanes: Lanes, steps: int) -> Iterator[Finished]:
    """Answer at random, so many times."""
    for _ in range(steps):
        yield lanes.answer(at_random(lanes.ask()))


def driven(game: Game, agents: list[Agent], lineups: list[list[int]]) -> list[Record]:
    """Let the driver play deals from number 0 on."""
    n = len(lineups)
    plan = Schedule(SEED, np.arange(n), np.zeros(n, np.int64), np.array(lineups))
    return play(game, agents, plan, records=True).records


def totals_by_round(game: Game, record: Record) -> list[list[float]]:
    """Replay a record by hand and note the scores whenever the next round is dealt."""
    table = Table(game, Origin(record.seed, record.deal), plays_forced=False)
    noted, n_rounds = [], 1
    for seat, text in record.actions:
        table.play(seat, text)
        if table.batch.books[0].n_rounds > n_rounds:
            n_rounds += 1
            noted.append(table.scores.tolist())
    return [*noted, table.scores.tolist()]


@pytest.mark.parametrize(
    ("spec", "player", "n"),
    [
        ("duel:players=3,rounds=2", "random", 4),
        ("connect4", "random", 3),
        ("nimmt:players=2,match=66", "random", 2),
        ("sheephead:hands=3", "random", 3),
        ("tichu:match=300", "rule", 2),
    ],
)
def test_a_finished_game_is_what_the_driver_plays(spec: str, player: str, n: int) -> None:
    game = kibitz.load_game(spec)
    agent = kibitz.load_agent(player, game)
    lanes = Lanes(game, n, SEED)
    records: list[Record] = []
    rounds: list[Scores] = []
    while len(records) < 3:
        turn = lanes.ask()
        chosen = agent.act(turn.views, turn.seats, turn.rngs, turn.games).actions
        done = lanes.answer(chosen)
        records += lanes.records(done)
        rounds += np.split(done.rounds, done.round_offsets[1:-1]) if len(done) else []
    played = driven(game, [agent], [[0] * game.n_seats] * (max(r.deal for r in records) + 1))
    names = ("learner",) * game.n_seats
    assert records == [played[r.deal].model_copy(update={"seats": names}) for r in records]
    for record, added in zip(records, rounds, strict=True):
        assert np.cumsum(added, axis=0).tolist() == totals_by_round(game, record)


def test_deals_are_numbered_as_slots_take_them() -> None:
    lanes = Lanes(kibitz.load_game("duel:players=2,rounds=1"), 2, SEED)
    dealt, ended = [], []
    for _ in range(5):  # two real choices a game: the last card is forced
        turn = lanes.ask()
        dealt.append(sorted(set(zip(turn.slots.tolist(), turn.games.tolist(), strict=True))))
        ended.append(lanes.answer(first(turn)).games.tolist())
    now, then, last = [(0, 0), (1, 1)], [(0, 2), (1, 3)], [(0, 4), (1, 5)]
    assert dealt == [now, now, then, then, last]
    assert ended == [[], [0, 1], [], [2, 3], []]


def test_no_slot_is_ever_idle() -> None:
    lanes = Lanes(kibitz.load_game("connect4"), 8, SEED)
    lengths = set()
    for _ in range(100):
        turn = lanes.ask()
        assert turn.slots.tolist() == list(range(8))
        done = lanes.answer(at_random(turn))
        lengths |= set(np.diff(done.log_offsets).tolist())
    assert len(lengths) > 5  # games of all lengths ended, at different times


def test_the_same_seed_gives_the_same_games(game: Game) -> None:
    one, other, third = (
        [line for done in run(lanes, 30) for line in lanes.records(done)]
        for lanes in (Lanes(game, 3, SEED), Lanes(game, 3, SEED), Lanes(game, 3, SEED + 1))
    )
    assert one == other
    assert one != third


def test_logs_are_whole_however_often_they_are_moved(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Lanes(game, 3, SEED)
    monkeypatch.setattr(slots, "MAX_PASSES", 2)
    lanes = Lanes(game, 3, SEED)
    for one, other in zip(run(expected, 40), run(lanes, 40), strict=True):
        assert lanes.records(other) == expected.records(one)
        assert other.decisions.ids.tolist() == one.decisions.ids.tolist()
        assert other.decisions.numbers.tolist() == one.decisions.numbers.tolist()


def test_what_is_kept_comes_back_with_its_decision(game: Game) -> None:
    lanes = Lanes(game, 5, SEED)
    n = 0
    for _ in range(60):
        turn = lanes.ask()
        about = np.stack([turn.games, turn.seats, turn.numbers, turn.rounds, turn.ids], axis=1)
        chosen = at_random(turn)
        done = lanes.answer(chosen, about=about, views=turn.views, chosen=chosen)
        said = done.decisions
        rows = [done.games[said.games], said.seats, said.numbers, said.rounds, said.ids]
        assert done.kept["about"].tolist() == np.stack(rows, axis=1).tolist()
        assert done.kept["chosen"].tolist() == said.actions.tolist()
        for view, seat, action in zip(done.kept["views"], said.seats, said.actions, strict=True):
            assert action in game.legal(view, int(seat))
        n += len(said.ids)
    assert n > 200


def test_decisions_are_in_the_order_of_games_seats_and_numbers(game: Game) -> None:
    lanes = Lanes(game, 2, SEED)
    done = next(done for done in run(lanes, 10) if len(done))
    said = done.decisions
    # Two rounds of three cards: the third of each round is forced and has a number, too.
    assert said.numbers.tolist() == [0, 1, 3, 4] * 3 * len(done)
    assert said.rounds.tolist() == [0, 0, 1, 1] * 3 * len(done)
    assert said.seats.tolist() == ([0] * 4 + [1] * 4 + [2] * 4) * len(done)
    assert done.is_last.tolist() == [False, False, False, True] * 3 * len(done)
    assert done.returns.tolist() == np.repeat(done.scores.ravel(), 4).tolist()
    assert np.diff(done.log_offsets).tolist() == [18] * len(done)
    # What a seat's two rounds brought is what it has in the end.
    assert (
        done.round_scores[0::4] + done.round_scores[2::4]
    ).tolist() == done.scores.ravel().tolist()


def test_legal_actions_are_those_of_the_view(game: Game) -> None:
    lanes = Lanes(game, 3, SEED, agents=[RandomAgent(game)], lineup=[[LEARNER, 0, LEARNER]])
    for _ in range(12):
        turn = lanes.ask()
        lists = np.split(turn.legal.actions, turn.legal.offsets[1:-1])
        pairs = zip(turn.views, turn.seats, strict=True)
        assert [one.tolist() for one in lists] == [game.legal(v, int(s)) for v, s in pairs]
        lanes.answer(first(turn))


def test_a_batch_hands_over_what_it_has_listed(game: Game) -> None:
    batch = Batch(game.blank(1), 3, keep=False, lists=True)
    batch.begin(SEED, np.arange(40), np.zeros(40, np.int64))
    batch.settle()
    questions = batch.ask(np.tile([1, 0, 1], (40, 1)), 2)
    for agent in (0, 1):
        offered, asked = batch.legal(questions, agent), next(batch.show(questions, agent))
        lists = np.split(offered.actions, offered.offsets[1:-1])
        pairs = zip(asked.views, asked.seats, strict=True)
        assert [one.tolist() for one in lists] == [game.legal(v, int(s)) for v, s in pairs]


def test_an_oracle_sees_the_true_states_of_a_turn() -> None:
    game = kibitz.load_game("nimmt:players=2")
    assert game.oracle is not None
    lanes = Lanes(game, 3, SEED)
    tables = [game.deal(SEED, deal) for deal in range(3)]
    for _ in range(5):
        turn = lanes.ask()
        states = np.array([tables[deal].state for deal in turn.games], game.rules.STATE)
        assert (lanes.observe_oracle() == game.oracle.observe(states, turn.seats)).all()
        chosen = first(turn)
        lanes.answer(chosen)
        for deal, seat, action in zip(turn.games, turn.seats, chosen, strict=True):
            tables[deal].play(int(seat), int(action))


def test_lanes_of_a_game_without_an_oracle_say_so(game: Game) -> None:
    with pytest.raises(SpecError, match="duel:players=3,rounds=2 has no oracle"):
        Lanes(game, 3, SEED).observe_oracle()


class Noting(Randomly):
    """Remembers which games it was asked in, and which are over."""

    name = "noting"

    def __init__(self, game: Game, config: Any = None) -> None:
        super().__init__(game, config)
        self.asked: set[tuple[int, int]] = set()
        self.ended: list[int] = []

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        self.asked |= set(zip(games.tolist(), seats.tolist(), strict=True))
        return super().act(views, seats, rngs, games)

    def end(self, games: Games) -> None:
        self.ended += games.tolist()


def test_agents_of_a_lineup_play_whole_games(game: Game) -> None:
    noting = Noting(game)
    rows = [[LEARNER, 0, 1], [1, LEARNER, LEARNER]]
    lanes = Lanes(game, 3, SEED, agents=[RandomAgent(game), noting], lineup=rows)
    asked, records = set(), []
    for _ in range(40):
        turn = lanes.ask()
        asked |= set(zip(turn.games.tolist(), turn.seats.tolist(), strict=True))
        done = lanes.answer(at_random(turn))
        assert done.lineup.tolist() == [rows[deal % 2] for deal in done.games]
        records += lanes.records(done)
    assert {seat == deal % 2 for deal, seat in asked if deal % 2 == 0} == {True}
    assert {seat for deal, seat in asked if deal % 2} == {1, 2}
    assert noting.asked == {(deal, 0 if deal % 2 else 2) for deal, _ in noting.asked}
    assert sorted(noting.ended) == sorted(record.deal for record in records)
    seats = [[0, 1, 2] if deal % 2 == 0 else [2, 0, 0] for deal in range(99)]
    played = driven(game, [Randomly(game), RandomAgent(game), noting], seats)
    assert len(records) > 10
    assert records == [played[record.deal] for record in records]


def test_games_that_end_while_agents_play_on_are_handed_out() -> None:
    game = kibitz.load_game("connect4")
    lanes = Lanes(game, 1, SEED, agents=[RandomAgent(game)], lineup=[[LEARNER, 0], [0, LEARNER]])
    records = [line for done in run(lanes, 150) for line in lanes.records(done)]
    assert [record.deal for record in records] == list(range(len(records)))
    seats = [[0, 1] if record.deal % 2 == 0 else [1, 0] for record in records]
    assert records == driven(game, [Randomly(game), RandomAgent(game)], seats)
    assert {len(record.actions) % 2 for record in records} == {0, 1}


def test_an_agent_that_is_added_plays_the_deals_after(game: Game) -> None:
    newest = [0]

    def lineup(deals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.tile([LEARNER, LEARNER, newest[0]], (len(deals), 1))

    lanes = Lanes(game, 2, SEED, agents=[RandomAgent(game)], lineup=lineup)
    seen: list[int] = []
    for step in range(20):
        if step == 5:
            newest[0] = lanes.add(Noting(game))
        seen += lanes.answer(first(lanes.ask())).lineup[:, 2].tolist()
    assert newest == [1]
    assert seen == [0] * 4 + [1] * (len(seen) - 4)  # two games of four decisions are running then
    assert len(seen) == 10


def test_an_illegal_action_is_refused_and_nothing_is_applied(game: Game) -> None:
    lanes, untouched = Lanes(game, 3, SEED), Lanes(game, 3, SEED)
    turn = lanes.ask()
    wrong = first(turn)
    wrong[4] = 77
    with pytest.raises(IllegalAction, match="illegal action 77 of seat 1 at decision 4"):
        lanes.answer(wrong)
    assert lanes.ask() is turn
    lanes.answer(first(turn))
    untouched.answer(first(untouched.ask()))
    assert lanes.ask().views.tobytes() == untouched.ask().views.tobytes()


@pytest.mark.parametrize(
    "actions", [np.zeros(8, np.int64), np.zeros(9), np.zeros((9, 1), int), [[1], [1, 2]], None]
)
def test_actions_of_another_shape_or_type_are_refused(game: Game, actions: Any) -> None:
    lanes = Lanes(game, 3, SEED)
    with pytest.raises(SpecError, match="expected 9 whole numbers"):
        lanes.answer(actions)
    assert len(lanes.answer(first(lanes.ask()))) == 0


def test_what_is_kept_must_fit_the_decisions(game: Game) -> None:
    lanes = Lanes(game, 3, SEED)
    with pytest.raises(SpecError, match="kept as x needs a row of numbers for each of the 9"):
        lanes.answer(first(lanes.ask()), x=np.zeros(8))
    with pytest.raises(SpecError, match="kept as x"):
        lanes.answer(first(lanes.ask()), x=np.array([None] * 9))
    lanes.answer(first(lanes.ask()), x=np.zeros((9, 2)))
    with pytest.raises(SpecError, match=r"at first 'x float64\[2\]', now 'y float64\[2\]'"):
        lanes.answer(first(lanes.ask()), y=np.zeros((9, 2)))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"n": 0}, "1 to 65536 games"),
        ({"n": 2.5}, "1 to 65536 games"),
        ({"seed": -1}, "a seed lies between"),
        ({"game": "duel"}, "expected a game"),
        ({"lineup": [LEARNER, LEARNER]}, r"has shape \(3, 3\)"),
        ({"lineup": [[LEARNER], [0, 1]]}, "has shape"),
        ({"lineup": [LEARNER, LEARNER, 1]}, "1 agents from 0 on, got -1 to 1"),
        ({"lineup": [0, 0, 0]}, "deal 0 has no seat for a learner"),
        ({"lineup": lambda deals: None}, "has shape"),
    ],
)
def test_what_makes_no_sense_is_refused(game: Game, words: dict[str, Any], why: str) -> None:
    given = {"game": game, "n": 3, "seed": SEED, "agents": [RandomAgent(game)], **words}
    with pytest.raises(SpecError, match=why):
        Lanes(**given)


def test_agents_that_cannot_play_here_are_refused(game: Game) -> None:
    class Watching(Randomly):
        def watch(self, views: States, seats: Seats, games: Games) -> None:
            pass

    with pytest.raises(AgentError, match="expected an agent"):
        Lanes(game, 3, SEED, agents=["random"])  # type: ignore[list-item]
    with pytest.raises(AgentError, match="was made for duel"):
        Lanes(game, 3, SEED, agents=[RandomAgent(kibitz.load_game("duel:players=4"))])
    with pytest.raises(AgentError, match="looks on between its decisions"):
        Lanes(game, 3, SEED, agents=[Watching(game)])


def test_faults_of_agents_inside_come_through(game: Game) -> None:
    class Wrong(Agent):
        name = "wrong"
        answer: Any = None

        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            return Decisions(self.answer(len(views)))

    def crash(n: int) -> Actions:
        raise ZeroDivisionError

    agent = Wrong(game)
    lanes = Lanes(game, 3, SEED, agents=[agent], lineup=[LEARNER, LEARNER, 0])
    agent.answer = crash
    with pytest.raises(ZeroDivisionError):
        lanes.ask()
    agent.answer = np.zeros
    with pytest.raises(AgentError, match="'wrong' answered 3 views with actions of shape"):
        lanes.ask()
    agent.answer = lambda n: np.full(n, 77)
    with pytest.raises(AgentError, match="'wrong' chose 77, which is illegal"):
        lanes.answer(first(lanes.ask()))


def told(finished: Finished) -> list[Any]:
    """Return all that finished games say."""
    parts = [finished.games, finished.slots, finished.scores, finished.rounds, finished.lineup]
    parts += [*finished.decisions, finished.log["action"], finished.log["seat"]]
    return [*(part.tolist() for part in parts), *(a.tolist() for a in finished.kept.values())]


def go_on(lanes: Lanes, steps: int) -> list[Any]:
    """Answer at random and keep something of every decision; return all that has ended."""
    ended = []
    for _ in range(steps):
        turn = lanes.ask()
        kept = turn.ids.astype(np.float32)[:, None] + np.arange(3, dtype=np.float32)
        ended.append(told(lanes.answer(at_random(turn), kept=kept, seat=turn.seats)))
    return ended


@pytest.mark.parametrize("spec", ["duel:players=3,rounds=3", "connect4", "nimmt:players=3"])
@pytest.mark.parametrize("steps", [0, 1, 7, 30])
def test_lanes_go_on_from_their_state_as_if_nothing_had_happened(spec: str, steps: int) -> None:
    game = kibitz.load_game(spec)

    def make() -> Lanes:
        lineup = np.full((2, game.n_seats), LEARNER)
        lineup[1, 0] = 0
        return Lanes(game, 5, SEED, agents=[kibitz.load_agent("random", game)], lineup=lineup)

    lanes, other = make(), make()
    go_on(lanes, steps)
    go_on(other, 3)  # what was in them before is forgotten
    other.restore(lanes.state())
    for _ in range(3):
        assert go_on(other, 12) == go_on(lanes, 12)
    again = make()
    again.restore(other.state())
    assert go_on(again, 12) == go_on(other, 12)


def test_the_state_of_lanes_is_taken_between_questions(game: Game) -> None:
    lanes = Lanes(game, 2, SEED)
    lanes.ask()
    with pytest.raises(SpecError, match="after an answer, before the next question"):
        lanes.state()
    turn = lanes.ask()
    lanes.answer(first(turn), views=turn.views.copy())
    with pytest.raises(SpecError, match="views is kept as records"):
        lanes.state()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"actions": lambda a: a + 1}, "is not by the rules of duel"),
        ({"seats": lambda a: a * 0}, "is not by the rules of duel"),
        ({"seats": lambda a: a + 5}, "seats in the state of lanes has numbers out of range"),
        ({"actions": lambda a: a[:-1]}, "actions in the state of lanes must be whole numbers"),
        ({"deals": lambda a: a.astype(float)}, "deals in the state of lanes must be whole"),
        ({"deals": lambda a: a + 10**6}, "deals in the state of lanes has numbers out of range"),
        ({"offsets": lambda a: a[::-1].copy()}, "must cut the log"),
        ({"ids": lambda a: np.zeros_like(a)}, "of different decisions"),
        ({"lineup": lambda a: a + 1}, "other than 0 agents"),
        ({"next_id": lambda a: "x"}, "next_id in the state of lanes must be a whole number"),
        ({"kept": lambda a: 3}, "kept in the state of lanes must be arrays by name"),
        ({"kept": lambda a: {"x": np.zeros(1)}}, "'x' in the state of lanes needs"),
    ],
)
def test_states_of_other_lanes_are_refused(
    game: Game, changed: dict[str, Any], complaint: str
) -> None:
    lanes = Lanes(game, 4, SEED)
    go_on(lanes, 5)
    state = lanes.state()
    for name, change in changed.items():
        state[name] = change(state[name])
    with pytest.raises(SpecError, match=complaint):
        Lanes(game, 4, SEED).restore(state)
