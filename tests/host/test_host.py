"""A table that people and agents share."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.conduct import Misbehaviour
from kibitz.core.decisions import Decisions
from kibitz.core.errors import IllegalAction, PositionError
from kibitz.core.game import SPECTATOR, States, conceal
from kibitz.core.rng import Rngs
from kibitz.core.table import Origin, Table
from kibitz.host import Host
from kibitz.review.telling import Chronicle, Event
from tests.games.tichu_hands import position

SPECS = ["connect4", "nimmt:players=3,rows=free", "tichu", "sheephead:hands=2"]


def host_of(spec: str, *, people: tuple[int, ...] = (), seed: int = 5, vs: str = "random") -> Host:
    """Open a table with people at some seats and the same bot at all others."""
    game = kibitz.load_game(spec)
    bot = kibitz.load_agent(vs, game)
    seats = range(game.n_seats)
    return Host(game.deal(seed), [None if seat in people else bot for seat in seats])


def finish(host: Host, pick: random.Random) -> Iterator[int]:
    """Play for the people at random until the end; yield after every action of theirs."""
    host.advance()
    while not host.is_over:
        seat = next(iter(host.waiting))
        host.play(seat, pick.choice(host.legal(seat)))
        yield seat
        host.advance()


@pytest.mark.parametrize("spec", SPECS)
def test_agents_alone_play_as_they_do_in_a_match(spec: str) -> None:
    game = kibitz.load_game(spec)
    table = game.deal(5)
    kibitz.play_out(table, [kibitz.load_agent("random", game) for _ in range(game.n_seats)])
    host = host_of(spec)
    host.advance()
    assert host.is_over
    assert host.record().actions == table.record().actions
    assert host.scores.tolist() == table.scores.tolist()


@pytest.mark.parametrize("spec", SPECS)
def test_a_table_goes_on_from_its_record_as_if_never_left(spec: str) -> None:
    whole, pick = host_of(spec, people=(1,)), random.Random(3)
    records = [whole.record() for _ in finish(whole, pick)]
    for record in records[:: max(len(records) // 4, 1)]:
        table = kibitz.replay(record)
        bot = kibitz.load_agent("random", table.game)
        again = Host(table, [None if s == 1 else bot for s in range(table.game.n_seats)])
        typed = [text for seat, text in whole.record().actions if seat == 1]
        again.advance()
        while not again.is_over:
            again.play(1, typed[sum(seat == 1 for seat, _ in again.record().actions)])
            again.advance()
        assert again.record().actions == whole.record().actions
        for viewer in (SPECTATOR, 0, 1):
            ours, theirs = (
                [one.as_json(table.game) for one in host.events(viewer)] for host in (again, whole)
            )
            assert ours == theirs


class Noting(Agent):
    """Plays the first legal action; notes the numbers of tables and what it draws."""

    name = "noting"

    def __init__(self, game: kibitz.Game) -> None:
        super().__init__(game)
        self.asked: list[tuple[int, int, int]] = []
        self.ended: list[int] = []

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        self.asked.append((int(games[0]), int(seats[0]), int(rngs[0].counter)))
        return Decisions(np.array([self.game.legal(views[0], int(seats[0]))[0]]))

    def end(self, games: Games) -> None:
        self.ended += games.tolist()


def test_one_agent_sits_at_several_tables_and_draws_anew_for_every_decision() -> None:
    game = kibitz.load_game("nimmt:players=3")
    agent = Noting(game)
    hosts = [Host(game.deal(seed), [agent] * 3) for seed in (1, 2)]
    for host in hosts:
        host.advance()
    assert len({host.number for host in hosts}) == 2
    assert {table for table, _, _ in agent.asked} == {host.number for host in hosts}
    assert len({stream for _, _, stream in agent.asked}) == len(agent.asked)
    assert agent.ended == [host.number for host in hosts]


def test_agents_may_think_elsewhere_and_late_answers_do_not_count() -> None:
    host = host_of("nimmt:players=3", people=(0,))
    first, second = host.questions()
    assert (first.seat, second.seat) == (1, 2)
    assert host.answer(first, host.legal(1)[0])
    assert not host.answer(first, host.legal(2)[0])
    again = {question.seat: question for question in host.questions()}
    assert again[2].view.tobytes() == second.view.tobytes()  # nothing shows of what seat 1 chose
    host.play(0, host.legal(0)[0])
    host.advance()
    assert host.n_actions == 3


def test_people_are_refused_with_a_reason() -> None:
    host = host_of("nimmt:players=3", people=(0,))
    missing = next(card for card in range(1, 105) if card not in host.legal(0))
    with pytest.raises(IllegalAction) as refused:
        host.play(0, missing)
    error = refused.value
    assert (error.message.code, error.message.facts) == ("nimmt.not-held", {"card": missing})
    assert (error.seat, error.action) == (0, missing)
    assert error.position == host.game.format(host.view(0))
    with pytest.raises(IllegalAction, match="random sits at seat 1"):
        host.play(1, host.legal(1)[0])
    with pytest.raises(PositionError, match="expected a card") as malformed:
        host.play(0, "x")
    assert malformed.value.message.code == "nimmt.not-an-action"
    assert host.n_actions == 0


def test_seats_change_hands_and_everybody_is_told() -> None:
    host = host_of("connect4", people=(0, 1))
    host.play(0, "4")
    host.replace(1, kibitz.load_agent("centre", host.game))
    host.advance()
    assert [text for _, text in host.record().actions] == ["4", "4"]
    assert host.record().seats == ("person", "centre")
    host.replace(1, None)
    assert list(host.waiting) == [0]
    told = [str(event.message) for event in host.events()]
    assert told == ["column 4", "seat 1 is centre now", "column 4", "seat 1 is person now"]
    later = Host(kibitz.replay(host.record()), [None, None], changes=host.changes)
    assert [one.as_json(host.game) for one in later.events(0)] == [
        one.as_json(host.game) for one in host.events(0)
    ]


def test_events_are_numbered_and_can_be_asked_for_from_any_of_them() -> None:
    host = host_of("connect4", people=(0,))
    for _ in finish(host, random.Random(1)):
        pass
    events = host.events(0)
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert host.events(0, since=3) == events[3:]
    assert host.events(0, since=len(events)) == []


class Broken(Agent):
    """Plays a column that is not there, or fails."""

    name = "broken"
    fails = False

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        if self.fails:
            raise ValueError("no idea")
        return Decisions(np.array([9]))


@pytest.mark.parametrize(
    ("fails", "why"), [(False, "chose 9, which is illegal"), (True, "raised ValueError")]
)
def test_an_agent_that_misbehaves_leaves_the_table_as_it_was(fails: bool, why: str) -> None:
    game = kibitz.load_game("connect4")
    broken = Broken(game)
    broken.fails = fails
    host = Host(game.deal(1), [None, broken])
    host.play(0, "4")
    with pytest.raises(Misbehaviour, match=why):
        host.advance()
    assert host.n_actions == 1
    host.replace(1, kibitz.load_agent("centre", game))
    host.advance()
    assert host.n_actions == 2


def test_nobody_has_waited_yet_for_who_sits_down() -> None:
    game, now = kibitz.load_game("connect4"), [0.0]
    host = Host(game.deal(1), [None, None], clock=lambda: now[0])
    now[0] = 9.0
    assert host.waiting == {0: 9.0}
    host.replace(0, kibitz.load_agent("random", game))
    host.replace(0, None)
    assert host.waiting == {0: 0.0}


def test_thinking_times_are_kept() -> None:
    now = [0.0]
    game = kibitz.load_game("connect4")
    host = Host(game.deal(1), [None, None], clock=lambda: now[0])
    now[0] = 2.5
    assert host.waiting == {0: 2.5}
    host.play(0, "4")
    now[0] = 4.0
    assert host.waiting == {1: 1.5}
    assert host.seconds == [2.5, 0.0]


# No leak: what a viewer is told depends on nothing but what the viewer saw.


def seen_by(table: Table, viewer: int) -> bytes:
    """Return what a viewer sees of a table."""
    view = table.state.copy()
    conceal(view, viewer)
    return view.tobytes()


def told_to(table: Table, viewer: int) -> list[object]:
    """Return all that a viewer has been told, as a client gets it."""
    chronicle = Chronicle(table, viewer)
    chronicle.follow()
    return [event.as_json(table.game) for event in chronicle.events]


def twins(spec: str, deepest: int, pick: random.Random) -> tuple[Table, Table, int]:
    """Play some actions of a game twice; return both tables and who is to move there."""
    game, seed = kibitz.load_game(spec), pick.randrange(1000)
    one, other = game.deal(seed), game.deal(seed)
    for _ in range(pick.randrange(deepest)):
        seat = one.seat_to_move
        if seat is None:
            break
        action = pick.choice(one.legal(seat))
        one.play(seat, action)
        other.play(seat, action)
    return one, other, -1 if one.seat_to_move is None else one.seat_to_move


@pytest.mark.parametrize(
    ("spec", "deepest"),
    [("nimmt:players=3,rows=free", 12), ("tichu", 24), ("sheephead:hands=1", 5)],
)
def test_nobody_is_told_what_they_cannot_see(spec: str, deepest: int) -> None:
    """Replace one action by another: as long as a viewer sees no difference, none is told."""
    pick, n_alike = random.Random(spec), 0
    for _ in range(16):
        one, other, seat = twins(spec, deepest, pick)
        if seat < 0:
            continue
        legal = one.legal(seat)
        first, second = pick.sample(legal, 2)
        one.play(seat, first)
        other.play(seat, second)
        alike = set(range(SPECTATOR, one.game.n_seats)) - {seat}
        for _ in range(6):
            alike = {v for v in alike if seen_by(one, v) == seen_by(other, v)}
            for viewer in alike:
                assert told_to(one, viewer) == told_to(other, viewer)
                n_alike += 1
            mover = one.seat_to_move
            if not alike or mover is None or mover != other.seat_to_move:
                break
            both = [a for a in one.legal(mover) if a in other.legal(mover)]
            if not both:
                break
            action = pick.choice(both)
            one.play(mover, action)
            other.play(mover, action)
    assert n_alike > 12


@pytest.mark.parametrize("spec", SPECS)
def test_a_view_and_the_end_of_a_round_are_what_conceal_leaves(spec: str) -> None:
    host, pick = host_of(spec, people=(0,)), random.Random(2)
    table = host._table
    for _ in finish(host, pick):
        for viewer in range(SPECTATOR, host.game.n_seats):
            assert host.view(viewer).tobytes() == seen_by(table, viewer)
    for viewer in range(SPECTATOR, host.game.n_seats):
        for event in host.events(viewer):
            if event.ended is not None:
                again = event.ended.copy()
                conceal(again, viewer)
                assert again.tobytes() == event.ended.tobytes()


def test_a_choice_is_told_when_it_is_revealed_and_not_before() -> None:
    host = host_of("nimmt:players=3", people=(0, 1, 2))
    for seat in (2, 1):
        host.play(seat, host.legal(seat)[-1])
        assert host.events(0) == []
        assert [event.seat for event in host.events(seat)] == [seat]
    host.play(0, host.legal(0)[-1])
    assert [event.seat for event in host.events(0)] == [2, 1, 0]
    assert [event.seat for event in host.events()] == [2, 1, 0]


def test_what_is_given_or_buried_is_told_to_nobody_else() -> None:
    host = host_of("tichu", seed=11)
    host.advance()
    for viewer in range(SPECTATOR, 4):
        texts = [event.text for event in host.events(viewer)]
        assert not any("give" in text for text in texts)
    bury = host_of("sheephead:hands=1", people=(0, 1, 2, 3, 4), seed=1)
    seat = next(iter(bury.waiting))
    bury.play(seat, "pick")
    bury.play(seat, bury.legal(seat)[0])
    (hidden,) = [one for one in bury.events() if str(one.message) == "buries two cards"]
    assert (hidden.action, hidden.text) == (None, "")
    assert is_told_in_full(bury.events(seat)[1])


def is_told_in_full(event: Event) -> bool:
    return event.action is not None and event.text.startswith("bury ")


def test_rows_that_are_taken_are_told_with_their_heads() -> None:
    for seed in range(5):
        host = host_of("nimmt:players=4,rows=free", seed=seed)
        host.advance()
        heads = [0] * 4
        for event in host.events():
            for one in event.outcome:
                assert one.code == "nimmt.takes-row"
                heads[int(str(one.facts["seat"]))] += int(str(one.facts["n"]))
        assert [-one for one in heads] == host.scores.tolist()


HANDS = ("KR KG 2R 2G 3B", "5S 6R 7G 8B TR", "9R 9G 9B 9S AG 4R", "5R 6G 7B 8S TG")
NO_BOMB = ("KR KG 2R 2G 3B", "9S 6R 7G 8B TR", "9R 9G 9B 5S AG 4R", "5R 6G 7B 8S TG")


def lead_king(hands: tuple[str, ...]) -> Host:
    """Let four people hold these cards, and the first one lead a king."""
    game = kibitz.load_game("tichu:match=round")
    state = position(*hands)
    state.won[0], state.tricks[0] = 50, 9
    origin = Origin(3, deals=(game.text.format_position(state),))
    host = Host(Table(game, origin), [None] * 4)
    host.play(0, "KR")
    return host


def test_moments_are_the_same_whether_the_table_waits_in_them_or_not() -> None:
    waits, goes_on = lead_king(HANDS), lead_king(NO_BOMB)
    (first,) = waits.moments
    assert (first.seconds, waits.is_open(first), waits.decision(2)) == (1.0, True, 0)
    assert [one.seconds for one in goes_on.moments] == [1.0, 0.4]
    assert not any(goes_on.is_open(one) for one in goes_on.moments)
    for seat in (SPECTATOR, 0, 3):
        assert first.view(seat).tobytes() == goes_on.moments[0].view(seat).tobytes()
        told = [host.events(seat, until=first.n_actions) for host in (waits, goes_on)]
        assert [one.as_json(waits.game) for one in told[0]] == [
            one.as_json(waits.game) for one in told[1]
        ]
    waits.play(2, "pass")
    assert [one.view().tobytes() for one in waits.moments] == [goes_on.moments[1].view().tobytes()]


def test_a_table_that_goes_on_from_its_record_has_the_moment_that_it_waits_in() -> None:
    waits, goes_on = (
        Host(kibitz.replay(host.record()), [None] * 4)
        for host in (lead_king(HANDS), lead_king(NO_BOMB))
    )
    assert [waits.is_open(one) for one in waits.moments] == [True]
    assert goes_on.moments == []
