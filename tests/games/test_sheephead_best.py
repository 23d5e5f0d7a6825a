"""`best`: tricks recalled, worlds weighed against a slow reference, and what it must not know."""

import math
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import AgentError, SpecError
from kibitz.core.game import apply, conceal, resample
from kibitz.core.kernels import COMPILED
from kibitz.core.listing import list_legal
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Table
from kibitz.games.sheephead.best import BestAgent, BestConfig
from kibitz.games.sheephead.cards import BLACK_QUEENS, CALL_ACE, NAMES, PASS, PICK, bury_action
from kibitz.games.sheephead.minds import NOBODY, expect, explain, play_on
from kibitz.games.sheephead.pimc import PimcAgent, PimcConfig
from kibitz.games.sheephead.recalling import FACE_DOWN, N_PLAYS, N_STATES, recall
from kibitz.games.sheephead.solver import solve
from kibitz.games.sheephead.state import BIDDING, PLAYING
from kibitz.games.sheephead.weighing import make_weigher
from kibitz.games.sheephead.words import members
from kibitz.search.agent import WEIGHED_AT_ONCE
from kibitz.search.ismcts import IsmctsAgent, IsmctsConfig
from kibitz.search.tree import FIRST_WORLD
from kibitz.search.worlds import errors_of_means
from tests.games.sheephead_hands import at
from tests.games.test_sheephead_features import CALLED, FIRST, SECOND, table_after
from tests.games.test_sheephead_judging import BLIND, HANDS
from tests.search.networks import outputs_by_numpy, random_layers, save

