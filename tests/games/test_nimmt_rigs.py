"""Rigs of 6 nimmt!: every weight by hand, around every kind of agent."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz
from kibitz import SpecError, arena
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions, ValueKind, kinds_of
from kibitz.core.errors import AgentError, KibitzError
from kibitz.core.game import States
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import RNG, Purpose, Rngs, derive
from kibitz.games.nimmt import rigged
from kibitz.games.nimmt.mcs_mod import DIRECTED, choose_directed
from kibitz.games.nimmt.rigged import DEFAULTS, RANGES, RigAgent, RigConfig
from kibitz.testing import check_agent_decides_view_by_view

GAME = kibitz.load_game("nimmt")
HAND = [36, 50, 56, 57, 76, 77, 99]

# Figure 4.1 of the paper. Two rows are full, one has room for a card, one for three:
#
#   41 44 54 60 61     11 heads
#    7 15 33 39         9
#   55 66 72 74 78     15
#   21 31               2
FIGURE = (
    "turn=3 rows=41.44.54.60.61/7.15.33.39/55.66.72.74.78/21.31 hands=36.50.56.57.76.77.99/?/?/?/? "
    "swept=1.2.3 taken=3/0/0/0/0 last=61/39/78/31/3"
)
VIEW = GAME.parse(FIGURE)


def weights(spec: str, view: np.record = VIEW) -> list[float]:
    """Return how probably the cards of seat 0 are played."""
    found = kibitz.load_agent(spec, GAME).decide(view, 0)
    assert found.weights is not None
    assert found.choices is not None
    n = len(GAME.legal(view, 0))
    assert found.choices[0, :n].tolist() == GAME.legal(view, 0)
    assert np.isnan(found.weights[0, n:]).all()
    return found.weights[0, :n].tolist()


def shares(leanings: Sequence[float]) -> list[float]:
    """Return probabilities in proportion to exp(leaning)."""
    powers = [math.exp(one) for one in leanings]
    return [power / sum(powers) for power in powers]


def test_point_goes_by_heads() -> None:
    heads = [1, 3, 1, 1, 1, 5, 5]
    assert weights("rig:kind=point") == pytest.approx(shares(heads))
    half = [-0.5 * one for one in heads]
    assert weights("rig:kind=point,tau=-0.5") == pytest.approx(shares(half))


@pytest.mark.parametrize(
    ("distance", "card"),
    [
        (0, None),  # 32, 34 and 35 may come before 36, and there is room for two of them
        (1, 36),
        (7, 36),
        (8, 36),  # 50 is eight away: 40, 42, 43, 45 to 49 may come before it
    ],
)
def test_close_plays_the_lowest_card_that_is_close(distance: int, card: int | None) -> None:
    found = weights(f"rig:distance={distance}")
    expected = [1 / 7] * 7 if card is None else [float(one == card) for one in HAND]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hand", "safe"),
    [
        ("32.50.56.57.76.77.99", 32),
        ("34.50.56.57.76.77.99", 34),
        ("35.50.56.57.76.77.99", 35),  # 33 is on the table
        ("40.50.56.57.76.77.99", 40),
        ("42.50.56.57.76.77.99", None),  # 40 may come before it, and takes the last place
        ("30.50.56.57.76.77.99", None),  # below all rows
        ("62.63.65.67.79.80.81", None),  # on full rows
        ("34.35.40.57.76.77.99", 34),  # the lowest of three
    ],
)
def test_safe_cards_are_those_of_the_paper(hand: str, safe: int | None) -> None:
    view = GAME.parse(FIGURE.replace("36.50.56.57.76.77.99", hand))
    expected = [float(int(card) == safe) for card in hand.split(".")]
    assert weights("rig", view) == pytest.approx(expected if safe else [1 / 7] * 7)


@pytest.mark.parametrize("card", [36, 37, 42, 43])
@pytest.mark.parametrize("distance", [1, 2])
def test_distance_two_adds_the_cards_of_the_paper(card: int, distance: int) -> None:
    """It also names 41, which lies on the table."""
    view = GAME.parse(FIGURE.replace("36.", f"{card}."))
    is_close = distance == 2 or card in (36, 42)
    assert (weights(f"rig:distance={distance}", view)[0] == 1) == is_close


def test_value_multiplies_by_a_normal_density() -> None:
    apart = [-2.88, -0.5, -0.08, -0.045, -1.28, -1.445, -7.605]
    assert weights("rig:kind=value,centre=60,deviation=10") == pytest.approx(shares(apart))


@pytest.mark.parametrize(
    ("neighbours", "distances"),
    [
        (9, [199 / 6, 129 / 6, 111 / 6, 110 / 6, 129 / 6, 132 / 6, 242 / 6]),  # all six
        (2, [17, 6.5, 3.5, 4, 10, 10.5, 22.5]),
        (1, [14, 6, 1, 1, 1, 1, 22]),
    ],
)
def test_scatter_goes_by_the_distance_to_neighbours(
    neighbours: int, distances: list[float]
) -> None:
    isolated = [5 * one / 104 for one in distances]
    assert weights(f"rig:kind=scatter,neighbours={neighbours}") == pytest.approx(shares(isolated))
    bunched = [-10 * one / 104 for one in distances]
    spec = f"rig:kind=scatter,tau=10,neighbours={neighbours}"
    assert weights(spec) == pytest.approx(shares(bunched))


def test_two_cards_have_one_neighbour_each() -> None:
    table = kibitz.load_game("nimmt:players=2").deal(seed=1)
    while len(table.legal(0)) > 2:
        for seat in (0, 1):
            table.play(seat, table.legal(seat)[0])
    for spec in ("rig:kind=scatter", "rig:kind=scatter,neighbours=1,tau=100"):
        found = kibitz.load_agent(spec, table.game).decide(table.view(0), 0)
        assert found.weights is not None
        assert found.weights[0, :2].tolist() == [0.5, 0.5]


def test_risk_is_the_lowest_of_all_rows_or_the_highest() -> None:
    # Card 36 on its row: 15 * (1 - 3 / 5) + 2 + 1 + 3 * 1.65; the last row is the least for all.
    lowest = [6 + 2 + heads + 4.95 for heads in (1, 3, 1, 1, 1, 5, 5)]
    assert weights("rig:kind=risk") == pytest.approx(shares([-one for one in lowest]))
    # The third row is the worst for all: 15 heads, full, and 78 is above all cards but the last.
    highest = [15 * (1 + (78 - card) / 104) + 15 for card in HAND[:-1]] + [15 + 15]
    highest = [one + heads for one, heads in zip(highest, (1, 3, 1, 1, 1, 5, 5), strict=True)]
    found = weights("rig:kind=risk,tau=0.1,alpha=15")
    assert found == pytest.approx(shares([0.1 * one for one in highest]))


def test_the_risk_of_a_safe_card_has_no_distance() -> None:
    view = GAME.parse(FIGURE.replace("36.", "32."))
    found = weights("rig:kind=risk,tau=-0.1", view)
    safe, other = 2 + 1 + 4.95, 6 + 2 + 1 + 4.95  # 32 and 56
    assert found[0] / found[2] == pytest.approx(math.exp(-0.1 * (safe - other)))


def test_rigs_around_rigs_add() -> None:
    both = weights("rig:kind=point,of=rig:kind=value,centre=60,deviation=10")
    apart = [-2.88, -0.5, -0.08, -0.045, -1.28, -1.445, -7.605]
    heads = [1, 3, 1, 1, 1, 5, 5]
    assert both == pytest.approx(shares([a + b for a, b in zip(heads, apart, strict=True)]))
    close = weights("rig:distance=1,of=rig:kind=value,centre=60,deviation=10")
    assert close == pytest.approx([1, 0, 0, 0, 0, 0, 0])


class Teller(Agent):
    """Says what it is told to say, and plays the first choice."""

    name = "teller"

    def __init__(self, **told: Any) -> None:
        super().__init__(GAME)
        self.told, self.noted = told, []  # type: ignore[var-annotated]

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Say it."""
        n = len(views)
        actions = np.array([GAME.legal(v, int(s))[0] for v, s in zip(views, seats, strict=True)])
        columns: dict[str, Any] = {}
        if self.told:
            columns = {name: np.array([row] * n, float) for name, row in self.told.items()}
            columns["choices"] = np.array([HAND] * n)
            columns["n_choices"] = np.full(n, len(HAND))
            columns["kinds"] = kinds_of(n, ValueKind.SCORE)
        return Decisions(actions, **columns)

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Note it."""
        self.noted.append("watch")

    def end(self, games: Games) -> None:
        """Note it."""
        self.noted.append("end")


@pytest.fixture
def teller(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that rigs an agent which says what it is told to say."""

    def rig(config: RigConfig, **told: Any) -> RigAgent:
        monkeypatch.setattr(rigged, "load_agent", lambda spec, game: Teller(**told))
        return RigAgent(GAME, config)

    return rig


