"""The one loop that plays games."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import kibitz
from kibitz import AgentError, Game, SpecError
from kibitz.core import batch
from kibitz.core.agent import Agent, Games, PolicyAgent, Seats
from kibitz.core.conduct import Conduct, Misbehaviour, making
from kibitz.core.decisions import Decisions
from kibitz.core.driver import Schedule, play, play_out
from kibitz.core.game import States, legal
from kibitz.core.kernels import COMPILED
from kibitz.core.record import replay
from kibitz.core.registry import agent_class, agent_names, game_facts, game_names
from kibitz.core.rng import Rngs, random_bits
from kibitz.search.random import RandomAgent


@pytest.fixture
def game() -> Game:
    return kibitz.load_game("duel:players=3,rounds=2")


def schedule(games: int, lineup: list[int], seed: int = 1) -> Schedule:
    return Schedule(seed, np.arange(games), np.zeros(games, np.int64), np.tile(lineup, (games, 1)))


class Spy(Agent):
    """Plays its first card and remembers everything it was shown."""

    name = "spy"

    def __init__(self, game: Game, config: Any = None) -> None:
        super().__init__(game, config)
        self.asked: list[tuple[int, int, bytes, int]] = []
        self.ended: list[int] = []

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        out = np.zeros(3, np.int64)
        actions = []
        for view, seat, rng, number in zip(views, seats, rngs, games, strict=True):
            self.asked.append((int(number), int(seat), view.tobytes(), int(random_bits(rng))))
            legal(view, int(seat), out)
            actions.append(out[0])
        return Decisions(np.array(actions))

    def end(self, games: Games) -> None:
        self.ended += games.tolist()


class Watcher(Spy):
    """A spy that also looks between its decisions."""

    def __init__(self, game: Game, config: Any = None) -> None:
        super().__init__(game, config)
        self.seen: list[bytes] = []

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        self.seen += [view.tobytes() for view in views]


@dataclass(frozen=True)
class WrongConfig:
    """What to answer."""

    answer: str = "illegal"


class Wrong(Agent):
    """Answers nonsense."""

    name = "wrong"
    Config = WrongConfig

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        answers = {
            "illegal": np.full(len(views), 77),
            "short": np.zeros(0, np.int64),
            "float": np.zeros(len(views)),
            "ragged": [[1], [1, 2]],
        }
        if self.config.answer == "none":
            return None  # type: ignore[return-value]
        return Decisions(answers[self.config.answer])  # type: ignore[arg-type]


def test_agents_see_only_what_their_seat_may_know(game: Game) -> None:
    spy = Spy(game)
    play(game, [spy], schedule(3, [0, 0, 0]))
    for _, seat, view_bytes, _ in spy.asked:
        view = np.frombuffer(view_bytes, game.rules.STATE)[0]
        assert all(view.hand[other] == 0 for other in range(3) if other != seat)


def test_views_are_taken_before_anything_is_applied(game: Game) -> None:
    spy = Spy(game)
    play(game, [spy], schedule(1, [0, 0, 0]))
    views = [np.frombuffer(view, game.rules.STATE)[0] for _, _, view, _ in spy.asked]
    assert all((view.chosen[:3] == -2).all() for view in views)


def _whole(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return all the memory an array leads to."""
    return array if array.base is None else array.base


def test_agents_cannot_reach_what_others_are_shown(game: Game) -> None:
    class Keeper(Spy):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            self.kept = [views, seats, rngs]
            return super().act(views, seats, rngs, games)

    agents = [Keeper(game), Keeper(game)]
    play(game, agents, schedule(20, [0, 1, 1]))
    for ours, theirs in zip(agents[0].kept, agents[1].kept, strict=True):
        assert not np.shares_memory(_whole(ours), _whole(theirs))


def policies() -> list[tuple[str, str]]:
    """List games and their agents that are one compiled policy."""
    found = []
    for name in game_names():
        facts = game_facts(name)
        classes = {agent: agent_class(agent, facts) for agent in agent_names(facts)}
        found += [(name, agent) for agent, made in classes.items() if _is_policy(made)]
    return found


def _is_policy(agent: type[Agent]) -> bool:
    return issubclass(agent, PolicyAgent) and agent.act is PolicyAgent.act


