"""Tichu: deals that are left, what makes them probable, and the end of a round with open cards."""

import itertools
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import arena
from kibitz.core.errors import KibitzError
from kibitz.core.game import apply, conceal, movers, resample
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.games.tichu.belief import Judge, Memory, weigh_deals
from kibitz.games.tichu.choices import MAX_LEGAL, can_bomb
from kibitz.games.tichu.deals import count_deals, list_deals
from kibitz.games.tichu.endings import make_board, solve_actions
from kibitz.games.tichu.history import LOG, make_trace, note, retrace
from kibitz.games.tichu.state import OVER, TURN, WAITING, WINDOW, n_cards
from kibitz.games.tichu.wishes import count_misfits
from kibitz.games.tichu.worlds import place_known
from tests.games.tichu_hands import NO, cards, game, lay, listed, position, random_round

SEEDS = 12 if COMPILED else 2

compiled = pytest.mark.skipif(not COMPILED, reason="searches thousands of positions")


def view_of(state: np.record, seat: int) -> np.record:
    view = state.copy()
    conceal(view, seat)
    return view


def late_states(seed: int, most: int, **options: object) -> list[np.record]:
    """Return states of a random round in which so many cards are held, or fewer."""
    states = random_round(seed, **options)
    return [s for s in states if s.phase >= TURN and s.phase != OVER and held(s) <= most]


def held(state: np.record) -> int:
    return sum(int(hand).bit_count() for hand in state.hand)


def deals_one_by_one(view: np.record, seat: int) -> set[tuple[int, ...]]:
    """List all deals slowly: every way to name an owner for each unseen card."""
    known = view.copy()
    unseen = [c for c in range(56) if int(place_known(known, seat)) >> c & 1]
    others = [s for s in range(4) if s != seat]
    found = set()
    for owners in itertools.product(others, repeat=len(unseen)):
        world = known.copy()
        for card, owner in zip(unseen, owners, strict=True):
            world.hand[owner] |= np.uint64(1 << card)
        sizes = [int(world.hand[s]).bit_count() == n_cards(view, s) for s in others]
        if all(sizes) and count_misfits(world, seat) == 0:
            found.add(tuple(map(int, world.hand)))
    return found


@pytest.mark.parametrize("variant", ["full", "thesis"])
def test_all_deals_that_fit_are_listed_once(variant: str) -> None:
    worlds, checked = game(variant=variant).blank(2000), 0
    for seed in range(SEEDS):
        for state in late_states(seed, 8, variant=variant)[:: 9 if COMPILED else 40]:
            seat = int(movers(state)).bit_length() - 1
            view = view_of(state, seat)
            n = list_deals(view, seat, worlds)
            deals = [tuple(map(int, hands)) for hands in worlds[:n]["hand"]]
            assert len(set(deals)) == n
            assert set(deals) == deals_one_by_one(view, seat)
            assert tuple(map(int, state.hand)) in deals
            denials = view.n_denials == 0
            assert count_deals(view, seat) == n if denials else count_deals(view, seat) >= n
            checked += 1
    assert checked > (2 if COMPILED else 0)


def test_who_lacks_the_wished_rank_gets_none_of_it() -> None:
    state = position("3R 4S", "KR KG", "5G 6G", "KB 7B")
    state.wished, state.lacking = 13, 1 << 2
    view = view_of(state, 0)
    # Of three kings seat 1 has two and seat 3 one, or the other way round; the rest is dealt.
    assert count_deals(view, 0) == 2 * 3 * 3
    worlds = game().blank(18)
    assert list_deals(view, 0, worlds) == 18
    assert not (worlds["hand"][:, 2] & cards("KR KG KB")).any()
    assert list_deals(view, 0, worlds[:17]) == -1


