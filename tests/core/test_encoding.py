"""Encodings in batches: lists, indices, masks, probabilities and draws against hand computation."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from kibitz import IllegalAction, KibitzError, PositionError, SpecError, load_game
from kibitz.core.encoding import Encoding, define_encoding
from kibitz.core.game import Action, Features, Legal, Seat, State, States
from kibitz.core.kernels import COMPILED, kernel
from kibitz.core.listing import list_legal
from kibitz.core.rng import RNG, Purpose, Rngs, derive

GAME = load_game("connect4")
PLANES = GAME.encodings["planes"]
MANY = 20_000 if COMPILED else 2_000


@kernel
def observe_nothing(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write one number."""
    out[0] = 0


@kernel
def third(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number the columns 1 4 7, then 2 5, then 3 6."""
    return (action - 1) % 3


THIRDS = define_encoding(
    "connect4", "thirds", (("nothing", (1,)),), 3, observe_nothing, third
).bind(GAME.rules.STATE, 2)
"""An encoding in which several columns have one index."""


def views_of(*positions: str) -> tuple[States, np.ndarray]:
    views = np.array([GAME.parse(text) for text in positions], GAME.rules.STATE)
    return views, views["n_moves"] % 2


def streams(n: int) -> Rngs:
    return np.array([derive(3, Purpose.AGENT, k) for k in range(n)], RNG)


# Column 1 is full in the second position, columns 1 and 7 in the third.
VIEWS, SEATS = views_of("-", "111111", "1111117777772")
LEGAL = list_legal(VIEWS, SEATS)


def test_lists_lie_flat_one_after_the_other() -> None:
    assert LEGAL.offsets.tolist() == [0, 7, 13, 18]
    assert LEGAL.actions.tolist() == [1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6]


def test_more_than_is_usual_can_be_listed() -> None:
    game = load_game("nimmt:players=10,draft=true")
    view = game.deal(seed=1).view(0)
    views = np.array([view] * 50, view.dtype)
    found = list_legal(views, np.zeros(50, np.int64))
    assert found.offsets.tolist() == list(range(0, 50 * 104 + 1, 104))
    assert (found.actions.reshape(50, 104) == np.arange(1, 105)).all()


def test_nothing_is_listed_of_no_views() -> None:
    found = list_legal(VIEWS[:0], SEATS[:0])
    assert (len(found.actions), found.offsets.tolist()) == (0, [0])
    assert PLANES.mask(VIEWS[:0], SEATS[:0], found).shape == (0, 7)


def test_a_mask_marks_the_indices_of_legal_actions() -> None:
    expected = [[1, 1, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 0]]
    for dtype in (np.bool_, np.float32):
        mask = PLANES.mask(VIEWS, SEATS, LEGAL, dtype)
        assert mask.dtype == dtype
        assert mask.tolist() == expected
    indices = PLANES.indices(VIEWS, SEATS, LEGAL)
    assert indices.tolist() == (LEGAL.actions - 1).tolist()


def test_an_index_leads_to_the_first_action_that_has_it() -> None:
    found = THIRDS.actions_of(VIEWS, SEATS, LEGAL, np.array([2, 0, 0]))
    assert found.tolist() == [3, 4, 4]
    with pytest.raises(IllegalAction, match="no legal action of view 1 has the index 0"):
        PLANES.actions_of(VIEWS, SEATS, LEGAL, np.array([0, 0, 1]))


def test_probabilities_are_the_softmax_over_legal_actions() -> None:
    logits = np.log(np.array([[5, 1, 2, 3, 4, 5, 9]] * 3))
    found = PLANES.probabilities(VIEWS, SEATS, LEGAL, logits)
    assert found[13:] == pytest.approx([1 / 15, 2 / 15, 3 / 15, 4 / 15, 5 / 15])
    squared = PLANES.probabilities(VIEWS, SEATS, LEGAL, logits, temperature=0.5)
    assert squared[13:] == pytest.approx(np.array([1, 4, 9, 16, 25]) / 55)
    flat = np.log(np.concatenate([np.ones(13), [1, 2, 3, 4, 5]])).astype(np.float32)
    found = PLANES.probabilities(VIEWS, SEATS, LEGAL, flat)
    assert found[13:] == pytest.approx(np.array([1, 2, 3, 4, 5]) / 15)


def test_actions_that_share_an_index_share_its_probability() -> None:
    logits = np.log(np.array([[6.0, 3.0, 1.0]] * 3))
    found = THIRDS.probabilities(VIEWS, SEATS, LEGAL, logits)
    assert found[:7] == pytest.approx([0.2, 0.15, 0.05, 0.2, 0.15, 0.05, 0.2])
    assert found[13:] == pytest.approx([0.15, 0.05, 0.6, 0.15, 0.05])


def test_at_temperature_0_the_first_of_the_best_is_played() -> None:
    logits = np.array([[1, 3, 2, 3, 0, 0, 0], [9, 0, 0, 0, 0, 0, 0], [9, 0, 0, 1, 1, 0, 9]], float)
    drawn = PLANES.sample(VIEWS, SEATS, LEGAL, logits, streams(3), temperature=0)
    assert drawn.actions.tolist() == [2, 2, 4]
    assert drawn.places.tolist() == [1, 7, 15]
    assert drawn.log_probs.tolist() == [0, 0, 0]


def drawn_often(encoding: Encoding, logits: Features) -> tuple[np.ndarray, np.ndarray]:
    """Count the columns drawn in the third position, and give their log-probabilities."""
    views, seats = np.repeat(VIEWS[2:], MANY), np.repeat(SEATS[2:], MANY)
    legal = list_legal(views, seats)
    many = np.tile(logits, MANY) if logits.ndim == 1 else np.repeat(logits, MANY, axis=0)
    drawn = encoding.sample(views, seats, legal, many, streams(MANY))
    assert (legal.actions[drawn.places] == drawn.actions).all()
    logs = np.full(8, np.nan)
    logs[drawn.actions] = drawn.log_probs
    return np.bincount(drawn.actions, minlength=8), logs


@pytest.mark.parametrize("is_flat", [False, True])
def test_actions_are_drawn_as_often_as_they_are_probable(is_flat: bool) -> None:
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    dense = np.array([[np.inf, *np.log(weights), -np.inf]], np.float32)
    counts, logs = drawn_often(PLANES, np.log(weights) if is_flat else dense)
    assert chisquare(counts[2:7], MANY * weights / 15).pvalue > 1e-4
    assert counts[[0, 1, 7]].tolist() == [0, 0, 0]
    assert logs[2:7] == pytest.approx([math.log(w / 15) for w in weights], abs=1e-6)


def test_shared_indices_are_drawn_as_often_as_they_are_probable() -> None:
    counts, logs = drawn_often(THIRDS, np.log([[6.0, 3.0, 1.0]]).astype(np.float32))
    expected = np.array([0.15, 0.05, 0.6, 0.15, 0.05])
    assert chisquare(counts[2:7], MANY * expected).pvalue > 1e-4
    assert logs[2:7] == pytest.approx(np.log(expected), abs=1e-6)


def test_huge_logits_give_numbers() -> None:
    logits = np.full((3, 7), -1e30, np.float32)
    logits[:, 3] = 1e30
    for temperature in (1e-6, 1.0, 1e6):
        drawn = PLANES.sample(VIEWS, SEATS, LEGAL, logits, streams(3), temperature)
        assert drawn.actions.tolist() == [4, 4, 4]
        assert drawn.log_probs.tolist() == [0, 0, 0]
    same = PLANES.probabilities(VIEWS, SEATS, LEGAL, np.full((3, 7), 1e30))
    assert same[:7] == pytest.approx(1 / 7)


def test_visits_become_targets_by_index() -> None:
    visits = np.arange(18.0)
    found = THIRDS.targets(VIEWS, SEATS, LEGAL, visits)
    assert found.tolist() == [[0 + 3 + 6, 1 + 4, 2 + 5], [9 + 12, 7 + 10, 8 + 11], [15, 29, 31]]


def test_candidates_without_features_of_their_own_show_their_index() -> None:
    rows = PLANES.observe_candidates(VIEWS, SEATS, LEGAL)
    assert PLANES.candidate_size == 7
    assert (rows == np.eye(7)[LEGAL.actions - 1]).all()


WRONG: dict[str, tuple[Any, Any, Any]] = {
    "nothing": (None, None, None),
    "no array": (list(VIEWS), SEATS, LEGAL),
    "two axes": (VIEWS.reshape(1, 3), SEATS, LEGAL),
    "no states": (np.zeros(3), SEATS, LEGAL),
    "another game": (load_game("nimmt").blank(3), SEATS, LEGAL),
    "fewer seats": (VIEWS, SEATS[:2], LEGAL),
    "seats of floats": (VIEWS, SEATS.astype(float), LEGAL),
    "a seat below 0": (VIEWS, np.array([-1, 0, 1]), LEGAL),
    "a seat too high": (VIEWS, np.array([2, 0, 1]), LEGAL),
    "not to move": (VIEWS, 1 - SEATS, LEGAL),
    "no list": (VIEWS, SEATS, None),
    "no offsets": (VIEWS, SEATS, Legal(LEGAL.actions, np.zeros(0, np.int64))),
    "offsets of fewer": (VIEWS, SEATS, Legal(LEGAL.actions, LEGAL.offsets[:3])),
    "offsets backwards": (VIEWS, SEATS, Legal(LEGAL.actions, np.array([0, 9, 5, 18]))),
    "offsets too far": (VIEWS, SEATS, Legal(LEGAL.actions, LEGAL.offsets + 1)),
    "other actions": (VIEWS, SEATS, Legal(LEGAL.actions * 10**9, LEGAL.offsets)),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_refused_in_a_sentence(what: str) -> None:
    given = WRONG[what]
    logits, chosen = np.zeros((3, 7)), np.ones(3, np.int64)
    doors: list[Callable[[], object]] = [
        lambda: PLANES.indices(*given),
        lambda: PLANES.mask(*given),
        lambda: PLANES.observe_candidates(*given),
        lambda: PLANES.targets(*given, np.zeros(18)),
        lambda: PLANES.actions_of(*given, chosen),
        lambda: PLANES.probabilities(*given, logits),
        lambda: PLANES.sample(*given, logits, streams(3)),
    ]
    for door in doors:
        with pytest.raises(KibitzError) as refusal:
            door()
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("logits", "temperature", "sentence"),
    [
        (np.zeros((3, 8)), 1.0, r"logits are an array .* of shape \(3, 7\), got float64 \(3, 8\)"),
        (np.zeros((3, 7), int), 1.0, "float32 or float64"),
        (np.zeros(17), 1.0, r"of shape \(18,\)"),
        ([[0.0] * 7] * 3, 1.0, "got .*list"),
        (np.full((3, 7), np.nan), 1.0, "at most 1e"),
        (np.full((3, 7), 1e32), 1.0, "at most 1e"),
        (np.full((3, 7), -np.inf), 1.0, "at most 1e"),
        (np.zeros((3, 7)), -1.0, "a temperature is 0, or from"),
        (np.zeros((3, 7)), math.nan, "a temperature is 0, or from"),
        (np.zeros((3, 7)), "1", "a temperature is 0, or from"),
    ],
)
def test_logits_and_temperatures_are_checked(logits: Any, temperature: Any, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        PLANES.sample(VIEWS, SEATS, LEGAL, logits, streams(3), temperature)


@pytest.mark.parametrize("rngs", [streams(2), streams(6)[::2], np.zeros(3), None])
def test_streams_are_checked(rngs: Rngs) -> None:
    with pytest.raises(SpecError, match="a random stream for each of 3 views"):
        PLANES.sample(VIEWS, SEATS, LEGAL, np.zeros((3, 7)), rngs)


def test_an_encoding_that_belongs_to_no_table_observes_nothing() -> None:
    from kibitz.games.connect4.features import PLANES as loose

    with pytest.raises(SpecError, match="take it from a loaded game"):
        loose.observe(VIEWS, SEATS)
    with pytest.raises(PositionError, match="of another game"):
        load_game("nimmt").encodings["full"].observe(VIEWS, SEATS)