@pytest.mark.parametrize(("spec", "agent"), policies())
def test_a_policy_decides_as_its_agent_does(spec: str, agent: str) -> None:
    game = kibitz.load_game(spec, defaults="arena")
    plain = kibitz.load_agent(agent, game)
    calls = []

    class Thoughtful(type(plain)):  # type: ignore[misc]
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            calls.append(len(views))
            decisions: Decisions = super().act(views, seats, rngs, games)
            return decisions

    thoughtful = Thoughtful(game)
    assert plain.as_policy is not None
    assert thoughtful.as_policy is None
    plan = schedule(20 if COMPILED else 2, [0] * game.n_seats)
    by_policy, by_views = (play(game, [one], plan, records=True) for one in (plain, thoughtful))
    assert by_policy.records == by_views.records
    assert by_policy.n_decisions.tolist() == by_views.n_decisions.tolist()
    assert sum(calls) == by_views.n_decisions.sum()
    assert (by_policy.seconds > 0).all()


def test_agents_that_are_one_policy_are_charged_for_what_they_are_asked() -> None:
    game = kibitz.load_game("nimmt:players=3")
    agents = [kibitz.load_agent(name, game) for name in ("random", "closest", "random")]
    plan = schedule(30, [0, 1, 2])
    together = play(game, agents, plan, records=True)
    assert (together.seconds > 0).all()
    assert together.seconds[0] == pytest.approx(together.seconds[2])  # asked as often
    for one in (0, 2):  # and each decides as it does without the other
        others = list(agents)
        others[one] = _Apart(game)
        alone = play(game, others, plan, records=True)
        assert [r.actions for r in alone.records] == [r.actions for r in together.records]


@pytest.mark.parametrize("bad", [ValueError("no"), SystemExit(3), KeyboardInterrupt(), 7, "x"])
def test_an_agent_that_cannot_say_whether_it_is_a_policy_is_at_fault(bad: Any) -> None:
    class Unsure(RandomAgent):
        @property
        def as_policy(self) -> Any:
            if isinstance(bad, BaseException):
                raise bad
            return bad

    game = kibitz.load_game("nimmt:players=3")
    agents = [Unsure(game), RandomAgent(game)]
    plan = schedule(4, [0, 1, 1])
    outcome = play(game, agents, plan, conduct=Conduct(on_error="forfeit"))
    assert outcome.faults
    assert {fault.seat for fault in outcome.faults} == {0}
    with pytest.raises(Misbehaviour):
        play(game, agents, plan)


class _Apart(RandomAgent):
    """Is asked by itself."""

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        return super().act(views, seats, rngs, games)