VALUES = [-9.0, -8.0, -8.5, math.nan, -8.2, -8.9, -8.1]
HEADS = RigConfig(kind="point", tau=0.5)


def test_who_knows_what_cards_are_worth_plays_the_best_of_values_and_leanings(teller: Any) -> None:
    # With half the heads added: -8.5, -6.5, -8, unknown, -7.7, -6.4, -5.6.
    found = teller(HEADS, values=VALUES).decide(VIEW, 0)
    assert found.actions.tolist() == [99]
    assert found.weights[0, :7].tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert found.values[0, :7].tolist() == pytest.approx(VALUES, nan_ok=True)
    assert found.info["unrigged"].tolist() == [36]


def test_a_temperature_makes_rigs_weaker_or_stronger(teller: Any) -> None:
    cold = RigConfig(kind="point", tau=0.5, temperature=0.01)
    assert teller(cold, values=VALUES).decide(VIEW, 0).actions.tolist() == [50]
    idle = RigConfig(kind="point", tau=0)
    assert teller(idle, values=VALUES).decide(VIEW, 0).actions.tolist() == [50]


def test_who_tells_weights_is_drawn_from(teller: Any) -> None:
    told = [0.5, 0.25, 0, 0, 0.25, 0, 0]
    agent = teller(HEADS, weights=told)
    expected = np.array([0.5 * math.exp(0.5), 0.25 * math.exp(1.5), 0, 0, 0.25 * math.exp(0.5)])
    found = agent.decide(VIEW, 0)
    assert found.weights[0, :5] == pytest.approx(expected / expected.sum())
    n = 4000 if COMPILED else 300
    views, seats = np.repeat(np.array([VIEW]), n), np.zeros(n, np.int64)
    rngs = np.empty(n, RNG)
    for k in range(n):
        rngs[k] = derive(1, Purpose.AGENT, k)
    drawn = agent.act(views, seats, rngs, np.arange(n)).actions
    for card, share in zip(HAND[:5], expected / expected.sum(), strict=True):
        assert abs((drawn == card).mean() - share) < 4 * math.sqrt(0.25 / n)


