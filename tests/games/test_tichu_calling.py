"""Calls by models: inside kernels as outside, and what learners tell of calls and plays."""

import numpy as np
import pytest

import kibitz
from kibitz.core.decisions import NO_ACTION
from kibitz.core.exploring import urge
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu.cards import CALL, GRAND, NO_GRAND, NO_TICHU, TICHU
from kibitz.games.tichu.combinations import BOMB, DOG, PAIR, SINGLE
from kibitz.games.tichu.state import CALLING, GRAND_CALLING, TURN
from kibitz.games.tichu.tallying import told_of

GAME = kibitz.load_game("tichu:variant=thesis")


def answer(agent: kibitz.Agent, view: np.record, seat: int) -> int:
    return int(urge(view, seat, agent.answers, derive(0, Purpose.AGENT)[0]))  # type: ignore[attr-defined]


@pytest.mark.parametrize("cutoff", [0.25, 0.4])
def test_models_answer_in_kernels_as_the_caller_does(cutoff: float) -> None:
    caller = kibitz.load_agent(f"caller:of=rule,grand_cutoff={cutoff},tichu_cutoff={cutoff}", GAME)
    rule, said = kibitz.load_agent("rule", GAME), set()
    for seed in range(8):
        table = GAME.deal(seed=seed)
        while table.state.phase != TURN:
            for seat in list(table.movers):
                view = table.view(seat)
                found, asked = answer(caller, view, seat), view.phase in (GRAND_CALLING, CALLING)
                wanted = int(caller.decide(view, seat).actions[0])
                assert found == (wanted if asked else NO_ACTION)
                said.add(found)
                table.play(seat, int(rule.decide(view, seat).actions[0]))
    calls = {(CALL << 60) + what for what in (NO_GRAND, GRAND, NO_TICHU, TICHU)}
    assert said == calls | {NO_ACTION}


def test_a_question_without_a_model_is_left_to_the_network() -> None:
    caller = kibitz.load_agent("caller:of=rule,grand=none", GAME)
    table = GAME.deal(seed=1)
    assert answer(caller, table.view(0), 0) == NO_ACTION


def test_plays_are_told_as_shares_and_calls_by_seat() -> None:
    tally = np.zeros((16, 64), np.int64)
    tally[SINGLE, 4], tally[SINGLE, 30], tally[PAIR, 8], tally[BOMB, 6] = 3, 2, 4, 1
    tally[DOG + CALL, [NO_GRAND, GRAND, NO_TICHU, TICHU]] = 9, 1, 16, 2
    told = told_of(tally)
    assert {name: told[f"plays/{name}"] for name in ("single", "pair", "bomb", "dog")} == {
        **{"single": 0.5, "pair": 0.4, "bomb": 0.1, "dog": 0}
    }
    assert (told["calls/tichu"], told["calls/grand"]) == (0.2, 0.1)
    assert told_of(np.zeros((16, 64))) == {}