@pytest.mark.parametrize("step", [1, 4])
def test_what_happened_is_found_again_from_views(step: int) -> None:
    scratch, done = game().blank(200), np.zeros(200 + MAX_LEGAL, np.int64)
    for seed in range(SEEDS):
        states = [s for s in random_round(seed) if s.phase != OVER]
        last, log, trace = game().blank(1), np.zeros(1, LOG)[0], make_trace(game().blank(1))
        shown = [s for k, s in enumerate(states) if k % step == 0 or s.phase < TURN]
        if all(s.phase < TURN or s.played.any() for s in shown):
            continue  # who did not see the beginning knows nothing
        for state in shown:
            view = view_of(state, 1)
            note(last[0], view, log, trace)
            last[0] = view
        assert log.is_whole
        for seat in (0, 2, 3):
            assert retrace(shown[-1], log, seat, 0, scratch, done) >= 0


def test_decisions_that_are_retraced_are_those_that_were_made() -> None:
    states = random_round(3)
    last, log, trace = game().blank(1), np.zeros(1, LOG)[0], make_trace(game().blank(1))
    for state in states[:-1]:
        view = view_of(state, 1)
        note(last[0], view, log, trace)
        last[0] = view
    scratch, done = game().blank(200), np.zeros(200 + MAX_LEGAL, np.int64)
    n = retrace(states[-2], log, 2, 0, scratch, done)
    own = [
        s for s in states[:-1] if s.phase >= TURN and movers(s) == 1 << 2 and len(listed(s, 2)) > 1
    ]
    turns = [k for k in range(n) if scratch[k].phase != WINDOW]
    assert len(turns) == len(own) > 3
    for k, state in zip(turns, own, strict=True):
        for name in ("hand", "played", "table", "turn", "wish", "passed", "n_laid"):
            there = getattr(view_of(state, 2), name)
            assert np.array_equal(getattr(scratch[k], name), there), name


def slow_value(state: np.record) -> int:
    """Value a position for seats 0 and 2 by trying everything, in the plainest way."""
    if state.phase in (WAITING, OVER):
        return int(state.points[0] - state.points[1])
    waiting = [s for s in range(4) if int(movers(state)) >> s & 1]
    if state.phase == WINDOW:
        waiting.sort(key=lambda s: (s - int(state.turn)) & 3)
        asked = [s for s in waiting if can_bomb(state, s)]
        seat = asked[0] if asked else waiting[0]
    else:
        seat = waiting[0]
    values = []
    for action in listed(state, seat):
        after = state.copy()
        if state.phase == WINDOW and action != NO:
            for other in waiting:
                if other != seat:
                    apply(after, other, NO)
        apply(after, seat, action)
        values.append(slow_value(after))
    return min(values) if seat & 1 else max(values)


@pytest.mark.parametrize("variant", ["full", "thesis"])
def test_endings_are_worth_what_the_whole_tree_says(variant: str) -> None:
    board, checked = make_board(game(variant=variant).blank(1), 1 << 10), 0
    board.budget[1] = 1 << 30
    for seed in range(SEEDS):
        late = late_states(seed, 6 if COMPILED else 5, variant=variant)
        for state in [s for s in late if s.phase == TURN][:2]:
            seat = int(state.turn)
            actions = np.array(listed(state, seat), np.int64)
            out = np.zeros(len(actions))
            assert solve_actions(board, state, seat, actions, out)
            for action, found in zip(actions.tolist(), out.tolist(), strict=True):
                after = state.copy()
                apply(after, seat, action)
                assert found == slow_value(after) * (-1 if seat & 1 else 1)
                checked += 1
    assert checked > (3 if COMPILED else 0)


def test_a_budget_that_is_too_small_is_told() -> None:
    state = position("3R 4S 9G JB", "5R AR 8G", "5G AG 8B", "5B 6B 7B")
    board, out = make_board(game().blank(1)), np.zeros(4)
    board.budget[1] = 3
    assert not solve_actions(board, state, 0, np.array(listed(state, 0)), out)