def test_by_says_what_to_go_by(teller: Any) -> None:
    told = {"values": VALUES, "weights": [1, 0, 0, 0, 0, 0, 0]}
    by_weights = RigConfig(kind="point", tau=0.5, by="weights")
    assert teller(by_weights, **told).decide(VIEW, 0).actions.tolist() == [36]
    with pytest.raises(AgentError, match="tells no values: leave out by=values"):
        teller(RigConfig(kind="point", by="values"), weights=told["weights"]).decide(VIEW, 0)


def test_who_says_nothing_is_certain(teller: Any) -> None:
    assert teller(RigConfig(kind="value")).decide(VIEW, 0).actions.tolist() == [36]
    view = GAME.parse(FIGURE.replace("36.50", "12.40"))
    assert teller(RigConfig(kind="value")).decide(view, 0).actions.tolist() == [12]
    assert teller(RigConfig()).decide(view, 0).actions.tolist() == [40]


def test_the_agent_inside_watches_and_forgets(teller: Any) -> None:
    assert not kibitz.load_agent("rig", GAME).watches
    agent = teller(RigConfig())
    assert agent.watches
    assert agent.forgets
    agent.watch(np.array([VIEW]), np.zeros(1, np.int64), np.zeros(1, np.int64))
    agent.end(np.zeros(1, np.int64))
    assert agent.inside.noted == ["watch", "end"]


def test_rows_and_picks_are_left_to_the_agent_inside() -> None:
    free = kibitz.load_game("nimmt:players=2,rows=free")
    table = kibitz.open_table(
        "nimmt:players=2,rows=free rows=10/20/30/40 "
        "hands=1.52.53.54.55.56.57.58.59.60/81.82.83.84.85.86.87.88.89.91"
    )
    table.play(0, 1)
    table.play(1, 81)
    view = table.view(0)
    both = np.array([view, free.deal(seed=1).view(0)])
    streams = np.array([derive(1, Purpose.AGENT, k) for k in range(2)], RNG)
    for spec, row in (("rig:kind=point,of=lowest", 106), ("rig:kind=point,of=highest", 106)):
        agent = kibitz.load_agent(spec, free)
        inside = kibitz.load_agent(spec.partition("of=")[2], free)
        assert int(agent.decide(view, 0).actions[0]) == int(inside.decide(view, 0).actions[0])
        found = agent.act(both, np.zeros(2, np.int64), streams.copy(), np.arange(2))
        assert found.actions[0] >= 105, row
        assert found.n_choices is not None
        assert found.n_choices.tolist() == [0, 10]
    draft = kibitz.load_game("nimmt:players=2,draft=true")
    picked = kibitz.load_agent("rig:of=highest", draft).decide(draft.deal(seed=1).view(0), 0)
    assert picked.actions.tolist() == [24]


