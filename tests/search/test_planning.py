"""Planning models as selection rules: what they see, what they choose, and what is refused."""

from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError
from kibitz.core.rng import RNG, Purpose, Rngs, derive
from kibitz.search.forest import Forest
from kibitz.search.models import load_model, save_model
from kibitz.search.planning import (
    NO_PRIOR,
    best_places,
    columns_of,
    planned,
    planned_outside,
    recorded,
    see_asked,
    write_decision,
)
from kibitz.search.puct import PuctAgent, PuctConfig
from kibitz.search.roots import make_roots
from kibitz.search.selection import puct
from kibitz.search.tree import ARM, DECISION, SEARCH
from tests.search.networks import make_card, outputs_by_numpy, random_layers, save

GAME = kibitz.load_game("connect4")
COLUMNS = columns_of(GAME, GAME.encodings["planes"])
VIEW = GAME.parse("4444441277").reshape(1)  # column 4 is full
SELECTION: dict[str, Any] = {"inputs": "selection", "heads": {"policy": 7}}


def streams() -> Rngs:
    rngs: Rngs = np.zeros(1, RNG)
    rngs[0] = derive(1, Purpose.AGENT)
    return rngs


def grow(rule: np.record, n_sims: int = 64, plan: Any = None) -> Forest:
    """Grow a tree from VIEW; leaves have priors and values that follow from their number."""
    agent = PuctAgent(GAME, PuctConfig(sims=n_sims))
    desk = agent.make_desk()
    desk.rule = rule
    forest = Forest(desk, agent.tree_size, 1)
    forest.begin(VIEW, np.zeros(1, np.int64), streams(), np.array([n_sims]))
    draw = np.random.default_rng(5)
    while True:
        leaves, steps = forest.select(), None
        if leaves is not None:
            priors = draw.dirichlet(np.ones(len(leaves.legal.actions)))
            value = draw.random()
            forest.absorb(leaves, priors, np.array([[value, 1 - value]]))
        if plan is not None and (steps := forest.asking()) is not None:
            rows = see_asked(forest, steps, COLUMNS, sees_variance=False)
            forest.steer(steps, best_places(steps, plan(rows), COLUMNS))
        if leaves is None and steps is None:
            return forest


def visits_of(forest: Forest) -> list[float]:
    roots = make_roots(1, 7)
    forest.read(roots)
    return roots.visits[0, : roots.n_actions[0]].tolist()


def test_a_decision_is_told_as_computed_by_hand() -> None:
    arms, decision, how = np.zeros(2, ARM), np.zeros(1, DECISION)[0], np.zeros(1, SEARCH)[0]
    decision.n_at_first = 2
    arms[0] = (2, 1.5, 0, 2, 0, 0.5, 1, -1, 0.125, 0, -1)  # column 2: values 1 and 0.5
    arms[1] = (7, 0.0, 0, 0, 1, 1.5, -1, -1, 0.0, 0, -1)  # column 7: never tried
    how.lowest_value, how.highest_value = 0.25, 1.0
    row = np.zeros(36, np.float32)
    write_decision(arms.view(np.recarray), decision, how, 7, 1, row)
    q = 2 * (0.75 - 0.25) / 0.75 - 1  # what was never tried counts as the mean of what was
    assert row[:7] == pytest.approx([0, q, 0, 0, 0, 0, q])
    told = {1: log(0.25 + 0.001), 6: log(0.75 + 0.001)}
    assert row[7:14] == pytest.approx([told.get(k, NO_PRIOR) for k in range(7)])
    assert row[14:22] == pytest.approx([0, log(3), 0, 0, 0, 0, 0, log(3)])
    assert row[22:29].tolist() == [0, 1, 0, 0, 0, 0, 1]
    variance = ((1 - 0.75) ** 2 + (0.5 - 0.75) ** 2) / 2  # M is twice that
    assert row[29:] == pytest.approx([0, 4 * variance / 0.75**2, 0, 0, 0, 0, 0])


def test_welford_finds_the_variance_of_what_was_backed_up() -> None:
    grown = grow(recorded(puct(1.5), COLUMNS, 4096), 200).grown
    trees, hows = grown.trees, grown.hows
    arms = trees.arms[0][: hows[0]["n_arms"]]
    often = arms[arms["arm_visits"] > 3]
    assert len(often) > 20
    n = often["arm_visits"]
    direct = often["value_squares"] / n - (often["value_sum"] / n) ** 2
    assert often["second_sum"] / n == pytest.approx(direct, abs=1e-6)
    assert direct.max() > 0.05


def test_what_is_recorded_is_what_puct_chose() -> None:
    rule = grow(recorded(puct(1.5), COLUMNS, 4096)).rules[0]
    n = int(rule["n_rows"])
    rows, chosen = rule["rows"][:n], rule["chosen"][:n]
    assert (rule["depths"][:n] == 0).sum() == 64  # a way down for every simulation
    assert (rows[np.arange(n), 22 + chosen] == 1).all()
    assert (by_puct(rows).argmax(axis=1) == chosen).mean() > 0.99  # but for ties


def by_puct(rows: Any) -> Any:
    """Compute PUCT from what is seen: eq. 2.4, with c = 1.5 for values from 0 to 1."""
    q, p, n = rows[:, :7] / 2, np.exp(rows[:, 7:14]) - 0.001, np.expm1(rows[:, 14:21])
    root = np.sqrt(np.maximum(np.expm1(rows[:, 21:22]), 1))
    return np.where(rows[:, 22:29] > 0, q + 1.5 * p * root / (1 + n), -np.inf)