def test_the_true_deal_becomes_more_probable() -> None:
    tichu = kibitz.load_game("tichu")
    bot = kibitz.load_agent("convention", tichu)
    judge, gained = Judge(tichu, bot, 0.05), []
    worlds = tichu.blank(1000)
    for seed in range(6 if COMPILED else 1):
        table, memory = tichu.deal(seed), Memory(tichu.blank(1))
        while not table.is_over:
            memory.see(table.view(0))
            seat = int(table.movers[0])
            view = table.view(seat)
            if seat == 0 and view.phase >= TURN and count_deals(view, 0) <= 1000:
                n = list_deals(view, 0, worlds)
                weights = weigh_deals(judge, memory, worlds[:n], 0, derive(1, Purpose.AGENT))
                assert weights is not None
                truth = (worlds[:n]["hand"] == table.state.hand).all(axis=1)
                gained.append(float(np.log(weights[truth][0] * n)))
            table.play(seat, int(bot.decide(view, seat).actions[0]))
    assert not COMPILED or np.mean(gained) > 1


@compiled
@pytest.mark.parametrize("variant", ["full", "thesis"])
@pytest.mark.parametrize("rule", ["perfect", "infoset"])
def test_endgame_plays_whole_rounds(variant: str, rule: str) -> None:
    tichu = kibitz.load_game(f"tichu:variant={variant}")
    agents = [
        kibitz.load_agent(f"endgame:rule={rule},of=rule", tichu),
        kibitz.load_agent("rule", tichu),
    ]
    played = arena.play(tichu, agents, 3 if COMPILED else 1, 4)
    assert not played.faults


@compiled
def test_the_same_view_is_decided_alike_whatever_is_behind_it() -> None:
    agent = kibitz.load_agent("endgame:of=rule", game())
    state = position("3R 4S 9G", "5R AR 8G", "5G AG", "5B 6B 7B")
    told = set()
    for k in range(5):
        world = view_of(state, 0)
        resample(world, 0, derive(k, Purpose.PLAYOUT))
        told.add(int(agent.decide(view_of(world, 0), 0, derive(1, Purpose.AGENT)).actions[0]))
    assert len(told) == 1


@compiled
def test_endgame_goes_out_when_all_deals_say_so() -> None:
    # The ace wins the trick whoever holds what, and the pair of threes is then the last.
    state = position("AS 3R 3G", "5R 6R", "5G 6G", "5B 6B")
    agent = kibitz.load_agent("endgame:of=rule", game())
    decided = agent.decide(view_of(state, 0), 0, derive(1, Purpose.AGENT))
    assert decided.values is not None
    assert np.nanmax(decided.values) > 0
    assert decided.actions[0] in (lay("AS"), lay("3R 3G"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("cutoff=0", "expected 1 to"),
        ("doubt=0", "above 0 and at most 1"),
        ("worlds=0", "expected 1 to"),
        ("time=-1", "expected 0 to 3600"),
        ("rule=best", "expected perfect|infoset"),
        ("of=endgame", "not of itself"),
        ("explain=endgame", "not of itself"),
        ("explain=nobody", "unknown agent"),
        ("of=best,cutoff=5", "takes all that follows it"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong: str, said: str) -> None:
    with pytest.raises(KibitzError) as refused:
        kibitz.load_agent(f"endgame:{wrong}", game())
    assert said in str(refused.value)


def test_a_player_that_looks_ahead_can_be_below() -> None:
    agent: Any = kibitz.load_agent("endgame:of=best:worlds=2", kibitz.load_game("tichu"))
    assert agent.of.config.worlds == 2


def test_a_caller_lets_the_player_below_watch() -> None:
    game = kibitz.load_game("tichu")
    assert kibitz.load_agent("caller:of=endgame", game).watches
    assert not kibitz.load_agent("caller:of=rule", game).watches


@pytest.mark.parametrize("spec", ["endgame:of=endgame", "endgame:of=caller:of=endgame:of=rule"])
def test_it_does_not_sit_on_top_of_itself(spec: str) -> None:
    with pytest.raises(KibitzError, match="not of itself"):
        kibitz.load_agent(spec, kibitz.load_game("tichu"))