def test_a_rig_of_random_takes_rows_at_random() -> None:
    result = arena.play("nimmt:players=3,rows=free", ["rig:kind=value", "random"], 5, 1)
    assert result.n_games == 15


def test_a_rig_without_strength_plays_like_the_agent_inside() -> None:
    table = GAME.deal(seed=3)
    plain = kibitz.load_agent("mcs:sims=50", GAME).decide(table.view(1), 1)
    rig = kibitz.load_agent("rig:kind=scatter,tau=0,of=mcs:sims=50", GAME)
    found = rig.decide(table.view(1), 1)
    assert found.actions.tolist() == plain.actions.tolist()
    assert np.array_equal(found.values, plain.values, equal_nan=True)  # type: ignore[arg-type]
    assert found.info["sims"] == [50]


@pytest.mark.parametrize(
    "spec",
    [
        "rig:kind=risk",
        pytest.param("rig:kind=value,of=mcs:sims=20", marks=pytest.mark.compiled),
        pytest.param("mcs-mod:sims=20", marks=pytest.mark.compiled),
    ],
)
def test_a_batch_is_decided_view_by_view(spec: str) -> None:
    check_agent_decides_view_by_view(kibitz.load_agent(spec, kibitz.load_game("nimmt:players=3")))


def test_the_last_decision_of_a_search_that_is_watched_is_its_own() -> None:
    agent = kibitz.load_agent("rig:kind=value,of=mcs:sims=100", GAME)
    rng = derive(5, Purpose.AGENT)
    *_, last = agent.think(VIEW, 0, rng.copy())
    assert last.actions.tolist() == agent.decide(VIEW, 0, rng.copy()).actions.tolist()


# Specs.

PARAMETERS: dict[str, Any] = {
    name: st.integers(int(low), int(high))
    if name in ("distance", "neighbours")
    else st.floats(low, high).map(lambda x: round(x, 3))  # all ends have three digits at most
    for name, (low, high) in RANGES.items()
}
INSIDE = st.sampled_from(["random", "highest", "mcs:sims=5", "uct:sims=7,c=1.5,tree=open-loop"])


@st.composite
def rig_specs(draw: Any, inside: Any) -> str:
    """Write a rig around an agent."""
    kind = draw(st.sampled_from(sorted(DEFAULTS)))
    names = draw(st.lists(st.sampled_from(sorted(DEFAULTS[kind])), unique=True))
    words = [f"kind={kind}", *(f"{name}={draw(PARAMETERS[name])}" for name in names)]
    return f"rig:{','.join(draw(st.permutations(words)))},of={draw(inside)}"


@settings(max_examples=60 if COMPILED else 20, deadline=None)
@given(st.recursive(INSIDE, rig_specs, max_leaves=3))
def test_specs_make_the_same_agent_again(spec: str) -> None:
    agent = kibitz.load_agent(spec, GAME)
    again = kibitz.load_agent(agent.spec, GAME)
    assert again.spec == agent.spec
    if isinstance(agent, RigAgent):
        assert isinstance(again, RigAgent)
        assert [rig.tobytes() for rig in again.rigs] == [rig.tobytes() for rig in agent.rigs]
        assert again.inside.spec == agent.inside.spec