GAME = kibitz.load_game("sheephead")
DOUBT = 0.1
N_HANDS = 60 if COMPILED else 2


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Save a small policy that has learnt nothing, with strong opinions."""
    encoding = GAME.encodings["insight"]
    layers = random_layers(encoding.size + encoding.candidate_size, 16, 1, seed=3)
    layers[-1] = (layers[-1][0] * 8, layers[-1][1])
    facts: dict[str, Any] = {"encoding": "insight", "heads": {"policy": 1}, "inputs": "candidates"}
    return save(tmp_path_factory.mktemp("models") / "policy", GAME, layers, **facts)


def best(model: str, **changed: Any) -> BestAgent:
    small: dict[str, Any] = {"model": model, "drawn": 12, "worlds": 4, "solver": 0.5, "habits": 0.0}
    return BestAgent(GAME, BestConfig(**small | changed))


def hands_by_rule(spec: str = "sheephead") -> Iterator[tuple[Table, list[int]]]:
    """Let `rule` play hands; yield every table and the cards played so far, unknown ones marked."""
    game = kibitz.load_game(spec)
    rule = kibitz.load_agent("rule", game)
    for seed in range(N_HANDS):
        cards: list[int] = []
        table = Table(game, game.deal(seed).origin, plays_forced=False)
        while table.movers:
            seat = table.movers[0]
            if table.state.phase >= PLAYING:
                yield table, cards
            rng = derive(seed, Purpose.PLAYOUT, len(table.actions))
            action = int(rule.decide(table.view(seat), seat, rng).actions[0])
            if table.state.phase >= PLAYING:
                cards.append(FACE_DOWN if table.state.face_down == action + 1 else action)
            table.play(seat, action)


@pytest.mark.parametrize("spec", ["sheephead", "sheephead:pass=leaster,called_ten=top"])
def test_the_order_of_cards_is_recalled(spec: str) -> None:
    past, order, found = kibitz.load_game(spec).blank(N_STATES), np.zeros(N_PLAYS, np.int64), 0
    for table, cards in hands_by_rule(spec):
        seat = table.movers[0]
        world = table.view(seat)
        resample(world, seat, derive(1, Purpose.PLAYOUT))
        n = recall(world, past, order)
        if world.tricks_played < 3:
            assert order[:n].tolist() == cards
        if n >= 0:
            assert n == len(cards)
            assert past[n].void.tolist() == world.void.tolist()
            assert past[n].points.tolist() == world.points.tolist()
            if world.tricks_played > 0:  # the trick before can be seen
                assert past[5 * (world.tricks_played - 1)].leader == world.last_leader
        found += n >= 0
    assert found > 20 * N_HANDS


def chance_of(agent: BestAgent, state: np.record, action: int) -> float:
    """Ask the network alone what an action has, with some doubt."""
    seat = int(state.turn)
    view = state.copy()
    conceal(view, seat)
    net = kibitz.load_agent(f"net:model={agent.config.model},temperature=1", GAME)
    decisions: Any = net.decide(view, seat)
    n = int(decisions.n_choices[0])
    k = decisions.choices[0, :n].tolist().index(action)
    return float((1 - DOUBT) * decisions.weights[0, k] + DOUBT / n)


def play_again(agent: BestAgent, state: np.record, actions: list[int], me: int) -> float:
    """Apply actions; return the log-probability of those of all others."""
    total = 0.0
    for action in actions:
        seat = int(state.turn)
        n = len(GAME.legal(state, seat))
        total += math.log(chance_of(agent, state, action)) if seat != me and n > 1 else 0.0
        apply(state, seat, action)
    return total


def explained(agent: BestAgent, world: np.record, me: int, number: int = 0) -> float:
    past, order = GAME.blank(N_STATES), np.zeros(N_PLAYS, np.int64)
    n = recall(world, past, order) if world.phase >= PLAYING else 0
    rng = derive(number, Purpose.PLAYOUT)
    return float(explain(agent._desk().mind, world, me, order, n, DOUBT, rng))


def parsed(table: Table, words: tuple[str, ...]) -> list[int]:
    """Read actions from the beginning of a hand on."""
    state, found = table.state.copy(), []
    for word in words:
        seat = int(state.turn)
        found.append(int(GAME.text.parse_action(state, seat, word)))
        apply(state, seat, found[-1])
    return found


@pytest.mark.parametrize("words", [(*CALLED, *FIRST, *SECOND[:2]), ("pass",) * 3])
def test_the_weight_of_a_world_is_the_chance_of_what_the_others_did(
    model: str, words: tuple[str, ...]
) -> None:
    agent, begin = best(model), table_after()
    state = begin.state.copy()
    expected = play_again(agent, state, parsed(begin, words), me=0)  # the picker asks
    assert explained(agent, state.copy(), me=0) == pytest.approx(expected, abs=1e-4)
    assert expected < -0.1


@pytest.mark.skipif(not COMPILED, reason="thousands of draws")
def test_blind_and_bury_of_another_seat_are_weighed_by_all_that_they_can_be(model: str) -> None:
    agent, begin = best(model), table_after()
    words = (*CALLED, *FIRST)
    state = begin.state.copy()
    actions = parsed(begin, words)
    play_again(agent, state, actions, me=4)
    eight = members(int(begin.state.hand[0]) | int(begin.state.blind))
    picks = 0.0
    for blind in combinations(eight, 2):  # he may have had any six of them
        start = begin.state.copy()
        start.blind = sum(1 << card for card in blind)
        start.hand[0] = sum(1 << card for card in eight if card not in blind)
        picks += chance_of(agent, start, PICK) / 28
    expected = 0.0
    for pair in combinations(eight, 2):  # KS has been played, and 9C must be kept
        if {"KS", "9C"} & {NAMES[card] for card in pair}:
            continue
        again = begin.state.copy()
        apply(again, 0, PICK)
        buried = chance_of(agent, again, bury_action(*pair))
        apply(again, 0, bury_action(*pair))
        chance = play_again(agent, again, [CALL_ACE, *actions[3:]], me=4)
        expected += buried * math.exp(chance)
    drawn = [math.exp(explained(agent, state.copy(), me=4, number=k)) for k in range(3000)]
    error = np.std(drawn) / len(drawn) ** 0.5
    assert np.mean(drawn) == pytest.approx(picks * expected, abs=4 * error)
    assert error < 0.1 * np.mean(drawn)


def test_worlds_that_are_kept_fit_the_view(model: str) -> None:
    agent = best(model, drawn=40, worlds=20)
    table = table_after(*CALLED, *FIRST)
    seat = table.seat_to_move
    assert seat is not None
    view = table.view(seat)
    worlds, _ = agent.draw(view, seat, np.array([derive(1, Purpose.AGENT)]))
    for world in worlds:
        held = [int(world.hand[k]).bit_count() for k in range(5)]
        assert held == [5] * 5
        every = sum(map(int, world.hand)) + sum(map(int, world.played)) + int(world.buried)
        assert every == 2**32 - 1
        back = world.copy()
        conceal(back, seat)
        assert back == view


def test_queens_that_the_picker_has_shown_are_not_buried(model: str) -> None:
    words, spec = (*CALLED, *["pass"] * 4, "blitz black"), "sheephead:blitz=true"
    view = table_after(*words, spec=spec).view(1)
    agent = BestAgent(
        kibitz.load_game(spec), BestConfig(model=model, drawn=40, worlds=40, doubt=1.0)
    )
    worlds, _ = agent.draw(view, 1, np.array([derive(1, Purpose.AGENT)]))
    assert {int(world.buried & BLACK_QUEENS) for world in worlds} == {0}
    assert {int(world.hand[0] & BLACK_QUEENS) for world in worlds} == {int(BLACK_QUEENS)}


def test_searches_weigh_worlds_as_best_does(model: str) -> None:
    table = table_after(*CALLED, *FIRST, *SECOND[:4])  # the picker is to play
    worlds = GAME.blank(5)
    for k in range(len(worlds)):
        worlds[k] = table.view(0)
        resample(worlds[k], 0, derive(k, Purpose.PLAYOUT))
    found = make_weigher(GAME, model)(table.view(0), 0, worlds, derive(1, Purpose.AGENT))
    logs = np.array([explained(best(model), world, me=0) for world in worlds])
    assert found == pytest.approx(logs, abs=1e-3)
    assert np.ptp(logs) > 0.1
    agent = IsmctsAgent(GAME, IsmctsConfig(worlds=5, sims=5, belief=model))
    pool = GAME.blank(FIRST_WORLD + 5)
    pool[0] = table.view(0)
    found = agent.fill_pool(pool, 0, derive(2, Purpose.AGENT), until=math.inf)
    logs = np.array([explained(best(model), world, me=0) for world in pool[FIRST_WORLD:]])
    assert found == pytest.approx(np.exp(logs - logs.max()), abs=1e-3)


def test_worlds_are_weighed_while_there_is_time(model: str) -> None:
    agent = IsmctsAgent(GAME, IsmctsConfig(worlds=100, time=1.0, belief=model))
    pool = GAME.blank(FIRST_WORLD + 100)
    pool[0] = table_after(*CALLED, *FIRST).view(0)
    found = agent.fill_pool(pool, 0, derive(2, Purpose.AGENT), until=0.0)
    assert found.max() == 1
    assert 1 <= (found > 0).sum() <= WEIGHED_AT_ONCE
    assert agent.end_weighing(10.0) == 10.5


def test_worlds_of_a_leaster_weigh_the_same(model: str) -> None:
    table = table_after(*("pass",) * 5, spec="sheephead:pass=leaster")
    worlds = table.game.blank(3)
    weigh = make_weigher(table.game, model)
    found = weigh(table.view(table.movers[0]), table.movers[0], worlds, derive(1, Purpose.AGENT))
    assert found.tolist() == [0, 0, 0]


@pytest.mark.skipif(not COMPILED, reason="solves worlds")
def test_pimc_solves_worlds_that_a_belief_keeps(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_after(*CALLED, *FIRST, *SECOND[:4])
    view, rng = table.view(0), derive(1, Purpose.AGENT)
    agent = PimcAgent(GAME, PimcConfig(worlds=6, belief=model, drawn=20))
    seen: list[Any] = []

    def weigh(view: np.record, seat: int, worlds: Any, rng: Any) -> Any:
        seen.append(worlds.copy())
        return np.where(np.arange(20) % 10 == 3, -5.0, -np.inf)

    found = agent.solve_worlds(view, 0, rng.copy())
    assert len(found.gains) <= 6
    assert found.shares.sum() == pytest.approx(1)
    monkeypatch.setattr(agent, "_weigher", weigh)
    found = agent.solve_worlds(view, 0, rng.copy())
    assert found.shares.tolist() == [0.5, 0.5]
    for world, gains in zip(seen[0][[3, 13]], found.gains, strict=True):
        by_card = solve(GAME, world, "money").by_card
        assert by_card == dict(zip(found.cards, gains, strict=True))


def test_a_belief_must_be_one_and_needs_worlds(model: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="say how many by worlds="):
        kibitz.load_agent(f"ismcts:belief={model}", GAME)
    with pytest.raises(AgentError, match="nothing weighs worlds of nimmt"):
        kibitz.load_agent(f"pimc:belief={model}", kibitz.load_game("nimmt"))
    with pytest.raises(AgentError, match="is a critic"):
        kibitz.load_agent(f"pimc:belief={save_critic(tmp_path / 'critic')[0]}", GAME)
    with pytest.raises(SpecError, match="drawn=0"):
        kibitz.load_agent("pimc:drawn=0", GAME)
    with pytest.raises(SpecError, match="drawn=50: it means nothing with belief='none'"):
        kibitz.load_agent("pimc:drawn=50", GAME)
    with pytest.raises(SpecError, match="doubt=0.5: it means nothing with belief="):
        kibitz.load_agent(f"pimc:doubt=0.5,belief={model}", GAME)


def test_copies_of_a_world_are_one_sample() -> None:
    found = np.array([[1.0], [2.0], [6.0]])
    plain = found.std(ddof=1) / np.sqrt(3)
    assert errors_of_means(found, np.arange(3)) == pytest.approx(plain)
    kept = np.repeat(np.arange(3), 5)
    assert errors_of_means(found[kept], kept) == pytest.approx(plain)
    mixed = np.array([2, 0, 1, 2, 0, 1])
    assert errors_of_means(found[mixed], mixed) == pytest.approx(plain)
    assert np.isnan(errors_of_means(found[[1, 1]], np.array([1, 1]))).all()


def test_what_it_plays_without_a_search_weighs_most(model: str) -> None:
    agent = best(model, search="none", habits=1000.0)
    table = at(HANDS, "pass", "pass", "pass", "pick", "bury AH KH", "call AC", blind=BLIND)
    found = agent.decide(table.view(0), 0)
    assert found.weights is not None
    assert found.choices is not None
    assert found.choices[0, found.weights[0].argmax()] == found.actions[0]
    assert found.weights[0].sum() == pytest.approx(1)


def test_without_a_search_it_plays_what_the_policy_likes_best(model: str) -> None:
    agent, net = best(model, search="none"), kibitz.load_agent(f"net:model={model}", GAME)
    for words in ((), ("pick",), ("pick", "bury 7H 8H"), CALLED, (*CALLED, *FIRST)):
        table = table_after(*words)
        seat = table.movers[0]
        one, other = agent.decide(table.view(seat), seat), net.decide(table.view(seat), seat)
        assert one.actions.tolist() == other.actions.tolist()


def test_bids_and_cards_can_be_left_to_the_rule_bot(model: str) -> None:
    rule, bids = kibitz.load_agent("rule", GAME), best(model, bidding="rule", search="none")
    cards, own = best(model, play="rule", search="none"), best(model, search="none")
    for words in ((), ("pick",), ("pick", "bury 7H 8H"), CALLED, (*CALLED, *FIRST)):
        table = table_after(*words)
        seat = table.movers[0]
        one, two, by_rule, by_own = (
            int(agent.decide(table.view(seat), seat).actions[0])
            for agent in (bids, cards, rule, own)
        )
        is_bid = table.state.phase < PLAYING
        assert (one, two) == ((by_rule, by_own) if is_bid else (by_own, by_rule))


def test_money_and_house_rules_do_not_disturb_the_policy(model: str) -> None:
    spec = "sheephead:hands=9,bump=true,stack=true,pass=leaster"
    agent = BestAgent(kibitz.load_game(spec), BestConfig(model=model, search="none"))
    for words in ((), ("pick",), CALLED, (*CALLED, *FIRST)):
        plain, other = table_after(*words), table_after(*words, spec=spec)
        seat, view = plain.movers[0], other.view(plain.movers[0])
        view.money[:] = 100, -70, 30, -80, 20
        found = agent.decide(view, seat), best(model, search="none").decide(plain.view(seat), seat)
        assert found[0].weights.tolist() == found[1].weights.tolist()  # type: ignore[union-attr]


def test_what_was_never_learnt_is_left_to_the_rule_bot(model: str) -> None:
    for spec, words in (
        ("sheephead:pass=leaster", ("pass",) * 5),
        ("sheephead:crack=true", CALLED),
        ("sheephead:blitz=true", CALLED),
    ):
        table = table_after(*words, spec=spec)
        seat, game = table.movers[0], table.game
        agent, rule = BestAgent(game, BestConfig(model=model)), kibitz.load_agent("rule", game)
        one, other = (a.decide(table.view(seat), seat).actions[0] for a in (agent, rule))
        assert one == other


@pytest.mark.parametrize("search", ["cards", "all"])
def test_decisions_are_legal_and_depend_on_the_view_alone(model: str, search: str) -> None:
    agent = best(model, search=search)
    for words in ((), ("pick",), ("pick", "bury 7H 8H"), CALLED, ("pass",) * 5):
        table = table_after(*words)
        seat = table.seat_to_move
        assert seat is not None
        view = table.view(seat)
        again = table.state.copy()  # the same, from another world of this view
        resample(again, seat, derive(7, Purpose.PLAYOUT))
        conceal(again, seat)
        found = [agent.decide(one, seat) for one in (view, again)]
        assert found[0].actions.tolist() == found[1].actions.tolist()
        legal = list_legal(np.array([view]).view(view.dtype), np.array([seat]))
        assert found[0].actions[0] in legal.actions
        assert found[0].weights is not None
        assert np.nansum(found[0].weights) == pytest.approx(1)


def test_a_hand_that_is_played_on_ends_and_pays(model: str) -> None:
    mind, state = best(model)._desk().mind, table_after().state
    assert state.phase == BIDDING
    for action in (PASS, PICK):
        assert play_on(mind, state, action, NOBODY, derive(1, Purpose.PLAYOUT))
        paid = mind.states[2].paid
        assert paid.sum() == 0
        assert np.any(paid != 0)


def test_a_hand_that_is_dealt_again_pays_nothing(model: str) -> None:
    state = table_after(*("pass",) * 4, spec="sheephead:pass=redeal").state
    state.paid[:] = 20, 20, -20, 20, -40  # of the hand before
    mind = best(model)._desk().mind
    assert play_on(mind, state, PASS, NOBODY, derive(1, Purpose.PLAYOUT))
    assert mind.states[2].paid.tolist() == [0] * 5


def save_critic(folder: Path) -> tuple[str, Any]:
    """Save a small critic that has learnt nothing; return its name and layers."""
    size = GAME.encodings["insight"].size + 8 * 32
    layers = random_layers(size, 16, 1, seed=4)
    facts: dict[str, Any] = {"encoding": "insight", "heads": {"value": 1}, "inputs": "oracle"}
    return save(folder, GAME, layers, **facts, value="score", scale=20.0), layers


def test_a_critic_expects_by_the_view_and_by_where_all_cards_of_a_world_lie(
    model: str, tmp_path: Path
) -> None:
    name, layers = save_critic(tmp_path / "critic")
    mind = best(model, leaf="value", critic=name)._desk().mind
    state, oracle = table_after(*CALLED, *FIRST).state, GAME.oracle
    assert oracle is not None
    seat = int(state.turn)
    view, world = GAME.blank(1), GAME.blank(1)
    view[0] = world[0] = state
    conceal(view[0], seat)
    seen = GAME.encodings["insight"].observe(view, np.array([seat]))[0]
    hidden = oracle.observe(world, np.array([seat]))[0, GAME.n_known :]
    expected = 20 * outputs_by_numpy(layers, np.concatenate([seen, hidden]))[0]
    assert expect(mind, state, seat) == pytest.approx(expected, abs=1e-3)


def test_with_a_critic_hands_are_played_on_to_the_own_next_choice(
    model: str, tmp_path: Path
) -> None:
    agent = best(model, leaf="value", critic=save_critic(tmp_path / "critic")[0], solver=0.0)
    table = table_after(*CALLED, *FIRST)
    seat = table.movers[0]
    mind, action = agent._desk().mind, GAME.legal(table.state, seat)[0]
    assert not play_on(mind, table.state, action, seat, derive(1, Purpose.PLAYOUT))
    state = mind.states[2]
    assert int(state.turn) == seat
    assert int(state.tricks_played) > int(table.state.tricks_played)
    decided = agent.decide(table.view(seat), seat)
    assert decided.values is not None
    assert not np.all(np.nan_to_num(decided.values) % 5 == 0)  # payments are multiples of 5


def test_nothing_that_plays_can_ask_a_critic(model: str, tmp_path: Path) -> None:
    name, _ = save_critic(tmp_path / "critic")
    for spec in (f"net:model={name}", f"best:model={name}"):
        with pytest.raises(AgentError, match="is a critic, which is shown all cards"):
            kibitz.load_agent(spec, GAME)
    with pytest.raises(AgentError, match="is no critic"):
        best(model, leaf="value", critic=model)


def test_a_critic_is_not_asked_about_open_hands(model: str, tmp_path: Path) -> None:
    name, game = save_critic(tmp_path / "critic")[0], kibitz.load_game("sheephead:open=true")
    with pytest.raises(AgentError, match="open=true shows all: leave it out"):
        kibitz.load_agent(f"best:model={model},leaf=value,critic={name}", game)


def test_a_habit_outweighs_what_the_policy_likes_better(model: str) -> None:
    words = ("pass", "pass", "pass", "pick", "bury AH KH", "call AC")
    table = at(HANDS, *words, blind=BLIND)  # a defender with clubs leads
    followed = []
    for habits in (0.0, 1000.0):
        for search in ("none", "cards"):
            agent = best(model, search=search, habits=habits)
            card = NAMES[int(agent.decide(table.view(0), 0).actions[0])]
            followed.append(card in ("8C", "9C"))
    assert followed[2:] == [True, True]
    assert not all(followed[:2])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"habits": -1.0}, "habits"),
        ({"worlds": 0}, "worlds are 1 or more"),
        ({"drawn": 3}, "drawn ones as many or more"),
        ({"doubt": 0.0}, "doubt is above 0"),
        ({"solver": 2.0}, "solver from 0 to 1"),
    ],
)
def test_bad_parameters_are_refused(model: str, changed: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        best(model, **changed)


def test_other_kinds_of_networks_are_refused(tmp_path: Path) -> None:
    encoding = GAME.encodings["full"]
    layers = random_layers(encoding.size, encoding.n_actions)
    where = save(tmp_path / "view", GAME, layers, encoding="full")
    with pytest.raises(AgentError, match="takes a policy of candidates"):
        best(where)