def test_a_planner_that_imitates_puct_exactly_picks_as_puct() -> None:
    expected = visits_of(grow(puct(1.5)))
    assert visits_of(grow(planned_outside(), plan=by_puct)) == expected
    assert max(expected) > 15
    assert sum(n > 0 for n in expected) > 3


@pytest.mark.parametrize(("one_by_one", "sizes"), [(False, (36, 32, 7)), (True, (5, 16, 16, 1))])
def test_a_planner_in_the_kernel_tries_what_its_network_says_most_for(
    one_by_one: bool, sizes: tuple[int, ...]
) -> None:
    layers = random_layers(*sizes)
    rule = grow(recorded(planned(layers, COLUMNS, one_by_one), COLUMNS, 4096)).rules[0]
    rows, chosen = (rule[name][: rule["n_rows"]] for name in ("rows", "chosen"))
    if one_by_one:
        each = [rows[:, k : k + 7] for k in (0, 7, 14)]
        each += [np.repeat(rows[:, 21:22], 7, axis=1), rows[:, 29:]]
        outputs = outputs_by_numpy(layers, np.stack(each, axis=2))[..., 0]
    else:
        outputs = outputs_by_numpy(layers, rows)
    outputs = np.where(rows[:, 22:29] > 0, outputs, -np.inf)
    assert (outputs.argmax(axis=1) == chosen).all()
    assert len(set(chosen.tolist())) > 1


def test_an_illegal_action_is_never_tried_when_all_outputs_are_negative() -> None:
    biases = np.array([-9, -9, -9, -1, -9, -9, -8], np.float32)  # most for the full column
    layers = [(np.zeros((29, 7), np.float32), biases)]
    assert visits_of(grow(planned(layers, COLUMNS, one_by_one=False), 16)) == [0, 0, 0, 0, 0, 16]

    def plan(rows: Any) -> Any:
        return np.tile(biases, (len(rows), 1))

    assert visits_of(grow(planned_outside(), 16, plan)) == [0, 0, 0, 0, 0, 16]


def test_heat_draws_from_the_softmax() -> None:
    layers = [(np.zeros((29, 7), np.float32), np.log([1, 1, 4, 1, 1, 1, 1]).astype(np.float32))]
    rule = recorded(planned(layers, COLUMNS, one_by_one=False, heat=1.0), COLUMNS, 20_000)
    rule = grow(rule, 2000).rules[0]
    at_root = rule["chosen"][: rule["n_rows"]][rule["depths"][: rule["n_rows"]] == 0]
    share = (at_root == 2).mean()  # 4 of 9, as one of the seven is full
    assert abs(share - 4 / 9) < 4 * sqrt(4 / 9 * 5 / 9 / 2000)


def test_planner_agents_run_with_and_without_a_network_below(tmp_path: Path) -> None:
    name = save(tmp_path / "m", GAME, random_layers(29, 8, 7), **SELECTION)
    for base in ("none", "connect4-alphazero"):
        agent = kibitz.load_agent(f"planner:model={name},base={base},sims=20", GAME)
        found = agent.decide(VIEW[0], 0)
        assert found.visits is not None
        assert np.nansum(found.visits) == 20
        assert found.choices is not None
        assert 4 not in found.choices[0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"heads": {"policy": 1}}, "the last layer has 7 outputs"),
        ({"sees": ("variance",)}, "has 29 inputs, but the encoding 'planes' has 36"),
        ({"sees": ("history",)}, "only an ONNX network with inputs 'selection' sees the history"),
        ({"sees": ("variance", "variance")}, "says twice"),
        ({"inputs": "view", "sees": ("variance",)}, "says what it sees of a search"),
    ],
)
def test_cards_that_no_planner_can_have_are_refused(
    tmp_path: Path, changed: Any, message: str
) -> None:
    def save_and_load() -> None:
        save(tmp_path / "m", GAME, random_layers(29, 7), **SELECTION | changed)
        load_model(str(tmp_path / "m"), GAME, use="planning")

    with pytest.raises(AgentError, match=message):
        save_and_load()


def test_planning_models_and_others_are_not_mixed_up(tmp_path: Path) -> None:
    name = save(tmp_path / "m", GAME, random_layers(29, 7), **SELECTION)
    for agent in ("puct", "net"):
        with pytest.raises(AgentError, match="is a planning model, it knows no positions"):
            kibitz.load_agent(f"{agent}:model={name}", GAME)
    with pytest.raises(AgentError, match="is no planning model, which planner needs"):
        kibitz.load_agent("planner:model=connect4-alphazero", GAME)


def test_networks_too_large_for_a_rule_are_refused(tmp_path: Path) -> None:
    name = save(tmp_path / "m", GAME, random_layers(29, 300, 7), **SELECTION)
    with pytest.raises(AgentError, match="has at most 32768 weights and layers of 256"):
        kibitz.load_agent(f"planner:model={name}", GAME)


def test_planning_models_are_for_open_games_whose_actions_stay_the_same() -> None:
    for spec in ("nimmt:players=2,hands=open", "sheephead"):
        game = kibitz.load_game(spec)
        with pytest.raises(AgentError, match="open games whose actions are always the same"):
            columns_of(game, next(iter(game.encodings.values())))


def test_a_card_of_single_actions_must_be_an_mlp() -> None:
    card = make_card(GAME, kind="onnx", inputs="arm", heads={"policy": 1})
    with pytest.raises(AgentError, match="is an mlp, not an ONNX file"):
        save_model("nowhere", card, b"")