@pytest.mark.parametrize(
    ("spec", "shortest"),
    [
        ("rig:kind=close,distance=0,of=random", "rig"),
        ("rig: kind = scatter , tau = -5 , of = random", "rig:kind=scatter"),
        ("rig:kind=scatter,tau=auto", "rig:kind=scatter"),
        ("rig:kind=value,of=mcs:sims=1000,value=win", "rig:kind=value,of=mcs:value=win"),
        ("rig:of=rig:kind=risk,of=rig:of=lowest", "rig:of=rig:kind=risk,of=rig:of=lowest"),
    ],
)  # fmt: skip
def test_the_spec_of_a_rig_is_the_shortest(spec: str, shortest: str) -> None:
    assert kibitz.load_agent(spec, GAME).spec == shortest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rig:kind=closed", r"expected point\|close\|value\|scatter\|risk"),
        ("rig:kind=close,tau=3", "rig:kind=close has no tau: it takes distance"),
        ("rig:kind=scatter,neighbours=0", "rig:neighbours=0: expected 1 to 9"),
        ("rig:kind=scatter,neighbours=1.5", "expected int"),
        ("rig:kind=value,deviation=0", "rig:deviation=0.0: expected 0.1 to 1000"),
        ("rig:kind=point,tau=nan", "expected a finite number"),
        ("rig:of=", "'of=' is not key=value"),
        ("rig:of=nobody", "unknown agent 'nobody' for nimmt"),
        ("rig:of=mcs,kind=close", "of= takes all that follows it"),
        ("rig:kind=close,kind=value", "'kind' is given twice"),
        ("rig:of=mcs:sims=5,sims=6", "'sims' is given twice"),
        ("rig:temperature=0,of=mcs", "rig:temperature=0.0: expected 0.001 to 1000"),
        ("rig:temperature=2,of=rig:of=mcs", "by and temperature belong to the rig inside"),
        ("rig:by=weights,temperature=2,of=mcs", "leave out by=weights"),
        ("rig:" + "of=rig:" * 200, "at most 500 characters"),
        ("rig:" + "of=rig:" * 60 + "of=nobody", "unknown agent 'nobody'"),
        ("mcs-mod:high=1000", "mcs-mod:high=1000.0: expected -100 to 100"),
        ("mcs-mod:distance=-1", "mcs-mod:distance=-1: expected 0..104"),
        ("mcs-mod:sims=0", "expected 1.."),
    ],
)
def test_bad_specs_are_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(KibitzError, match=message) as error:
        kibitz.load_agent(spec, GAME)
    assert "\n" not in str(error.value)


def test_rigs_are_for_one_game() -> None:
    with pytest.raises(SpecError, match="unknown agent 'rig' for connect4"):
        kibitz.load_agent("rig", kibitz.load_game("connect4"))
    with pytest.raises(SpecError, match="expected point"):
        RigConfig(kind="odd")  # type: ignore[arg-type]


# Playouts.


def test_directed_playouts_draw_by_value_closeness_and_isolation() -> None:
    policy = np.zeros(1, DIRECTED)[0]
    policy["directed_high"], policy["directed_close"], policy["directed_isolated"] = 2, 0.7, 3
    policy["directed_distance"] = 1
    apart = [199 / 6, 129 / 6, 111 / 6, 110 / 6, 129 / 6, 132 / 6, 242 / 6]
    powers = [(2 * card + 3 * m) / 104 for card, m in zip(HAND, apart, strict=True)]
    powers[0] += 0.7
    rng = derive(1, Purpose.PLAYOUT)
    assert choose_directed(VIEW, 0, policy, rng) in HAND
    assert policy["directed_weights"][:7].tolist() == pytest.approx([math.exp(p) for p in powers])
    n = 5000 if COMPILED else 500
    drawn = [choose_directed(VIEW, 0, policy, rng) for _ in range(n)]
    for card, share in zip(HAND, shares(powers), strict=True):
        assert abs(drawn.count(card) / n - share) < 4 * math.sqrt(0.25 / n)


@pytest.mark.compiled
def test_rigs_help_random_players_as_in_the_paper() -> None:
    """Points do not matter; close, high and isolated cards help, and so does avoiding risk."""
    agents = {
        "rig": 1.5,
        "rig:kind=value": 1.5,
        "rig:kind=scatter,tau=-10": 0.3,
        "rig:kind=risk": 1.5,
        "rig:kind=scatter,tau=10": -5.0,
        "rig:kind=risk,tau=1": -5.0,
    }
    for spec, better in agents.items():
        ahead = arena.play(GAME, [spec, "random"], 600, 1).sample.paired(0, 1)
        assert (ahead.low > 0) == (better > 0), spec


@pytest.mark.compiled
def test_a_rig_of_random_is_quick() -> None:
    agent = kibitz.load_agent("rig:kind=scatter", GAME)
    assert agent.as_policy is not None
    assert kibitz.load_agent("rig:of=highest", GAME).as_policy is None
