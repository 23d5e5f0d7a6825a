"""What `best` believes about 6 nimmt!, learnt from its searches."""

import numpy as np
import pytest

import kibitz
from kibitz import SpecError
from kibitz.games.nimmt.beliefs import load_judgement, policy_layers, value_layers
from kibitz.games.nimmt.cues import CARD_CUES, N_CARD, N_CUES, VALUE_CUES
from kibitz.games.nimmt.features import COUNTS
from kibitz.learn.distil import Distil, DistilConfig, Seen, fit_policy, fit_value, make_seen

GAME = kibitz.load_game("nimmt")
SMALL = DistilConfig(decisions=100, sims=10, rolls=20, games=20)


def two_cards(chosen: int) -> Seen:
    """Return one position with two cards whose cues are 0 to 5, and nine of the rows."""
    seen = make_seen(1)
    seen.cues[0, : 2 * CARD_CUES + 9] = np.arange(2 * CARD_CUES + 9)
    seen.n_cards[0], seen.chosen[0] = 2, chosen
    return seen


def test_a_policy_learns_a_choice_by_hand() -> None:
    weights, squares = np.zeros((2, N_CARD), np.float32)
    share = np.zeros(10, np.float32)
    ones = np.ones(1, np.float32)
    loss = fit_policy(two_cards(1), ones, weights, squares, 0.1, share)
    assert loss == pytest.approx(np.log(2))
    # The gradient of each of the three cues is 1/2 and -1/2, its square 1/4.
    step = 0.1 * 0.5 / np.sqrt(0.25 + 0.1)
    assert weights[:6] == pytest.approx([-step] * 3 + [step] * 3)
    assert squares[:6] == pytest.approx(0.25)


def test_a_value_learns_heads_by_hand() -> None:
    weights, squares = np.zeros((2, N_CUES), np.float32)
    seen = two_cards(0)
    error = fit_value(seen, np.array([6], np.float32), weights, squares, 0.1)
    assert error == pytest.approx(36)
    assert weights[:15] == pytest.approx(0.1 * 6 / np.sqrt(37))
    assert not weights[15:].any()


def test_the_value_of_a_position_is_learnt_exactly() -> None:
    weights, squares = np.zeros((2, N_CUES), np.float32)
    for _ in range(2000):
        fit_value(two_cards(0), np.array([6], np.float32), weights, squares, 0.1)
    assert weights[:15].sum() == pytest.approx(6, abs=1e-3)


def test_a_run_that_goes_on_from_its_state_ends_with_the_same_weights() -> None:
    whole = Distil(GAME, SMALL, 3)
    for _ in range(3):
        whole.step()
    first = Distil(GAME, SMALL, 3)
    first.step()
    second = Distil(GAME, SMALL, 3)
    second.restore(first.state())
    for _ in range(2):
        second.step()
    for name, draft in whole.drafts().items():
        other = second.drafts()[name]
        assert not isinstance(draft.network, bytes)
        assert not isinstance(other.network, bytes)
        for (w, b), (v, c) in zip(draft.network, other.network, strict=True):
            np.testing.assert_array_equal(w, v)
            np.testing.assert_array_equal(b, c)


def test_what_is_written_is_what_the_search_reads(tmp_path) -> None:  # type: ignore[no-untyped-def]
    draws = np.random.default_rng(1)
    own, others = draws.normal(0, 1, (2, COUNTS, N_CARD)).astype(np.float32)
    value = draws.normal(0, 1, (COUNTS, N_CUES)).astype(np.float32)
    save(tmp_path / "model", policy_layers(own), {"policy": 1}, "candidates")
    save(tmp_path / "others", policy_layers(others), {"policy": 1}, "candidates")
    save(tmp_path / "value", value_layers(value), {"value": 1}, "view")
    read = load_judgement(str(tmp_path), kibitz.load_game("nimmt:players=7"))
    assert read.factors[0] == pytest.approx(np.exp(own[5] / 0.5), rel=1e-5)
    assert read.factors[1] == pytest.approx(np.exp(others[5] / 1.0), rel=1e-5)
    assert read.value == pytest.approx(value[5])


def save(folder, layers, heads, inputs) -> None:  # type: ignore[no-untyped-def]
    """Save layers as a model of cues."""
    from kibitz.search.cards import Card
    from kibitz.search.models import save_model

    card = Card(
        game="nimmt",
        version=GAME.facts.version,
        encoding="cues",
        inputs=inputs,
        heads=heads,
        layers=(len(layers[0][0]), COUNTS, 1),
        value="score" if "value" in heads else None,
        licence="MIT",
        recipe="none",
        seed=1,
        strength="none",
    )
    save_model(folder, card, layers)


def test_positions_have_room_for_all_cues() -> None:
    assert make_seen(3).cues.shape == (3, VALUE_CUES)


@pytest.mark.parametrize("bad", [{"sims": 1}, {"turns": 0}, {"noise": 2.0}, {"decisions": 5}])
def test_parameters_out_of_range_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=next(iter(bad))):
        DistilConfig(**bad)  # type: ignore[arg-type]