@pytest.mark.parametrize("batch_size", [1, 7, 100])
def test_a_log_that_is_full_goes_on_with_the_next_page(
    batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tichu = kibitz.load_game("tichu")  # many turns in a row are forced there
    agents = [kibitz.load_agent("random", tichu)]
    plan = schedule(10, [0, 0, 0, 0])
    whole = play(tichu, agents, plan, records=True)
    monkeypatch.setattr(batch, "MIN_PAGE", 1)
    paged = play(tichu, agents, plan, records=True, batch_size=batch_size)
    assert paged.records == whole.records
    assert all(len(record.actions) > 50 for record in paged.records)


def test_forced_decisions_are_not_asked(game: Game) -> None:
    outcome = play(game, [Spy(game)], schedule(5, [0, 0, 0]))
    assert outcome.n_decisions.tolist() == [[5 * 3] * 4]  # two rounds of two real choices
    assert outcome.seconds.shape == (1, 4)


def test_every_decision_has_a_stream_of_its_own(game: Game) -> None:
    spy = Spy(game)
    play(game, [spy], schedule(4, [0, 0, 0]))
    assert len({bits for *_, bits in spy.asked}) == len(spy.asked)


def test_rotations_share_the_cards_but_not_the_streams(game: Game) -> None:
    spy = Spy(game)
    plan = Schedule(1, np.zeros(2, np.int64), np.arange(2), np.zeros((2, 3), np.int64))
    play(game, [spy], plan)
    first, second = ([ask for ask in spy.asked if ask[0] == number] for number in (0, 1))
    assert [ask[2] for ask in first] == [ask[2] for ask in second]
    assert not {ask[3] for ask in first} & {ask[3] for ask in second}


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_what_an_agent_is_shown_does_not_depend_on_the_batch(game: Game, batch_size: int) -> None:
    whole, cut = Spy(game), Spy(game)
    other = kibitz.load_agent("random", game)
    play(game, [whole, other], schedule(10, [0, 1, 1]))
    play(game, [cut, other], schedule(10, [0, 1, 1]), batch_size=batch_size)
    assert sorted(whole.asked) == sorted(cut.asked)


def test_watchers_see_changes_and_everybody_is_told_the_end(game: Game) -> None:
    watcher, spy = Watcher(game), Spy(game)
    play(game, [watcher, spy], schedule(4, [0, 1, 1]))
    assert watcher.watches
    assert not spy.watches
    assert len(watcher.seen) == 4 * (1 + 3 + 1 + 3)  # dealt, then three turns, twice
    assert sorted(watcher.ended) == sorted(spy.ended) == [0, 1, 2, 3]


@pytest.mark.parametrize("kept", [{"records": True}, {"batch_size": 1}, {"batch_size": 7}])
def test_what_a_watcher_sees_depends_on_the_game_alone(game: Game, kept: dict[str, Any]) -> None:
    plain, other = Watcher(game), Watcher(game)
    play(game, [plain], schedule(40, [0, 0, 0]))
    play(game, [other], schedule(40, [0, 0, 0]), **kept)
    assert sorted(plain.seen) == sorted(other.seen)


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_every_seat_needs_an_agent(game: Game, n: int) -> None:
    with pytest.raises(AgentError, match=f"has 3 seats, got {n} agents"):
        play_out(game.deal(seed=1), [Spy(game)] * n)
    with pytest.raises(AgentError, match="the lineup names agents 0 to 7, got 1 agents"):
        play(game, [Spy(game)], schedule(2, [0, 7, 0]))


@pytest.mark.parametrize(
    ("rows", "seats", "rotations"), [(4, 2, 4), (2, 3, 4), (4, 3, 2), (0, 3, 0)]
)
def test_schedules_that_do_not_fit_are_refused(
    game: Game, rows: int, seats: int, rotations: int
) -> None:
    deals, lineup = np.arange(4 if rows else 0), np.zeros((rows, seats), np.int64)
    with pytest.raises(SpecError):
        play(game, [Spy(game)], Schedule(1, deals, np.arange(rotations), lineup))


def test_a_batch_has_games(game: Game) -> None:
    with pytest.raises(SpecError, match="at least one game, got '0'"):
        play(game, [Spy(game)], schedule(2, [0, 0, 0]), batch_size=0)


def test_watching_does_not_change_the_game(game: Game) -> None:
    watched = play(game, [Watcher(game)], schedule(6, [0, 0, 0]), records=True)
    plain = play(game, [Spy(game)], schedule(6, [0, 0, 0]), records=True)
    assert (watched.scores == plain.scores).all()


def test_an_illegal_answer_names_agent_deal_seat_and_position(game: Game) -> None:
    agents = [kibitz.load_agent("random", game), Wrong(game)]
    with pytest.raises(AgentError) as error:
        play(game, agents, schedule(3, [0, 1, 0]))
    assert str(error.value).startswith("agent 'wrong' at seat 1 of deal 0, rotation 0, chose 77")
    assert "seat 1 does not hold 77" in str(error.value)
    assert "duel:players=3,rounds=2 " in str(error.value)


@pytest.mark.parametrize("answer", ["short", "float", "ragged", "none"])
def test_answers_of_the_wrong_shape_or_type_are_refused(game: Game, answer: str) -> None:
    with pytest.raises(AgentError, match="agent 'wrong:answer="):
        play(game, [Wrong(game, WrongConfig(answer))], schedule(2, [0, 0, 0]))


def test_a_check_can_end_the_play(game: Game) -> None:
    looks: list[int] = []

    def check() -> None:
        looks.append(1)
        if len(looks) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(game, [Spy(game)], schedule(10, [0, 0, 0]), batch_size=4, check=check)
    assert len(looks) == 3


class Frail(Spy):
    """Fails where `fails(number of the game, seat)` says so."""

    name = "frail"

    def __init__(self, game: Game, fails: Callable[[int, int], bool]) -> None:
        super().__init__(game)
        self.fails = fails

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        for number, seat in zip(games.tolist(), seats.tolist(), strict=True):
            if self.fails(number, seat):
                raise ZeroDivisionError("no such card")
        return super().act(views, seats, rngs, games)


def test_an_exception_names_the_game_in_which_it_happens(game: Game) -> None:
    frail = Frail(game, lambda number, seat: number == 7 and seat == 2)
    with pytest.raises(Misbehaviour) as error:
        play(game, [frail], schedule(20, [0, 0, 0]), begin=5)
    fault = error.value.fault
    assert (fault.deal, fault.seat, fault.game) == (2, 2, 7)
    assert (
        "at seat 2 of deal 2, rotation 0, raised ZeroDivisionError (no such card) at test_driver"
        in str(error.value)
    )
    assert fault.record is not None
    assert replay(fault.record).origin.deal == 2


def test_an_exception_at_many_views_only_is_a_fault_too(game: Game) -> None:
    class Crowded(Spy):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            if len(views) > 1:
                raise MemoryError
            return super().act(views, seats, rngs, games)

    with pytest.raises(
        Misbehaviour, match=r"raised MemoryError at test_driver.py:\d+ when asked 20 at once"
    ):
        play(game, [Crowded(game), Spy(game)], schedule(20, [0, 1, 1]))


@pytest.mark.parametrize("batch_size", [1, 7, 100])
def test_a_forfeit_costs_one_game_and_the_others_play_on(game: Game, batch_size: int) -> None:
    plain = play(game, [Spy(game)], schedule(30, [0, 0, 0]))
    frail = Frail(game, lambda number, seat: number % 10 == 3 and seat == 1)
    conduct = Conduct(on_error="forfeit")
    outcome = play(
        game, [frail], schedule(30, [0, 0, 0]), conduct=conduct, batch_size=batch_size, records=True
    )
    assert [(fault.game, fault.seat) for fault in outcome.faults] == [(3, 1), (13, 1), (23, 1)]
    kept = [i for i in range(30) if i % 10 != 3]
    assert (outcome.scores[kept] == plain.scores[kept]).all()
    assert outcome.scores[[3, 13, 23], 1].tolist() == [game.score_range[0]] * 3
    for record, fault in zip(
        [outcome.records[i] for i in (3, 13, 23)], outcome.faults, strict=True
    ):
        assert fault.record is not None
        assert record.actions[: len(fault.record.actions)] == fault.record.actions
        assert replay(record).is_over


def test_forfeits_do_not_depend_on_the_batch(game: Game) -> None:
    def scores(batch_size: int) -> list[list[float]]:
        frail = Frail(game, lambda number, seat: (number + seat) % 4 == 0)
        plan = schedule(50, [0, 0, 0])
        conduct = Conduct(on_error="forfeit")
        return play(game, [frail], plan, conduct=conduct, batch_size=batch_size).scores.tolist()

    assert scores(1) == scores(9) == scores(64)


def test_an_illegal_action_can_be_forfeited(game: Game) -> None:
    agents = [kibitz.load_agent("random", game), Wrong(game)]
    outcome = play(game, agents, schedule(9, [0, 1, 0]), conduct=Conduct(on_error="forfeit"))
    assert [fault.seat for fault in outcome.faults] == [1] * 9
    assert (outcome.scores[:, 1] == game.score_range[0]).all()
    assert (outcome.scores[:, 0] >= 0).all()


def test_two_sides_what_one_forfeits_the_other_wins() -> None:
    game = kibitz.load_game("connect4")
    agents = [kibitz.load_agent("random", game), Wrong(game)]
    outcome = play(game, agents, schedule(4, [0, 1]), conduct=Conduct(on_error="forfeit"))
    assert outcome.scores.tolist() == [[1, -1]] * 4


class Buggy(Spy):
    """Has a bug in each of its methods, one of which shows."""

    def __init__(self, game: Game, where: str) -> None:
        super().__init__(game)
        self.where, self.calls = where, 0

    def _check(self, where: str) -> None:
        if where == self.where:
            self.calls += 1
            raise ZeroDivisionError(where)

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        self._check("act")
        return super().act(views, seats, rngs, games)

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        self._check("watch")

    def end(self, games: Games) -> None:
        self._check("end")


@pytest.mark.parametrize("where", ["act", "watch", "end"])
def test_a_bug_comes_through_at_once_if_that_is_wanted(game: Game, where: str) -> None:
    agent = Buggy(game, where)
    with pytest.raises(ZeroDivisionError, match=where) as told:
        play(game, [agent], schedule(5, [0, 0, 0]), conduct=Conduct("raise"))
    assert agent.calls == 1  # it is not asked again to find out where
    assert told.traceback[-1].name == "_check"  # nothing is between the bug and who looks for it


@pytest.mark.parametrize("answer", ["illegal", "short", "float"])
def test_faults_that_are_no_exceptions_stop_the_play_then(game: Game, answer: str) -> None:
    agents = [Wrong(game, WrongConfig(answer))]
    with pytest.raises(Misbehaviour, match="^agent 'wrong.*' at seat 0 of deal 0, rotation 0, "):
        play(game, agents, schedule(1, [0, 0, 0]), conduct=Conduct("raise"))


def test_a_bug_at_a_table_comes_through_too(game: Game) -> None:
    with pytest.raises(ZeroDivisionError):
        play_out(game.deal(seed=1), [Buggy(game, "act")] * 3, Conduct("raise"))


class Slow(Spy):
    """Thinks too long in game 2."""

    name = "slow"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        if 2 in games:
            time.sleep(0.2)
        return super().act(views, seats, rngs, games)


def test_a_missed_deadline_is_a_fault_of_that_decision_alone(game: Game) -> None:
    plan = schedule(4, [0, 1, 1])
    with pytest.raises(
        Misbehaviour, match=r"deal 2, rotation 0, took 0.2\d* s, the deadline is 0.1"
    ):
        play(game, [Slow(game), Spy(game)], plan, conduct=Conduct(deadline=0.1))
    outcome = play(game, [Slow(game), Spy(game)], plan, conduct=Conduct("forfeit", 0.1))
    assert [fault.deal for fault in outcome.faults] == [2]


class Nervous(Spy):
    """Fails at what it is told in games 1 and 4, by `when`."""

    name = "nervous"
    when = "watch"

    def _hear(self, when: str, games: Games) -> None:
        if self.when == when and {1, 4} & set(games.tolist()):
            raise OSError("disk full")

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        self._hear("watch", games)

    def end(self, games: Games) -> None:
        self._hear("end", games)


@pytest.mark.parametrize("when", ["watch", "end"])
@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_failing_at_what_it_is_told_costs_an_agent_those_games(
    game: Game, when: str, batch_size: int
) -> None:
    agent, plan = Nervous(game), schedule(6, [0, 1, 1])
    agent.when = when
    with pytest.raises(
        Misbehaviour, match=r"deal 1, .* raised OSError \(disk full\) at \S+ when told"
    ):
        play(game, [agent, Spy(game)], plan, batch_size=batch_size)
    outcome = play(
        game, [agent, Spy(game)], plan, batch_size=batch_size, conduct=Conduct("forfeit")
    )
    assert [(fault.game, fault.seat) for fault in outcome.faults] == [(1, 0), (4, 0)]


def test_when_both_sides_forfeit_nobody_wins() -> None:
    game = kibitz.load_game("connect4")
    outcome = play(
        game, [Wrong(game), Wrong(game)], schedule(4, [0, 1]), conduct=Conduct("forfeit")
    )
    assert outcome.scores.tolist() == [[-1, -1]] * 4


@pytest.mark.parametrize(
    "bad", [{"on_error": "ignore"}, {"deadline": 0}, {"deadline": -1.0}, {"deadline": "1"}]
)
def test_conduct_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        Conduct(**bad)


class Forger(Spy):
    """Overwrites what it was handed, and then fails in game 7 at seat 2."""

    name = "forger"

    def _forge(self, seats: Seats, games: Games) -> None:
        fails = bool(((games == 7) & (seats == 2)).any())
        seats[:], games[:] = 0, 10**9
        if fails:
            raise RuntimeError("it was not me")

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        decisions = super().act(views, seats, rngs, games)
        self._forge(seats, games)
        return decisions


class WatchingForger(Forger):
    """Overwrites what it is told."""

    act = Spy.act

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        self._forge(seats, games)


@pytest.mark.parametrize("forger", [Forger, WatchingForger])
@pytest.mark.parametrize("conduct", [Conduct("forfeit"), Conduct("forfeit", deadline=10)], ids=str)
def test_who_overwrites_the_question_does_not_frame_another_seat(
    game: Game, forger: type[Forger], conduct: Conduct
) -> None:
    agents = [forger(game), Spy(game)]
    outcome = play(game, agents, schedule(12, [1, 0, 0]), begin=3, conduct=conduct)
    assert [(fault.agent, fault.deal, fault.seat) for fault in outcome.faults] == [(0, 4, 2)]


def test_reshaping_the_question_does_no_harm(game: Game) -> None:
    class Reshaper(Spy):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            decisions = super().act(views, seats, rngs, games)
            views.shape = rngs.shape = seats.shape = (1, -1)
            return decisions

    plain = play(game, [Spy(game)], schedule(5, [0, 0, 0]))
    assert (play(game, [Reshaper(game)], schedule(5, [0, 0, 0])).scores == plain.scores).all()


class Raises(Spy):
    """Raises what it is given, in game 3."""

    name = "raises"

    def __init__(self, game: Game, error: BaseException) -> None:
        super().__init__(game)
        self.error = error

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        if 3 in games:
            raise self.error
        return super().act(views, seats, rngs, games)


class Own(BaseException):
    """An agent's own way out."""


class Unspeakable(Exception):
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        """Fail."""
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SystemExit(0), r"raised SystemExit \(0\) at test_driver"),
        (KeyboardInterrupt(), "raised KeyboardInterrupt at test_driver"),
        (GeneratorExit(), "raised GeneratorExit at"),
        (Own("out"), r"raised Own \(out\) at"),
        (Unspeakable(), "raised Unspeakable at"),
        (AgentError(), "raised AgentError at"),
        (AgentError("two\nlines \x1b[31m"), "rotation 0, two lines �.31m in"),
        (ValueError("a\x00b\u202ec\ud800\n" + "long " * 1000), r"\(a�b�c� long [long ]*…\) at"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_an_agent_raises_is_its_fault(
    game: Game, error: BaseException, reason: str
) -> None:
    with pytest.raises(Misbehaviour, match=reason) as raised:
        play(game, [Raises(game, error)], schedule(5, [0, 0, 0]))
    assert raised.value.fault.deal == 3
    assert len(raised.value.fault.reason) < 300
    outcome = play(game, [Raises(game, error)], schedule(5, [0, 0, 0]), conduct=Conduct("forfeit"))
    assert {fault.deal for fault in outcome.faults} == {3}


@pytest.mark.parametrize("swallows", [None, Exception, BaseException])
def test_ctrl_c_stops_the_play_whatever_the_agent_makes_of_it(
    game: Game, swallows: type[BaseException] | None
) -> None:
    class Interrupted(Spy):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            try:
                signal.raise_signal(signal.SIGINT)
            except BaseException as error:
                if swallows is None:
                    raise
                if swallows is Exception:  # as a compiler does
                    raise RuntimeError("something went wrong") from error
            return super().act(views, seats, rngs, games)

    handler = signal.getsignal(signal.SIGINT)
    spy = Interrupted(game)
    with pytest.raises(KeyboardInterrupt):
        play(game, [spy], schedule(5, [0, 0, 0]), conduct=Conduct("forfeit"))
    assert len(spy.asked) <= 5 * 3
    assert signal.getsignal(signal.SIGINT) is handler


def test_nobody_leaves_a_table_by_an_exception(game: Game) -> None:
    class Leaving(Raises):
        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            raise self.error

    for error in (Own(), SystemExit(0), KeyboardInterrupt()):
        with pytest.raises(Misbehaviour):
            play_out(game.deal(seed=1), [Spy(game), Leaving(game, error), Spy(game)])


@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt(), ValueError("no file")])
def test_an_agent_that_cannot_be_made_is_told_in_one_sentence(error: BaseException) -> None:
    told = f"agent 'x' cannot be made: it raised {type(error).__name__}"
    with pytest.raises(AgentError, match=told), making("x"):
        raise error
    with pytest.raises(SpecError, match="as it was"), making("x"):
        raise SpecError("as it was")
    with pytest.raises(KeyboardInterrupt), making("x"):
        signal.raise_signal(signal.SIGINT)


def test_a_table_is_played_out_by_agents_not_by_their_names() -> None:
    table = kibitz.load_game("connect4").deal(seed=1)
    with pytest.raises(AgentError, match="expected an agent, which load_agent makes, got 'random'"):
        play_out(table, ["random", "random"])  # type: ignore[list-item]
